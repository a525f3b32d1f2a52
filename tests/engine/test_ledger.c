/* SPDX-License-Identifier: MIT */
/*  rank 0   F0 F1 B0 F2 B1 B2    10 ps each but B with 20; F keeps 100, B works with 30
 *  rank 1   F0 B0                F keeps nothing, B works with 7
 */
#include "engine/ledger.h"
#include "engine/sweep.h"
#include "suites.h"

enum { FORWARD, BACKWARD, LIGHT_FORWARD, LIGHT_BACKWARD, SEND, OPTIMIZER };

static void
begin(PsimGraphBuilder *builder, PsimArena *arena)
{
    static const PsimTaskClass classes[] = {
        [FORWARD] = {.op = "F", .start_bytes = 100, .working_bytes = 5},
        [BACKWARD] = {.op = "B", .end_bytes = 100, .working_bytes = 30},
        [LIGHT_FORWARD] = {.op = "F", .rank = 1},
        [LIGHT_BACKWARD] = {.op = "B", .rank = 1, .working_bytes = 7},
        [SEND] = {.op = "send-F", .kind = PSIM_TASK_SEND, .start_bytes = 1000},
        [OPTIMIZER] = {.op = "optimizer", .kind = PSIM_TASK_OPTIMIZER, .working_bytes = 400},
    };

    psim_graph_builder_init(builder, arena, 0, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(classes); i++)
        (void)psim_graph_add_class(builder, &classes[i]);
    (void)psim_graph_add_stream(builder, 0, PSIM_STREAM_COMPUTE);
    (void)psim_graph_add_stream(builder, 1, PSIM_STREAM_COMPUTE);
    (void)psim_graph_add_stream(builder, 0, PSIM_STREAM_SEND_NEXT);
}

/* Tasks 0 .. 8; 1 is a send, which holds no memory of ours, 6 and 7 are rank 1's. */
static const PsimGraph *
build_sample(PsimArena *arena, bool with_optimizer)
{
    PsimGraphBuilder builder;

    begin(&builder, arena);
    (void)psim_graph_add_task(&builder, FORWARD, 0, 10, 0);
    (void)psim_graph_add_task(&builder, SEND, 2, 1, 0);
    (void)psim_graph_add_task(&builder, FORWARD, 0, 10, 1);
    (void)psim_graph_add_task(&builder, BACKWARD, 0, 20, 0);
    (void)psim_graph_add_task(&builder, FORWARD, 0, 10, 2);
    (void)psim_graph_add_task(&builder, BACKWARD, 0, 20, 1);
    (void)psim_graph_add_task(&builder, LIGHT_FORWARD, 1, 10, 0);
    (void)psim_graph_add_task(&builder, LIGHT_BACKWARD, 1, 20, 0);
    (void)psim_graph_add_task(&builder, BACKWARD, 0, 20, 2);
    if (with_optimizer)
        (void)psim_graph_add_task(&builder, OPTIMIZER, 0, 5, PSIM_TASK_NONE);
    return psim_graph_freeze(&builder);
}

START_TEST(peaks_are_of_the_first_fullest_task)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimGraph *graph = build_sample(arena, /* with_optimizer= */ false);
    const PsimReplay *replay = psim_sweep_run(graph, arena, NULL);
    const PsimLedgerPeak *peaks = psim_ledger_peaks(graph, replay, arena);

    ck_assert_int_eq(peaks[0].peak_bytes, 230);
    ck_assert_uint_eq(peaks[0].peak_task, 3);
    ck_assert_int_eq(peaks[0].peak_time, 20);
    ck_assert_uint_eq(peaks[0].in_flight_max, 2);
    ck_assert_int_eq(peaks[0].working_bytes, 30);
    ck_assert_int_eq(peaks[1].peak_bytes, 7);
    ck_assert_uint_eq(peaks[1].peak_task, 7);
    ck_assert_int_eq(peaks[1].peak_time, 10);
    ck_assert_uint_eq(peaks[1].in_flight_max, 0);
}
END_TEST

