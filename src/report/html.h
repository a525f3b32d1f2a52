/* SPDX-License-Identifier: MIT */
/* html.h: the rooms of the page
 *
 * Figures are written as text and tables, readable without a script; the timeline and the memory
 * curve are drawn by assets/report.js from the data that html_data.c writes.
 */
#pragma once

#include "report/report.h"

G_BEGIN_DECLS

/** psim_html_data_fits: Returns: whether there is a timeline, not too long for a page. */
bool psim_html_data_fits(const PsimResult *result);

/** psim_html_data_write: the timeline as JSON; no "<" in it, so that it can stand in a script. */
void psim_html_data_write(const PsimResult *result, PsimSink *sink);

/* Each writes one section, or nothing if it has no content. */
void psim_html_step_write(const PsimResult *result, PsimSink *sink);
void psim_html_stages_write(const PsimResult *result, PsimSink *sink);
void psim_html_ranks_write(const PsimResult *result, PsimSink *sink);
void psim_html_stuck_write(const PsimResult *result, PsimSink *sink);
void psim_html_verdict_write(const PsimResult *result, PsimSink *sink);
void psim_html_traffic_write(const PsimResult *result, PsimSink *sink);
void psim_html_notes_write(const PsimResult *result, PsimSink *sink);

G_END_DECLS
