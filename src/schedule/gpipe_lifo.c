/* SPDX-License-Identifier: MIT */
/* GPipe as its paper draws it and torchgpipe runs it: backwards newest first.
 *
 *  rank 0   F0 F1 F2       B2 B1 B0
 *  rank 1      F0 F1 F2 B2 B1 B0
 *
 * The time is that of the oldest first. What differs is which activations are needed soonest: the
 * last ones made, which may still be in a cache or not yet offloaded.
 */
#include "schedule/types.h"

static void
emit_gpipe_lifo(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const uint32_t m = shape->n_microbatches;

    psim_order_begin(order, shape, arena, 2 * m);
    for (uint32_t rank = 0; rank < shape->n_ranks; rank++) {
        for (uint32_t i = 0; i < m; i++)
            psim_order_add(order, rank, PSIM_OP_FORWARD, rank, i);
        for (uint32_t i = m; i-- > 0;)
            psim_order_add(order, rank, PSIM_OP_BACKWARD, rank, i);
    }
}

/* T = (m + p - 1)(tF + tB) for any m. */
static bool
gpipe_lifo_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    *ret_numerator = shape->n_ranks - 1;
    *ret_denominator = 1;
    return true;
}

const PsimScheduleType psim_gpipe_lifo_type = {
    .name = "gpipe-lifo",
    .title = "GPipe, newest backward first (torchgpipe)",
    .summary =
        "GPipe with the backwards in reverse, as in the paper's figure; same time, same memory",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .emit = emit_gpipe_lifo,
    .ideal_bubble = gpipe_lifo_bubble,
    .ideal_text = "(p-1)/m of the ideal time",
};
