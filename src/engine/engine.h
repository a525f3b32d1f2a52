/* SPDX-License-Identifier: MIT */
/* engine.h: the event loop over a frozen graph
 *
 * Knows tasks, streams and time; nothing of models, reports or files. The sweep gives the same
 * answer faster where no resource is shared; both run in the tests on every graph and must agree.
 */
#pragma once

#include "engine/observer.h"

G_BEGIN_DECLS

/* When each task ended; it started duration earlier. */
typedef struct {
    PsimTime *end;     /* (n_tasks) [ps] */
    PsimTime makespan; /* [ps] */
    uint64_t n_events;
} PsimReplay;

/**
 * psim_engine_run:
 * Ties are broken by (time, kind, id): finishes before starts, then the lower id.
 *
 * @observer    may be NULL
 *
 * Errors: CANCELLED; LIMIT (beyond 106 days).
 * Cost: O(e + n log streams), some 25 ns a task; no memory a task beyond the result.
 */
PsimReplay *psim_engine_run(const PsimGraph *graph,
                            PsimArena *arena,
                            const PsimObserver *observer,
                            GError **error);

/** psim_engine_set_too_long: sets the LIMIT error of a step beyond the clock's 106 days. */
void psim_engine_set_too_long(GError **error);

static inline PsimTime
psim_replay_start(const PsimReplay *self, const PsimGraph *graph, uint32_t task)
{
    return self->end[task] - graph->duration[task];
}

G_END_DECLS
