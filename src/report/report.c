/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "base/error.h"
#include "base/text.h"
#include "report/formats.h"

/* A block large enough that calling the receiver costs nothing. */
#define BLOCK_BYTES ((gsize)64 * 1024)

/* In the order in which a help text lists them; the names in the same order below. */
static const PsimReportType *const formats[] = {
    &psim_text_report,   &psim_json_report,  &psim_markdown_report,
    &psim_chrome_report, &psim_ascii_report, &psim_csv_report,
    &psim_svg_report,    &psim_html_report,  &psim_png_report,
};
/* PNG is found in every build, to say what it needs, but listed only where it can be had. */
static const char *const words[] = {
    "text", "json", "markdown", "chrome", "ascii", "csv", "svg", "html",
#ifdef PSIM_PNG
    "png",
#endif
    NULL,
};

void
psim_report_flush(PsimSink *sink, bool all)
{
    if (sink->buffer->len < BLOCK_BYTES && !(all && sink->buffer->len > 0) && !sink->failed)
        return;
    if (!sink->failed)
        sink->failed = !sink->write(sink->buffer->str, sink->buffer->len, sink->user);
    g_string_truncate(sink->buffer, 0);
}

bool
psim_report_end(PsimSink *sink, const char *complaint, GError **error)
{
    psim_report_flush(sink, /* all= */ true);
    if (sink->error != NULL) {
        g_propagate_error(error, g_steal_pointer(&sink->error));
        return false;
    }
    if (sink->failed)
        g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_IO, complaint);
    return !sink->failed;
}

const PsimReportType *
psim_report_find(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        if (g_strcmp0(formats[i]->name, name) == 0)
            return formats[i];
    }
    return NULL;
}

const char *const *
psim_report_words(void)
{
    return words;
}

/* The format in question is not there: the nearest name, or all of them. */
static void
complain_unknown(const char *format, GError **error)
{
    const char *nearest = psim_text_nearest(format, words);

    if (nearest != NULL) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED,
                    "no format \"%s\"; did you mean \"%s\"?", format, nearest);
        return;
    }
    g_autoptr(GString) all = g_string_new(words[0]);

    for (size_t i = 1; words[i] != NULL; i++)
        g_string_append_printf(all, ", %s", words[i]);
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED, "no format \"%s\"; there are %s", format,
                all->str);
}

bool
psim_report_write(
    const PsimResult *result, const char *format, PsimWrite write, void *user, GError **error)
{
    const PsimReportType *type = psim_report_find(format);

    if (type == NULL) {
        complain_unknown(format, error);
        return false;
    }
    g_autoptr(GString) buffer = g_string_sized_new(BLOCK_BYTES);
    PsimSink sink = {.buffer = buffer, .write = write, .user = user};
    const bool alone = result->kind == PSIM_RESULT_SCHEDULE;
    void (*const tell)(const PsimResult *, PsimSink *) =
        alone ? type->write_schedule : type->write_run;

    if (tell == NULL) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED, "format \"%s\" cannot tell a %s",
                    format, alone ? "schedule" : "run");
        return false;
    }
    tell(result, &sink);
    return psim_report_end(&sink, "cannot write the result: its receiver took no more", error);
}

bool
psim_result_write(
    const PsimResult *self, const char *format, PsimWrite write, void *user, GError **error)
{
    g_return_val_if_fail(self != NULL && format != NULL && write != NULL, false);
    return psim_report_write(self, format, write, user, error);
}

const char *const *
psim_formats(void)
{
    return psim_report_words();
}

const char *
psim_format_summary(const char *format)
{
    const PsimReportType *type = psim_report_find(format);

    return type != NULL ? type->summary : NULL;
}
