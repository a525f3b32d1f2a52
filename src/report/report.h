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
} PsimSink;

/** psim_report_flush: hands the buffer on if it is long (or @all). After a failure: drops it. */
void psim_report_flush(PsimSink *sink, bool all);

typedef struct {
    const char *name;    /* "json" */
    const char *summary; /* one line */
    /* Appends to sink->buffer and calls psim_report_flush(sink, false) now and then. */
    void (*write_run)(const PsimResult *result, PsimSink *sink);      /* NULL: not for runs */
    void (*write_schedule)(const PsimResult *result, PsimSink *sink); /* NULL: not for schedules */
} PsimReportType;

/** psim_report_find: Returns: NULL if there is none; static. */
const PsimReportType *psim_report_find(const char *name);

/** psim_report_words: Returns: all names, NULL-terminated; static. */
const char *const *psim_report_words(void);

/** psim_report_write: Errors: UNSUPPORTED, IO. */
bool psim_report_write(
    const PsimResult *result, const char *format, PsimWrite write, void *user, GError **error);

G_END_DECLS
