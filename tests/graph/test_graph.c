/* SPDX-License-Identifier: MIT */
#include "graph/graph.h"
#include "suites.h"

#include <signal.h>
#include <stdio.h>

START_TEST(words_name_every_kind)
{
    ck_assert_str_eq(psim_stream_word(PSIM_STREAM_COMPUTE), "compute");
    ck_assert_str_eq(psim_stream_word(PSIM_STREAM_SEND_NEXT), "send-next");
    ck_assert_str_eq(psim_stream_word(PSIM_STREAM_SEND_PREVIOUS), "send-previous");
    ck_assert_str_eq(psim_stream_word(PSIM_STREAM_TP), "tp");
    ck_assert_str_eq(psim_stream_word(PSIM_STREAM_DP), "dp");
    ck_assert_str_eq(psim_task_kind_word(PSIM_TASK_COMPUTE), "compute");
    ck_assert_str_eq(psim_task_kind_word(PSIM_TASK_TP), "tp");
    ck_assert_str_eq(psim_task_kind_word(PSIM_TASK_CP), "cp");
    ck_assert_str_eq(psim_task_kind_word(PSIM_TASK_SEND), "send");
    ck_assert_str_eq(psim_task_kind_word(PSIM_TASK_DP), "dp");
    ck_assert_str_eq(psim_task_kind_word(PSIM_TASK_OPTIMIZER), "optimizer");
    ck_assert_str_eq(psim_task_kind_word(PSIM_TASK_BARRIER), "barrier");
}
END_TEST

START_TEST(new_indices_count_from_zero)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimTaskClass class = {.op = "F", .kind = PSIM_TASK_TP};
    PsimGraphBuilder builder;

    psim_graph_builder_init(&builder, arena, 0, 0);
    for (uint32_t i = 0; i < 200; i++) {
        ck_assert(psim_graph_add_stream(&builder, 0, PSIM_STREAM_TP) == i);
        ck_assert(psim_graph_add_class(&builder, &class) == i);
        ck_assert(psim_graph_add_task(&builder, i, i, 0, 0) == i);
    }
}
END_TEST

START_TEST(an_empty_graph_is_a_graph)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimGraphBuilder builder;

    psim_graph_builder_init(&builder, arena, 0, 0);

    const PsimGraph *graph = psim_graph_freeze(&builder);

    ck_assert_uint_eq(graph->n_tasks, 0);
    ck_assert_uint_eq(graph->n_edges, 0);
    ck_assert_uint_eq(graph->n_ranks, 0);
    ck_assert_uint_eq(graph->first[0], 0);
}
END_TEST

/* 1000 tasks over 50 streams and 50 classes; task i waits for i - 1, i - 3, i - 5. */
static const PsimGraph *
build_many(PsimArena *arena, uint32_t n_tasks, uint32_t n_edges)
{
    PsimGraphBuilder builder;

    psim_graph_builder_init(&builder, arena, n_tasks, n_edges);
    for (uint32_t i = 0; i < 50; i++) {
        const PsimTaskClass class = {.op = "F", .kind = PSIM_TASK_TP, .rank = i / 2};

        (void)psim_graph_add_stream(&builder, i / 2, PSIM_STREAM_TP);
        (void)psim_graph_add_class(&builder, &class);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        (void)psim_graph_add_task(&builder, i % 50, i % 50, i, i + 7);
        for (uint32_t back = 1; back <= MIN(i, 5); back += 2)
            psim_graph_add_edge(&builder, i - back);
    }
    return psim_graph_freeze(&builder);
}

START_TEST(a_grown_graph_equals_one_of_known_size)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimGraph *grown = build_many(arena, 0, 0);
    const PsimGraph *known = build_many(arena, 1000, 3000);

    ck_assert_uint_eq(grown->n_tasks, 1000);
    ck_assert_uint_eq(grown->n_edges, known->n_edges);
    ck_assert_uint_eq(grown->n_streams, 50);
    ck_assert_uint_eq(grown->n_classes, 50);
    ck_assert_uint_eq(grown->n_ranks, 25);
    ck_assert_mem_eq(grown->stream, known->stream, 1000 * sizeof(uint32_t));
    ck_assert_mem_eq(grown->duration, known->duration, 1000 * sizeof(PsimTime));
    ck_assert_mem_eq(grown->class, known->class, 1000 * sizeof(uint32_t));
    ck_assert_mem_eq(grown->microbatch, known->microbatch, 1000 * sizeof(uint32_t));
    ck_assert_mem_eq(grown->first, known->first, 1001 * sizeof(uint32_t));
    ck_assert_mem_eq(grown->before, known->before, grown->n_edges * sizeof(uint32_t));
    ck_assert_mem_eq(grown->streams, known->streams, 50 * sizeof(PsimStream));
}
END_TEST

START_TEST(edges_belong_to_the_newest_task)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimGraph *graph = build_many(arena, 1000, 3000);

    ck_assert_uint_eq(graph->first[1], 0);
    ck_assert_uint_eq(graph->first[2], 1);
    ck_assert_uint_eq(graph->first[1000] - graph->first[999], 3);
    ck_assert_uint_eq(graph->before[graph->first[999]], 998);
    ck_assert_uint_eq(graph->before[graph->first[999] + 2], 994);
    ck_assert_ptr_eq(psim_graph_class(graph, 51), &graph->classes[1]);
}
END_TEST

START_TEST(an_edge_to_a_task_that_is_not_older_aborts)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimGraphBuilder builder;

    /* GLib says "Bail out!" there, which would end the parent's report. */
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout));
    psim_graph_builder_init(&builder, arena, 1, 1);
    (void)psim_graph_add_task(&builder, 0, 0, 1, 0);
    psim_graph_add_edge(&builder, 0);
}
END_TEST

Suite *
graph_suite(void)
{
    Suite *suite = suite_create("graph");
    TCase *tcase = tcase_create("graph");

    tcase_add_test(tcase, words_name_every_kind);
    tcase_add_test(tcase, new_indices_count_from_zero);
    tcase_add_test(tcase, an_empty_graph_is_a_graph);
    tcase_add_test(tcase, a_grown_graph_equals_one_of_known_size);
    tcase_add_test(tcase, edges_belong_to_the_newest_task);
    /* An abort needs a process of its own. */
    if (g_strcmp0(g_getenv("CK_FORK"), "no") != 0)
        tcase_add_test_raise_signal(tcase, an_edge_to_a_task_that_is_not_older_aborts, SIGABRT);
    suite_add_tcase(suite, tcase);
    return suite;
}

PSIM_TEST_SUITES(graph_suite, verify_suite, print_suite);
