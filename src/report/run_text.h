/* SPDX-License-Identifier: MIT */
/* run_text.h: the parts of the text report; each appends one section, or nothing if it has none */
#pragma once

#include "timeline/result.h"

G_BEGIN_DECLS

/* run_text.c: the plan as resolved, and where the time goes. */
void psim_run_text_plan(const PsimResult *result, GString *out);
void psim_run_text_step(const PsimResult *result, GString *out);
void psim_run_text_pipeline(const PsimResult *result, GString *out);
void psim_run_text_use(const PsimResult *result, GString *out);

/* memory_text.c: bytes by stage and the verdict. */
void psim_memory_text_stages(const PsimResult *result, GString *out);
void psim_memory_text_verdict(const PsimResult *result, GString *out);

/* remark_text.c: traffic, what was assumed, and what to do next. */
void psim_remark_text_collectives(const PsimResult *result, GString *out);
void psim_remark_text_notes(const PsimResult *result, GString *out);
void psim_remark_text_next(const PsimResult *result, GString *out);

/* schedule_text.c: a schedule alone, all of it. */
void psim_schedule_text_append(const PsimResult *result, GString *out);

G_END_DECLS
