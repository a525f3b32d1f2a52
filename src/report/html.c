/* SPDX-License-Identifier: MIT */
/* One file with everything in it: nothing is fetched, and its policy forbids the attempt. */
#include "report/html.h"

#include "report/assets.h"
#include "report/caption.h"
#include "report/formats.h"
#include "report/markup.h"
#include "report/paint.h"
#include "report/phrase.h"

#include <string.h>

/* The colours of cells, as paint.h has them, for the style sheet and the script. */
static void
append_colors(GString *out)
{
    g_string_append(out, ":root{");
    for (unsigned i = 0; i < PSIM_N_PAINTS; i++) {
        const PsimPaintInfo *info = psim_paint_info((PsimPaint)i);

        g_string_append_printf(out, "--even%u:%s;--odd%u:%s;", i, info->even, i, info->odd);
    }
    g_string_append(out, "}\n");
}

static void
begin_page(const PsimResult *result, PsimSink *sink)
{
    GString *out = sink->buffer;
    g_autofree char *title = psim_caption_title(result);

    g_string_append(out,
                    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\"/>\n"
                    "<link rel=\"icon\" href=\"data:,\"/>\n");
    psim_markup_element(out, "title", title);
    g_string_append(out, "\n<style>\n");
    append_colors(out);
    g_string_append(out, psim_assets_css);
    g_string_append(out, "</style>\n</head>\n<body>\n");
    psim_report_flush(sink, /* all= */ false);
}

static void
write_head(const PsimResult *result, PsimSink *sink)
{
    GString *out = sink->buffer;
    const bool alarm = result->n_stuck > 0 || (result->kind == PSIM_RESULT_RUN && !result->fits);
    g_autofree char *title = psim_caption_title(result);
    g_autofree char *headline = psim_caption_headline(result);
    g_autofree char *bubble = psim_caption_bubble(result);

    g_string_append(out, "<header>\n");
    psim_markup_element(out, "h1", title);
    psim_markup_element(out, alarm ? "p class=\"headline alarm\"" : "p class=\"headline\"",
                        headline);
    if (bubble[0] != '\0')
        psim_markup_element(out, "p", bubble);
    if (result->plan_about != NULL)
        psim_markup_element(out, "p class=\"muted\"", result->plan_about);
    g_string_append(out, "</header>\n<main>\n");
}

static void
append_legend(const PsimResult *result, GString *out)
{
    bool seen[PSIM_N_PAINTS] = {false};

    for (uint32_t task = 0; task < result->graph->n_tasks; task++) {
        if (result->graph->duration[task] > 0)
            seen[psim_paint_choose(psim_graph_class(result->graph, task))] = true;
    }
    g_string_append(out, "<ul class=\"legend\" aria-label=\"colours\">");
    for (unsigned i = 0; i < PSIM_N_PAINTS; i++) {
        const PsimPaintInfo *info = psim_paint_info((PsimPaint)i);
        const bool shaded = result->n_chunks > 1 && strcmp(info->even, info->odd) != 0;

        if (!seen[i])
            continue;
        g_string_append_printf(
            out, "<li><span class=\"swatch\" style=\"background:var(--even%u)\"></span>", i);
        if (shaded)
            g_string_append_printf(
                out, "<span class=\"swatch\" style=\"background:var(--odd%u)\"></span>", i);
        g_string_append_printf(out, "%s%s</li>", info->name, shaded ? ", even and odd chunks" : "");
    }
    g_string_append(out, "</ul>\n");
}

static void
append_canvases(GString *out)
{
    g_string_append(
        out,
        "<div class=\"tools\"><button type=\"button\" id=\"zoom-in\">zoom in</button>"
        "<button type=\"button\" id=\"zoom-out\">zoom out</button>"
        "<button type=\"button\" id=\"zoom-all\">show all</button>"
        "<span class=\"muted\">point at an operation to see what it waited for</span></div>\n"
        "<canvas id=\"minimap\" role=\"img\" aria-label=\"the whole run, with the part in "
        "view\"></canvas>\n"
        "<canvas id=\"lanes\" tabindex=\"0\" role=\"application\" aria-label=\"timeline: a row a "
        "rank, time to the right\" aria-describedby=\"keys detail\"></canvas>\n"
        "<p id=\"detail\" aria-live=\"polite\">No operation is selected.</p>\n"
        "<div id=\"tip\" hidden=\"hidden\"></div>\n");
}

