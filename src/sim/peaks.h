/* SPDX-License-Identifier: MIT */
/* peaks.h: the most a program holds on each rank, without times
 *
 * Memory is taken and given back in the order of a rank's list, whenever that is.
 */
#pragma once

#include "sim/program.h"

G_BEGIN_DECLS

/* Peak of a rank beyond its static memory.                                       [B] */
typedef struct {
    int64_t held_bytes;
    int64_t peak_bytes;
    int64_t period_bytes; /* peak since the current period began */
    int64_t before_bytes; /* held when it began */
} PsimPeak;

/** psim_peaks_find: @ret_peaks  (p); what engine/ledger finds, without times. */
void psim_peaks_find(const PsimProgram *program, const PsimWorkload *work, PsimPeak *ret_peaks);

G_END_DECLS
