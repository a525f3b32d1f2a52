/* SPDX-License-Identifier: MIT */
/* Tensor and data parallelism in the graph: folded and unfolded, sweep and event loop, overlap. */
#include "../main.h"
#include "base/rng.h"
#include "engine/engine.h"
#include "engine/sweep.h"
#include "graph/verify.h"
#include "suites.h"
#include "timeline/summary.h"
#include "unit_workload.h"

#include <stdio.h>
#include <string.h>

#define N_RANDOM 500

/* -- Random workloads -- */

typedef struct {
    uint64_t seed;
    uint64_t drawn;
} Dice;

static uint32_t
roll(Dice *dice, uint32_t bound)
{
    return psim_rng_below(dice->seed, dice->drawn++, bound);
}

static PsimStageWork
random_stage(Dice *dice, const PsimWorkload *work, uint32_t n_segments)
{
    PsimStageWork stage = {.n_segments = n_segments};

    for (unsigned kind = 0; kind < PSIM_N_OP_KINDS; kind++) {
        PsimOpWork *op = &stage.op[kind];

        op->compute_ps = 1 + roll(dice, 50);
        op->tp_ps = work->tp > 1 ? 1 + roll(dice, 10) : 0;
        op->cp_ps = work->cp > 1 ? roll(dice, 10) : 0;
        op->recompute_ps = kind == PSIM_OP_BACKWARD ? roll(dice, (uint32_t)op->compute_ps) : 0;
    }
    stage.op[PSIM_OP_FORWARD].start_bytes = 7;
    stage.op[PSIM_OP_BACKWARD].end_bytes = 7;
    stage.send_forward_ps = roll(dice, 4);
    stage.send_backward_ps = roll(dice, 4);
    return stage;
}

static PsimWorkload
random_workload(Dice *dice, PsimArena *arena)
{
    static const char *const schedules[] = {"naive", "gpipe", "1f1b", "interleaved"};
    const uint32_t which = roll(dice, 4);
    const uint32_t p = 1 + roll(dice, 5);
    const uint32_t v = which == 3 ? 2 + roll(dice, 2) : 1;
    const uint32_t m = which == 3 ? p * (1 + roll(dice, 3)) : 1 + roll(dice, 9);
    PsimWorkload work =
        unit_workload(arena, schedules[which], (PsimShape){p, m, v, p, 1}, (UnitTimes){1, 1, 1, 0});
    PsimStageWork *stages = psim_arena_array(arena, PsimStageWork, work.order->n_stages);
    PsimTailWork *tails = psim_arena_array(arena, PsimTailWork, p);

    work.tp = 1 + roll(dice, 3);
    work.cp = 1 + roll(dice, 3);
    work.dp = 1 + roll(dice, 3);
    work.channels = roll(dice, 2) == 0;
    work.blocking_sends = roll(dice, 2) == 0;
    work.overlap_dp = roll(dice, 2) == 0;
    work.reduce_when = work.cp * work.dp > 1 ? (PsimDpWhen)roll(dice, 3) : PSIM_DP_NEVER;
    work.gather_when = work.cp * work.dp > 1 ? (PsimDpWhen)roll(dice, 3) : PSIM_DP_NEVER;
    work.global_barrier = roll(dice, 2) == 0;
    work.barrier_ps = roll(dice, 5);
    work.contention = work.overlap_dp ? roll(dice, 50) / 100.0 : 0.0;
    const uint32_t n_segments = work.overlap_dp ? 1 + roll(dice, 4) : 1;

    for (uint32_t s = 0; s < work.order->n_stages; s++) {
        stages[s] = random_stage(dice, &work, n_segments);
        stages[s].gather_ps = work.gather_when != PSIM_DP_NEVER ? roll(dice, 20) : 0;
        stages[s].reduce_ps = work.reduce_when != PSIM_DP_NEVER ? roll(dice, 20) : 0;
    }
    for (uint32_t r = 0; r < p; r++)
        tails[r] = (PsimTailWork){.optimizer_ps = roll(dice, 30), .gather_ps = roll(dice, 10)};
    tails[0].tied_ps = tails[p - 1].tied_ps = p > 1 ? roll(dice, 6) : 0;
    work.stages = stages;
    work.tails = tails;
    return work;
}

/* -- Properties -- */

