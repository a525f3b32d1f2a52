/* SPDX-License-Identifier: MIT */
/* Most starts are bound by an edge, so the list of stream neighbours is only made once a start is
 * found that no edge explains: a transfer that queued behind another one, for instance.
 */
#include "timeline/binding.h"

void
psim_binding_init(PsimBinding *self,
                  const PsimGraph *graph,
                  const PsimReplay *replay,
                  PsimArena *arena)
{
    *self = (PsimBinding){.graph = graph, .replay = replay, .arena = arena};
}

static uint32_t *
list_previous(const PsimGraph *graph, PsimArena *arena)
{
    uint32_t *previous = psim_arena_array(arena, uint32_t, graph->n_tasks);
    uint32_t *last = psim_arena_array(arena, uint32_t, graph->n_streams);

    for (uint32_t stream = 0; stream < graph->n_streams; stream++)
        last[stream] = PSIM_TASK_NONE;
    for (uint32_t task = 0; task < graph->n_tasks; task++) {
        previous[task] = last[graph->stream[task]];
        last[graph->stream[task]] = task;
    }
    return previous;
}

uint32_t
psim_binding_find(PsimBinding *self, uint32_t task)
{
    const PsimGraph *graph = self->graph;
    const PsimTime *end = self->replay->end;
    const PsimTime start = psim_replay_start(self->replay, graph, task);

    for (uint32_t edge = graph->first[task]; edge < graph->first[task + 1]; edge++) {
        if (end[graph->before[edge]] == start)
            return graph->before[edge];
    }
    if (start == 0)
        return PSIM_TASK_NONE;
    if (self->previous == NULL)
        self->previous = list_previous(graph, self->arena);

    const uint32_t previous = self->previous[task];

    return previous != PSIM_TASK_NONE && end[previous] == start ? previous : PSIM_TASK_NONE;
}
