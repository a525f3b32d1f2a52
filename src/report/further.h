/* SPDX-License-Identifier: MIT */
/* further.h: answers to further questions, where they were asked: sensitivity, other stacks, the
 * gap to a measurement
 */
#pragma once

#include "timeline/result.h"
#include "json/writer.h"

G_BEGIN_DECLS

/* further_text.c: each appends one section, or nothing. */
void psim_further_text_gap(const PsimResult *result, GString *out);
void psim_further_text_sensitivity(const PsimResult *result, GString *out);
void psim_further_text_stacks(const PsimResult *result, GString *out);

/** psim_further_json: appends the members "measured", "sensitivity", "other_stacks", if asked. */
void psim_further_json(const PsimResult *result, PsimWriter *writer);

G_END_DECLS
