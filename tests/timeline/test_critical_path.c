/* SPDX-License-Identifier: MIT */
#include "timeline/critical_path.h"

#include "engine/sweep.h"
#include "hand.h"

#include <check.h>

Suite *critical_path_suite(void);

static const PsimTime latencies[] = {0, 1, 7};

/* Each task of the chain starts when the one before it ends, from time 0 to the makespan. */
START_TEST(a_critical_path_has_no_gap)
{
    const Hand hand = {
        .orders = hand_1f1b, .n_ranks = 3, .forward = 1, .backward = 2, .latency = latencies[_i]};
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimGraph *graph = hand_graph(&hand, arena);
    const PsimReplay *replay = psim_sweep_run(graph, arena, NULL);
    PsimTime until = 0;
    uint32_t n_tasks = 0;
    const uint32_t *path = psim_critical_path(graph, replay, arena, &n_tasks);

    ck_assert_uint_gt(n_tasks, 0);
    for (uint32_t i = 0; i < n_tasks; i++) {
        ck_assert_int_eq(psim_replay_start(replay, graph, path[i]), until);
        until = replay->end[path[i]];
    }
    ck_assert_int_eq(until, replay->makespan);
}
END_TEST

START_TEST(a_graph_of_nothing_has_an_empty_path)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimGraphBuilder builder;
    uint32_t n_tasks = 7;

    psim_graph_builder_init(&builder, arena, 1, 1);
    psim_graph_add_stream(&builder, 0, PSIM_STREAM_COMPUTE);
    const PsimGraph *graph = psim_graph_freeze(&builder);
    const PsimReplay *replay = psim_sweep_run(graph, arena, NULL);

    ck_assert_ptr_nonnull(psim_critical_path(graph, replay, arena, &n_tasks));
    ck_assert_uint_eq(n_tasks, 0);
}
END_TEST

Suite *
critical_path_suite(void)
{
    Suite *suite = suite_create("critical_path");
    TCase *path = tcase_create("path");

    tcase_add_loop_test(path, a_critical_path_has_no_gap, 0, (int)G_N_ELEMENTS(latencies));
    tcase_add_test(path, a_graph_of_nothing_has_an_empty_path);
    suite_add_tcase(suite, path);
    return suite;
}
