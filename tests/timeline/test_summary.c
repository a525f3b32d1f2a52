/* SPDX-License-Identifier: MIT */
#include "timeline/summary.h"

#include "base/rng.h"
#include "engine/sweep.h"
#include "hand.h"

#include <check.h>

Suite *summary_suite(void);

/* Streams and tasks of a drawing; a task's class is made with it. */
typedef struct {
    PsimArena *arena;
    PsimGraphBuilder builder;
    uint32_t compute[2], send[2], tp[2], dp[2];
} Sketch;

static void
begin_sketch(Sketch *self)
{
    *self = (Sketch){.arena = psim_arena_new()};
    psim_graph_builder_init(&self->builder, self->arena, 8, 8);
    for (uint32_t rank = 0; rank < 2; rank++) {
        PsimGraphBuilder *builder = &self->builder;

        self->compute[rank] = psim_graph_add_stream(builder, rank, PSIM_STREAM_COMPUTE);
        self->send[rank] = psim_graph_add_stream(builder, rank, PSIM_STREAM_SEND_NEXT);
        self->tp[rank] = psim_graph_add_stream(builder, rank, PSIM_STREAM_TP);
        self->dp[rank] = psim_graph_add_stream(builder, rank, PSIM_STREAM_DP);
    }
}

/* A task after at most two others. */
static uint32_t
add(Sketch *self, PsimTaskKind kind, uint32_t stream, PsimTime duration, uint32_t a, uint32_t b)
{
    const PsimTaskClass class = {
        .op = psim_task_kind_word(kind),
        .kind = (uint8_t)kind,
        .rank = self->builder.streams[stream].rank,
        /* A compute task of 20 is a backward that first runs 5 of forward again. */
        .recompute_ps = kind == PSIM_TASK_COMPUTE && duration == 20 ? 5 : 0,
        .peer = PSIM_TASK_NONE,
    };
    const uint32_t task =
        psim_graph_add_task(&self->builder, psim_graph_add_class(&self->builder, &class), stream,
                            duration, PSIM_TASK_NONE);

    if (a != PSIM_TASK_NONE)
        psim_graph_add_edge(&self->builder, a);
    if (b != PSIM_TASK_NONE)
        psim_graph_add_edge(&self->builder, b);
    return task;
}

static const PsimRankFigures *
end_sketch(Sketch *self, PsimTime makespan)
{
    const PsimGraph *graph = psim_graph_freeze(&self->builder);
    const PsimReplay *replay = psim_sweep_run(graph, self->arena, NULL);

    ck_assert_int_eq(replay->makespan, makespan);
    return psim_summary_ranks(graph, replay, self->arena);
}

#define NONE PSIM_TASK_NONE

static void
check_breakdown(const PsimBreakdown *is, PsimBreakdown expected)
{
    ck_assert_int_eq(is->compute_ps, expected.compute_ps);
    ck_assert_int_eq(is->recompute_ps, expected.recompute_ps);
    ck_assert_int_eq(is->tp_exposed_ps, expected.tp_exposed_ps);
    ck_assert_int_eq(is->pp_exposed_ps, expected.pp_exposed_ps);
    ck_assert_int_eq(is->dp_exposed_ps, expected.dp_exposed_ps);
    ck_assert_int_eq(is->bubble_ps, expected.bubble_ps);
    ck_assert_int_eq(is->optimizer_ps, expected.optimizer_ps);
    ck_assert_int_eq(is->other_ps, expected.other_ps);
}

/*          0         10  12  15        25  27        47  49  52       72     80   84
 *  rank 0  | F        | t | s |                           |   | B      | dp   | opt|
 *  rank 1  |                  | F       | t | B       | t | s | ... dp 49-59, opt 59-63
 */
