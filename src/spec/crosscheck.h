/* SPDX-License-Identifier: MIT */
/* crosscheck.h: do model, hardware and plan agree?
 *
 * Frameworks have trained 28 of 30 layers in silence. Here a contradiction is a complaint, placed
 * at the member of the plan that would have to change, and names the nearest values that work.
 */
#pragma once

#include "spec/derive.h"
#include "spec/plan.h"
#include "json/reader.h"

G_BEGIN_DECLS

/**
 * psim_crosscheck_plan:
 * Complains of every contradiction (MISMATCH, or LIMIT); fills in an even split.
 *
 * @plan       as psim_derive_plan() left it, with model and hardware
 * @reader     of the plan's document
 * @n_split    entries of layers_per_stage so far
 */
void
psim_crosscheck_plan(PsimPlan *plan, PsimReader *reader, const PsimGiven *given, uint32_t n_split);

G_END_DECLS
