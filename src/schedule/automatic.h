/* SPDX-License-Identifier: MIT */
/* automatic.h: the parts of schedule `auto`; internal to this layer
 *
 * 1. Every fixed schedule of the same placement is a candidate (automatic.c).
 * 2. A list scheduler makes an order of a few numbers, a rule (automatic_list.c). A sample of rules
 *    is tried, then the best one is varied (automatic_search.c).
 * 3. Operations on the critical path of the best order are exchanged (automatic_search.c).
 *
 * All is counted in operations placed, not in seconds, and drawn from fixed seeds, so that the
 * answer is the same everywhere.
 */
#pragma once

#include "schedule/measure.h"

G_BEGIN_DECLS

/* Which of a ready F and a ready I goes first. */
typedef enum {
    PSIM_PREFER_BACKWARD,
    PSIM_PREFER_FORWARD,
    PSIM_PREFER_OTHER, /* the one that was not the last */
} PsimPrefer;
#define PSIM_N_PREFERS 3

/* Which chunk of a rank goes first. */
typedef enum {
    PSIM_CHUNK_FAR,    /* nearest to the end of the microbatch's way: highest F, lowest I */
    PSIM_CHUNK_NEAR,   /* nearest to its beginning */
    PSIM_CHUNK_OLDEST, /* lowest microbatch */
} PsimChunkRule;
#define PSIM_N_CHUNK_RULES 3

/* How a rank without a list decides. */
typedef struct {
    PsimPrefer prefer;
    PsimChunkRule chunk;
    uint32_t patience; /* quarters of a W: with an F or I due sooner, idle rather than begin W */
    uint32_t *ahead;   /* (p) F of all chunks that may be ahead of their I */
    uint32_t *behind;  /* (p) W that may wait while there is anything else */
} PsimRule;

/* Scratch of the list scheduler. */
typedef struct PsimLister PsimLister;

PsimLister *psim_lister_new(PsimMeter *meter, uint32_t n_chunks, PsimArena *arena);

/**
 * psim_lister_run:
 * Fills the lists of @order by @rule, within the caps of the meter.
 *
 * Returns: whether all operations found a place: limits may be too tight.
 * Cost: about 40 ns an operation.
 */
bool psim_lister_run(PsimLister *self, const PsimRule *rule, PsimOrder *order);

/* The search so far. */
typedef struct {
    const PsimShape *shape;
    PsimArena *arena;
    PsimMeter *meter;
    PsimLister *lister;
    PsimOrder *trial; /* to work on */
    PsimOrder *best;
    PsimMeasured measured;   /* of best */
    PsimTime makespan_bound; /* no order takes less */
    PsimTime span_bound;
    uint64_t n_ops;  /* of a list, all ranks */
    uint64_t budget; /* operations that may still be placed */
} PsimSearch;

/** psim_search_offer: keeps the trial if it is the best so far. Returns: its figures. */
PsimMeasured psim_search_offer(PsimSearch *self);

/** psim_search_is_over: Returns: whether nothing can be better, or @cost is beyond the budget. */
bool psim_search_is_over(const PsimSearch *self, uint64_t cost);

/** psim_search_rules, psim_search_exchange: steps 2 and 3. */
void psim_search_rules(PsimSearch *self);
void psim_search_exchange(PsimSearch *self);

/** psim_order_copy_lists: the lists of an order of the same shape, I and W. */
void psim_order_copy_lists(PsimOrder *to, const PsimOrder *from);

G_END_DECLS
