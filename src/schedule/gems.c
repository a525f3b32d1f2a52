/* SPDX-License-Identifier: MIT */
/* GEMS: two replicas in opposite directions take microbatches in turn, one at a time: while one
 * flows back through the ranks, the next already enters where the last rank has become free. Little
 * memory, and little speed. p = 3, the second direction primed:
 *
 *  rank 0   F0                  B0  F'0 B'0
 *  rank 1       F0          B0  F'0         B'0
 *  rank 2           F0  B0  F'0                 B'0
 *
 * Source: Jain et al., "GEMS", SC 2020.
 */
#include "schedule/types.h"

static void
emit_rank(PsimOrder *order, uint32_t rank, uint32_t m)
{
    const uint32_t p = order->n_ranks;
    const uint32_t stages[2] = {rank, p + p - 1 - rank};

    for (uint32_t i = 0; i < m; i++) {
        psim_order_add(order, rank, PSIM_OP_FORWARD, stages[i % 2], i / 2);
        psim_order_add(order, rank, PSIM_OP_BACKWARD, stages[i % 2], i / 2);
    }
}

static void
emit_gems(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const uint32_t m = shape->n_microbatches;

    psim_order_begin_two(order, shape->n_ranks, m - m / 2, arena, 2 * m);
    for (uint32_t rank = 0; rank < shape->n_ranks; rank++)
        emit_rank(order, rank, m);
}

/* T = p tF + m p tB + (m - 1) tF for tB >= tF, so that (p - 1)(tF + m tB) is idle; here with
 * tB = 2 tF. */
static bool
gems_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    *ret_numerator = ((uint64_t)shape->n_ranks - 1) * (2 * (uint64_t)shape->n_microbatches + 1);
    *ret_denominator = 3;
    return true;
}

const PsimScheduleType psim_gems_type = {
    .name = "gems",
    .title = "GEMS (two directions in turn)",
    .summary = "one microbatch at a time, directions in turn; the least memory; weights twice",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .n_chains = 2,
    .emit = emit_gems,
    .ideal_bubble = gems_bubble,
    .ideal_text = "(p-1)(2+1/m)/3 of the ideal time for tB = 2 tF",
};
