/* SPDX-License-Identifier: MIT */
/* walk.h: the state of lowering, shared by the files of this layer only
 */
#pragma once

#include "lower/emit.h"
#include "lower/workload.h"

G_BEGIN_DECLS

/* An input slot of an operation and microbatch: not there yet, there without need of an edge
 * (stream order implies it), or the base of the block to wait for. Zeroed memory means "not yet".
 */
#define PSIM_SLOT_EMPTY      0u
#define PSIM_SLOT_READY      1u
#define PSIM_SLOT_OF(base)   ((base) + 2u)
#define PSIM_SLOT_BASE(slot) ((slot)-2u)

/* Classes of a cut operation's segments, and what each loses to the collective beside it. */
typedef struct {
    uint32_t first_class, middle_class, last_class;
    PsimTime slowed_ps;
} PsimCut;

/* How to emit one operation kind of one stage. */
typedef struct {
    PsimTrack compute;
    PsimTrack tp;           /* duration 0: none */
    PsimTrack cp;           /* duration 0: none; behind tp, on the same stream */
    PsimTrack send;         /* duration 0: none */
    uint32_t *input;        /* (m) slots this operation reads */
    uint32_t *output;       /* (m) slots it fills for another operation; NULL: none */
    uint32_t *own;          /* (m) slots of W that I fills; NULL: none */
    uint32_t output_shift;  /* the output is for microbatch + shift: 1 for the naive schedule */
    bool output_crosses;    /* the output goes to another rank */
    bool has_private_sends; /* transfers do not queue: each has a stream of its own */
    bool gathers;           /* may need weights gathered */
    bool finishes;          /* B or W: counts towards the stage's gradients */
    PsimCut cut[PSIM_N_BESIDE];
} PsimRecipe;

/* Where a rank stands. Blocks are named by their base; PSIM_TASK_NONE: none. */
typedef struct {
    uint32_t next;          /* position in its list */
    uint32_t wait;          /* result the next compute must wait for beyond its own stream */
    uint32_t wait_sends[2]; /* transfers it must wait for, with blocking sends; a pair has two */
    uint32_t last_compute;
    uint32_t before_last; /* the compute before that: prefetch may start when it ends */
    uint32_t last_dp;     /* newest data-parallel collective */
} PsimRankState;

typedef struct {
    const PsimWorkload *work;
    const PsimOrder *order;
    PsimArena *arena;
    PsimEmitter emitter;
    PsimRecipe *recipes;      /* (S, PSIM_N_OP_KINDS) */
    PsimRankState *ranks;     /* (p) */
    uint32_t *unfinished;     /* (S) microbatches whose gradient of the stage is not complete */
    bool *gathered;           /* (S) weights are there, for gather once */
    PsimTrack *dp_gather;     /* (S) */
    PsimTrack *dp_reduce;     /* (S) */
    uint32_t *dp_stream;      /* (p) first stream of the rank's data-parallel collectives */
    uint32_t *compute_stream; /* (p) */
} PsimWalk;

/* lower/recipe.c: streams, classes and slots of every stage. */
void psim_recipe_make_all(PsimWalk *walk);

/* lower/layer_collectives.c: those of an operation's own layers, behind its compute at @base.
 * Returns: the block with the result. */
uint32_t psim_layer_collectives_emit(PsimWalk *walk,
                                     PsimRankState *state,
                                     const PsimTrack own[2],
                                     uint32_t microbatch,
                                     uint32_t base);

/* lower/segment.c: an operation cut into segments beside its data-parallel collectives. */
uint32_t psim_segment_emit(
    PsimWalk *walk, const PsimOp *op, const PsimRecipe *recipe, bool with_gather, bool with_reduce);

/* lower/pair.c: a fused pair of F and B. */
void psim_pair_emit(PsimWalk *walk, const PsimOp *pair, uint32_t ret_base[2]);

/* lower/tail.c: gradient reduction that nothing hid, barrier, optimizer. */
void psim_tail_emit(PsimWalk *walk);

/* What one task may have to wait for: its input, the rank's last result, two transfers, and for a
 * pair a second input and two gathers. */
#define PSIM_WALK_MAX_BEFORE 7

/** psim_walk_before: collects what the next compute of a rank must wait for; Returns: how many. */
static inline unsigned
psim_walk_before(PsimRankState *state, uint32_t slot, uint32_t ret_before[PSIM_WALK_MAX_BEFORE])
{
    unsigned n_before = 0;

    if (slot != PSIM_SLOT_READY)
        ret_before[n_before++] = PSIM_SLOT_BASE(slot);
    if (state->wait != PSIM_TASK_NONE)
        ret_before[n_before++] = state->wait;
    for (unsigned i = 0; i < 2; i++) {
        if (state->wait_sends[i] != PSIM_TASK_NONE)
            ret_before[n_before++] = state->wait_sends[i];
        state->wait_sends[i] = PSIM_TASK_NONE;
    }
    state->wait = PSIM_TASK_NONE;
    return n_before;
}

/** psim_walk_note_compute: remembers the newest compute block of a rank. */
static inline void
psim_walk_note_compute(PsimRankState *state, uint32_t base)
{
    state->before_last = state->last_compute;
    state->last_compute = base;
}

G_END_DECLS
