/* SPDX-License-Identifier: MIT */
/* PipeDream-2BW: 1F1B that never drains, with gradients of m microbatches added up for one update.
 * Batch t computes on the weights after t - 1 updates, the same on every rank, so two versions are
 * enough. Those weights must be there when batch t begins, which is p - 1 - rank microbatches
 * before the backwards of batch t - 1 do: hence m >= p - 1.
 *
 * Source: Narayanan et al., "Memory-efficient pipeline-parallel DNN training", ICML 2021
 * (arXiv 2006.09503).
 */
#include "schedule/types.h"

static void
emit_pipedream_2bw(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    psim_one_f_one_b_type.emit(shape, arena, order);
}

static void
check_pipedream_2bw(const PsimShape *shape, bool pytorch_rule, GString *complaints)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t m = shape->n_microbatches;

    (void)pytorch_rule;
    if (m + 1 < p)
        g_string_append_printf(complaints,
                               "pipedream-2bw has %u microbatches an update for %u pipeline ranks; "
                               "must be %u or more, since a forward needs weights not made yet",
                               m, p, p - 1);
}

static uint32_t
count_versions(const PsimShape *shape, uint32_t rank)
{
    (void)shape;
    (void)rank;
    return 2;
}

/* Of the whole run, T = (m + p - 1)(tF + tB). */
static bool
pipedream_2bw_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    *ret_numerator = shape->n_ranks - 1;
    *ret_denominator = 1;
    return true;
}

const PsimScheduleType psim_pipedream_2bw_type = {
    .name = "pipedream-2bw",
    .title = "PipeDream-2BW (asynchronous, two versions)",
    .summary = "1f1b without a flush, one update for m microbatches; two versions of the weights",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .is_asynchronous = true,
    .check = check_pipedream_2bw,
    .emit = emit_pipedream_2bw,
    .ideal_bubble = pipedream_2bw_bubble,
    .ideal_text = "(p-1)/m of the ideal time, once a run instead of once a step",
    .weight_versions = count_versions,
    .note = "the published condition m >= p is stricter than needed: m >= p-1 is enough",
};
