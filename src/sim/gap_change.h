/* SPDX-License-Identifier: MIT */
/* gap_change.h: what a run may have had otherwise than its plan says
 */
#pragma once

#include "sim/altered.h"

G_BEGIN_DECLS

typedef struct {
    const char *change; /* "recompute full" */
    /* Makes the change; what it needs comes from @arena. Returns: false if the plan has it already,
     * or cannot have it. */
    bool (*apply)(PsimAltered *altered, PsimArena *arena);
} PsimGapChange;

/** psim_gap_changes: Returns: (ret_n), static. */
const PsimGapChange *psim_gap_changes(size_t *ret_n);

/** psim_gap_use_pcie: puts the GPUs of a node on PCIe. Returns: whether that is slower. */
bool psim_gap_use_pcie(PsimAltered *altered, PsimArena *arena);

G_END_DECLS
