/* SPDX-License-Identifier: MIT */
/* DualPipe: microbatches enter at both ends, so that a forward of one direction and a backward of
 * the other run at once, as a fused pair. DualPipeV cuts it in half: the second direction becomes
 * the way back of a V.
 *
 * A rank has two phases: 0, the stage near where microbatches enter, and 1, the stage near where
 * they leave. h is its distance from the entry, R the number of ranks from the entry to the turn,
 * n the microbatches of a phase:
 *
 *  1.  F0               x 2 (R - h - 1)
 *  2.  F0 F1            x h + 1
 *  3.  I1 W F1          x R - h - 1
 *  4.  (F0 B1) (F1 B0)  x n - 2R + h + 1      pairs; at the turn the very first is two operations
 *  5.  B1 (F1 B0)       x R - h - 1
 *  6.  B1 B0            x h + 1               the second half of these backwards is split
 *  7.  W I0             x R - h - 1           W takes the oldest split backward
 *  8.  W                for what is left
 *
 * The steps need n >= 2R. With fewer microbatches they run as if there were 2R, and operations of
 * those beyond the last are left out.
 *
 * Source: DeepSeek-V3 technical report (arXiv 2412.19437), section 3.2.1, and the DualPipe
 * repository.
 */
#include "base/limits.h"
#include "schedule/types.h"

/* One rank while its list grows. */
typedef struct {
    PsimOrder *order;
    uint32_t rank;
    uint32_t stage[2];        /* of each phase */
    uint32_t n[2];            /* microbatches there are */
    uint32_t n_forward[2];    /* emitted or left out */
    uint32_t n_backward[2];   /* the same */
    PsimOp *split;            /* (2R) backwards that still owe their W */
    uint32_t n_split, n_paid; /* pushed and popped */
} Rank;

static void
add(Rank *self, PsimOpKind kind, unsigned phase, uint32_t microbatch)
{
    if (microbatch < self->n[phase])
        psim_order_add(self->order, self->rank, kind, self->stage[phase], microbatch);
}

static void
add_forward(Rank *self, unsigned phase)
{
    add(self, PSIM_OP_FORWARD, phase, self->n_forward[phase]++);
}

static void
add_backward(Rank *self, unsigned phase)
{
    add(self, PSIM_OP_BACKWARD, phase, self->n_backward[phase]++);
}

/* F of @phase with B of the other. */
static void
add_pair(Rank *self, unsigned phase)
{
    const bool is_whole =
        self->n_forward[phase] < self->n[phase] && self->n_backward[1 - phase] < self->n[1 - phase];

    add_forward(self, phase);
    if (is_whole)
        self->order->ops[self->rank][self->order->n_ops[self->rank] - 1].flags = PSIM_OP_WITH_NEXT;
    add_backward(self, 1 - phase);
}

static void
add_input(Rank *self, unsigned phase)
{
    const uint32_t microbatch = self->n_backward[phase]++;

    add(self, PSIM_OP_BACKWARD_INPUT, phase, microbatch);
    self->split[self->n_split++] = (PsimOp){.microbatch = microbatch, .stage = (uint16_t)phase};
}

static void
add_weight(Rank *self)
{
    const PsimOp *oldest = &self->split[self->n_paid++];

    add(self, PSIM_OP_BACKWARD_WEIGHT, oldest->stage, oldest->microbatch);
}

/* Steps 1 to 3. */
static void
emit_warmup(Rank *self, uint32_t h, uint32_t n_before_turn)
{
    for (uint32_t i = 0; i < 2 * n_before_turn; i++)
        add_forward(self, 0);
    for (uint32_t i = 0; i < h + 1; i++) {
        add_forward(self, 0);
        add_forward(self, 1);
    }
    for (uint32_t i = 0; i < n_before_turn; i++) {
        add_input(self, 1);
        add_weight(self);
        add_forward(self, 1);
    }
}

/* Steps 4 and 5. */
static void
emit_steady(Rank *self, uint32_t n_steady, uint32_t n_before_turn)
{
    for (uint32_t i = 0; i < n_steady; i++) {
        if (i == 0 && n_before_turn == 0) {
            add_forward(self, 0);
            add_backward(self, 1);
        } else {
            add_pair(self, 0);
        }
        add_pair(self, 1);
    }
    for (uint32_t i = 0; i < n_before_turn; i++) {
        add_backward(self, 1);
        add_pair(self, 1);
    }
}

/* Steps 6 to 8. */
static void
emit_cooldown(Rank *self, uint32_t h, uint32_t n_before_turn)
{
    for (uint32_t i = 0; i < 2 * (h + 1); i++) {
        const unsigned phase = i % 2 == 0 ? 1 : 0;

        if (i < h + 1)
            add_backward(self, phase);
        else
            add_input(self, phase);
    }
    for (uint32_t i = 0; i < n_before_turn; i++) {
        add_weight(self);
        add_input(self, 0);
    }
    while (self->n_paid < self->n_split)
        add_weight(self);
}

/* @to_turn    R */
static void
emit_rank(Rank *self, uint32_t h, uint32_t to_turn)
{
    const uint32_t n = MAX(MAX(self->n[0], self->n[1]), 2 * to_turn);
    const uint32_t n_before_turn = to_turn - h - 1;

    self->n_split = self->n_paid = 0;
    emit_warmup(self, h, n_before_turn);
    emit_steady(self, n - 2 * to_turn + h + 1, n_before_turn);
    emit_cooldown(self, h, n_before_turn);
}

