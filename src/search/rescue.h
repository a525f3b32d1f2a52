/* SPDX-License-Identifier: MIT */
/* rescue.h: nothing was found: which single change would have found something
 */
#pragma once

#include "search/search.h"

G_BEGIN_DECLS

/**
 * psim_rescue_text:
 * More GPUs, more memory, a free axis, a looser limit; a line each.
 *
 * Returns: lines; the caller frees.
 * Cost: searches again, a few numbers of GPUs, each until its first plan.
 */
char *psim_rescue_text(const PsimSpace *space,
                       const PsimSearchOptions *options,
                       const PsimSearchAnswer *answer);

G_END_DECLS
