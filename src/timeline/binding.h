/* SPDX-License-Identifier: MIT */
/* binding.h: what a task waited for last
 *
 * A task starts when its predecessors and the task before it on its stream have ended; the one that
 * ended last binds it. Walking along binders from any task gives the chain that fixed its start.
 */
#pragma once

#include "engine/engine.h"

G_BEGIN_DECLS

typedef struct {
    const PsimGraph *graph;
    const PsimReplay *replay;
    PsimArena *arena;
    uint32_t *previous; /* (n_tasks) task before on the same stream; made when first needed */
} PsimBinding;

/** psim_binding_init: @arena  holds the list of stream neighbours, 4 bytes a task, if it is needed.
 */
void psim_binding_init(PsimBinding *self,
                       const PsimGraph *graph,
                       const PsimReplay *replay,
                       PsimArena *arena);

/**
 * psim_binding_find:
 * Returns: the predecessor that ended when @task started, the first of several; else the task
 * before it on its stream if that did; else PSIM_TASK_NONE. Always a lower id.
 */
uint32_t psim_binding_find(PsimBinding *self, uint32_t task);

G_END_DECLS
