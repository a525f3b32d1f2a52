/* SPDX-License-Identifier: MIT */
/* One pass in id order, which is topological: a task starts when its stream is free and its
 * predecessors have ended, and both are known by the time it is reached.
 */
#include "engine/sweep.h"

/* Times are added without a sign, so that a sum beyond the clock sets the top bit instead of
 * wrapping; all ends are or-ed together and that bit is looked at once. Returns false then. */
static bool
sweep_tasks(const PsimGraph *graph, uint64_t *restrict end, uint64_t *restrict free_at)
{
    const uint32_t n_tasks = graph->n_tasks;
    const uint32_t *restrict stream = graph->stream;
    const PsimTime *restrict duration = graph->duration;
    const uint32_t *restrict first = graph->first;
    const uint32_t *restrict before = graph->before;
    uint64_t seen = 0;
    uint32_t edge = 0;

    for (uint32_t task = 0; task < n_tasks; task++) {
        const uint32_t last_edge = first[task + 1];
        uint64_t start = free_at[stream[task]];

        for (; edge < last_edge; edge++)
            start = MAX(start, end[before[edge]]);

        const uint64_t stop = start + (uint64_t)duration[task];

        end[task] = stop;
        free_at[stream[task]] = stop;
        seen |= stop;
    }
    return seen <= INT64_MAX;
}

PsimReplay *
psim_sweep_run(const PsimGraph *graph, PsimArena *arena, GError **error)
{
    PsimReplay *replay = psim_arena_array(arena, PsimReplay, 1);
    uint64_t *end = psim_arena_array(arena, uint64_t, graph->n_tasks);
    uint64_t *free_at = psim_arena_array(arena, uint64_t, graph->n_streams);
    uint64_t makespan = 0;

    if (!sweep_tasks(graph, end, free_at)) {
        psim_engine_set_too_long(error);
        return NULL;
    }
    for (uint32_t stream = 0; stream < graph->n_streams; stream++)
        makespan = MAX(makespan, free_at[stream]);
    *replay = (PsimReplay){
        /* The two types of one size may look at the same memory. */
        .end = (PsimTime *)end,
        .makespan = (PsimTime)makespan,
        .n_events = graph->n_tasks,
    };
    return replay;
}
