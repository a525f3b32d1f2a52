/* SPDX-License-Identifier: MIT */
/* report.h: how a result is told: one file a format, one table of them
 *
 * A new format is one file with a PsimReportType and one line in the registry of report.c.
 */
#pragma once

#include "timeline/result.h"

G_BEGIN_DECLS

/* Collects output and hands it on in blocks, so that a format never holds a whole trace. */
typedef struct {
    GString *buffer;
    PsimWrite write;
    void *user;
    bool failed;
    GError *error; /* why the format could not be told; the reporter sets, psim_report_end takes */
} PsimSink;

/** psim_report_flush: hands the buffer on if it is long (or @all). After a failure: drops it. */
void psim_report_flush(PsimSink *sink, bool all);

/** psim_report_end: hands on the rest. Errors: the sink's own; IO with @complaint, if it failed. */
bool psim_report_end(PsimSink *sink, const char *complaint, GError **error);

typedef struct {
    const char *name;    /* "json" */
    const char *summary; /* one line */
    /* Appends to sink->buffer and calls psim_report_flush(sink, false) now and then. */
    void (*write_run)(const PsimResult *result, PsimSink *sink);      /* NULL: not for runs */
    void (*write_schedule)(const PsimResult *result, PsimSink *sink); /* NULL: not for schedules */
} PsimReportType;

/** psim_report_find: Returns: NULL if there is none, even in another build; static. */
const PsimReportType *psim_report_find(const char *name);

/** psim_report_words: Returns: the names of all that this build can tell, NULL-terminated; static.
 */
const char *const *psim_report_words(void);

/** psim_report_write: Errors: UNSUPPORTED, IO. */
bool psim_report_write(
    const PsimResult *result, const char *format, PsimWrite write, void *user, GError **error);

G_END_DECLS
