/* SPDX-License-Identifier: MIT */
#include "reference.h"

#define NOT_YET INT64_MIN

static bool
may_start(const PsimGraph *graph, const PsimTime *end, uint32_t task, PsimTime now)
{
    /* The stream is in id order and does one thing at a time. */
    for (uint32_t older = 0; older < task; older++) {
        const bool same_stream = graph->stream[older] == graph->stream[task];

        if (same_stream && (end[older] == NOT_YET || end[older] > now))
            return false;
    }
    for (uint32_t edge = graph->first[task]; edge < graph->first[task + 1]; edge++) {
        const PsimTime end_before = end[graph->before[edge]];

        if (end_before == NOT_YET || end_before > now)
            return false;
    }
    return true;
}

/* Starts what may start now; older tasks first, so one round sees those that take no time. */
static void
start_tasks(const PsimGraph *graph, PsimTime *end, PsimTime now)
{
    for (uint32_t task = 0; task < graph->n_tasks; task++) {
        if (end[task] == NOT_YET && may_start(graph, end, task, now))
            end[task] = now + graph->duration[task];
    }
}

/* The next instant at which something ends; INT64_MAX if nothing does. */
static PsimTime
find_next_end(const PsimGraph *graph, const PsimTime *end, PsimTime now)
{
    PsimTime next = INT64_MAX;

    for (uint32_t task = 0; task < graph->n_tasks; task++) {
        if (end[task] > now)
            next = MIN(next, end[task]);
    }
    return next;
}

PsimTime
psim_reference_run(const PsimGraph *graph, PsimTime *ret_end)
{
    PsimTime makespan = 0;

    for (uint32_t task = 0; task < graph->n_tasks; task++)
        ret_end[task] = NOT_YET;
    for (PsimTime now = 0; now != INT64_MAX; now = find_next_end(graph, ret_end, now)) {
        start_tasks(graph, ret_end, now);
        makespan = now;
    }
    return makespan;
}
