/* SPDX-License-Identifier: MIT */
#include "report/run_text.h"

#include "base/text.h"
#include "report/gantt.h"
#include "report/phrase.h"

#include <math.h>

static void
append_deadlock(const PsimResult *result, GString *out)
{
    g_autoptr(PsimTable) table = psim_table_new("rank|next|waits for");

    for (uint32_t i = 0; i < result->n_stuck; i++) {
        const PsimStuck *stuck = &result->stuck[i];

        psim_table_cell(table, "%u", stuck->rank);
        psim_table_cell(table, "%s", stuck->head != NULL ? stuck->head : "-");
        psim_table_cell(table, "%s",
                        stuck->head == NULL      ? "nothing, it has finished"
                        : stuck->missing != NULL ? stuck->missing
                                                 : "-");
    }
    g_string_append(out, "\nwhere each rank stands\n");
    psim_table_render(table, out, 2);
}

/* Each definition with the division behind it, since tools mean different ones. */
static void
append_bubble(const PsimResult *result, GString *out)
{
    const int64_t bubble = result->bubble_ps;
    const int64_t ideal = result->step_ps - bubble;
    g_autofree char *ticks = psim_phrase_plural((uint64_t)bubble, "tick");
    g_autofree char *of_total = psim_phrase_percent(result->bubble_fraction);
    g_autofree char *of_ideal = psim_phrase_percent(result->bubble_ratio_to_ideal);
    g_autofree char *closed = psim_phrase_percent(result->ideal_bubble_fraction);

    g_string_append_printf(
        out,
        "\nbubble, three ways\n"
        "  time               %s = makespan %" G_GINT64_FORMAT " - busiest rank %" G_GINT64_FORMAT
        "\n"
        "  fraction of total  %s = %" G_GINT64_FORMAT " / %" G_GINT64_FORMAT "\n"
        "  ratio to ideal     %s = %" G_GINT64_FORMAT " / %" G_GINT64_FORMAT "\n",
        ticks, result->step_ps, ideal, of_total, bubble, result->step_ps, of_ideal, bubble, ideal);
    if (isfinite(result->ideal_bubble_fraction))
        g_string_append_printf(
            out, "closed form, equal stages and free transfers: %s of the total%s%s\n", closed,
            result->ideal_text != NULL ? "; " : "",
            result->ideal_text != NULL ? result->ideal_text : "");
    if (result->bubble_reason != NULL)
        psim_phrase_wrap(out, 0, result->bubble_reason);
}

static void
append_ranks(const PsimResult *result, GString *out)
{
    g_autoptr(PsimTable) table = psim_table_new("rank|busy|own span|idle before|inside|after|peak\n"
                                                "|ticks|ticks|ticks|ticks|ticks|chunks");

    for (uint32_t rank = 0; rank < result->n_ranks; rank++) {
        const PsimRankFigures *figures = &result->ranks[rank];
        const PsimTime span = figures->last_end_ps - figures->first_start_ps;
        const PsimTime times[] = {figures->busy_ps, span, figures->first_start_ps,
                                  span - figures->busy_ps, result->step_ps - figures->last_end_ps};

        psim_table_cell(table, "%u", rank);
        for (size_t i = 0; i < G_N_ELEMENTS(times); i++)
            psim_table_cell(table, "%" G_GINT64_FORMAT, times[i]);
        psim_table_cell(table, "%u", figures->peak.in_flight_max);
    }
    g_string_append(out, "\nby rank\n");
    psim_table_render(table, out, 2);
}

void
psim_schedule_text_append(const PsimResult *result, GString *out)
{
    if (result->schedule_title != NULL)
        g_string_append_printf(out, "%s\n", result->schedule_title);
    if (result->n_stuck > 0) {
        append_deadlock(result, out);
        return;
    }
    append_bubble(result, out);
    for (uint32_t i = 0; i < result->n_warnings; i++)
        psim_phrase_item(out, result->warnings[i].message);
    append_ranks(result, out);
    if (psim_gantt_is_exact(result, PSIM_PHRASE_COLUMNS)) {
        g_string_append_c(out, '\n');
        psim_gantt_draw(result, PSIM_PHRASE_COLUMNS, out);
    }
}
