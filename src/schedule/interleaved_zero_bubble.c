/* SPDX-License-Identifier: MIT */
/* Interleaved zero bubble: interleaving with the backward in two halves; with one chunk, ZB-H1.
 *
 * Rank r begins with (v - 1) N + p - 1 - r forwards, then F, I and, from the r-th I on, one W; all
 * three walk the table of interleaving, I and W with the chunks in reverse. PyTorch's N: the
 * microbatches in max(1, m div p) equal rounds.
 *
 * Source: PyTorch, torch.distributed.pipelining, ScheduleInterleavedZeroBubble.
 */
#include "base/limits.h"
#include "schedule/chunk_table.h"
#include "schedule/types.h"

static void
emit_rank(PsimOrder *order, uint32_t rank, const PsimShape *shape, uint32_t n_forwards)
{
    const uint64_t warmup =
        ((uint64_t)shape->n_chunks - 1) * shape->group + shape->n_ranks - 1 - rank;
    const uint32_t n_warmup = (uint32_t)MIN(warmup, n_forwards);
    const uint32_t n_behind = MIN(rank, n_forwards);
    PsimCursor forward = psim_cursor_begin(shape);
    PsimCursor input = psim_cursor_begin(shape);
    PsimCursor weight = psim_cursor_begin(shape);

    for (uint32_t i = 0; i < n_warmup; i++)
        psim_cursor_add_forward(&forward, order, rank, shape);
    for (uint32_t i = 0; i < n_forwards; i++) {
        if (i + n_warmup < n_forwards)
            psim_cursor_add_forward(&forward, order, rank, shape);
        psim_cursor_add_backward(&input, order, rank, PSIM_OP_BACKWARD_INPUT, shape);
        if (i >= n_behind)
            psim_cursor_add_backward(&weight, order, rank, PSIM_OP_BACKWARD_WEIGHT, shape);
    }
    for (uint32_t i = 0; i < n_behind; i++)
        psim_cursor_add_backward(&weight, order, rank, PSIM_OP_BACKWARD_WEIGHT, shape);
}

/* N: as asked for, or where nothing was, which is p, PyTorch's rounds if they are equal. */
static uint32_t
choose_group(const PsimShape *shape)
{
    const uint32_t n_rounds = MAX(1, shape->n_microbatches / shape->n_ranks);

    if (shape->group != shape->n_ranks || shape->n_microbatches % n_rounds != 0)
        return shape->group;
    return shape->n_microbatches / n_rounds;
}

static void
emit_interleaved_zb(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const uint64_t n_forwards = (uint64_t)shape->n_microbatches * shape->n_chunks;
    PsimShape grouped = *shape;

    g_assert(n_forwards <= UINT32_MAX / 3);
    grouped.group = choose_group(shape);
    psim_order_begin(order, shape, arena, 3 * (uint32_t)n_forwards);
    for (uint32_t rank = 0; rank < shape->n_ranks; rank++)
        emit_rank(order, rank, &grouped, (uint32_t)n_forwards);
}

/* Groups that the user chose: shorter ones than p can deadlock, and a rest is a shorter one. */
static void
check_groups(const PsimShape *shape, GString *complaints)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t m = shape->n_microbatches;
    const uint32_t group = shape->group;
    const uint32_t rest = m % group;

    if (group == m)
        return;
    if (m < p)
        g_string_append_printf(complaints,
                               "interleaved-zb has groups of %u microbatches; must be %u (the "
                               "microbatches) for %u pipeline ranks",
                               group, m, p);
    else if (group < p || group > m)
        g_string_append_printf(complaints,
                               "interleaved-zb has groups of %u microbatches; must be from %u (the "
                               "pipeline ranks) to %u (the microbatches)",
                               group, p, m);
    else if (rest != 0)
        g_string_append_printf(complaints,
                               "interleaved-zb has %u microbatches, which leaves %u after groups "
                               "of %u; the nearest that work are %u and %u",
                               m, rest, group, m - rest, m - rest + group);
}

/* The schedule is PyTorch's, so its rule holds whatever the runtime. */
static void
check_interleaved_zb(const PsimShape *shape, bool pytorch_rule, GString *complaints)
{
    (void)pytorch_rule;
    if (shape->group == shape->n_ranks)
        psim_rounds_complain("interleaved-zb", shape, complaints);
    else
        check_groups(shape, complaints);
}

/* T = (3 m v + p - 1) t in chunk times, with tF = tI = tW = t. */
static bool
interleaved_zb_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    const uint32_t group = choose_group(shape);

    if (group < shape->n_ranks || shape->n_microbatches % group != 0)
        return false;
    *ret_numerator = shape->n_ranks - 1;
    *ret_denominator = 3 * (uint64_t)shape->n_chunks;
    return true;
}

const PsimScheduleType psim_interleaved_zero_bubble_type = {
    .name = "interleaved-zb",
    .title = "interleaved zero bubble (PyTorch's ZB1P)",
    .summary = "zb-h1 over v chunks a rank; a third of the bubble of interleaved",
    .default_chunks = 2,
    .min_chunks = 1,
    .max_chunks = PSIM_LIMIT_STAGES,
    .splits_backward = true,
    .check = check_interleaved_zb,
    .emit = emit_interleaved_zb,
    .ideal_bubble = interleaved_zb_bubble,
    .ideal_text = "(p-1)/(3 v m) of the ideal time if F, I and W take equally long",
};
