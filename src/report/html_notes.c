/* SPDX-License-Identifier: MIT */
/* The verdict and its fixes, traffic, and what all of it rests on. */
#include "report/html.h"

#include "report/html_table.h"
#include "report/markup.h"
#include "report/phrase.h"

#include <math.h>

/* -- Verdict -- */

static void
append_fixes(const PsimResult *result, GString *out)
{
    if (result->n_fixes == 0) {
        psim_markup_element(out, "p", "No single change was found that makes it fit.");
        return;
    }
    PsimHtmlTable table =
        psim_html_table_begin(out, "any one of these makes it fit", "tnn", "change|peak|step");

    for (uint32_t i = 0; i < result->n_fixes; i++) {
        psim_html_table_cell(&table, "%s", result->fixes[i].change);
        psim_html_table_cell_take(&table, psim_phrase_bytes(result->fixes[i].peak_bytes));
        psim_html_table_cell_take(&table, psim_phrase_seconds(result->fixes[i].step_s));
    }
    psim_html_table_end(&table);
}

void
psim_html_verdict_write(const PsimResult *result, PsimSink *sink)
{
    if (result->kind != PSIM_RESULT_RUN || result->n_stages == 0)
        return;
    g_autofree char *peak = psim_phrase_bytes(result->worst_peak_bytes);
    g_autofree char *capacity = psim_phrase_bytes(result->capacity_bytes);
    g_autofree char *margin = psim_phrase_bytes(fabs(result->margin_bytes));
    g_autoptr(GString) line = g_string_new(NULL);
    GString *out = sink->buffer;

    g_string_append_printf(line, "Stage %u needs %s; %s usable, %s %s", result->worst_stage, peak,
                           capacity, margin, result->fits ? "to spare" : "too little");
    if (result->binding_term != NULL)
        g_string_append_printf(line, "; the largest term is %s", result->binding_term);
    g_string_append(out, "<section id=\"verdict\"><h2>Verdict</h2>\n<p>");
    psim_markup_element(out, result->fits ? "span class=\"good\"" : "span class=\"alarm\"",
                        result->fits ? "Fits." : "Does not fit.");
    g_string_append_c(out, ' ');
    psim_markup_append(out, line->str);
    g_string_append(out, ".</p>\n");
    if (result->state_arithmetic != NULL)
        psim_markup_element(out, "p class=\"muted\"", result->state_arithmetic);
    if (!result->fits)
        append_fixes(result, out);
    g_string_append(out, "</section>\n");
    psim_report_flush(sink, /* all= */ false);
}

/* -- Traffic -- */

void
psim_html_traffic_write(const PsimResult *result, PsimSink *sink)
{
    if (result->n_collectives == 0)
        return;
    g_string_append(sink->buffer, "<section id=\"traffic\"><h2>Communication</h2>\n");
    PsimHtmlTable table =
        psim_html_table_begin(sink->buffer, "of the busiest rank; count and time of a step",
                              "ttntnnnn", "what|group|GPUs|path|payload of one|count|time|exposed");

    for (uint32_t i = 0; i < result->n_collectives; i++) {
        const PsimCollectiveFigures *collective = &result->collectives[i];

        psim_html_table_cell(&table, "%s", collective->kind);
        psim_html_table_cell(&table, "%s", collective->group);
        psim_html_table_cell(&table, "%u", collective->group_size);
        psim_html_table_cell(&table, "%s",
                             collective->crosses_node ? "between nodes" : "in a node");
        psim_html_table_cell_take(&table, psim_phrase_bytes(collective->bytes));
        psim_html_table_cell(&table, "%" G_GUINT64_FORMAT, collective->count);
        psim_html_table_cell_take(&table, psim_phrase_seconds(collective->time_s));
        psim_html_table_cell_take(&table, psim_phrase_seconds(collective->exposed_s));
    }
    psim_html_table_end(&table);
    g_string_append(sink->buffer, "</section>\n");
    psim_report_flush(sink, /* all= */ false);
}

/* -- Notes -- */

static void
append_warnings(const PsimResult *result, GString *out)
{
    if (result->n_warnings == 0)
        return;
    g_string_append(out, "<section id=\"warnings\"><h2>Warnings</h2>\n<ul>\n");
    for (uint32_t i = 0; i < result->n_warnings; i++) {
        const PsimRemark *warning = &result->warnings[i];
        g_autofree char *text = g_strdup_printf("%s [%s]%s%s", warning->message, warning->code,
                                                warning->fix != NULL ? "; fix: " : "",
                                                warning->fix != NULL ? warning->fix : "");

        psim_markup_element(out, "li", text);
    }
    g_string_append(out, "</ul></section>\n");
}

static void
append_assumptions(const PsimResult *result, GString *out)
{
    if (result->n_assumptions == 0)
        return;
    g_string_append(out, "<section id=\"assumptions\"><h2>Assumptions</h2>\n");
    PsimHtmlTable table =
        psim_html_table_begin(out, "assumed, not computed", "tttt", "name|value|source|moves");

    for (uint32_t i = 0; i < result->n_assumptions; i++) {
        const PsimAssumption *assumption = &result->assumptions[i];

        psim_html_table_cell(&table, "%s", assumption->name);
        psim_html_table_cell(&table, "%s", assumption->value);
        psim_html_table_cell(&table, "%s", assumption->source != NULL ? assumption->source : "-");
        psim_html_table_cell(&table, "%s", assumption->effect != NULL ? assumption->effect : "-");
    }
    psim_html_table_end(&table);
    g_string_append(out, "</section>\n");
}

static void
append_defaults(const PsimResult *result, GString *out)
{
    if (result->n_defaults == 0)
        return;
    g_string_append(out, "<section id=\"defaults\"><h2>Defaults used</h2>\n");
    PsimHtmlTable table = psim_html_table_begin(out, /* caption= */ NULL, "ttt", "key|value|why");

    for (uint32_t i = 0; i < result->n_defaults; i++) {
        psim_html_table_cell(&table, "%s", result->defaults[i].key);
        psim_html_table_cell(&table, "%s", result->defaults[i].value);
        psim_html_table_cell(&table, "%s",
                             result->defaults[i].why != NULL ? result->defaults[i].why : "-");
    }
    psim_html_table_end(&table);
    g_string_append(out, "</section>\n");
}

static void
append_question(const PsimResult *result, GString *out)
{
    if (result->resolved_json == NULL)
        return;
    g_string_append(out, "<section id=\"plan\"><h2>The plan, resolved</h2>\n<details><summary>the "
                         "plan with model, hardware and every default</summary>\n");
    psim_markup_element(out, "pre tabindex=\"0\"", result->resolved_json);
    g_string_append(out, "</details></section>\n");
}

void
psim_html_notes_write(const PsimResult *result, PsimSink *sink)
{
    append_warnings(result, sink->buffer);
    append_assumptions(result, sink->buffer);
    append_defaults(result, sink->buffer);
    append_question(result, sink->buffer);
    psim_report_flush(sink, /* all= */ false);
}
