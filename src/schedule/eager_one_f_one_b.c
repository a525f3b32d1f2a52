/* SPDX-License-Identifier: MIT */
/* Eager 1F1B: 1F1B with twice the warm-up, so that a transfer has a whole turn to arrive.
 *
 *  rank 0   F0 F1 F2 F3 F4 B0 F5 B1 ...      p = 3; warm-up = 2 (p - 1 - rank)
 *  rank 1   F0 F1 F2 B0 F3 B1 ...
 *  rank 2   F0 B0 F1 B1 ...
 *
 * Source: Zhuang et al., "On optimizing the communication of model parallelism", MLSys 2023.
 */
#include "schedule/types.h"

static void
emit_rank(PsimOrder *order, uint32_t rank, uint32_t n_warmup)
{
    const uint32_t m = order->n_microbatches;

    for (uint32_t i = 0; i < n_warmup; i++)
        psim_order_add(order, rank, PSIM_OP_FORWARD, rank, i);
    for (uint32_t i = 0; i < m; i++) {
        if (i + n_warmup < m)
            psim_order_add(order, rank, PSIM_OP_FORWARD, rank, i + n_warmup);
        psim_order_add(order, rank, PSIM_OP_BACKWARD, rank, i);
    }
}

static void
emit_eager(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t m = shape->n_microbatches;

    psim_order_begin(order, shape, arena, 2 * m);
    for (uint32_t rank = 0; rank < p; rank++)
        emit_rank(order, rank, MIN(2 * (p - 1 - rank), m));
}

/* T = (m + p - 1)(tF + tB) for any m, as 1F1B. */
static bool
eager_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    *ret_numerator = shape->n_ranks - 1;
    *ret_denominator = 1;
    return true;
}

const PsimScheduleType psim_eager_one_f_one_b_type = {
    .name = "eager-1f1b",
    .title = "eager 1F1B (twice the warm-up)",
    .summary = "1f1b that runs further ahead to hide transfers; holds up to 2p-1 microbatches",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .emit = emit_eager,
    .ideal_bubble = eager_bubble,
    .ideal_text = "(p-1)/m of the ideal time",
};
