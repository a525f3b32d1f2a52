/* SPDX-License-Identifier: MIT */
/* verify.h: a graph keeps its promises; a violation is a fault of ours, never the user's */
#pragma once

#include "graph/graph.h"

G_BEGIN_DECLS

/**
 * psim_verify_graph:
 * Edges point backwards, ids are in range, durations are not negative, every stream's rank exists,
 * and memory taken is given back on each rank (where @balanced).
 *
 * Errors: INTERNAL, in words.
 */
bool psim_verify_graph(const PsimGraph *graph, bool balanced, GError **error);

G_END_DECLS
