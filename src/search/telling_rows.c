/* SPDX-License-Identifier: MIT */
/* For scripts: a plan a row, as JSON and CSV; the columns are the same. */
#include "search/curve.h"
#include "search/neighbour.h"
#include "search/telling_parts.h"

#include <math.h>
#include <string.h>

void
psim_telling_number(GString *text, double number)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    if (!isfinite(number)) {
        g_string_append(text, "null");
        return;
    }
    for (int digits = 15; digits <= 17; digits += 2) {
        g_autofree char *format = g_strdup_printf("%%.%dg", digits);

        g_ascii_formatd(buffer, sizeof buffer, format, number);
        if (digits == 17 || !(fabs(g_ascii_strtod(buffer, NULL) - number) > 0.0))
            break;
    }
    g_string_append(text, buffer);
}

/* Names and commands are the user's words. */
static void
append_string(GString *text, const char *words)
{
    g_string_append_c(text, '"');
    for (const char *c = words; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            g_string_append_c(text, '\\');
        if ((unsigned char)*c < ' ')
            g_string_append_printf(text, "\\u%04x", (unsigned)*c);
        else
            g_string_append_c(text, *c);
    }
    g_string_append_c(text, '"');
}

static const char *const columns[] = {
    "ordinal",      "hardware",
    "gpus",         "tp",
    "pp",           "dp",
    "schedule",     "chunks",
    "micro_batch",  "global_batch",
    "microbatches", "recompute",
    "zero_stage",   "sequence_parallel",
    "balanced",     "step_ps",
    "tokens_per_s", "mfu_fraction",
    "peak_bytes",   "capacity_bytes",
    "days",         "gpu_hours",
    "usd",          "mwh",
};

static const char *const recompute_words[] = {"none", "selective", "full"};

/* Names with a comma do not stand in CSV; a search's list of clusters has none. */
static void
append_word(GString *text, const char *word, bool is_json)
{
    if (is_json)
        append_string(text, word);
    else
        g_string_append(text, word);
}

/* One value. */
static void
append_value(
    const PsimTelling *self, GString *text, const PsimFound *found, size_t column, bool is_json)
{
    const PsimChange *change = &found->plan.change;
    const PsimEvaluation *evaluation = &found->evaluation;
    const PsimSite *site = g_ptr_array_index(self->space->sites, found->plan.site);
    const PsimWholeRun run = psim_found_whole_run(found, site, &self->options->limits);
    const double numbers[G_N_ELEMENTS(columns)] = {
        [0] = (double)found->plan.ordinal,
        [2] = found->plan.n_gpus,
        [3] = change->tp,
        [4] = change->pp,
        [5] = change->dp,
        [7] = change->n_chunks,
        [8] = change->micro_batch,
        [9] = change->global_batch,
        [10] = evaluation->n_microbatches,
        [12] = change->zero_stage,
        [13] = change->sequence_parallel,
        [14] = change->balanced,
        [16] = evaluation->tokens_per_s,
        [17] = evaluation->mfu_fraction,
        [18] = evaluation->peak_bytes,
        [19] = evaluation->capacity_bytes,
        [20] = run.days,
        [21] = run.gpu_hours,
        [22] = run.usd,
        [23] = run.mwh,
    };

    if (column == 1)
        append_word(text, site->name, is_json);
    else if (column == 6)
        append_word(text, change->schedule, is_json);
    else if (column == 11)
        append_word(text, recompute_words[change->recompute], is_json);
    else if (column == 15)
        g_string_append_printf(text, "%" G_GINT64_FORMAT, evaluation->step);
    else if (is_json && (column == 13 || column == 14))
        g_string_append(text, numbers[column] > 0.0 ? "true" : "false");
    else if (is_json || isfinite(numbers[column]))
        psim_telling_number(text, numbers[column]);
}

static void
append_object(const PsimTelling *self, GString *text, const PsimFound *found)
{
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) {
        g_string_append_printf(text, "%s\"%s\": ", i == 0 ? "{" : ", ", columns[i]);
        append_value(self, text, found, i, /* is_json= */ true);
    }
    g_string_append_c(text, '}');
}

static void
append_list(const PsimTelling *self, GString *text, const char *name, const GArray *items, guint n)
{
    bool is_first = true;

    g_string_append_printf(text, "  \"%s\": [", name);
    for (guint i = 0; i < n; i++) {
        const PsimFound *found = &g_array_index(items, PsimFound, i);

        if (!(found->evaluation.tokens_per_s > 0.0))
            continue;
        g_string_append(text, is_first ? "\n    " : ",\n    ");
        append_object(self, text, found);
        is_first = false;
    }
    g_string_append(text, is_first ? "],\n" : "\n  ],\n");
}

