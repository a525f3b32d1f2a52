/* SPDX-License-Identifier: MIT */
/* Graphs built by hand, with the spans they must give. */
#include "engine/engine.h"
#include "engine/sweep.h"
#include "suites.h"

/* Streams 0 .. n - 1 of one rank, one class. */
static void
begin(PsimGraphBuilder *builder, PsimArena *arena, uint32_t n_streams)
{
    psim_graph_builder_init(builder, arena, 0, 0);
    (void)psim_graph_add_class(builder, &(PsimTaskClass){.op = "F", .peer = PSIM_TASK_NONE});
    for (uint32_t stream = 0; stream < n_streams; stream++)
        (void)psim_graph_add_stream(builder, 0, PSIM_STREAM_COMPUTE);
}

/* Appends what happens: "+0@0 -0@3 ..." */
static void
append_start(void *user, uint32_t task, PsimTime now)
{
    g_string_append_printf(user, "+%u@%" G_GINT64_FORMAT " ", task, now);
}

static void
append_finish(void *user, uint32_t task, PsimTime now)
{
    g_string_append_printf(user, "-%u@%" G_GINT64_FORMAT " ", task, now);
}

static const PsimReplay *
run_observed(const PsimGraph *graph, PsimArena *arena, GString *story)
{
    const PsimObserver observer = {
        .started = append_start, .finished = append_finish, .user = story};

    return psim_engine_run(graph, arena, &observer, /* error= */ NULL);
}

/*  stream 0   0--1-----
 *  stream 1   2----3--          3 waits for 1
 */
START_TEST(tasks_wait_for_their_stream_and_their_predecessors)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(GString) story = g_string_new(NULL);
    PsimGraphBuilder builder;

    begin(&builder, arena, 2);
    (void)psim_graph_add_task(&builder, 0, 0, 3, 0);
    (void)psim_graph_add_task(&builder, 0, 0, 6, 0);
    (void)psim_graph_add_task(&builder, 0, 1, 5, 0);
    (void)psim_graph_add_task(&builder, 0, 1, 2, 0);
    psim_graph_add_edge(&builder, 1);

    const PsimGraph *graph = psim_graph_freeze(&builder);
    const PsimReplay *replay = run_observed(graph, arena, story);

    ck_assert_str_eq(story->str, "+0@0 +2@0 -0@3 +1@3 -2@5 -1@9 +3@9 -3@11 ");
    ck_assert_int_eq(replay->makespan, 11);
    ck_assert_uint_eq(replay->n_events, 4);
    ck_assert_int_eq(psim_replay_start(replay, graph, 1), 3);
    ck_assert_int_eq(psim_replay_start(replay, graph, 3), 9);
}
END_TEST

/* Three streams become free at 4; both finishes of 4 come first, then the starts by id; task 4
 * takes no time, so it ends before task 5 starts. */
START_TEST(ties_are_broken_by_time_kind_and_id)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(GString) story = g_string_new(NULL);
    PsimGraphBuilder builder;

    begin(&builder, arena, 3);
    (void)psim_graph_add_task(&builder, 0, 2, 4, 0);
    (void)psim_graph_add_task(&builder, 0, 1, 4, 0);
    (void)psim_graph_add_task(&builder, 0, 0, 4, 0);
    (void)psim_graph_add_task(&builder, 0, 2, 1, 0);
    (void)psim_graph_add_task(&builder, 0, 1, 0, 0);
    (void)psim_graph_add_task(&builder, 0, 0, 1, 0);
    (void)run_observed(psim_graph_freeze(&builder), arena, story);
    ck_assert_str_eq(story->str, "+0@0 +1@0 +2@0 -0@4 -1@4 -2@4 +3@4 +4@4 -4@4 +5@4 -3@5 -5@5 ");
}
END_TEST

START_TEST(many_streams_may_wait_for_one_task)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(GString) story = g_string_new(NULL);
    PsimGraphBuilder builder;

    begin(&builder, arena, 4);
    (void)psim_graph_add_task(&builder, 0, 0, 7, 0);
    for (uint32_t stream = 3; stream > 0; stream--) {
        (void)psim_graph_add_task(&builder, 0, stream, 1, 0);
        psim_graph_add_edge(&builder, 0);
        psim_graph_add_edge(&builder, 0);
    }
    (void)run_observed(psim_graph_freeze(&builder), arena, story);
    ck_assert_str_eq(story->str, "+0@0 -0@7 +1@7 +2@7 +3@7 -1@8 -2@8 -3@8 ");
}
END_TEST

