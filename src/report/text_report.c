/* SPDX-License-Identifier: MIT */
/* What a person reads: the answer first, then the plan as it was understood, then where time and
 * memory go, then what it all rests on and what to try next. Its wording may change between
 * versions.
 */
#include "report/formats.h"
#include "report/further.h"
#include "report/headline.h"
#include "report/run_text.h"

static void
write_run(const PsimResult *result, PsimSink *sink)
{
    static void (*const sections[])(const PsimResult *, GString *) = {
        psim_headline_append,     psim_run_text_plan,
        psim_run_text_step,       psim_run_text_pipeline,
        psim_memory_text_stages,  psim_memory_text_verdict,
        psim_run_text_use,        psim_remark_text_collectives,
        psim_further_text_gap,    psim_further_text_sensitivity,
        psim_further_text_stacks, psim_remark_text_notes,
        psim_remark_text_next,
    };

    for (size_t i = 0; i < G_N_ELEMENTS(sections); i++)
        sections[i](result, sink->buffer);
}

static void
write_schedule(const PsimResult *result, PsimSink *sink)
{
    psim_headline_append(result, sink->buffer);
    psim_schedule_text_append(result, sink->buffer);
}

const PsimReportType psim_text_report = {
    .name = "text",
    .summary = "the answer for people: verdict, step, bubble, memory, what to try next",
    .write_run = write_run,
    .write_schedule = write_schedule,
};