START_TEST(a_step_of_two_ranks_breaks_down_exactly)
{
    Sketch sketch;

    begin_sketch(&sketch);
    const uint32_t f0 = add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[0], 10, NONE, NONE);
    const uint32_t t0 = add(&sketch, PSIM_TASK_TP, sketch.tp[0], 2, f0, NONE);
    const uint32_t s0 = add(&sketch, PSIM_TASK_SEND, sketch.send[0], 3, t0, NONE);
    const uint32_t f1 = add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[1], 10, s0, NONE);
    const uint32_t t1 = add(&sketch, PSIM_TASK_TP, sketch.tp[1], 2, f1, NONE);
    const uint32_t b1 = add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[1], 20, t1, NONE);
    const uint32_t u1 = add(&sketch, PSIM_TASK_TP, sketch.tp[1], 2, b1, NONE);
    const uint32_t s1 = add(&sketch, PSIM_TASK_SEND, sketch.send[1], 3, u1, NONE);
    const uint32_t d1 = add(&sketch, PSIM_TASK_DP, sketch.dp[1], 10, u1, NONE);

    add(&sketch, PSIM_TASK_OPTIMIZER, sketch.compute[1], 4, d1, NONE);
    const uint32_t b0 = add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[0], 20, s1, NONE);
    const uint32_t d0 = add(&sketch, PSIM_TASK_DP, sketch.dp[0], 8, b0, NONE);

    add(&sketch, PSIM_TASK_OPTIMIZER, sketch.compute[0], 4, d0, NONE);
    const PsimRankFigures *ranks = end_sketch(&sketch, 84);

    check_breakdown(&ranks[0].breakdown, (PsimBreakdown){.compute_ps = 25,
                                                         .recompute_ps = 5,
                                                         .tp_exposed_ps = 2,
                                                         .pp_exposed_ps = 3,
                                                         .dp_exposed_ps = 8,
                                                         .bubble_ps = 37,
                                                         .optimizer_ps = 4});
    check_breakdown(&ranks[1].breakdown, (PsimBreakdown){.compute_ps = 25,
                                                         .recompute_ps = 5,
                                                         .tp_exposed_ps = 4,
                                                         .dp_exposed_ps = 10,
                                                         .bubble_ps = 36,
                                                         .optimizer_ps = 4});
    ck_assert_int_eq(ranks[0].busy_ps, 32);
    ck_assert_int_eq(ranks[1].busy_ps, 34);
    ck_assert_int_eq(ranks[1].first_start_ps, 15);
    ck_assert_int_eq(ranks[1].last_end_ps, 63);
    psim_arena_free(sketch.arena);
}
END_TEST

/* The second transfer waits for the first one on the wire: both are to blame. */
START_TEST(a_transfer_that_queued_is_followed_to_the_one_before_it)
{
    Sketch sketch;

    begin_sketch(&sketch);
    const uint32_t a = add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[0], 1, NONE, NONE);
    const uint32_t b = add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[0], 1, NONE, NONE);
    const uint32_t c = add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[1], 3, NONE, NONE);
    const uint32_t s = add(&sketch, PSIM_TASK_SEND, sketch.send[0], 10, a, NONE);
    const uint32_t t = add(&sketch, PSIM_TASK_SEND, sketch.send[0], 10, b, NONE);

    add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[1], 4, c, t);
    (void)s;
    const PsimRankFigures *ranks = end_sketch(&sketch, 25);

    check_breakdown(&ranks[1].breakdown, (PsimBreakdown){.compute_ps = 7, .pp_exposed_ps = 18});
    check_breakdown(&ranks[0].breakdown, (PsimBreakdown){.compute_ps = 2, .bubble_ps = 23});
    psim_arena_free(sketch.arena);
}
END_TEST

/* rank 1: compute 0-5, its collective 5-15; a transfer 6-20 overlaps it; compute again at 20. */
START_TEST(a_collective_of_its_own_goes_before_a_transfer_at_the_same_time)
{
    Sketch sketch;

    begin_sketch(&sketch);
    const uint32_t a = add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[1], 5, NONE, NONE);
    const uint32_t t = add(&sketch, PSIM_TASK_TP, sketch.tp[1], 10, a, NONE);
    const uint32_t b = add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[0], 6, NONE, NONE);
    const uint32_t s = add(&sketch, PSIM_TASK_SEND, sketch.send[0], 14, b, NONE);

    add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[1], 5, t, s);
    const PsimRankFigures *ranks = end_sketch(&sketch, 25);

    check_breakdown(&ranks[1].breakdown,
                    (PsimBreakdown){.compute_ps = 10, .tp_exposed_ps = 10, .pp_exposed_ps = 5});
    psim_arena_free(sketch.arena);
}
END_TEST

