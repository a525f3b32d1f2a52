/* SPDX-License-Identifier: MIT */
/* TeraPipe: GPipe over slices of the sequence, so that the pipeline fills in steps of a slice. A
 * slice attends to those before it, so forwards go through a microbatch in order and backwards in
 * exact reverse. p = 2, m = 1, K = 3, numbers of units (slice u mod K of microbatch u div K):
 *
 *  rank 0   F0 F1 F2          B2 B1 B0
 *  rank 1      F0 F1 F2 B2 B1 B0
 *
 * Source: Li et al., "TeraPipe", ICML 2021 (arXiv 2102.07988).
 */
#include "schedule/types.h"

static void
emit_terapipe(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const uint64_t n_units = (uint64_t)shape->n_microbatches * MAX(shape->n_slices, 1);

    g_assert(n_units <= UINT32_MAX / 2);
    psim_order_begin(order, shape, arena, 2 * (uint32_t)n_units);
    for (uint32_t rank = 0; rank < shape->n_ranks; rank++) {
        for (uint32_t u = 0; u < n_units; u++)
            psim_order_add(order, rank, PSIM_OP_FORWARD, rank, u);
        for (uint32_t u = (uint32_t)n_units; u-- > 0;)
            psim_order_add(order, rank, PSIM_OP_BACKWARD, rank, u);
    }
}

/* T = (m K + p - 1)(tf + tb) in times of equal slices. */
static bool
terapipe_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    *ret_numerator = shape->n_ranks - 1;
    *ret_denominator = MAX(shape->n_slices, 1);
    return true;
}

const PsimScheduleType psim_terapipe_type = {
    .name = "terapipe",
    .title = "TeraPipe (GPipe over token slices)",
    .summary = "gpipe over K slices of each sequence; a bubble K times smaller, all slices held",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .default_slices = 4,
    .emit = emit_terapipe,
    .ideal_bubble = terapipe_bubble,
    .ideal_text = "(p-1)/(K m) of the ideal time for slices of equal time",
    .note = "slices of equal length take unequal times, since attention of a later one is longer",
};
