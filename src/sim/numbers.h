/* SPDX-License-Identifier: MIT */
/* numbers.h: a plan that differs from another in numbers alone
 */
#pragma once

#include "spec/plan.h"

G_BEGIN_DECLS

/** psim_numbers_take: the numbers alone, unchecked, but for the schedule. */
void psim_numbers_take(PsimPlan *plan, const PsimChange *change);

/**
 * psim_numbers_make:
 * Fills @ret_plan, which borrows all but its layers from @base and must not outlive it or @arena.
 *
 * Returns: false if the numbers contradict each other, the model, the hardware or the schedule, by
 *          the rules of spec/crosscheck.
 * Cost: some hundred ns; a balanced split is left nearly even.
 */
bool psim_numbers_make(const PsimPlan *base,
                       const PsimChange *change,
                       PsimArena *arena,
                       PsimPlan *ret_plan);

G_END_DECLS
