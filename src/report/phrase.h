/* SPDX-License-Identifier: MIT */
/* phrase.h: figures in words, shared by the formats that people read
 *
 * A figure that is not modelled (NAN) reads "-". Never the locale's decimal point.
 */
#pragma once

#include "timeline/result.h"

G_BEGIN_DECLS

/* Lines of reports are no wider. */
#define PSIM_PHRASE_COLUMNS 100u

/* All return text that the caller frees. */
char *psim_phrase_fixed(double value, unsigned decimals);     /* "60.10" */
char *psim_phrase_significant(double value, unsigned digits); /* "126", "0.0131" */
char *psim_phrase_percent(double fraction);                   /* "15.2%" */
char *psim_phrase_bytes(double bytes);                        /* "71.2 GB" */
char *psim_phrase_time(PsimTime time);                        /* "60.1 s" */
char *psim_phrase_seconds(double seconds_s);                  /* the same, from seconds */
char *psim_phrase_count(double count);                        /* "530 B" */
char *psim_phrase_plural(uint64_t n, const char *noun);       /* "1 rank", "4 ranks" */

/** psim_phrase_label: Returns: "F3", or with chunks "8F3", stage first; "opt" for the optimizer. */
char *psim_phrase_label(const PsimResult *result, uint32_t task);

/** psim_phrase_name: Returns: what to call the plan, or the schedule; borrowed, never NULL. */
const char *psim_phrase_name(const PsimResult *result);

/**
 * psim_phrase_wrap:
 * Appends @text broken at spaces, every line but the first one after @indent spaces; the first
 * continues the line that @out ends with. Ends with a newline.
 */
void psim_phrase_wrap(GString *out, unsigned indent, const char *text);

/** psim_phrase_item: appends "  - " and @text, wrapped below itself. */
void psim_phrase_item(GString *out, const char *text);

/** psim_phrase_is_timed: Returns: true if the step was simulated, not just its memory. */
bool psim_phrase_is_timed(const PsimResult *result);

G_END_DECLS
