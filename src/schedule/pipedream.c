/* SPDX-License-Identifier: MIT */
/* PipeDream: 1F1B that never drains. Every backward updates the weights of its rank, and a
 * microbatch comes back to the version it went forward with, so a rank stashes p - rank versions.
 * The lists are those of 1F1B for the first m microbatches of a run.
 *
 *  rank 1   F0 F1 F2 B0 F3 B1 F4 B2 ...        p = 4
 *  version   0  0  0  0  1  0  2  0            F of i: after max(0, i - (p - 1 - rank)) updates
 *
 * Source: Narayanan et al., "PipeDream", SOSP 2019.
 */
#include "schedule/types.h"

static void
emit_pipedream(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    psim_one_f_one_b_type.emit(shape, arena, order);
}

static uint32_t
count_versions(const PsimShape *shape, uint32_t rank)
{
    return shape->n_ranks - rank;
}

/* Of the whole run, T = (m + p - 1)(tF + tB). */
static bool
pipedream_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    *ret_numerator = shape->n_ranks - 1;
    *ret_denominator = 1;
    return true;
}

const PsimScheduleType psim_pipedream_type = {
    .name = "pipedream",
    .title = "PipeDream (asynchronous, stashed weights)",
    .summary = "1f1b without a flush: no bubble, stale weights, up to p versions of them",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .is_asynchronous = true,
    .emit = emit_pipedream,
    .ideal_bubble = pipedream_bubble,
    .ideal_text = "(p-1)/m of the ideal time, once a run instead of once a step",
    .weight_versions = count_versions,
    .note = "gradients are p-1-rank updates old, unlike those of a synchronous schedule",
};
