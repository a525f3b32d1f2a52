/* SPDX-License-Identifier: MIT */
/* random_graph.h: small graphs from a seed, with every oddity a graph may have
 *
 * Tasks of no time, edges twice over, streams without a task, several streams a rank.
 */
#pragma once

#include "graph/graph.h"

/* What differs from the plain graph of a seed. */
typedef struct {
    PsimTime times; /* every duration this many times as long; 0 counts as 1  */
    bool add_edge;  /* one edge more, between two random tasks                */
} PsimRandomChange;

/** psim_random_graph: Returns: 0 to 40 tasks on 1 to 7 streams of 1 to 3 ranks. */
PsimGraph *psim_random_graph(uint64_t seed, PsimRandomChange change, PsimArena *arena);
