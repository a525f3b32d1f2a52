/* SPDX-License-Identifier: MIT */
/* reference.h: a second opinion: the plainest replay that can be written
 *
 * No heap, no lists, no arena: at each instant every task is looked at. For small graphs only.
 */
#pragma once

#include "graph/graph.h"

/** psim_reference_run: fills @ret_end (n_tasks); Returns: the makespan. Cost: O(n (n + e)). */
PsimTime psim_reference_run(const PsimGraph *graph, PsimTime *ret_end);
