/* SPDX-License-Identifier: MIT */
/* reason.h: no plan of a space is valid: the rule that its nearest plan breaks
 */
#pragma once

#include "search/space.h"

G_BEGIN_DECLS

/**
 * psim_reason_text:
 * A rule of the search alone comes before those of plans.
 *
 * Returns: "tp 1, pp 1, dp 16, ...: /gpus: is 16; ...", with the fewest complaints of some hundred
 *          plans; NULL if some plan is valid. The caller frees.
 * Cost: a walk over the space.
 */
char *psim_reason_text(const PsimSpace *space);

G_END_DECLS
