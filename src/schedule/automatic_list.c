/* SPDX-License-Identifier: MIT */
/* The list scheduler walks through time: the rank that can decide first decides. Of one stage, F, I
 * and W each go in the order of microbatches, so the next of each kind is a counter, and a decision
 * is a choice among at most 2 v + 1 operations.
 *
 * Memory never deadlocks: an F is admitted only if one more microbatch still finds room on the
 * later chunks of the rank, so the one that is farthest along can always go on to its I, and W
 * gives back.
 */
#include "schedule/automatic.h"

#include <string.h>

#define NEVER INT64_MAX

typedef struct {
    uint32_t next[PSIM_N_OP_KINDS]; /* microbatch; of F and I */
    uint32_t n_later;               /* chunks after this one on its rank */
    int64_t need_bytes;             /* free memory that F asks for */
} ListStage;

typedef struct {
    PsimTime wake; /* when it can decide next */
    uint32_t n_ahead;
    uint32_t n_behind;
    uint32_t n_weights; /* W done; the next is that of the rank's I of this number */
    uint32_t n_inputs;  /* I done */
    PsimOpKind last;    /* F or I */
} ListRank;

struct PsimLister {
    PsimMeter *meter;
    uint32_t n_chunks;
    const uint32_t *stages; /* (p, v) stages of each rank, in model order */
    ListStage *stage;       /* (S) */
    ListRank *rank;         /* (p) */
    uint16_t *inputs;       /* (p, v m) stages of the I done, in order */
};

/* What a rank may do now. */
typedef struct {
    uint32_t stage[PSIM_N_OP_KINDS]; /* of F and I; NO_STAGE: none is ready */
    PsimTime soonest;                /* when another F or I is known to come */
} Choice;
#define NO_STAGE UINT32_MAX

static const uint32_t *
list_stages(const PsimMeter *meter, uint32_t n_chunks, PsimArena *arena)
{
    uint32_t *stages = psim_arena_array(arena, uint32_t, meter->n_stages);
    uint32_t *n_listed = psim_arena_array(arena, uint32_t, meter->n_ranks);

    for (uint32_t s = 0; s < meter->n_stages; s++) {
        const uint32_t rank = meter->stages[s].rank;

        stages[rank * n_chunks + n_listed[rank]++] = s;
    }
    return stages;
}

/* From the last chunk of each rank to its first. */
static void
fill_needs(PsimLister *self, uint32_t rank)
{
    const uint32_t v = self->n_chunks;
    int64_t working_bytes = 0;
    int64_t later_bytes = 0;

    for (uint32_t c = 0; c < v; c++) {
        const PsimMeterStage *stage = &self->meter->stages[self->stages[rank * v + c]];

        for (unsigned kind = 0; kind < PSIM_N_OP_KINDS; kind++)
            working_bytes = MAX(working_bytes, stage->working_bytes[kind]);
    }
    for (uint32_t c = v; c-- > 0;) {
        const uint32_t s = self->stages[rank * v + c];

        later_bytes += self->meter->stages[s].stored_bytes;
        self->stage[s].n_later = v - 1 - c;
        self->stage[s].need_bytes = later_bytes + working_bytes;
    }
}

PsimLister *
psim_lister_new(PsimMeter *meter, uint32_t n_chunks, PsimArena *arena)
{
    PsimLister *self = psim_arena_array(arena, PsimLister, 1);

    *self = (PsimLister){
        .meter = meter,
        .n_chunks = n_chunks,
        .stages = list_stages(meter, n_chunks, arena),
        .stage = psim_arena_array(arena, ListStage, meter->n_stages),
        .rank = psim_arena_array(arena, ListRank, meter->n_ranks),
        .inputs =
            psim_arena_array(arena, uint16_t, (size_t)meter->n_stages * meter->n_microbatches),
    };
    for (uint32_t rank = 0; rank < meter->n_ranks; rank++)
        fill_needs(self, rank);
    return self;
}

static void
begin(PsimLister *self, PsimOrder *order)
{
    PsimMeter *meter = self->meter;
    const size_t n_cells = (size_t)meter->n_stages * meter->n_microbatches;

    memset(meter->ranks, 0, meter->n_ranks * sizeof *meter->ranks);
    memset(meter->forward_arrival, 0xff, n_cells * sizeof *meter->forward_arrival);
    memset(meter->backward_arrival, 0xff, n_cells * sizeof *meter->backward_arrival);
    memset(meter->forward_arrival, 0, meter->n_microbatches * sizeof *meter->forward_arrival);
    memset(self->rank, 0, meter->n_ranks * sizeof *self->rank);
    for (uint32_t s = 0; s < meter->n_stages; s++)
        memset(self->stage[s].next, 0, sizeof self->stage[s].next);
    for (uint32_t rank = 0; rank < meter->n_ranks; rank++) {
        self->rank[rank].wake = meter->stages[0].rank == rank ? 0 : NEVER;
        self->rank[rank].last = PSIM_OP_BACKWARD_INPUT;
        order->n_ops[rank] = 0;
    }
}