static void
emit_dualpipe(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t m = shape->n_microbatches;
    const uint32_t to_turn = (p + 1) / 2;
    const uint32_t n[2] = {m - m / 2, m / 2}; /* of each chain */
    PsimOp *split = psim_arena_array(arena, PsimOp, 2 * (size_t)to_turn);

    psim_order_begin_two(order, p, n[0], arena, 4 * n[0] + 2 * to_turn);
    for (uint32_t rank = 0; rank < p; rank++) {
        const unsigned entering = rank < p / 2 ? 0 : 1; /* the chain that enters on this side */
        const uint32_t h = MIN(rank, p - 1 - rank);
        Rank self = {
            .order = order,
            .rank = rank,
            .stage = {entering * p + h, (1 - entering) * p + p - 1 - h},
            .n = {n[entering], n[1 - entering]},
            .split = split,
        };

        emit_rank(&self, h, to_turn);
    }
}

static void
emit_dualpipe_v(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t m = shape->n_microbatches;
    PsimOp *split = psim_arena_array(arena, PsimOp, 2 * (size_t)p);

    psim_order_begin(order, shape, arena, 4 * m + 2 * p);
    psim_order_place_v(order);
    for (uint32_t rank = 0; rank < p; rank++) {
        Rank self = {
            .order = order,
            .rank = rank,
            .stage = {rank, 2 * p - 1 - rank},
            .n = {m, m},
            .split = split,
        };

        emit_rank(&self, rank, p);
    }
}

static void
check_dualpipe(const PsimShape *shape, bool pytorch_rule, GString *complaints)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t m = shape->n_microbatches;

    (void)pytorch_rule;
    if (p == 1)
        g_string_append(complaints, "dualpipe has 1 pipeline rank; must be even, the nearest is 2");
    else if (p % 2 != 0)
        g_string_append_printf(complaints,
                               "dualpipe has %u pipeline ranks; must be even, the nearest are %u "
                               "and %u",
                               p, p - 1, p + 1);
    else if (m < 2 * p)
        g_string_append_printf(complaints,
                               "dualpipe has %u microbatches for %u pipeline ranks; must be even "
                               "and %u or more, the nearest is %u",
                               m, p, 2 * p, 2 * p);
    else if (m % 2 != 0)
        g_string_append_printf(complaints,
                               "dualpipe has %u microbatches, which do not divide into two "
                               "directions; must be even, the nearest are %u and %u",
                               m, m - 1, m + 1);
}

static void
check_dualpipe_v(const PsimShape *shape, bool pytorch_rule, GString *complaints)
{
    const uint32_t p = shape->n_ranks;

    (void)pytorch_rule;
    if (shape->n_microbatches < 2 * p)
        g_string_append_printf(complaints,
                               "dualpipe-v has %u microbatches for %u pipeline ranks; must be %u "
                               "or more",
                               shape->n_microbatches, p, 2 * p);
}

/* (PP/2 - 1)(F&B + tF - 2 tW) in stage times for tW <= tI <= tF and a pair as long as F + B; PP
 * stages. Equal tF, tI, tW make it 2 (PP/2 - 1) of them, and tF + tB of a rank is three. */
static bool
dualpipe_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    const uint32_t p = shape->n_ranks;

    if (p % 2 != 0 || shape->n_microbatches % 2 != 0 || shape->n_microbatches < 2 * p)
        return false;
    *ret_numerator = p - 2;
    *ret_denominator = 3;
    return true;
}

/* The same with PP = 2p, and a rank has two stages. */
static bool
dualpipe_v_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    if (shape->n_microbatches < 2 * shape->n_ranks)
        return false;
    *ret_numerator = shape->n_ranks - 1;
    *ret_denominator = 3;
    return true;
}

#define README_NOTE                                                                                \
    "the published bubble (PP/2-1)(F&B+B-3W) holds only for tF = tI, tW <= tF and a pair as long " \
    "as F + B; for tW <= tI <= tF it is (PP/2-1)(F&B+F-2W)"

const PsimScheduleType psim_dualpipe_type = {
    .name = "dualpipe",
    .title = "DualPipe (two directions, fused pairs)",
    .summary = "microbatches from both ends, F of one with B of the other; weights twice",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .n_chains = 2,
    .splits_backward = true,
    .check = check_dualpipe,
    .emit = emit_dualpipe,
    .ideal_bubble = dualpipe_bubble,
    .ideal_text = "(p-2)/3m of the ideal time for tF = tI = tW and pairs as long as F + B",
    .note = README_NOTE,
};

const PsimScheduleType psim_dualpipe_v_type = {
    .name = "dualpipe-v",
    .title = "DualPipeV (DualPipe cut in half)",
    .summary = "dualpipe folded to a V of two chunks a rank, F of one with B of the other",
    .default_chunks = 2,
    .min_chunks = 2,
    .max_chunks = 2,
    .splits_backward = true,
    .check = check_dualpipe_v,
    .emit = emit_dualpipe_v,
    .ideal_bubble = dualpipe_v_bubble,
    .ideal_text = "(p-1)/3m of the ideal time for tF = tI = tW and pairs as long as F + B",
    .note = README_NOTE,
};
