/* SPDX-License-Identifier: MIT */
/* gantt.h: the timeline as a picture of characters
 *
 *     rank 0 |F0 F1 F2 .  .  .  .  B0=== F3 B1=== |
 *     rank 1 |.  F0 F1 .  .  B0=== F2 B1=== F3 .. |
 *
 * Where the greatest common divisor of all times is a cell that fits, the picture is exact; else a
 * column shows what takes most of its time.
 */
#pragma once

#include "timeline/result.h"

G_BEGIN_DECLS

/** psim_gantt_is_exact: Returns: whether an exact picture is no wider than @max_columns. */
bool psim_gantt_is_exact(const PsimResult *result, uint32_t max_columns);

/**
 * psim_gantt_draw:
 * Appends the picture with its time axis and legend: one row a rank.
 *
 * @max_columns    of a line; the picture itself has at least 16
 */
void psim_gantt_draw(const PsimResult *result, uint32_t max_columns, GString *out);

G_END_DECLS
