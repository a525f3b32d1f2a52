/* SPDX-License-Identifier: MIT */
/* search_members.h: --set of `search`: all members but those that the search itself decides
 */
#pragma once

#include "cli/arguments.h"
#include "search/space.h"

G_BEGIN_DECLS

/**
 * psim_search_members_read:
 * Takes /layers_per_stage, "even" or "balanced", into @space. The rest is for the base plan.
 *
 * Errors: PSIM_USAGE_ERROR for what has an option of its own.
 */
bool psim_search_members_read(const PsimArguments *arguments, PsimSpace *space, GError **error);

/** psim_search_members_sets_runtime: whether --set reaches into the runtime. */
bool psim_search_members_sets_runtime(const PsimArguments *arguments);

G_END_DECLS