/* Two collectives in one gap; the second one reaches beyond the gap and is hidden there. */
START_TEST(a_collective_under_a_compute_task_is_hidden)
{
    Sketch sketch;

    begin_sketch(&sketch);
    const uint32_t a = add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[0], 5, NONE, NONE);
    const uint32_t t = add(&sketch, PSIM_TASK_TP, sketch.tp[0], 3, a, NONE);
    const uint32_t u = add(&sketch, PSIM_TASK_TP, sketch.tp[0], 7, t, NONE);
    const uint32_t d = add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[1], 10, NONE, NONE);
    const uint32_t b = add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[0], 20, d, NONE);

    add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[0], 2, b, u);
    const PsimRankFigures *ranks = end_sketch(&sketch, 32);

    check_breakdown(&ranks[0].breakdown,
                    (PsimBreakdown){.compute_ps = 22, .recompute_ps = 5, .tp_exposed_ps = 5});
    psim_arena_free(sketch.arena);
}
END_TEST

/* Rank 0 waits 10-30 for the gradients of rank 1, then 30-33 for the norm. */
START_TEST(a_barrier_takes_other_time_and_hands_on_the_blame)
{
    Sketch sketch;

    begin_sketch(&sketch);
    const uint32_t a = add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[0], 10, NONE, NONE);
    const uint32_t b = add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[1], 15, NONE, NONE);
    const uint32_t d = add(&sketch, PSIM_TASK_DP, sketch.dp[1], 15, b, NONE);
    const uint32_t w = add(&sketch, PSIM_TASK_BARRIER, sketch.dp[0], 3, a, d);

    add(&sketch, PSIM_TASK_OPTIMIZER, sketch.compute[0], 2, w, NONE);
    add(&sketch, PSIM_TASK_OPTIMIZER, sketch.compute[1], 2, w, NONE);
    const PsimRankFigures *ranks = end_sketch(&sketch, 35);

    check_breakdown(&ranks[0].breakdown, (PsimBreakdown){.compute_ps = 10,
                                                         .dp_exposed_ps = 15,
                                                         .bubble_ps = 5,
                                                         .optimizer_ps = 2,
                                                         .other_ps = 3});
    check_breakdown(
        &ranks[1].breakdown,
        (PsimBreakdown){.compute_ps = 15, .dp_exposed_ps = 15, .optimizer_ps = 2, .other_ps = 3});
    psim_arena_free(sketch.arena);
}
END_TEST

START_TEST(a_collective_before_the_first_or_after_the_last_task_is_exposed)
{
    Sketch sketch;

    begin_sketch(&sketch);
    const uint32_t g = add(&sketch, PSIM_TASK_DP, sketch.dp[0], 4, NONE, NONE);
    const uint32_t a = add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[0], 10, g, NONE);
    const uint32_t s = add(&sketch, PSIM_TASK_SEND, sketch.send[0], 3, a, NONE);

    add(&sketch, PSIM_TASK_DP, sketch.dp[0], 6, a, NONE);
    add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[1], 10, s, NONE);
    const PsimRankFigures *ranks = end_sketch(&sketch, 27);

    check_breakdown(&ranks[0].breakdown,
                    (PsimBreakdown){.compute_ps = 10, .dp_exposed_ps = 10, .bubble_ps = 7});
    check_breakdown(&ranks[1].breakdown, (PsimBreakdown){.compute_ps = 10, .bubble_ps = 17});
    psim_arena_free(sketch.arena);
}
END_TEST

