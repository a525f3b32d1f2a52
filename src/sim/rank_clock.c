/* SPDX-License-Identifier: MIT */
#include "sim/rank_clock.h"

static uint64_t
newest_of(const PsimRankClock *clock)
{
    return clock->wait != 0 ? clock->wait : clock->last_compute;
}

static void
reduce_stages(PsimRankClock *clocks, const PsimWorkload *work, uint32_t rank)
{
    PsimRankClock *clock = &clocks[rank];

    if (work->overlap_dp || work->reduce_when != PSIM_DP_ONCE)
        return;
    for (uint32_t stage = work->order->n_stages; stage-- > 0;) {
        const PsimStageWork *of = &work->stages[stage];

        if (work->order->rank_of_stage[stage] != rank || of->reduce_ps == 0)
            continue;
        clock->dp = MAX(clock->dp, newest_of(clock)) + (uint64_t)of->reduce_ps * of->n_segments;
        clock->last_dp = clock->dp;
    }
}

static void
reduce_tied(PsimRankClock *clocks, const PsimWorkload *work)
{
    const PsimOrder *order = work->order;
    const uint32_t ends[2] = {order->rank_of_stage[0],
                              order->rank_of_stage[psim_order_chain_stages(order) - 1]};
    uint64_t ready = 0;

    if (ends[0] == ends[1])
        return;
    for (unsigned i = 0; i < 2; i++) {
        const PsimRankClock *clock = &clocks[ends[i]];

        ready = MAX(ready, MAX(newest_of(clock), clock->last_dp));
    }
    for (unsigned i = 0; i < 2; i++) {
        PsimRankClock *clock = &clocks[ends[i]];

        clock->dp = MAX(clock->dp, ready) + (uint64_t)work->tails[ends[i]].tied_ps;
        clock->last_dp = clock->dp;
    }
}

static void
pass_barrier(PsimRankClock *clocks, const PsimWorkload *work)
{
    const uint32_t n_ranks = work->order->n_ranks;
    uint64_t join = 0;

    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        const PsimRankClock *clock = &clocks[rank];

        join = MAX(join, MAX(newest_of(clock), clock->last_dp));
    }
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        PsimRankClock *clock = &clocks[rank];

        clock->dp = MAX(clock->dp, join) + (uint64_t)work->barrier_ps;
        clock->wait = clock->dp;
    }
}

void
psim_rank_clock_end(PsimRankClock *clocks, const PsimWorkload *work)
{
    const uint32_t n_ranks = work->order->n_ranks;

    for (uint32_t rank = 0; rank < n_ranks; rank++)
        reduce_stages(clocks, work, rank);
    if (work->tails[work->order->rank_of_stage[0]].tied_ps > 0)
        reduce_tied(clocks, work);
    if (work->global_barrier)
        pass_barrier(clocks, work);
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        PsimRankClock *clock = &clocks[rank];
        const uint64_t ready = MAX(clock->wait, clock->last_dp);

        clock->compute = MAX(clock->compute, ready) + (uint64_t)work->tails[rank].optimizer_ps;
        if (work->tails[rank].gather_ps > 0)
            clock->dp = MAX(clock->dp, clock->compute) + (uint64_t)work->tails[rank].gather_ps;
    }
}
