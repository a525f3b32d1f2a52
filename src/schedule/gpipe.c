/* SPDX-License-Identifier: MIT */
/* GPipe: all forwards, then all backwards, oldest first (as PyTorch does; the paper's figure has
 * the newest first, which changes nothing in time while transfers are free).
 *
 *  rank 0   F0 F1 F2       B0 B1 B2
 *  rank 1      F0 F1 F2 B0 B1 B2
 */
#include "schedule/types.h"

static void
emit_gpipe(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const uint32_t m = shape->n_microbatches;

    psim_order_begin(order, shape, arena, 2 * m);
    for (uint32_t rank = 0; rank < shape->n_ranks; rank++) {
        for (uint32_t i = 0; i < m; i++)
            psim_order_add(order, rank, PSIM_OP_FORWARD, rank, i);
        for (uint32_t i = 0; i < m; i++)
            psim_order_add(order, rank, PSIM_OP_BACKWARD, rank, i);
    }
}

/* T = (m + p - 1)(tF + tB) for any m. */
static bool
gpipe_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    *ret_numerator = shape->n_ranks - 1;
    *ret_denominator = 1;
    return true;
}

const PsimScheduleType psim_gpipe_type = {
    .name = "gpipe",
    .title = "GPipe (fill and drain, AFAB)",
    .summary = "all forwards, then all backwards; holds the activations of every microbatch",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .emit = emit_gpipe,
    .ideal_bubble = gpipe_bubble,
    .ideal_text = "(p-1)/m of the ideal time",
};
