/* SPDX-License-Identifier: MIT */
/* BPipe: 1F1B with balanced memory. Early ranks hold more microbatches than late ones, and rank x
 * and its partner p - 1 - x hold p + 1 between them; so the fuller one sends activations over and
 * fetches them back before their backward, and each holds half. The lists are those of 1F1B; the
 * transfers are taken to hide behind compute.
 *
 *  rank            0 1 2 3 4 5 6 7         p = 8
 *  1F1B holds      8 7 6 5 4 3 2 1
 *  BPipe holds     5 5 5 5 5 5 5 5
 *
 * Source: Kim et al., "BPipe", ICML 2023.
 */
#include "schedule/types.h"

static void
emit_bpipe(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    psim_one_f_one_b_type.emit(shape, arena, order);
}

static uint32_t
balance_peak(const PsimShape *shape, uint32_t rank)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t m = shape->n_microbatches;
    const uint32_t own = MIN(m, p - rank);
    const uint32_t partners = MIN(m, rank + 1);

    return (own + partners + 1) / 2;
}

/* T = (m + p - 1)(tF + tB) for any m, as 1F1B. */
static bool
bpipe_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    *ret_numerator = shape->n_ranks - 1;
    *ret_denominator = 1;
    return true;
}

const PsimScheduleType psim_bpipe_type = {
    .name = "bpipe",
    .title = "BPipe (1F1B, memory balanced)",
    .summary = "1f1b whose early ranks keep activations on late ones; about p/2 held on each",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .emit = emit_bpipe,
    .ideal_bubble = bpipe_bubble,
    .ideal_text = "(p-1)/m of the ideal time",
    .balanced_peak = balance_peak,
    .note = "the bubble is that of 1f1b only if the links between partners hide the transfers",
};