static void
compare_breakdowns(const PsimRankFigures *folded,
                   const PsimRankFigures *unfolded,
                   uint32_t p,
                   uint32_t copies)
{
    for (uint32_t r = 0; r < p * copies; r++) {
        ck_assert_mem_eq(&unfolded[r].breakdown, &folded[r / copies].breakdown,
                         sizeof(PsimBreakdown));
        ck_assert_int_eq(unfolded[r].peak.peak_bytes, folded[r / copies].peak.peak_bytes);
    }
}

START_TEST(folded_and_unfolded_sweep_and_event_loop_agree)
{
    Dice dice = {.seed = (uint64_t)_i};
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(GError) error = NULL;
    PsimWorkload work = random_workload(&dice, arena);
    const PsimLowered *folded = psim_lower(&work, arena, NULL);

    work.unfold = true;
    const PsimLowered *unfolded = psim_lower(&work, arena, NULL);
    const PsimReplay *sweep = psim_sweep_run(folded->graph, arena, NULL);
    const PsimReplay *events = psim_engine_run(folded->graph, arena, NULL, NULL);
    const PsimReplay *wide = psim_sweep_run(unfolded->graph, arena, NULL);
    const PsimReplay *wide_events = psim_engine_run(unfolded->graph, arena, NULL, NULL);

    ck_assert(!folded->deadlock);
    ck_assert_msg(psim_verify_graph(unfolded->graph, /* balanced= */ true, &error), "seed %d: %s",
                  _i, error ? error->message : "");
    ck_assert_int_eq(sweep->makespan, events->makespan);
    ck_assert_int_eq(sweep->makespan, wide->makespan);
    ck_assert_mem_eq(sweep->end, events->end, folded->graph->n_tasks * sizeof *sweep->end);
    ck_assert_mem_eq(wide->end, wide_events->end, unfolded->graph->n_tasks * sizeof *wide->end);
    compare_breakdowns(psim_summary_ranks(folded->graph, sweep, arena),
                       psim_summary_ranks(unfolded->graph, wide, arena), work.order->n_ranks,
                       work.tp * work.cp * work.dp);
}
END_TEST

START_TEST(every_breakdown_sums_to_the_step)
{
    Dice dice = {.seed = (uint64_t)_i};
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimWorkload work = random_workload(&dice, arena);
    const PsimLowered *lowered = psim_lower(&work, arena, NULL);
    const PsimReplay *replay = psim_sweep_run(lowered->graph, arena, NULL);
    const PsimRankFigures *ranks = psim_summary_ranks(lowered->graph, replay, arena);
    const uint32_t p = work.order->n_ranks;
    const PsimBreakdown mean = psim_summary_mean(ranks, p, replay->makespan);

    for (uint32_t r = 0; r < p; r++)
        ck_assert_int_eq(psim_breakdown_sum(&ranks[r].breakdown), replay->makespan);
    ck_assert_int_eq(psim_breakdown_sum(&mean), replay->makespan);
}
END_TEST

/* -- Overlap, by hand -- */

/* One rank, one microbatch, four segments of F 10 and B 20 each; reduction of a segment takes 5. */
static PsimTime
step_of(bool overlap,
        PsimDpWhen gather,
        PsimTime gather_ps,
        PsimTime reduce_ps,
        double contention,
        PsimBreakdown *ret_breakdown)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimWorkload work =
        unit_workload(arena, "1f1b", (PsimShape){1, 1, 1, 1, 1}, (UnitTimes){40, 40, 40, 0});
    PsimStageWork stage = work.stages[0];
    const PsimTailWork tail = {.optimizer_ps = 3};

    stage.n_segments = overlap ? 4 : 1;
    stage.gather_ps = overlap ? gather_ps : 4 * gather_ps;
    stage.reduce_ps = overlap ? reduce_ps : 4 * reduce_ps;
    work.stages = &stage;
    work.tails = &tail;
    work.dp = 2;
    work.overlap_dp = overlap;
    work.reduce_when = PSIM_DP_ONCE;
    work.gather_when = gather;
    work.contention = contention;
    const PsimLowered *lowered = psim_lower(&work, arena, NULL);
    const PsimReplay *replay = psim_sweep_run(lowered->graph, arena, NULL);

    *ret_breakdown = psim_summary_ranks(lowered->graph, replay, arena)[0].breakdown;
    return replay->makespan;
}

