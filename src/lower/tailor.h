/* SPDX-License-Identifier: MIT */
/* tailor.h: a schedule made to measure, and the measures
 *
 * Such a schedule (`auto`) wants the times of the stages before it says in which order they work.
 * What a stage takes depends on its rank, not on the order, so the work is made first.
 */
#pragma once

#include "lower/work.h"
#include "schedule/measure.h"

G_BEGIN_DECLS

/**
 * psim_tailor_times:
 * What the stages of @work take, where they are placed. A transfer that blocks its rank counts as
 * part of the operation before it. Data-parallel collectives and the tail are left out: they come
 * with the first or last microbatch in any order.
 *
 * Ownership: the arena's. Wrong when: ZeRO 2 or 3 gathers or reduces with every microbatch.
 */
PsimShapeTimes psim_tailor_times(const PsimPlan *plan, const PsimWork *work, PsimArena *arena);

/**
 * psim_tailor_room_bytes:
 * Returns: room for activations on a rank of that static memory, [B]; negative if there is none.
 */
int64_t psim_tailor_room_bytes(const PsimPlan *plan, const PsimStaticMemory *memory);

/**
 * psim_tailor_work:
 * The work of a plan whose schedule is made to measure; with chunks, of the better of loop and V.
 *
 * Errors: LIMIT.
 */
PsimWork *psim_tailor_work(const PsimPlan *plan, bool unfold, PsimArena *arena, GError **error);

/** psim_tailor_measure: what psim_tailor_work() comes to, keeping nothing of it. Returns: false if
 * an operation is too long. */
bool psim_tailor_measure(const PsimPlan *plan, PsimArena *scratch, PsimMeasured *ret_measured);

G_END_DECLS
