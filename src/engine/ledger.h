/* SPDX-License-Identifier: MIT */
/* ledger.h: memory in use over time, on each rank
 *
 * Every compute-stream task may take bytes at its start, hold working bytes while it runs and give
 * bytes back at its end (PsimTaskClass). A rank's compute tasks run one after the other in id
 * order, so its curve is a walk along them.
 */
#pragma once

#include "engine/engine.h"

G_BEGIN_DECLS

/* The highest point of one rank. */
typedef struct {
    int64_t peak_bytes;     /* above the static base                                [B]  */
    uint32_t peak_task;     /* running then; PSIM_TASK_NONE if nothing ever was taken    */
    PsimTime peak_time;     /* its start                                            [ps] */
    uint32_t in_flight_max; /* most forwards begun and not yet released             [1]  */
    int64_t working_bytes;  /* part of the peak held only while peak_task runs      [B]  */
} PsimLedgerPeak;

/** psim_ledger_peaks: Returns: one a rank (n_ranks). */
PsimLedgerPeak *
psim_ledger_peaks(const PsimGraph *graph, const PsimReplay *replay, PsimArena *arena);

/* Told of each change on a rank, in time order. */
typedef void (*PsimLedgerVisit)(
    void *user, uint32_t rank, PsimTime time, int64_t bytes, uint32_t task);

/** psim_ledger_curve: visits every change of memory on every rank. */
void psim_ledger_curve(const PsimGraph *graph,
                       const PsimReplay *replay,
                       PsimLedgerVisit visit,
                       void *user);

G_END_DECLS
