/* SPDX-License-Identifier: MIT */
/* sample.h: a graph small enough to see
 *
 *  rank 0  compute    F----.               B-----
 *          send-next       send-F.        ^
 *  rank 1  compute               F--B----/        (its transfer is left out)
 */
#pragma once

#include "graph/graph.h"

/** psim_sample_build: Returns: the graph above and an optimizer at the end. */
PsimGraph *psim_sample_build(PsimArena *arena);
