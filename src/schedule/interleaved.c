/* SPDX-License-Identifier: MIT */
/* Interleaved 1F1B: each rank has v chunks of the model, so the pipeline fills v times sooner.
 *
 * All ranks walk one table of (chunk, microbatch): for each group of N microbatches, chunk by
 * chunk. Backwards walk the same table with the chunks in reverse. p = 2, v = 2, N = 2, by chunk:
 *
 *  table    0F0 0F1 1F0 1F1 | 0F2 0F3 1F2 1F3
 *  rank 0   0F0 0F1 1F0 1F1 0F2 1B0 0F3 1B1 1F2 0B0 ...     warm-up = 2 (p - 1 - rank) + (v - 1) N
 *
 * Source: Narayanan et al., "Efficient large-scale language model training on GPU clusters using
 * Megatron-LM", SC 2021, section 2.2; group size and table as in Megatron-LM core.
 */
#include "base/limits.h"
#include "schedule/chunk_table.h"
#include "schedule/types.h"

static void
emit_rank(PsimOrder *order, uint32_t rank, const PsimShape *shape, uint32_t n_forwards)
{
    const uint64_t warmup =
        2 * ((uint64_t)shape->n_ranks - 1 - rank) + ((uint64_t)shape->n_chunks - 1) * shape->group;
    const uint32_t n_warmup = (uint32_t)MIN(warmup, n_forwards);
    PsimCursor forward = psim_cursor_begin(shape);
    PsimCursor backward = psim_cursor_begin(shape);

    for (uint32_t i = 0; i < n_warmup; i++)
        psim_cursor_add_forward(&forward, order, rank, shape);
    for (uint32_t i = n_warmup; i < n_forwards; i++) {
        psim_cursor_add_forward(&forward, order, rank, shape);
        psim_cursor_add_backward(&backward, order, rank, PSIM_OP_BACKWARD, shape);
    }
    for (uint32_t i = 0; i < n_warmup; i++)
        psim_cursor_add_backward(&backward, order, rank, PSIM_OP_BACKWARD, shape);
}

static void
emit_interleaved(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const uint64_t n_forwards = (uint64_t)shape->n_microbatches * shape->n_chunks;

    g_assert(n_forwards <= UINT32_MAX / 2);
    psim_order_begin(order, shape, arena, 2 * (uint32_t)n_forwards);
    for (uint32_t rank = 0; rank < shape->n_ranks; rank++)
        emit_rank(order, rank, shape, (uint32_t)n_forwards);
}

/* A shorter last group must still keep p ranks busy: m mod N is 0 or at least p. */
static bool
groups_fill_pipeline(const PsimShape *shape)
{
    const uint32_t rest = shape->n_microbatches % shape->group;

    return rest == 0 || rest >= shape->n_ranks;
}

static void
check_megatron(const PsimShape *shape, GString *complaints)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t m = shape->n_microbatches;
    const uint32_t group = shape->group;

    if (p == 1)
        g_string_append(complaints,
                        "interleaved has 1 pipeline rank; must be 2 or more, or schedule 1f1b");
    else if (m < p)
        g_string_append_printf(complaints,
                               "interleaved has %u microbatches for %u pipeline ranks; must be a "
                               "multiple of %u, the nearest is %u",
                               m, p, p, p);
    else if (group < p || group > m)
        g_string_append_printf(complaints,
                               "interleaved has groups of %u microbatches; must be from %u (the "
                               "pipeline ranks) to %u (the microbatches)",
                               group, p, m);
    else if (!groups_fill_pipeline(shape))
        g_string_append_printf(complaints,
                               "interleaved has %u microbatches, which leaves %u after groups of "
                               "%u, fewer than %u pipeline ranks; the nearest that work are %u and "
                               "%u",
                               m, m % group, group, p, m - m % group, m - m % group + p);
}

static void
check_interleaved(const PsimShape *shape, bool pytorch_rule, GString *complaints)
{
    if (shape->n_chunks == 1)
        g_string_append(complaints,
                        "interleaved has 1 chunk a rank; must be 2 or more, or schedule 1f1b");
    else if (pytorch_rule)
        psim_rounds_complain("interleaved", shape, complaints);
    else
        check_megatron(shape, complaints);
}

/* T = (m v + p - 1)(tf + tb) in chunk times where the groups fill the pipeline; one short group of
 * m < p costs (v - 1)(p - m) more. */
static bool
interleaved_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t m = shape->n_microbatches;
    const bool one_short_group = m < p && shape->group == m;

    if (!one_short_group && (shape->group < p || shape->group > m || !groups_fill_pipeline(shape)))
        return false;
    *ret_numerator = p - 1;
    if (one_short_group)
        *ret_numerator += ((uint64_t)shape->n_chunks - 1) * (p - m);
    *ret_denominator = shape->n_chunks;
    return true;
}

const PsimScheduleType psim_interleaved_type = {
    .name = "interleaved",
    .title = "interleaved 1F1B (virtual pipeline stages)",
    .summary = "1f1b over v chunks a rank; a bubble v times smaller for v times the transfers",
    .default_chunks = 2,
    .min_chunks = 1,
    .max_chunks = PSIM_LIMIT_STAGES,
    .check = check_interleaved,
    .emit = emit_interleaved,
    .ideal_bubble = interleaved_bubble,
    .ideal_text = "(p-1)/(v m) of the ideal time",
};
