/* SPDX-License-Identifier: MIT */
/* No pipelining: each microbatch goes through all stages and back before the next one starts.
 *
 *  rank 0   F0       B0 F1       B1
 *  rank 1      F0 B0       F1 B1
 */
#include "schedule/types.h"

static void
emit_naive(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const uint32_t m = shape->n_microbatches;

    psim_order_begin(order, shape, arena, 2 * m);
    order->serial = true;
    for (uint32_t rank = 0; rank < shape->n_ranks; rank++) {
        for (uint32_t i = 0; i < m; i++) {
            psim_order_add(order, rank, PSIM_OP_FORWARD, rank, i);
            psim_order_add(order, rank, PSIM_OP_BACKWARD, rank, i);
        }
    }
}

/* T = m p (tF + tB), and a rank works m (tF + tB) of it. */
static bool
naive_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    *ret_numerator = (uint64_t)shape->n_microbatches * (shape->n_ranks - 1);
    *ret_denominator = 1;
    return true;
}

const PsimScheduleType psim_naive_type = {
    .name = "naive",
    .title = "no pipelining",
    .summary = "one microbatch in the whole pipeline at a time; the baseline of every comparison",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .emit = emit_naive,
    .ideal_bubble = naive_bubble,
    .ideal_text = "p-1 times the ideal time",
};
