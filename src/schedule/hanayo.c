/* SPDX-License-Identifier: MIT */
/* Hanayo: waves. With 2w chunks a rank the stages run down the ranks and up again, w times:
 *
 *  rank 0   0   7   8   15        w = 2, p = 4: stages by rank
 *  rank 1   1   6   9   14
 *  rank 2   2   5   10  13
 *  rank 3   3   4   11  12
 *
 * The order comes from a simulation in slots where F and B take one each: a free rank takes the
 * backward of its lowest stage that has one ready, else the forward of its highest; stage 0 lets a
 * microbatch in while fewer than p are between its F and its B there. Microbatches stay in order on
 * every stage, so that counters tell what is ready.
 *
 * Source: Liu et al., "Hanayo", SC 2023 (arXiv 2308.15762); the rule reproduces its idea, its
 * published expression for the bubble was not available.
 */
#include "base/limits.h"
#include "schedule/types.h"

#define BITS 64u

/* One kind of operation, F or B. */
typedef struct {
    uint32_t *n_in;   /* (S) microbatches whose input has come */
    uint32_t *n_done; /* (S) */
    uint64_t *ready;  /* (p, n_words) chunks of each rank with n_done < n_in */
} Side;

typedef struct {
    PsimOrder *order;
    uint32_t n_words;
    Side forward, backward;
    uint32_t *picked; /* (p) stage of this slot's operation */
    bool *goes_back;  /* (p) it is a backward */
} Simulation;

#define NOTHING UINT32_MAX

static Side
make_side(const Simulation *self, PsimArena *arena)
{
    const PsimOrder *order = self->order;

    return (Side){
        .n_in = psim_arena_array(arena, uint32_t, order->n_stages),
        .n_done = psim_arena_array(arena, uint32_t, order->n_stages),
        .ready = psim_arena_array(arena, uint64_t, (size_t)order->n_ranks * self->n_words),
    };
}

static uint64_t *
word_of(const Simulation *self, const Side *side, uint32_t stage)
{
    const uint32_t rank = self->order->rank_of_stage[stage];
    const uint32_t chunk = psim_order_chunk(self->order, stage);

    return &side->ready[(size_t)rank * self->n_words + chunk / BITS];
}

static uint64_t
bit_of(const Simulation *self, uint32_t stage)
{
    return UINT64_C(1) << psim_order_chunk(self->order, stage) % BITS;
}

static void
arrive(const Simulation *self, Side *side, uint32_t stage, uint32_t n)
{
    side->n_in[stage] += n;
    *word_of(self, side, stage) |= bit_of(self, stage);
}

static void
take(const Simulation *self, Side *side, uint32_t stage)
{
    if (++side->n_done[stage] == side->n_in[stage])
        *word_of(self, side, stage) &= ~bit_of(self, stage);
}

/* The stage of @chunk on @rank, by the zigzag. */
static uint32_t
stage_of(const Simulation *self, uint32_t rank, uint32_t chunk)
{
    const uint32_t p = self->order->n_ranks;

    return chunk * p + (chunk % 2 == 0 ? rank : p - 1 - rank);
}

static uint32_t
find_lowest(const Simulation *self, const Side *side, uint32_t rank)
{
    const uint64_t *words = &side->ready[(size_t)rank * self->n_words];

    for (uint32_t i = 0; i < self->n_words; i++) {
        if (words[i] != 0)
            return stage_of(self, rank, i * BITS + (uint32_t)__builtin_ctzll(words[i]));
    }
    return NOTHING;
}

static uint32_t
find_highest(const Simulation *self, const Side *side, uint32_t rank)
{
    const uint64_t *words = &side->ready[(size_t)rank * self->n_words];

    for (uint32_t i = self->n_words; i-- > 0;) {
        if (words[i] != 0)
            return stage_of(self, rank, (i + 1) * BITS - 1 - (uint32_t)__builtin_clzll(words[i]));
    }
    return NOTHING;
}

static bool
is_full(const Simulation *self)
{
    return self->forward.n_done[0] - self->backward.n_done[0] >= self->order->n_ranks;
}

