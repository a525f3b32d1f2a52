/* SPDX-License-Identifier: MIT */
/* hand.h: graphs that tests draw by hand */
#pragma once

#include "graph/graph.h"

G_BEGIN_DECLS

/* One stage a rank, all stages alike. */
typedef struct {
    const char *const *orders; /* (n_ranks) "F0 F1 B0" */
    uint32_t n_ranks;
    PsimTime forward, backward;
    PsimTime latency; /* of a transfer; 0: none, an edge from stage to stage */
    bool by_bytes;    /* a forward keeps one byte until its backward ends */
} Hand;

/* The 1F1B of three ranks and four microbatches, in orders. */
extern const char *const hand_1f1b[3];

/** hand_graph: Returns: the graph; aborts if the orders deadlock. */
PsimGraph *hand_graph(const Hand *hand, PsimArena *arena);

G_END_DECLS
