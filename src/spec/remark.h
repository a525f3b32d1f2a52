/* SPDX-License-Identifier: MIT */
/* remark.h: what is legal in a plan, but perhaps not meant
 *
 * The rules of thumb that maintainers of trainers repeat: tensor parallelism inside the node, ZeRO
 * 1 at most with a pipeline, enough microbatches to fill it.
 */
#pragma once

#include "spec/derive.h"
#include "spec/plan.h"

G_BEGIN_DECLS

/** psim_remark_plan: appends the warnings and notes of a plan without contradictions. */
void psim_remark_plan(PsimPlan *plan, const PsimGiven *given);

G_END_DECLS