/* A collective, a transfer and an optimizer on the compute stream itself block it. */
START_TEST(what_blocks_the_compute_stream_is_exposed)
{
    Sketch sketch;

    begin_sketch(&sketch);
    add(&sketch, PSIM_TASK_COMPUTE, sketch.compute[0], 1, NONE, NONE);
    add(&sketch, PSIM_TASK_TP, sketch.compute[0], 2, NONE, NONE);
    add(&sketch, PSIM_TASK_SEND, sketch.compute[0], 3, NONE, NONE);
    add(&sketch, PSIM_TASK_DP, sketch.compute[0], 4, NONE, NONE);
    add(&sketch, PSIM_TASK_BARRIER, sketch.compute[0], 5, NONE, NONE);
    add(&sketch, PSIM_TASK_OPTIMIZER, sketch.compute[0], 6, NONE, NONE);
    const PsimRankFigures *ranks = end_sketch(&sketch, 21);

    check_breakdown(&ranks[0].breakdown, (PsimBreakdown){.compute_ps = 1,
                                                         .tp_exposed_ps = 2,
                                                         .pp_exposed_ps = 3,
                                                         .dp_exposed_ps = 4,
                                                         .optimizer_ps = 6,
                                                         .other_ps = 5});
    check_breakdown(&ranks[1].breakdown, (PsimBreakdown){.bubble_ps = 21});
    psim_arena_free(sketch.arena);
}
END_TEST

static const struct {
    PsimTime latency;
    PsimTime makespan;
    PsimTime bubble, exposed; /* of rank 1, the middle one */
} latencies[] = {
    {0, 18, 6, 0},  /* (m + p - 1)(tF + tB), bubble (p - 1)(tF + tB) */
    {1, 26, 11, 3}, /* gaps 2, 1 + 3, 1 + 1, 1 + 2, 3: each inner one ends with a transfer */
};

START_TEST(one_f_one_b_has_the_bubble_of_the_closed_form)
{
    const Hand hand = {.orders = hand_1f1b,
                       .n_ranks = 3,
                       .forward = 1,
                       .backward = 2,
                       .latency = latencies[_i].latency,
                       .by_bytes = true};
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimGraph *graph = hand_graph(&hand, arena);
    const PsimReplay *replay = psim_sweep_run(graph, arena, NULL);
    const PsimRankFigures *ranks = psim_summary_ranks(graph, replay, arena);

    ck_assert_int_eq(replay->makespan, latencies[_i].makespan);
    for (uint32_t rank = 0; rank < 3; rank++) {
        ck_assert_int_eq(ranks[rank].rank, rank);
        ck_assert_int_eq(ranks[rank].busy_ps, 12);
        ck_assert_int_eq(ranks[rank].breakdown.compute_ps, 12);
        ck_assert_uint_eq(ranks[rank].peak.in_flight_max, 3 - rank);
        ck_assert_int_eq(psim_breakdown_sum(&ranks[rank].breakdown), replay->makespan);
    }
    ck_assert_int_eq(ranks[1].breakdown.bubble_ps, latencies[_i].bubble);
    ck_assert_int_eq(ranks[1].breakdown.pp_exposed_ps, latencies[_i].exposed);
}
END_TEST

/* Any graph: parts are never negative and sum to the makespan. */
START_TEST(parts_of_random_graphs_sum_to_the_makespan)
{
    const uint64_t seed = (uint64_t)_i;
    Sketch sketch;
    uint64_t draw = 0;

    begin_sketch(&sketch);
    for (uint32_t task = 0; task < 60; task++) {
        const uint32_t n_streams = sketch.builder.n_streams;
        const uint32_t stream = psim_rng_below(seed, draw++, n_streams);
        const PsimStreamKind on = (PsimStreamKind)sketch.builder.streams[stream].kind;
        const uint32_t any = psim_rng_below(seed, draw++, PSIM_N_TASK_KINDS);
        const PsimTaskKind kind = on == PSIM_STREAM_TP ? any % 2 == 0 ? PSIM_TASK_TP : PSIM_TASK_CP
                                  : on == PSIM_STREAM_SEND_NEXT ? PSIM_TASK_SEND
                                  : on == PSIM_STREAM_DP        ? PSIM_TASK_DP
                                                                : (PsimTaskKind)any;
        const PsimTime duration = psim_rng_below(seed, draw++, 21);
        const uint32_t a = task > 0 ? psim_rng_below(seed, draw++, task) : NONE;
        const uint32_t b = task > 0 ? psim_rng_below(seed, draw++, task) : NONE;

        add(&sketch, kind, stream, duration, a, b);
    }
    const PsimGraph *graph = psim_graph_freeze(&sketch.builder);
    const PsimReplay *replay = psim_sweep_run(graph, sketch.arena, NULL);
    const PsimRankFigures *ranks = psim_summary_ranks(graph, replay, sketch.arena);

    for (uint32_t rank = 0; rank < 2; rank++) {
        const PsimBreakdown *parts = &ranks[rank].breakdown;

        ck_assert_int_eq(psim_breakdown_sum(parts), replay->makespan);
        ck_assert_int_ge(parts->bubble_ps, 0);
        ck_assert_int_ge(parts->pp_exposed_ps, 0);
        ck_assert_int_ge(parts->dp_exposed_ps, 0);
        ck_assert_int_ge(parts->other_ps, 0);
    }
    const PsimBreakdown mean = psim_summary_mean(ranks, 2, replay->makespan);

    ck_assert_int_eq(psim_breakdown_sum(&mean), replay->makespan);
    psim_arena_free(sketch.arena);
}
END_TEST

