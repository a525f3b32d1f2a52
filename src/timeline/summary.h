/* SPDX-License-Identifier: MIT */
/* summary.h: from when-each-task-ran to where the time went
 */
#pragma once

#include "timeline/result.h"

G_BEGIN_DECLS

/**
 * psim_summary_ranks:
 * Each rank's breakdown. Between two compute tasks of a rank lies a gap: what its own TP
 * collectives take of it is exposed communication; the rest is followed back along what bound the
 * gap's end: a transfer or collective on that chain is exposed, and when it reaches another rank's
 * work, the rest is bubble. Before the first and after the last task of a rank: bubble, but for its
 * own collectives there. Whole picoseconds: the parts sum to the makespan.
 *
 * Returns: (n_ranks), with busy = compute + recompute + tp, and the peaks of psim_ledger_peaks().
 * Cost: one pass over the tasks, two more where there are TP streams.
 */
PsimRankFigures *
psim_summary_ranks(const PsimGraph *graph, const PsimReplay *replay, PsimArena *arena);

/** psim_summary_mean: mean over ranks, whole picoseconds that still sum to the makespan exactly. */
PsimBreakdown psim_summary_mean(const PsimRankFigures *ranks, uint32_t n_ranks, PsimTime makespan);

/** psim_breakdown_sum: Returns: the sum of the parts. */
PsimTime psim_breakdown_sum(const PsimBreakdown *breakdown);

G_END_DECLS
