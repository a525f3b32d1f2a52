/* SPDX-License-Identifier: MIT */
/* pipe.h: PIPE(p, m), a pipeline with transfers, straight from a schedule's lists to a graph
 *
 * Times in ticks: F 10, B 20, a transfer to a neighbour 1. Each pair of neighbours has one channel
 * a direction, first in, first out; a send never holds up its sender. In units of ten ticks 1F1B
 * takes (m+p-1) 3 + 0.2 ((p-1)(1 + floor((m-1)/p)) + max(0, (m-1) mod p - 1)), GPipe (m+p-1) 3 +
 * 0.2 (p-1).
 */
#pragma once

#include "graph/graph.h"
#include "schedule/schedule.h"

G_BEGIN_DECLS

#define PSIM_PIPE_FORWARD  10
#define PSIM_PIPE_BACKWARD 20
#define PSIM_PIPE_TRANSFER 1

/**
 * psim_pipe_build:
 * @scratch    what is needed while building only
 *
 * Returns: the graph of @order; one compute task an op, one task a transfer.
 */
PsimGraph *psim_pipe_build(const PsimOrder *order, PsimArena *scratch, PsimArena *arena);

G_END_DECLS
