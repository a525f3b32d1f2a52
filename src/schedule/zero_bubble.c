/* SPDX-License-Identifier: MIT */
/* ZB-H1 and ZB-H2: the backward in two halves. Only I is in a hurry, for the rank before waits for
 * it; W fills what would be idle.
 *
 *  k = 1 (ZB-H1) or 2 (ZB-H2); rank r: k (p - 1 - r) forwards ahead, W k r microbatches behind.
 *
 *  rank 0   F0 F1 F2 I0 W0 F3 I1 W1 I2 W2 I3 W3       p = 3, m = 4, k = 1
 *  rank 1   F0 F1 I0 F2 I1 W0 F3 I2 W1 I3 W2 W3
 *  rank 2   F0 I0 F1 I1 F2 I2 W0 F3 I3 W1 W2 W3
 *
 * Source: Qi et al., "Zero bubble pipeline parallelism", ICLR 2024, section 2.
 */
#include "schedule/types.h"

static void
emit_rank(PsimOrder *order, uint32_t rank, uint32_t n_ahead, uint32_t n_behind)
{
    const uint32_t m = order->n_microbatches;

    for (uint32_t i = 0; i < n_ahead; i++)
        psim_order_add(order, rank, PSIM_OP_FORWARD, rank, i);
    for (uint32_t i = 0; i < m; i++) {
        if (i + n_ahead < m)
            psim_order_add(order, rank, PSIM_OP_FORWARD, rank, i + n_ahead);
        psim_order_add(order, rank, PSIM_OP_BACKWARD_INPUT, rank, i);
        if (i >= n_behind)
            psim_order_add(order, rank, PSIM_OP_BACKWARD_WEIGHT, rank, i - n_behind);
    }
    for (uint32_t i = m - MIN(n_behind, m); i < m; i++)
        psim_order_add(order, rank, PSIM_OP_BACKWARD_WEIGHT, rank, i);
}

static void
emit_all(const PsimShape *shape, PsimArena *arena, PsimOrder *order, uint32_t k)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t m = shape->n_microbatches;

    psim_order_begin(order, shape, arena, 3 * m);
    for (uint32_t rank = 0; rank < p; rank++)
        emit_rank(order, rank, MIN(k * (p - 1 - rank), m), k * rank);
}

static void
emit_zb_h1(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    emit_all(shape, arena, order, 1);
}

static void
emit_zb_h2(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    emit_all(shape, arena, order, 2);
}

/* T = (3 m + p - 1) t of both, with tF = tI = tW = t, once the warm-up of rank 0 is full: a third
 * of 1F1B's bubble. */
static bool
fill_bubble(const PsimShape *shape,
            uint32_t n_least,
            uint64_t *ret_numerator,
            uint64_t *ret_denominator)
{
    if (shape->n_microbatches < n_least)
        return false;
    *ret_numerator = shape->n_ranks - 1;
    *ret_denominator = 3;
    return true;
}

static bool
zb_h1_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    return fill_bubble(shape, shape->n_ranks, ret_numerator, ret_denominator);
}

static bool
zb_h2_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    return fill_bubble(shape, 2 * (shape->n_ranks - 1), ret_numerator, ret_denominator);
}

const PsimScheduleType psim_zb_h1_type = {
    .name = "zb-h1",
    .title = "ZB-H1 (zero bubble, memory of 1F1B)",
    .summary = "weight gradients fill the bubble; a third of 1f1b's, p microbatches on every rank",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .splits_backward = true,
    .emit = emit_zb_h1,
    .ideal_bubble = zb_h1_bubble,
    .ideal_text = "(p-1)/(3 m) of the ideal time if F, I and W take equally long",
    .note =
        "a third of 1F1B's bubble holds against the ideal time; as a fraction of the whole step "
        "it is (p-1)/(3m+p-1), more than a third of (p-1)/(m+p-1); in seconds it is (p-1)(F+I-W) "
        "where W is no longer than F and I, which is (p-1)(F+B-2W) if B means the whole backward "
        "I+W",
};

const PsimScheduleType psim_zb_h2_type = {
    .name = "zb-h2",
    .title = "ZB-H2 (zero bubble, twice the memory of 1F1B)",
    .summary = "no idle time between a rank's first and last operation, if F, I and W are equal",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .splits_backward = true,
    .emit = emit_zb_h2,
    .ideal_bubble = zb_h2_bubble,
    .ideal_text = "(p-1)/(3 m) of the ideal time if F, I and W take equally long, as zb-h1",
    .note =
        "the zero bubble is each rank's own: from the first rank's start to the last rank's end "
        "zb-h2 takes as long as zb-h1 if F, I and W are equal, unless steps overlap",
};
