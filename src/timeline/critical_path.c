/* SPDX-License-Identifier: MIT */
#include "timeline/critical_path.h"

#include "timeline/binding.h"

/* The first of those that end last. */
static uint32_t
find_last(const PsimGraph *graph, const PsimReplay *replay)
{
    for (uint32_t task = 0; task < graph->n_tasks; task++) {
        if (replay->end[task] == replay->makespan)
            return task;
    }
    return PSIM_TASK_NONE;
}

uint32_t *
psim_critical_path(const PsimGraph *graph,
                   const PsimReplay *replay,
                   PsimArena *arena,
                   uint32_t *ret_n)
{
    const uint32_t last = find_last(graph, replay);
    PsimBinding binding;
    uint32_t n_tasks = 0;

    psim_binding_init(&binding, graph, replay, arena);
    for (uint32_t task = last; task != PSIM_TASK_NONE; task = psim_binding_find(&binding, task))
        n_tasks++;

    uint32_t *path = psim_arena_array(arena, uint32_t, n_tasks);
    uint32_t n_left = n_tasks;

    for (uint32_t task = last; task != PSIM_TASK_NONE; task = psim_binding_find(&binding, task))
        path[--n_left] = task;
    *ret_n = n_tasks;
    return path;
}
