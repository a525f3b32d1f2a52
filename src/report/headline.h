/* SPDX-License-Identifier: MIT */
/* headline.h: the answer in one line */
#pragma once

#include "timeline/result.h"

G_BEGIN_DECLS

/**
 * psim_headline_append:
 * Appends the line that stands first in every report. A plan that does not fit is never told a time
 * without that being said in the same line.
 */
void psim_headline_append(const PsimResult *result, GString *out);

G_END_DECLS
