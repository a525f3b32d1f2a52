/* SPDX-License-Identifier: MIT */
/* critical_path.h: the chain of tasks that fixes the makespan */
#pragma once

#include "engine/engine.h"

G_BEGIN_DECLS

/**
 * psim_critical_path:
 * From the last task back along what bound each start.
 *
 * @ret_n    number of tasks
 *
 * Returns: ids from first to last, from @arena.
 */
uint32_t *psim_critical_path(const PsimGraph *graph,
                             const PsimReplay *replay,
                             PsimArena *arena,
                             uint32_t *ret_n);

G_END_DECLS