/* What a rank does in this slot, from what was ready when it began. */
static void
pick(Simulation *self, uint32_t rank)
{
    uint32_t stage = find_lowest(self, &self->backward, rank);

    self->goes_back[rank] = stage != NOTHING;
    if (stage == NOTHING)
        stage = find_highest(self, &self->forward, rank);
    if (stage == 0 && !self->goes_back[rank] && is_full(self))
        stage = NOTHING;
    self->picked[rank] = stage;
}

/* Ends the slot on a rank. Returns: operations done, 0 or 1. */
static uint32_t
settle(Simulation *self, uint32_t rank)
{
    const uint32_t stage = self->picked[rank];

    if (stage == NOTHING)
        return 0;
    if (self->goes_back[rank]) {
        psim_order_add(self->order, rank, PSIM_OP_BACKWARD, stage, self->backward.n_done[stage]);
        take(self, &self->backward, stage);
        if (stage > 0)
            arrive(self, &self->backward, stage - 1, 1);
        return 1;
    }
    psim_order_add(self->order, rank, PSIM_OP_FORWARD, stage, self->forward.n_done[stage]);
    take(self, &self->forward, stage);
    if (stage + 1 < self->order->n_stages)
        arrive(self, &self->forward, stage + 1, 1);
    else
        arrive(self, &self->backward, stage, 1);
    return 1;
}

static void
emit_hanayo(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const uint32_t p = shape->n_ranks;
    const uint64_t n_ops = 2 * (uint64_t)shape->n_microbatches * shape->n_chunks;

    g_assert(n_ops <= UINT32_MAX);
    psim_order_begin(order, shape, arena, (uint32_t)n_ops);
    psim_order_place_v(order);
    Simulation self = {
        .order = order,
        .n_words = (shape->n_chunks + BITS - 1) / BITS,
        .picked = psim_arena_array(arena, uint32_t, p),
        .goes_back = psim_arena_array(arena, bool, p),
    };

    self.forward = make_side(&self, arena);
    self.backward = make_side(&self, arena);
    arrive(&self, &self.forward, 0, shape->n_microbatches);
    for (uint64_t n_left = n_ops * p; n_left > 0;) {
        for (uint32_t rank = 0; rank < p; rank++)
            pick(&self, rank);
        for (uint32_t rank = 0; rank < p; rank++)
            n_left -= settle(&self, rank);
    }
}

static void
check_hanayo(const PsimShape *shape, bool pytorch_rule, GString *complaints)
{
    const uint32_t v = shape->n_chunks;

    (void)pytorch_rule;
    if (v == 1)
        g_string_append(complaints, "hanayo has 1 chunk a rank; must be even, two for each wave, "
                                    "the nearest is 2");
    else if (v % 2 != 0)
        g_string_append_printf(complaints,
                               "hanayo has %u chunks a rank; must be even, two for each wave, the "
                               "nearest are %u and %u",
                               v, v - 1, v + 1);
}

/* 2 (p - 1)(tb + (k - 1)(tb - tf)) in chunk times for m = k p and tb >= tf, here with tb = 2 tf. */
static bool
hanayo_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    const uint32_t p = shape->n_ranks;

    if (shape->n_chunks % 2 != 0 || shape->n_microbatches % p != 0)
        return false;
    *ret_numerator = 2 * ((uint64_t)p - 1) * (shape->n_microbatches / p + 1);
    *ret_denominator = 3 * (uint64_t)shape->n_chunks;
    return true;
}

const PsimScheduleType psim_hanayo_type = {
    .name = "hanayo",
    .title = "Hanayo (waves)",
    .summary = "two chunks a rank for each wave down the ranks and up; no second copy of weights",
    .default_chunks = 2,
    .min_chunks = 1,
    .max_chunks = PSIM_LIMIT_STAGES,
    .check = check_hanayo,
    .emit = emit_hanayo,
    .ideal_bubble = hanayo_bubble,
    .ideal_text = "2(p-1)(1/p+1/m)/3v of the ideal time for tB = 2 tF",
    .note = "with tB > tF every p microbatches more add to the bubble, as in chimera; the ratio "
            "(p-1)/(v m) holds only for tB = tF",
};