START_TEST(working_memory_alone_may_be_the_peak)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimGraph *graph = build_sample(arena, /* with_optimizer= */ true);
    const PsimReplay *replay = psim_sweep_run(graph, arena, NULL);
    const PsimLedgerPeak *peaks = psim_ledger_peaks(graph, replay, arena);

    ck_assert_int_eq(peaks[0].peak_bytes, 400);
    ck_assert_uint_eq(peaks[0].peak_task, 9);
    ck_assert_int_eq(peaks[0].peak_time, 90);
    ck_assert_int_eq(peaks[0].working_bytes, 400);
}
END_TEST

START_TEST(a_rank_without_memory_has_no_peak)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimGraphBuilder builder;

    begin(&builder, arena);
    (void)psim_graph_add_task(&builder, LIGHT_FORWARD, 1, 10, 0);

    const PsimGraph *graph = psim_graph_freeze(&builder);
    const PsimReplay *replay = psim_sweep_run(graph, arena, NULL);
    const PsimLedgerPeak *peaks = psim_ledger_peaks(graph, replay, arena);

    for (uint32_t rank = 0; rank < 2; rank++) {
        ck_assert_int_eq(peaks[rank].peak_bytes, 0);
        ck_assert_uint_eq(peaks[rank].peak_task, PSIM_TASK_NONE);
    }
}
END_TEST

/* A whole backward or the W of a split one releases; the I does not. */
START_TEST(in_flight_ends_with_the_weight_half)
{
    static const PsimTaskClass classes[] = {
        {.op = "F", .start_bytes = 100},
        {.op = "I", .end_bytes = 60},
        {.op = "W", .end_bytes = 40},
    };
    static const uint32_t order[] = {0, 1, 0, 1, 2, 2, 0, 1, 2};
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimGraphBuilder builder;

    psim_graph_builder_init(&builder, arena, 0, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(classes); i++)
        (void)psim_graph_add_class(&builder, &classes[i]);
    (void)psim_graph_add_stream(&builder, 0, PSIM_STREAM_COMPUTE);
    for (size_t i = 0; i < G_N_ELEMENTS(order); i++)
        (void)psim_graph_add_task(&builder, order[i], 0, 1, 0);

    const PsimGraph *graph = psim_graph_freeze(&builder);
    const PsimReplay *replay = psim_sweep_run(graph, arena, NULL);
    const PsimLedgerPeak *peaks = psim_ledger_peaks(graph, replay, arena);

    ck_assert_uint_eq(peaks[0].in_flight_max, 2);
    ck_assert_int_eq(peaks[0].peak_bytes, 140);
}
END_TEST

static void
append_change(void *user, uint32_t rank, PsimTime time, int64_t bytes, uint32_t task)
{
    g_string_append_printf(user, "%u:%u@%" G_GINT64_FORMAT "=%" G_GINT64_FORMAT " ", rank, task,
                           time, bytes);
}

START_TEST(the_curve_tells_each_change)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(GString) story = g_string_new(NULL);
    const PsimGraph *graph = build_sample(arena, /* with_optimizer= */ false);

    psim_ledger_curve(graph, psim_sweep_run(graph, arena, NULL), append_change, story);
    ck_assert_str_eq(story->str, "0:0@0=105 0:0@10=100 0:2@10=205 0:2@20=200 0:3@20=230 "
                                 "0:3@40=100 0:4@40=205 0:4@50=200 0:5@50=230 0:5@70=100 "
                                 "1:7@10=7 1:7@30=0 0:8@70=130 0:8@90=0 ");
}
END_TEST

Suite *
ledger_suite(void)
{
    Suite *suite = suite_create("ledger");
    TCase *tcase = tcase_create("ledger");

    tcase_add_test(tcase, peaks_are_of_the_first_fullest_task);
    tcase_add_test(tcase, working_memory_alone_may_be_the_peak);
    tcase_add_test(tcase, a_rank_without_memory_has_no_peak);
    tcase_add_test(tcase, in_flight_ends_with_the_weight_half);
    tcase_add_test(tcase, the_curve_tells_each_change);
    suite_add_tcase(suite, tcase);
    return suite;
}