static void
append_neighbours(const PsimTelling *self, GString *text)
{
    const GArray *items = self->answer->ranking.items;
    const char *separator = "";

    g_string_append(text, "  \"neighbours\": [");
    for (guint i = 0; i < MIN(items->len, self->n_explained); i++) {
        const PsimFound *found = &g_array_index(items, PsimFound, i);
        g_autoptr(GArray) list = psim_neighbour_list(
            found, psim_telling_site(self, found), psim_space_limit(self->space, found->plan.site));

        for (guint n = 0; n < list->len; n++) {
            const PsimNeighbour *neighbour = &g_array_index(list, PsimNeighbour, n);

            g_string_append_printf(text,
                                   "%s\n    {\"of\": %" G_GUINT64_FORMAT
                                   ", \"change\": \"%s\", \"why\": \"%s\", \"ratio\": ",
                                   separator, found->plan.ordinal, neighbour->change,
                                   neighbour->why);
            psim_telling_number(text, neighbour->ratio);
            g_string_append(text, ", \"more_bytes\": ");
            psim_telling_number(text, neighbour->more_bytes);
            g_string_append_c(text, '}');
            separator = ",";
        }
    }
    g_string_append(text, *separator != '\0' ? "\n  ],\n" : "],\n");
}

/* -- What more GPUs bring -- */

static void
append_point(GString *text, const PsimCurvePoint *point)
{
    g_string_append_printf(text, "{\"gpus\": %u, \"step_ps\": %" G_GINT64_FORMAT,
                           point->found->plan.n_gpus, point->found->evaluation.step);
    g_string_append(text, ", \"scaling_fraction\": ");
    psim_telling_number(text, point->scaling_fraction);
    g_string_append(text, ", \"days_low\": ");
    psim_telling_number(text, point->days_low);
    g_string_append(text, ", \"days_high\": ");
    psim_telling_number(text, point->days_high);
    g_string_append_c(text, '}');
}

static void
append_curve(const PsimTelling *self, GString *text, guint index)
{
    const PsimSite *site = g_ptr_array_index(self->space->sites, index);
    g_autoptr(PsimCurve) curve = psim_curve_find(self->space, self->options, self->answer, index);
    const char *separator = "";

    g_string_append_printf(text, "%s\n    {\"hardware\": ", index == 0 ? "" : ",");
    append_string(text, site->name);
    g_string_append(text, ", \"usd_per_gpu_hour\": ");
    psim_telling_number(text, site->usd_per_gpu_hour > 0.0 ? site->usd_per_gpu_hour : (double)NAN);
    g_string_append(text, ", \"price_date\": ");
    if (site->price_date != NULL)
        append_word(text, site->price_date, /* is_json= */ true);
    else
        g_string_append(text, "null");
    g_string_append_printf(text, ", \"knee_gpus\": %u, \"knee_lies_beyond\": %s, \"points\": [",
                           curve->knee_gpus, curve->is_open ? "true" : "false");
    for (guint i = 0; i < curve->points->len; i++) {
        const PsimCurvePoint *point = &g_array_index(curve->points, PsimCurvePoint, i);

        if (!(point->scaling_fraction > 0.0))
            continue;
        g_string_append_printf(text, "%s\n      ", separator);
        append_point(text, point);
        separator = ",";
    }
    g_string_append(text, "]}");
}

static void
append_curves(const PsimTelling *self, GString *text)
{
    g_string_append(text, "  \"curves\": [");
    for (guint i = 0; self->with_sizing && i < self->space->sites->len; i++)
        append_curve(self, text, i);
    g_string_append(text, self->with_sizing ? "\n  ],\n" : "],\n");
}

/* -- The rest -- */

static void
append_outlook(const PsimTelling *self, GString *text)
{
    const GArray *items = self->answer->ranking.items;
    const PsimFound *best = items->len > 0 ? &g_array_index(items, PsimFound, 0) : NULL;
    PsimOutlook outlook;

    if (best == NULL ||
        !psim_outlook_find(best, g_ptr_array_index(self->space->sites, best->plan.site),
                           &self->failures, &self->options->limits, &outlook)) {
        g_string_append(text, "  \"reliability\": null,\n");
        return;
    }
    const PsimReliability *found = &outlook.reliability;
    const struct {
        const char *name;
        double value;
    } members[] = {
        {"mtbf_s", found->mtbf_s},
        {"checkpoint_bytes", outlook.checkpoint_bytes},
        {"checkpoint_s", outlook.checkpoint_s},
        {"interval_young_s", found->young_s},
        {"interval_daly_s", found->daly_s},
        {"interval_simulated_s", found->simulated_s},
        {"expected_s", found->expected_s},
        {"p5_s", found->low_s},
        {"p50_s", found->middle_s},
        {"p95_s", found->high_s},
        {"goodput_fraction", found->goodput_fraction},
        {"failures", found->n_failures},
    };

    g_string_append(text, "  \"reliability\": {");
    for (size_t i = 0; i < G_N_ELEMENTS(members); i++) {
        g_string_append_printf(text, "%s\"%s\": ", i == 0 ? "" : ", ", members[i].name);
        psim_telling_number(text, members[i].value);
    }
    g_string_append(text, "},\n");
}