/* -- A decision -- */

static bool
may_forward(const PsimLister *self, const PsimRule *rule, uint32_t rank, uint32_t s)
{
    const ListStage *stage = &self->stage[s];

    return self->rank[rank].n_ahead + stage->n_later < rule->ahead[rank] &&
           stage->need_bytes <= self->meter->cap_bytes[rank] - self->meter->ranks[rank].held_bytes;
}

/* Whether of two stages of a rank, @s and the later @t, the later one goes first. */
static bool
prefers_later(const PsimLister *self, PsimChunkRule rule, PsimOpKind kind, uint32_t s, uint32_t t)
{
    switch (rule) {
    case PSIM_CHUNK_FAR:
        return kind == PSIM_OP_FORWARD;
    case PSIM_CHUNK_NEAR:
        return kind != PSIM_OP_FORWARD;
    case PSIM_CHUNK_OLDEST:
        return self->stage[t].next[kind] < self->stage[s].next[kind] ||
               (self->stage[t].next[kind] == self->stage[s].next[kind] && kind != PSIM_OP_FORWARD);
    }
    g_assert_not_reached();
}

static inline void
consider(const PsimLister *self,
         const PsimRule *rule,
         uint32_t s,
         PsimOpKind kind,
         PsimTime now,
         Choice *choice)
{
    const PsimMeter *meter = self->meter;
    const PsimTime *arrivals =
        kind == PSIM_OP_FORWARD ? meter->forward_arrival : meter->backward_arrival;
    const uint32_t microbatch = self->stage[s].next[kind];

    if (microbatch == meter->n_microbatches)
        return;
    const PsimTime arrival = arrivals[(size_t)s * meter->n_microbatches + microbatch];

    if (arrival < 0)
        return;
    if (kind == PSIM_OP_FORWARD && !may_forward(self, rule, meter->stages[s].rank, s))
        return;
    if (arrival > now)
        choice->soonest = MIN(choice->soonest, arrival);
    else if (choice->stage[kind] == NO_STAGE ||
             prefers_later(self, rule->chunk, kind, choice->stage[kind], s))
        choice->stage[kind] = s;
}

/* Whether F goes before I where both are ready. */
static bool
is_forward_next(PsimPrefer prefer, PsimOpKind last)
{
    switch (prefer) {
    case PSIM_PREFER_BACKWARD:
        return false;
    case PSIM_PREFER_FORWARD:
        return true;
    case PSIM_PREFER_OTHER:
        return last != PSIM_OP_FORWARD;
    }
    g_assert_not_reached();
}

/* Returns: F, I, or W for none of them. */
static PsimOpKind
choose_kind(const ListRank *rank, const PsimRule *rule, const Choice *choice)
{
    const bool has_forward = choice->stage[PSIM_OP_FORWARD] != NO_STAGE;
    const bool has_input = choice->stage[PSIM_OP_BACKWARD_INPUT] != NO_STAGE;

    if (has_forward && (!has_input || is_forward_next(rule->prefer, rank->last)))
        return PSIM_OP_FORWARD;
    return has_input ? PSIM_OP_BACKWARD_INPUT : PSIM_OP_BACKWARD_WEIGHT;
}

static uint32_t
weight_stage(const PsimLister *self, uint32_t r)
{
    const size_t row = (size_t)self->n_chunks * self->meter->n_microbatches;

    return self->inputs[r * row + self->rank[r].n_weights];
}

