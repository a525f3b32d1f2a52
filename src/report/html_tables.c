/* SPDX-License-Identifier: MIT */
/* Where the step goes, and what each stage or rank holds and does. */
#include "report/html.h"

#include "report/html_table.h"
#include "report/markup.h"
#include "report/paint.h"
#include "report/phrase.h"

#include <math.h>

/* -- The step -- */

static void
append_bar(GString *out, const PsimPaintTerm *terms, double sum)
{
    g_string_append(out, "<div class=\"bar\" aria-hidden=\"true\">");
    for (unsigned i = 0; i < PSIM_N_STEP_TERMS; i++) {
        g_autofree char *width = psim_phrase_fixed(100.0 * terms[i].value / sum, /* decimals= */ 3);

        if (terms[i].value > 0.0)
            g_string_append_printf(out, "<span style=\"width:%s%%;background:%s\"></span>", width,
                                   terms[i].fill);
    }
    g_string_append(out, "</div>\n");
}

void
psim_html_step_write(const PsimResult *result, PsimSink *sink)
{
    PsimPaintTerm terms[PSIM_N_STEP_TERMS];

    if (!psim_phrase_is_timed(result) || result->kind != PSIM_RESULT_RUN)
        return;
    psim_paint_step_terms(&result->breakdown, terms);
    g_string_append(sink->buffer, "<section id=\"step\"><h2>Where the step goes</h2>\n");
    append_bar(sink->buffer, terms, (double)result->step_ps);
    PsimHtmlTable table =
        psim_html_table_begin(sink->buffer, "mean over ranks", "tnn", "part|time|share");

    for (unsigned i = 0; i < PSIM_N_STEP_TERMS; i++) {
        if (terms[i].value <= 0.0)
            continue;
        psim_html_table_swatch(&table, terms[i].fill, terms[i].name);
        psim_html_table_cell_take(&table, psim_phrase_time((PsimTime)terms[i].value));
        psim_html_table_cell_take(&table,
                                  psim_phrase_percent(terms[i].value / (double)result->step_ps));
    }
    psim_html_table_cell(&table, "step");
    psim_html_table_cell_take(&table, psim_phrase_time(result->step_ps));
    psim_html_table_cell(&table, "100.0%%");
    psim_html_table_end(&table);
    if (result->bubble_reason != NULL) {
        g_autofree char *why =
            g_strdup_printf("Why the bubble is not the closed form's: %s", result->bubble_reason);

        psim_markup_element(sink->buffer, "p", why);
    }
    g_string_append(sink->buffer, "</section>\n");
    psim_report_flush(sink, /* all= */ false);
}

/* -- Stages -- */

static void
add_gb(PsimHtmlTable *table, double bytes)
{
    psim_html_table_cell_take(table, psim_phrase_fixed(bytes / 1e9, /* decimals= */ 1));
}

static void
add_stage(PsimHtmlTable *table, const PsimStageFigures *stage, bool timed)
{
    psim_html_table_cell(table, "%u", stage->stage);
    psim_html_table_cell(table, "%s", stage->layers_text != NULL ? stage->layers_text : "-");
    psim_html_table_cell_take(table, psim_phrase_count(stage->params));
    add_gb(table, stage->weights_bytes);
    add_gb(table, stage->gradients_bytes);
    add_gb(table, stage->optimizer_bytes);
    add_gb(table, stage->activations_bytes);
    add_gb(table, stage->logits_bytes);
    add_gb(table, stage->comm_buffers_bytes + stage->overhead_bytes);
    add_gb(table, stage->peak_bytes);
    psim_html_table_cell(table, "%s", stage->peak_event != NULL ? stage->peak_event : "-");
    psim_html_table_cell(table, "%u", stage->in_flight_max);
    psim_html_table_cell_take(table,
                              psim_phrase_percent(timed ? stage->bubble_fraction : (double)NAN));
}

void
psim_html_stages_write(const PsimResult *result, PsimSink *sink)
{
    const bool timed = psim_phrase_is_timed(result);

    if (result->n_stages == 0)
        return;
    g_string_append(sink->buffer, "<section id=\"stages\"><h2>Stages</h2>\n");
    PsimHtmlTable table = psim_html_table_begin(
        sink->buffer,
        "memory of one GPU at the stage's peak, GB; in flight: microbatches of a chunk; idle: of "
        "the step",
        "ntnnnnnnnntnn",
        "stage|layers|parameters|weights|gradients|optimizer|activations|logits|other|peak|during|"
        "in flight|idle");

    for (uint32_t i = 0; i < result->n_stages; i++) {
        add_stage(&table, &result->stages[i], timed);
        psim_report_flush(sink, /* all= */ false);
    }
    psim_html_table_end(&table);
    g_string_append(sink->buffer, "</section>\n");
}

/* -- Ranks of a schedule alone -- */

void
psim_html_ranks_write(const PsimResult *result, PsimSink *sink)
{
    if (result->kind != PSIM_RESULT_SCHEDULE || result->n_stuck > 0)
        return;
    g_string_append(sink->buffer, "<section id=\"ranks\"><h2>Ranks</h2>\n");
    PsimHtmlTable table = psim_html_table_begin(sink->buffer, "ticks; peak: chunks kept", "nnnnnnn",
                                                "rank|busy|own span|idle before|inside|after|peak");

    for (uint32_t rank = 0; rank < result->n_ranks; rank++) {
        const PsimRankFigures *figures = &result->ranks[rank];
        const PsimTime span = figures->last_end_ps - figures->first_start_ps;
        const PsimTime times[] = {figures->busy_ps, span, figures->first_start_ps,
                                  span - figures->busy_ps, result->step_ps - figures->last_end_ps};

        psim_html_table_cell(&table, "%u", rank);
        for (size_t i = 0; i < G_N_ELEMENTS(times); i++)
            psim_html_table_cell(&table, "%" G_GINT64_FORMAT, times[i]);
        psim_html_table_cell(&table, "%u", figures->peak.in_flight_max);
        psim_report_flush(sink, /* all= */ false);
    }
    psim_html_table_end(&table);
    g_string_append(sink->buffer, "</section>\n");
}

void
psim_html_stuck_write(const PsimResult *result, PsimSink *sink)
{
    if (result->n_stuck == 0)
        return;
    g_string_append(sink->buffer, "<section id=\"stuck\"><h2>Where each rank stands</h2>\n");
    PsimHtmlTable table =
        psim_html_table_begin(sink->buffer, /* caption= */ NULL, "ntt", "rank|next|waits for");

    for (uint32_t i = 0; i < result->n_stuck; i++) {
        const PsimStuck *stuck = &result->stuck[i];
        const char *missing = stuck->missing != NULL ? stuck->missing : "-";

        psim_html_table_cell(&table, "%u", stuck->rank);
        psim_html_table_cell(&table, "%s", stuck->head != NULL ? stuck->head : "-");
        psim_html_table_cell(&table, "%s",
                             stuck->head == NULL ? "nothing, it has finished" : missing);
    }
    psim_html_table_end(&table);
    g_string_append(sink->buffer, "</section>\n");
}
