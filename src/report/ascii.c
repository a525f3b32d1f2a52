/* SPDX-License-Identifier: MIT */
/* The Gantt chart that survives in an issue: a headline with the bubble, then the picture. */
#include "report/formats.h"
#include "report/gantt.h"
#include "report/headline.h"

#define MAX_COLUMNS 200u

static void
write_picture(const PsimResult *result, PsimSink *sink)
{
    psim_headline_append(result, sink->buffer);
    g_string_append_c(sink->buffer, '\n');
    psim_gantt_draw(result, MAX_COLUMNS, sink->buffer);
}

const PsimReportType psim_ascii_report = {
    .name = "ascii",
    .summary = "a Gantt chart of characters, up to 200 columns wide",
    .write_run = write_picture,
    .write_schedule = write_picture,
};
