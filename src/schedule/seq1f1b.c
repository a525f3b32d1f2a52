/* SPDX-License-Identifier: MIT */
/* Seq1F1B: 1F1B over slices of the sequence. Forwards take the slices of a microbatch in order,
 * backwards in reverse, so a rank warms up K - 1 slices longer. p = 2, K = 2, numbers of units
 * (slice u mod K of microbatch u div K):
 *
 *  rank 0   F0 F1 F2 B1 F3 B0 ...       warm-up = p - 2 - rank + K, then one each
 *  rank 1      F0 F1 B1 F2 B0 ...
 *
 * Source: Sun et al., "Seq1F1B" (arXiv 2406.03488), and its repository.
 */
#include "schedule/types.h"

/* Backwards in order: the last slice of each microbatch first. */
typedef struct {
    uint32_t n_slices;
    uint32_t first; /* unit of the microbatch */
    uint32_t slice;
} Cursor;

static void
add_backward(PsimOrder *order, uint32_t rank, Cursor *at)
{
    psim_order_add(order, rank, PSIM_OP_BACKWARD, rank, at->first + at->slice);
    if (at->slice-- == 0) {
        at->first += at->n_slices;
        at->slice = at->n_slices - 1;
    }
}

static void
emit_rank(PsimOrder *order, uint32_t rank, uint32_t n_warmup)
{
    const uint32_t n_units = order->n_microbatches;
    Cursor backward = {.n_slices = order->n_slices, .slice = order->n_slices - 1};

    for (uint32_t u = 0; u < n_warmup; u++)
        psim_order_add(order, rank, PSIM_OP_FORWARD, rank, u);
    for (uint32_t u = n_warmup; u < n_units; u++) {
        psim_order_add(order, rank, PSIM_OP_FORWARD, rank, u);
        add_backward(order, rank, &backward);
    }
    for (uint32_t u = 0; u < n_warmup; u++)
        add_backward(order, rank, &backward);
}

static void
emit_seq1f1b(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t n_slices = MAX(shape->n_slices, 1);
    const uint64_t n_units = (uint64_t)shape->n_microbatches * n_slices;

    g_assert(n_units <= UINT32_MAX / 2);
    psim_order_begin(order, shape, arena, 2 * (uint32_t)n_units);
    for (uint32_t rank = 0; rank < p; rank++)
        emit_rank(order, rank, MIN(p - 1 - rank + n_slices - 1, (uint32_t)n_units));
}

/* T = (m K + p - 1)(tf + tb) in times of equal slices. */
static bool
seq1f1b_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    *ret_numerator = shape->n_ranks - 1;
    *ret_denominator = MAX(shape->n_slices, 1);
    return true;
}

const PsimScheduleType psim_seq1f1b_type = {
    .name = "seq1f1b",
    .title = "Seq1F1B (1F1B over token slices)",
    .summary = "1f1b over K slices of each sequence; bubble and memory shrink together",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .default_slices = 4,
    .emit = emit_seq1f1b,
    .ideal_bubble = seq1f1b_bubble,
    .ideal_text = "(p-1)/(K m) of the ideal time for slices of equal time",
    .note = "slices of equal length take unequal times, since attention of a later one is longer",
};