START_TEST(an_empty_graph_takes_no_time)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimGraphBuilder builder;

    psim_graph_builder_init(&builder, arena, 0, 0);

    const PsimGraph *graph = psim_graph_freeze(&builder);

    ck_assert_int_eq(psim_engine_run(graph, arena, NULL, NULL)->makespan, 0);
    ck_assert_int_eq(psim_sweep_run(graph, arena, NULL)->makespan, 0);
}
END_TEST

/* Two streams, the second idle but for a moment at the end; the clock ends at INT64_MAX. */
static const PsimGraph *
build_long(PsimArena *arena, PsimTime last)
{
    PsimGraphBuilder builder;

    begin(&builder, arena, 2);
    (void)psim_graph_add_task(&builder, 0, 0, INT64_MAX - 5, 0);
    (void)psim_graph_add_task(&builder, 0, 0, last, 0);
    (void)psim_graph_add_task(&builder, 0, 1, 1, 0);
    return psim_graph_freeze(&builder);
}

START_TEST(a_step_may_fill_the_clock)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimGraph *graph = build_long(arena, 5);

    ck_assert_int_eq(psim_engine_run(graph, arena, NULL, NULL)->makespan, INT64_MAX);
    ck_assert_int_eq(psim_sweep_run(graph, arena, NULL)->makespan, INT64_MAX);
}
END_TEST

static const PsimTime lasts[] = {6, 1000, INT64_MAX};

static void
check_too_long(const GError *error)
{
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_LIMIT));
    ck_assert_str_eq(error->message,
                     "the step is longer than 106 days, the range of a clock of whole picoseconds; "
                     "shorten it, by fewer microbatches for instance");
}

START_TEST(a_step_beyond_the_clock_is_refused)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(GError) of_loop = NULL;
    g_autoptr(GError) of_sweep = NULL;
    const PsimGraph *graph = build_long(arena, lasts[_i]);

    ck_assert(psim_engine_run(graph, arena, NULL, &of_loop) == NULL);
    ck_assert(psim_sweep_run(graph, arena, &of_sweep) == NULL);
    check_too_long(of_loop);
    check_too_long(of_sweep);
}
END_TEST

/* Says yes at the second question. */
static bool
ask_twice(void *user)
{
    return ++*(unsigned *)user == 2;
}

START_TEST(a_run_stops_when_cancelled)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(GError) error = NULL;
    PsimGraphBuilder builder;
    unsigned n_questions = 0;
    const PsimObserver observer = {.cancelled = ask_twice, .user = &n_questions};

    begin(&builder, arena, 1);
    for (uint32_t i = 0; i < 20000; i++)
        (void)psim_graph_add_task(&builder, 0, 0, 1, 0);
    ck_assert(psim_engine_run(psim_graph_freeze(&builder), arena, &observer, &error) == NULL);
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_CANCELLED));
    ck_assert(g_str_equal(error->message, "cancelled"));
    ck_assert_uint_eq(n_questions, 2);
}
END_TEST

Suite *
engine_suite(void)
{
    Suite *suite = suite_create("engine");
    TCase *tcase = tcase_create("engine");

    tcase_add_test(tcase, tasks_wait_for_their_stream_and_their_predecessors);
    tcase_add_test(tcase, ties_are_broken_by_time_kind_and_id);
    tcase_add_test(tcase, many_streams_may_wait_for_one_task);
    tcase_add_test(tcase, an_empty_graph_takes_no_time);
    tcase_add_test(tcase, a_step_may_fill_the_clock);
    tcase_add_loop_test(tcase, a_step_beyond_the_clock_is_refused, 0, G_N_ELEMENTS(lasts));
    tcase_add_test(tcase, a_run_stops_when_cancelled);
    suite_add_tcase(suite, tcase);
    return suite;
}

PSIM_TEST_SUITES(engine_suite, agreement_suite, ledger_suite);