/* Of three ranks: compute 5.67, bubble 3.33, tp 1; the picosecond left goes to compute. */
START_TEST(a_mean_gives_its_remainders_to_the_largest_parts_first)
{
    const PsimRankFigures ranks[3] = {
        {.breakdown = {.compute_ps = 6, .bubble_ps = 3, .tp_exposed_ps = 1}},
        {.breakdown = {.compute_ps = 6, .bubble_ps = 3, .tp_exposed_ps = 1}},
        {.breakdown = {.compute_ps = 5, .bubble_ps = 4, .tp_exposed_ps = 1}},
    };
    const PsimBreakdown mean = psim_summary_mean(ranks, 3, 10);

    check_breakdown(&mean, (PsimBreakdown){.compute_ps = 6, .bubble_ps = 3, .tp_exposed_ps = 1});
}
END_TEST

START_TEST(a_mean_of_many_long_ranks_does_not_overflow)
{
    PsimRankFigures ranks[4];

    for (uint32_t rank = 0; rank < 4; rank++)
        ranks[rank] = (PsimRankFigures){
            .breakdown = {.compute_ps = INT64_MAX - 1 - rank, .bubble_ps = 1 + (PsimTime)rank}};
    const PsimBreakdown mean = psim_summary_mean(ranks, 4, INT64_MAX);

    check_breakdown(&mean, (PsimBreakdown){.compute_ps = INT64_MAX - 2, .bubble_ps = 2});
}
END_TEST

START_TEST(a_mean_of_no_rank_is_all_bubble)
{
    const PsimBreakdown mean = psim_summary_mean(NULL, 0, 7);

    check_breakdown(&mean, (PsimBreakdown){.bubble_ps = 7});
}
END_TEST

Suite *
summary_suite(void)
{
    Suite *suite = suite_create("summary");
    TCase *ranks = tcase_create("ranks");
    TCase *mean = tcase_create("mean");

    tcase_add_test(ranks, a_step_of_two_ranks_breaks_down_exactly);
    tcase_add_test(ranks, a_transfer_that_queued_is_followed_to_the_one_before_it);
    tcase_add_test(ranks, a_collective_of_its_own_goes_before_a_transfer_at_the_same_time);
    tcase_add_test(ranks, a_collective_under_a_compute_task_is_hidden);
    tcase_add_test(ranks, a_barrier_takes_other_time_and_hands_on_the_blame);
    tcase_add_test(ranks, a_collective_before_the_first_or_after_the_last_task_is_exposed);
    tcase_add_test(ranks, what_blocks_the_compute_stream_is_exposed);
    tcase_add_loop_test(ranks, one_f_one_b_has_the_bubble_of_the_closed_form, 0,
                        (int)G_N_ELEMENTS(latencies));
    tcase_add_loop_test(ranks, parts_of_random_graphs_sum_to_the_makespan, 0, 50);
    suite_add_tcase(suite, ranks);
    tcase_add_test(mean, a_mean_gives_its_remainders_to_the_largest_parts_first);
    tcase_add_test(mean, a_mean_of_many_long_ranks_does_not_overflow);
    tcase_add_test(mean, a_mean_of_no_rank_is_all_bubble);
    suite_add_tcase(suite, mean);
    return suite;
}
