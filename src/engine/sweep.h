/* SPDX-License-Identifier: MIT */
/* sweep.h: the event loop's answer in one pass over the tasks in id order
 *
 * Exact where every task's duration is fixed: then stream order and edges alone fix every start.
 */
#pragma once

#include "engine/engine.h"

G_BEGIN_DECLS

/** psim_sweep_run: Errors: LIMIT (beyond 106 days). Cost: a few ns a task, memory-bound. */
PsimReplay *psim_sweep_run(const PsimGraph *graph, PsimArena *arena, GError **error);

G_END_DECLS