/* Returns: the stage whose operation of *ret_kind begins now; NO_STAGE: the rank waits. */
static uint32_t
decide(PsimLister *self, const PsimRule *rule, uint32_t r, PsimTime now, PsimOpKind *ret_kind)
{
    ListRank *rank = &self->rank[r];
    Choice choice = {.stage = {NO_STAGE, NO_STAGE, NO_STAGE, NO_STAGE}, .soonest = NEVER};

    *ret_kind = PSIM_OP_BACKWARD_WEIGHT;
    if (rank->n_behind > rule->behind[r])
        return weight_stage(self, r);
    for (uint32_t c = 0; c < self->n_chunks; c++) {
        const uint32_t s = self->stages[r * self->n_chunks + c];

        consider(self, rule, s, PSIM_OP_BACKWARD_INPUT, now, &choice);
        consider(self, rule, s, PSIM_OP_FORWARD, now, &choice);
    }
    *ret_kind = choose_kind(rank, rule, &choice);
    if (*ret_kind != PSIM_OP_BACKWARD_WEIGHT)
        return choice.stage[*ret_kind];
    rank->wake = choice.soonest;
    if (rank->n_behind == 0)
        return NO_STAGE;
    const uint32_t s = weight_stage(self, r);
    const PsimTime weight_ps = self->meter->stages[s].duration[PSIM_OP_BACKWARD_WEIGHT];

    return choice.soonest - now < weight_ps / 4 * rule->patience ? NO_STAGE : s;
}

/* -- Its consequences -- */

static void
wake_up(PsimLister *self, uint32_t s, PsimTime arrival)
{
    const uint32_t r = self->meter->stages[s].rank;
    const PsimTime at = MAX(arrival, self->meter->ranks[r].free_at);

    self->rank[r].wake = MIN(self->rank[r].wake, at);
}

/* Hands the result on. */
static void
pass_on(PsimLister *self, uint32_t s, PsimOpKind kind, uint32_t microbatch, PsimTime end)
{
    PsimMeter *meter = self->meter;
    const PsimMeterStage *stage = &meter->stages[s];
    const size_t m = meter->n_microbatches;
    const size_t cell = s * m + microbatch;
    const bool is_forward = kind == PSIM_OP_FORWARD;
    const uint32_t to = !is_forward ? s - 1 : s + 1 < meter->n_stages ? s + 1 : s;

    if (kind == PSIM_OP_BACKWARD_WEIGHT || (!is_forward && s == 0))
        return;
    const PsimTime arrival =
        to == s ? end
                : psim_meter_arrival(meter, &meter->ranks[stage->rank], stage, !is_forward, end);

    if (is_forward && to > s)
        meter->forward_arrival[cell + m] = arrival;
    else
        meter->backward_arrival[is_forward ? cell : cell - m] = arrival;
    wake_up(self, to, arrival);
}

static void
note_done(PsimLister *self, uint32_t r, uint32_t s, PsimOpKind kind)
{
    ListRank *rank = &self->rank[r];
    const PsimMeterStage *stage = &self->meter->stages[s];
    int64_t *held_bytes = &self->meter->ranks[r].held_bytes;
    const size_t row = (size_t)self->n_chunks * self->meter->n_microbatches;

    if (kind == PSIM_OP_BACKWARD_WEIGHT) {
        *held_bytes -= stage->stored_bytes - stage->input_bytes;
        rank->n_behind--;
        rank->n_weights++;
        return;
    }
    rank->last = kind;
    if (kind == PSIM_OP_FORWARD) {
        *held_bytes += stage->stored_bytes;
        rank->n_ahead++;
        return;
    }
    *held_bytes -= stage->input_bytes;
    rank->n_ahead--;
    rank->n_behind++;
    self->inputs[r * row + rank->n_inputs++] = (uint16_t)s;
}

static void
place(PsimLister *self, uint32_t r, uint32_t s, PsimOpKind kind, PsimTime now, PsimOrder *order)
{
    PsimMeterRank *rank = &self->meter->ranks[r];
    const uint32_t microbatch = self->stage[s].next[kind]++;

    psim_order_add(order, r, kind, s, microbatch);
    rank->free_at = now + self->meter->stages[s].duration[kind];
    self->rank[r].wake = rank->free_at;
    note_done(self, r, s, kind);
    pass_on(self, s, kind, microbatch, rank->free_at);
}

static uint32_t
find_first(const PsimLister *self)
{
    uint32_t first = 0;

    for (uint32_t r = 1; r < self->meter->n_ranks; r++)
        first = self->rank[r].wake < self->rank[first].wake ? r : first;
    return first;
}

bool
psim_lister_run(PsimLister *self, const PsimRule *rule, PsimOrder *order)
{
    const uint64_t n_ops = (uint64_t)self->meter->n_stages * self->meter->n_microbatches * 3;
    uint64_t n_placed = 0;

    begin(self, order);
    while (n_placed < n_ops) {
        const uint32_t r = find_first(self);
        const PsimTime now = self->rank[r].wake;
        PsimOpKind kind = PSIM_OP_FORWARD;

        if (now == NEVER)
            return false;
        const uint32_t s = decide(self, rule, r, now, &kind);

        if (s == NO_STAGE)
            continue;
        place(self, r, s, kind, now, order);
        n_placed++;
    }
    return true;
}
