/* SPDX-License-Identifier: MIT */
/* print.h: a graph as text or DOT, for people and for golden tests of small graphs */
#pragma once

#include "graph/graph.h"

G_BEGIN_DECLS

/** psim_print_text: a line a task: id, op with stage and microbatch, stream, duration,
 * predecessors. */
void psim_print_text(const PsimGraph *graph, GString *out);

/** psim_print_dot: Graphviz, a cluster a rank. */
void psim_print_dot(const PsimGraph *graph, GString *out);

G_END_DECLS
