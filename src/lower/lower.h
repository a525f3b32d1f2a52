/* SPDX-License-Identifier: MIT */
/* lower.h: workload -> task graph, in topological order, in one pass
 *
 * Ranks are walked up and down the pipeline; each advances along its list while the head
 * operation's input exists. Tasks come out numbered topologically, and if no rank can move while
 * lists are not at their ends, the schedule deadlocks: that is a result, with each rank's head.
 *
 * Folded, a graph has one rank for each pipeline rank, since tensor- and data-parallel copies are
 * alike; unfolded, every rank of the cluster. Both give the same picoseconds.
 */
#pragma once

#include "lower/workload.h"

G_BEGIN_DECLS

typedef struct {
    PsimGraph *graph;
    const uint32_t *n_done; /* (p) operations of each list that run */
    bool deadlock;
} PsimLowered;

/**
 * psim_lower:
 * Returns: the graph; with a deadlock, of what ran.
 * Errors: LIMIT.
 * Cost: some ten ns a task.
 */
PsimLowered *psim_lower(const PsimWorkload *workload, PsimArena *arena, GError **error);

/**
 * psim_lower_head: Returns: the operation a rank of a deadlock waits with, as "8F4" or "F4"; NULL
 * if its list is done. From @arena.
 */
const char *psim_lower_head(const PsimOrder *order,
                            const PsimLowered *lowered,
                            uint32_t rank,
                            PsimArena *arena);

/** psim_lower_missing: Returns: what that operation waits for, in words. From @arena. */
const char *psim_lower_missing(const PsimOrder *order,
                               const PsimLowered *lowered,
                               uint32_t rank,
                               PsimArena *arena);

G_END_DECLS
