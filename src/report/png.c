/* SPDX-License-Identifier: MIT */
#include "report/png.h"

#include "report/formats.h"
#include "report/raster.h"

/* A PsimWrite. */
static bool
collect(const char *bytes, size_t n_bytes, void *user)
{
    g_string_append_len(user, bytes, (gssize)n_bytes);
    return true;
}

void
psim_png_write(void (*draw)(const void *user, PsimSink *sink), const void *user, PsimSink *sink)
{
    g_autoptr(GString) buffer = g_string_new(NULL);
    g_autoptr(GString) svg = g_string_new(NULL);
    PsimSink whole = {.buffer = buffer, .write = collect, .user = svg};

    draw(user, &whole);
    psim_report_flush(&whole, /* all= */ true);
    if (svg->len > 0)
        psim_raster_render(svg, sink);
    else
        g_set_error_literal(&sink->error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED,
                            "there is nothing to draw");
}

static void
draw_result(const void *user, PsimSink *sink)
{
    psim_svg_report.write_run(user, sink);
}

static void
write_pixels(const PsimResult *result, PsimSink *sink)
{
    psim_png_write(draw_result, result, sink);
}

const PsimReportType psim_png_report = {
    .name = "png",
    .summary = "the picture of svg in pixels, twice as wide and high",
    .write_run = write_pixels,
    .write_schedule = write_pixels,
};