/* The best plan's step, by the errors of the constants. */
static void
append_range(const PsimTelling *self, GString *text)
{
    const PsimFound *best = psim_telling_best(self);
    PsimDetails details;

    g_string_append(text, "  \"best_range\": ");
    if (best == NULL || !psim_outlook_details(best, psim_telling_site(self, best), &details)) {
        g_string_append(text, "null,\n");
        return;
    }
    g_string_append(text, "{\"step_low_s\": ");
    psim_telling_number(text, details.step_low_s);
    g_string_append(text, ", \"step_high_s\": ");
    psim_telling_number(text, details.step_high_s);
    g_string_append(text, "},\n");
}

static void
append_rampup(const PsimTelling *self, GString *text)
{
    const PsimRampup *rampup = &self->options->limits.rampup;
    const GArray *items = self->answer->ranking.items;

    if (items->len == 0 || rampup->start == 0) {
        g_string_append(text, "  \"rampup\": null,\n");
        return;
    }
    const PsimFound *best = &g_array_index(items, PsimFound, 0);

    g_string_append_printf(
        text, "  \"rampup\": {\"start\": %u, \"increment\": %u, \"levels\": %u, \"samples\": ",
        rampup->start, rampup->increment,
        psim_rampup_levels(rampup, best->plan.change.global_batch));
    psim_telling_number(text, rampup->samples);
    g_string_append(text, ", \"time_s\": ");
    psim_telling_number(text, best->rampup_s);
    g_string_append(text, "},\n");
}

static void
append_rescue(const PsimTelling *self, GString *text)
{
    g_auto(GStrv) lines = g_strsplit(self->rescue != NULL ? self->rescue : "", "\n", -1);
    bool is_first = true;

    g_string_append(text, "  \"rescue\": [");
    for (size_t i = 0; lines[i] != NULL; i++) {
        if (lines[i][0] == '\0')
            continue;
        g_string_append_printf(text, "%s\n    ", is_first ? "" : ",");
        append_string(text, lines[i]);
        is_first = false;
    }
    g_string_append(text, is_first ? "],\n" : "\n  ],\n");
}

static void
append_reason(const PsimTelling *self, GString *text)
{
    g_string_append(text, "  \"reason\": ");
    if (self->reason != NULL)
        append_string(text, self->reason);
    else
        g_string_append(text, "null");
    g_string_append(text, ",\n");
}

char *
psim_telling_json(const PsimTelling *self)
{
    const PsimSearchAnswer *answer = self->answer;
    const PsimStoreProgress *progress = &answer->progress;
    GString *text = g_string_new("{\n  \"schema\": \"plansim.search/1\",\n");

    g_string_append_printf(text, "  \"version\": \"%s\",\n  \"rank_by\": \"%s\",\n", psim_version(),
                           psim_found_rank_words()[self->options->rank_by]);
    append_list(self, text, "best", answer->ranking.items,
                MIN(self->n_shown, answer->ranking.items->len));
    append_range(self, text);
    append_list(self, text, "front", answer->front, answer->front->len);
    append_list(self, text, "sizing", answer->groups, answer->groups->len);
    append_curves(self, text);
    append_neighbours(self, text);
    append_rampup(self, text);
    append_outlook(self, text);
    append_reason(self, text);
    append_rescue(self, text);
    g_string_append_printf(text,
                           "  \"candidates\": {\"all\": %" G_GUINT64_FORMAT
                           ", \"rules\": %" G_GUINT64_FORMAT ", \"alike\": %" G_GUINT64_FORMAT
                           ", \"memory\": %" G_GUINT64_FORMAT ", \"bound\": %" G_GUINT64_FORMAT
                           ", \"failed\": %" G_GUINT64_FORMAT ", \"simulated\": %" G_GUINT64_FORMAT
                           "}\n}\n",
                           answer->n_candidates, progress->dropped[PSIM_DROP_RULES],
                           progress->dropped[PSIM_DROP_ALIKE], progress->dropped[PSIM_DROP_MEMORY],
                           progress->dropped[PSIM_DROP_BOUND], progress->n_failed, progress->n_run);
    return g_string_free(text, /* free_segment= */ FALSE);
}

char *
psim_telling_jsonl(const PsimTelling *self)
{
    const GArray *items = self->answer->ranking.items;
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < MIN(self->n_shown, items->len); i++) {
        append_object(self, text, &g_array_index(items, PsimFound, i));
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, /* free_segment= */ FALSE);
}

char *
psim_telling_csv(const PsimTelling *self)
{
    const GArray *items = self->answer->ranking.items;
    GString *text = g_string_new(NULL);

    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        g_string_append_printf(text, "%s%s", i == 0 ? "" : ",", columns[i]);
    g_string_append_c(text, '\n');
    for (guint i = 0; i < MIN(self->n_shown, items->len); i++) {
        for (size_t column = 0; column < G_N_ELEMENTS(columns); column++) {
            g_string_append(text, column == 0 ? "" : ",");
            append_value(self, text, &g_array_index(items, PsimFound, i), column,
                         /* is_json= */ false);
        }
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, /* free_segment= */ FALSE);
}
