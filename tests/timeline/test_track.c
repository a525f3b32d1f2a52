/* SPDX-License-Identifier: MIT */
#include "timeline/track.h"

#include <check.h>

Suite *track_suite(void);

START_TEST(tracks_are_sorted_by_rank_then_kind_and_tasks_by_id)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimGraphBuilder builder;
    const PsimTaskClass class = {.op = "F", .peer = PSIM_TASK_NONE};

    psim_graph_builder_init(&builder, arena, 1, 1);
    const uint32_t dp1 = psim_graph_add_stream(&builder, 1, PSIM_STREAM_DP);
    const uint32_t work1 = psim_graph_add_stream(&builder, 1, PSIM_STREAM_COMPUTE);
    const uint32_t work0 = psim_graph_add_stream(&builder, 0, PSIM_STREAM_COMPUTE);
    const uint32_t order[] = {work1, dp1, work0, work1, work0, dp1};
    const uint32_t expected[] = {2, 4, 0, 3, 1, 5};

    psim_graph_add_class(&builder, &class);
    for (size_t i = 0; i < G_N_ELEMENTS(order); i++)
        psim_graph_add_task(&builder, /* class= */ 0, order[i], 1, 0);
    const PsimTracks tracks = psim_track_list(psim_graph_freeze(&builder), arena);

    ck_assert_uint_eq(tracks.n_tracks, 3);
    ck_assert_uint_eq(tracks.stream[0], work0);
    ck_assert_uint_eq(tracks.stream[1], work1);
    ck_assert_uint_eq(tracks.stream[2], dp1);
    ck_assert_uint_eq(tracks.rank[0], 0);
    ck_assert_uint_eq(tracks.rank[1], 1);
    ck_assert_uint_eq(tracks.rank[2], 3);
    for (size_t track = 0; track <= 3; track++)
        ck_assert_uint_eq(tracks.first[track], 2 * track);
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
        ck_assert_uint_eq(tracks.tasks[i], expected[i]);
}
END_TEST

Suite *
track_suite(void)
{
    Suite *suite = suite_create("track");
    TCase *tracks = tcase_create("tracks");

    tcase_add_test(tracks, tracks_are_sorted_by_rank_then_kind_and_tasks_by_id);
    suite_add_tcase(suite, tracks);
    return suite;
}
