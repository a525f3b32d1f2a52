/* SPDX-License-Identifier: MIT */
/* 1F1B: a backward as soon as there is one, so that a rank holds few microbatches.
 *
 *  rank 0   F0 F1 F2 F3 B0 F4 B1 F5 B2 ...      p = 4; this is an order, not a clock
 *  rank 1      F0 F1 F2 B0 F3 B1 F4 ...         warm-up = p - 1 - rank, then one each
 *  rank 2         F0 F1 B0 F2 B1 ...
 *  rank 3            F0 B0 F1 B1 ...
 */
#include "schedule/types.h"

static void
emit_rank(PsimOrder *order, uint32_t rank, uint32_t n_warmup)
{
    const uint32_t m = order->n_microbatches;

    for (uint32_t i = 0; i < n_warmup; i++)
        psim_order_add(order, rank, PSIM_OP_FORWARD, rank, i);
    for (uint32_t i = n_warmup; i < m; i++) {
        psim_order_add(order, rank, PSIM_OP_FORWARD, rank, i);
        psim_order_add(order, rank, PSIM_OP_BACKWARD, rank, i - n_warmup);
    }
    for (uint32_t i = m - n_warmup; i < m; i++)
        psim_order_add(order, rank, PSIM_OP_BACKWARD, rank, i);
}

static void
emit_one_f_one_b(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t m = shape->n_microbatches;

    psim_order_begin(order, shape, arena, 2 * m);
    for (uint32_t rank = 0; rank < p; rank++)
        emit_rank(order, rank, MIN(p - 1 - rank, m));
}

/* T = (m + p - 1)(tF + tB) for any m. */
static bool
one_f_one_b_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    *ret_numerator = shape->n_ranks - 1;
    *ret_denominator = 1;
    return true;
}

const PsimScheduleType psim_one_f_one_b_type = {
    .name = "1f1b",
    .title = "1F1B (PipeDream-Flush, DAPPLE)",
    .summary =
        "one forward, one backward in turn; the bubble of gpipe, at most p microbatches held",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .emit = emit_one_f_one_b,
    .ideal_bubble = one_f_one_b_bubble,
    .ideal_text = "(p-1)/m of the ideal time",
};
