/* SPDX-License-Identifier: MIT */
/* ZB-V: zero bubble over two chunks a rank, placed as a V: the model goes down the ranks and comes
 * back, so that the first rank has both ends and the turn is free.
 *
 *  rank r has stages s = r ("down") and 2 p - 1 - r ("up")
 *
 *  1 fill     F down 2 (p - r) - 1        4 steady   F I W down and up, alternating
 *  2 turn     F up, F down: r times       5 drain    I down, I up: r times
 *  3 first    F I W up: p - r             6 last     I W down: p - r      7 the W that are left
 *
 * Source: Qi et al., "Zero bubble pipeline parallelism", ICLR 2024, section 6; order as in PyTorch.
 */
#include "schedule/types.h"

typedef struct {
    uint32_t stage;
    uint32_t next[PSIM_N_OP_KINDS]; /* microbatch of each kind */
} Leg;

typedef struct {
    PsimOrder *order;
    uint32_t rank;
    Leg down, up;
} Writer;

/* The pattern is that of at least 2 p - 1 microbatches; those that are not there are left out. */
static inline void
add(Writer *writer, Leg *leg, PsimOpKind kind)
{
    const uint32_t microbatch = leg->next[kind]++;

    if (microbatch < writer->order->n_microbatches)
        psim_order_add(writer->order, writer->rank, kind, leg->stage, microbatch);
}

static inline void
add_whole(Writer *writer, Leg *leg)
{
    add(writer, leg, PSIM_OP_BACKWARD_INPUT);
    add(writer, leg, PSIM_OP_BACKWARD_WEIGHT);
}

static void
add_fill(Writer *writer, uint32_t n_after)
{
    for (uint32_t i = 0; i < 2 * n_after - 1; i++)
        add(writer, &writer->down, PSIM_OP_FORWARD);
    for (uint32_t i = 0; i < writer->rank; i++) {
        add(writer, &writer->up, PSIM_OP_FORWARD);
        add(writer, &writer->down, PSIM_OP_FORWARD);
    }
    for (uint32_t i = 0; i < n_after; i++) {
        add(writer, &writer->up, PSIM_OP_FORWARD);
        add_whole(writer, &writer->up);
    }
}

static void
add_steady(Writer *writer, uint32_t n_forwards)
{
    while (writer->up.next[PSIM_OP_FORWARD] < n_forwards) {
        add(writer, &writer->down, PSIM_OP_FORWARD);
        add_whole(writer, &writer->down);
        add(writer, &writer->up, PSIM_OP_FORWARD);
        add_whole(writer, &writer->up);
    }
}

static void
add_drain(Writer *writer, uint32_t n_after)
{
    for (uint32_t i = 0; i < writer->rank; i++) {
        add(writer, &writer->down, PSIM_OP_BACKWARD_INPUT);
        add(writer, &writer->up, PSIM_OP_BACKWARD_INPUT);
    }
    for (uint32_t i = 0; i < n_after; i++)
        add_whole(writer, &writer->down);
    while (writer->up.next[PSIM_OP_BACKWARD_WEIGHT] < writer->order->n_microbatches)
        add(writer, &writer->up, PSIM_OP_BACKWARD_WEIGHT);
    while (writer->down.next[PSIM_OP_BACKWARD_WEIGHT] < writer->order->n_microbatches)
        add(writer, &writer->down, PSIM_OP_BACKWARD_WEIGHT);
}

static void
emit_zb_v(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t m = shape->n_microbatches;

    g_assert(m <= UINT32_MAX / 6);
    psim_order_begin(order, shape, arena, 6 * m);
    psim_order_place_v(order);
    for (uint32_t rank = 0; rank < p; rank++) {
        Writer writer = {order, rank, {.stage = rank}, {.stage = 2 * p - 1 - rank}};

        add_fill(&writer, p - rank);
        add_steady(&writer, MAX(2 * p - 1, m));
        add_drain(&writer, p - rank);
    }
}

/* T = (6 m + p - 1) t in chunk times, with tF = tI = tW = t. */
static bool
zb_v_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    if (shape->n_microbatches < (uint64_t)shape->n_ranks * 3 / 2)
        return false;
    *ret_numerator = shape->n_ranks - 1;
    *ret_denominator = 6;
    return true;
}

const PsimScheduleType psim_zb_v_type = {
    .name = "zb-v",
    .title = "ZB-V (zero bubble, two chunks in a V)",
    .summary = "no idle time inside a rank's own span, if F, I and W are equal; memory of 1f1b",
    .default_chunks = 2,
    .min_chunks = 2,
    .max_chunks = 2,
    .splits_backward = true,
    .emit = emit_zb_v,
    .ideal_bubble = zb_v_bubble,
    .ideal_text = "(p-1)/(6 m) of the ideal time if F, I and W take equally long",
    .note = "the zero bubble is each rank's own and, from three ranks on, holds only if F, I and W "
            "take equally long; with W <= F <= I a rank idles 2(p-1)(I-W) chunk times in its span",
};
