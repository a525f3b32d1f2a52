/* SPDX-License-Identifier: MIT */
/* balance.h: the layer split of a plan that leaves it to us
 */
#pragma once

#include "spec/plan.h"

G_BEGIN_DECLS

/**
 * psim_balance_plan:
 * The split whose slowest stage is fastest: forward, backward, recomputation and collectives of its
 * layers, with the embedding before the first and the head behind the last. Among equals the one
 * whose stages, then ranks, differ least, longer stages first. If it does not fit into memory, the
 * best one that does, if any.
 *
 * Returns: layers of each stage (pp * n_chunks); the even-most split if there are more stages than
 *          layers. Ownership: the arena's.
 * Exact for: one chunk a rank; with more, memory and ranks are evened out step by step.
 * Cost: S L times the layers of a stage; tests/lower/test_balance.c.
 */
uint32_t *psim_balance_plan(const PsimPlan *plan, PsimArena *arena);

/** psim_balance_stage_s: Returns: what @n_layers from @layer_first take as stage @stage, [s]. */
double
psim_balance_stage_s(const PsimPlan *plan, uint32_t stage, uint32_t layer_first, uint32_t n_layers);

G_END_DECLS