static void
append_keys(GString *out)
{
    g_string_append(
        out,
        "<details class=\"keys\"><summary>keys and mouse</summary><p id=\"keys\">"
        "<kbd>+</kbd> <kbd>-</kbd> or the wheel zoom, <kbd>0</kbd> shows all; arrow keys or "
        "dragging move, <kbd>Home</kbd> and <kbd>End</kbd> go to either end, shift and the wheel "
        "move between ranks; <kbd>Enter</kbd> or a click selects an operation, <kbd>n</kbd> and "
        "<kbd>p</kbd> go to the next and the previous one, <kbd>w</kbd> to what it waited for, "
        "<kbd>Escape</kbd> lets go.</p></details>\n");
}

static void
write_timeline(const PsimResult *result, PsimSink *sink)
{
    const bool alone = result->kind == PSIM_RESULT_SCHEDULE;
    GString *out = sink->buffer;

    if (psim_result_n_spans(result) == 0)
        return;
    g_string_append(out, "<section id=\"timeline\"><h2>Timeline</h2>\n");
    if (!psim_html_data_fits(result)) {
        psim_markup_element(out, "p",
                            "Nothing ran, or there are too many operations for a page; -f chrome "
                            "writes a trace that Perfetto opens.");
        g_string_append(out, "</section>\n");
        return;
    }
    append_canvases(out);
    append_legend(result, out);
    append_keys(out);
    g_string_append(out, "<noscript><p>The timeline is drawn by a script, which is switched off "
                         "here.</p></noscript>\n</section>\n<section id=\"memory-curve\">");
    psim_markup_element(out, "h2", alone ? "Chunks kept over time" : "Memory over time");
    g_string_append(out, "<div class=\"tools\"><label for=\"rank\">of</label> <select id=\"rank\">"
                         "</select><span class=\"muted\">in the timeline's view; ");
    g_string_append(out, alone ? "one is the input of a chunk, kept for its backward"
                               : "green: states, held all the time; orange: activations; dashed: "
                                 "the capacity");
    g_string_append(out, "</span></div>\n<canvas id=\"memory\" role=\"img\" aria-label=\"memory of "
                         "a rank over time; peaks are in the table of stages\"></canvas>\n"
                         "</section>\n");
    psim_report_flush(sink, /* all= */ false);
}

static void
end_page(const PsimResult *result, PsimSink *sink)
{
    GString *out = sink->buffer;

    g_string_append(out, "</main>\n<footer>plansim " PSIM_VERSION);
    if (result->digest != NULL) {
        g_string_append(out, "; digest of the plan ");
        psim_markup_append(out, result->digest);
    }
    g_string_append(out, "</footer>\n<script type=\"application/json\" id=\"data\">\n");
    psim_html_data_write(result, sink);
    g_string_append(out, "</script>\n<script>\n");
    g_string_append(out, psim_assets_js);
    g_string_append(out, "</script>\n</body>\n</html>\n");
}

static void
write_page(const PsimResult *result, PsimSink *sink)
{
    begin_page(result, sink);
    write_head(result, sink);
    write_timeline(result, sink);
    psim_html_stuck_write(result, sink);
    psim_html_verdict_write(result, sink);
    psim_html_step_write(result, sink);
    psim_html_stages_write(result, sink);
    psim_html_ranks_write(result, sink);
    psim_html_traffic_write(result, sink);
    psim_html_notes_write(result, sink);
    end_page(result, sink);
}

const PsimReportType psim_html_report = {
    .name = "html",
    .summary = "one page with everything: zoom, hover, memory, sources; opens offline",
    .write_run = write_page,
    .write_schedule = write_page,
};
