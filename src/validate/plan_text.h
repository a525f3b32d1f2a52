/* SPDX-License-Identifier: MIT */
/* plan_text.h: a row as a plan file
 *
 * Members that the row does not state are left out, so that model, plan and runtime fill in their
 * defaults and tell so. What has no default is assumed here, and told.
 */
#pragma once

#include "validate/resolve.h"

G_BEGIN_DECLS

/** psim_plan_text_write: Returns: the plan, JSON. Caller frees. */
char *psim_plan_text_write(const PsimRow *row, PsimResolved *resolved);

/** psim_plan_text_schedule: Returns: the schedule's name, static; NULL: none of ours. */
const char *psim_plan_text_schedule(const PsimRow *row);

/** psim_plan_text_recompute: Returns: "none", "selective", "full"; NULL: not stated; "": another.
 */
const char *psim_plan_text_recompute(const PsimRow *row);

G_END_DECLS