static PsimTime
step_with(bool overlap, PsimDpWhen gather, PsimTime gather_ps, PsimTime reduce_ps)
{
    PsimBreakdown breakdown;

    return step_of(overlap, gather, gather_ps, reduce_ps, /* contention= */ 0.0, &breakdown);
}

START_TEST(without_overlap_the_reduction_follows_the_backward)
{
    ck_assert_int_eq(step_with(false, PSIM_DP_NEVER, 0, 5), 40 + 80 + 20 + 3);
}
END_TEST

START_TEST(with_overlap_only_the_last_segment_is_exposed)
{
    ck_assert_int_eq(step_with(true, PSIM_DP_NEVER, 0, 5), 40 + 80 + 5 + 3);
}
END_TEST

START_TEST(a_reduction_longer_than_compute_queues_up)
{
    /* First segment ends at 60; then four reductions of 30 in a row. */
    ck_assert_int_eq(step_with(true, PSIM_DP_NEVER, 0, 30), 60 + 4 * 30 + 3);
}
END_TEST

START_TEST(gathered_weights_are_fetched_one_segment_ahead)
{
    /* The first gather is exposed; the others hide behind 10 of compute. */
    ck_assert_int_eq(step_with(true, PSIM_DP_EVERY, 4, 5), 4 + 40 + 80 + 5 + 3);
}
END_TEST

START_TEST(updated_weights_gathered_once_stream_in_beside_the_first_forward)
{
    /* Gathers of 15 at 15, 30, 45, 60 against compute of 10: the last segment ends at 70. */
    ck_assert_int_eq(step_with(true, PSIM_DP_ONCE, 15, 5), 70 + 80 + 5 + 3);
}
END_TEST

START_TEST(a_collective_slows_the_compute_beside_it)
{
    PsimBreakdown is;

    /* F: a gather of 4 takes a quarter of the device for 4 of 10: 11 a segment. B beside a gather
     * of 4 and a reduction of 8: 23. */
    ck_assert_int_eq(step_of(true, PSIM_DP_EVERY, 4, 8, 0.25, &is), 4 + 4 * 11 + 4 * 23 + 8 + 3);
    ck_assert_int_eq(is.compute_ps, 40 + 80);
    ck_assert_int_eq(is.dp_exposed_ps, 4 + 4 * 1 + 4 * 3 + 8);
    ck_assert_int_eq(psim_breakdown_sum(&is), 4 + 4 * 11 + 4 * 23 + 8 + 3);
    /* Nothing beside it, nothing lost. */
    ck_assert_int_eq(step_of(false, PSIM_DP_NEVER, 0, 5, 0.25, &is), 40 + 80 + 20 + 3);
}
END_TEST

START_TEST(compute_that_a_collective_outlasts_runs_on_what_is_left)
{
    PsimBreakdown is;

    /* A reduction of 90 beside 20 of compute on half of the device: 40, not 20 + 45. */
    ck_assert_int_eq(step_of(true, PSIM_DP_NEVER, 0, 90, 0.5, &is), 40 + 40 + 4 * 90 + 3);
    ck_assert_int_eq(is.compute_ps, 40 + 80);
}
END_TEST

Suite *
parallel_suite(void)
{
    Suite *suite = suite_create("parallel");
    TCase *tests = tcase_create("parallel");

    tcase_add_loop_test(tests, folded_and_unfolded_sweep_and_event_loop_agree, 0, N_RANDOM);
    tcase_add_loop_test(tests, every_breakdown_sums_to_the_step, 0, N_RANDOM);
    tcase_add_test(tests, without_overlap_the_reduction_follows_the_backward);
    tcase_add_test(tests, with_overlap_only_the_last_segment_is_exposed);
    tcase_add_test(tests, a_reduction_longer_than_compute_queues_up);
    tcase_add_test(tests, gathered_weights_are_fetched_one_segment_ahead);
    tcase_add_test(tests, a_collective_slows_the_compute_beside_it);
    tcase_add_test(tests, compute_that_a_collective_outlasts_runs_on_what_is_left);
    tcase_add_test(tests, updated_weights_gathered_once_stream_in_beside_the_first_forward);
    suite_add_tcase(suite, tests);
    return suite;
}

PSIM_TEST_SUITES(lower_suite,
                 parallel_suite,
                 balance_suite,
                 zero_bubble_suite,
                 zero_bubble_refuted_suite,
                 bidirectional_suite,
                 dualpipe_suite);
