/* SPDX-License-Identifier: MIT */
/* other_stack.h: the runtimes that a plan might have used instead
 */
#pragma once

#include "sim/altered.h"

G_BEGIN_DECLS

/** psim_other_stack_load: Returns: PsimRuntime of every preset but the plan's own; the caller
 * unrefs. */
GArray *psim_other_stack_load(const PsimPlan *plan);

G_END_DECLS
