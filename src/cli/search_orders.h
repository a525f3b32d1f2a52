/* SPDX-License-Identifier: MIT */
/* search_orders.h: --schedule of `search`: "1f1b,interleaved:4"
 */
#pragma once

#include "cli/arguments.h"
#include "search/space.h"

G_BEGIN_DECLS

/**
 * psim_search_orders_read:
 * Appends the schedules that --schedule names; without chunks they have their usual ones. What no
 * plan can have is refused here, in the words of a plan that has it.
 *
 * Errors: PSIM_USAGE_ERROR for an unknown name; VALUE and MISMATCH for chunks.
 */
bool psim_search_orders_read(const PsimArguments *arguments, PsimSpace *space, GError **error);

G_END_DECLS
