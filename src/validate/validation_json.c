/* SPDX-License-Identifier: MIT */
/* What scripts read: a row a line. What is absent is null; units are in the names. */
#include "validate/tally.h"

#include <cjson/cJSON.h>
#include <math.h>

static void
add_number(cJSON *object, const char *key, double value)
{
    if (isfinite(value))
        (void)cJSON_AddNumberToObject(object, key, value);
    else
        (void)cJSON_AddNullToObject(object, key);
}

static void
add_string(cJSON *object, const char *key, const char *value)
{
    if (value != NULL)
        (void)cJSON_AddStringToObject(object, key, value);
    else
        (void)cJSON_AddNullToObject(object, key);
}

static void
add_told(cJSON *object, const char *key, PsimTold told)
{
    if (told != PSIM_TOLD_NOT)
        (void)cJSON_AddBoolToObject(object, key, told == PSIM_TOLD_YES);
    else
        (void)cJSON_AddNullToObject(object, key);
}

/* Takes @json apart into a line of text. */
static void
append_line(GString *text, cJSON *json, bool last)
{
    char *line = cJSON_PrintUnformatted(json);

    g_string_append_printf(text, "  %s%s\n", line, last ? "" : ",");
    cJSON_free(line);
    cJSON_Delete(json);
}

/* -- Rows -------------------------------------------------------------------------------------- */

static void
add_breakdown(cJSON *json, const PsimPrediction *prediction)
{
    const char *const *names = psim_predict_part_names();
    cJSON *parts = cJSON_AddObjectToObject(json, "breakdown_s");

    for (size_t i = 0; i < PSIM_PREDICT_PARTS; i++)
        add_number(parts, names[i], prediction->parts_s[i]);
}

static void
add_answer(cJSON *json, const PsimPrediction *prediction)
{
    add_string(json, "hardware", prediction->hardware);
    add_string(json, "runtime", prediction->runtime);
    add_breakdown(json, prediction);
    add_number(json, "bubble_fraction", prediction->bubble_fraction);
    add_number(json, "mfu_fraction", prediction->mfu_fraction);
    (void)cJSON_AddItemToObject(json, "assumed",
                                cJSON_CreateStringArray((const char *const *)prediction->assumed,
                                                        (int)g_strv_length(prediction->assumed)));
}

/* Every row has the same members. */
static void
add_no_answer(cJSON *json)
{
    static const char *const members[] = {"hardware",        "runtime",      "breakdown_s",
                                          "bubble_fraction", "mfu_fraction", "assumed"};

    for (size_t i = 0; i < G_N_ELEMENTS(members); i++)
        (void)cJSON_AddNullToObject(json, members[i]);
}

static cJSON *
make_row(const PsimRow *row, const PsimPrediction *prediction)
{
    const bool used = prediction->skipped == NULL;
    cJSON *json = cJSON_CreateObject();

    add_string(json, "id", row->id);
    add_string(json, "source_file", row->source_file);
    add_number(json, "predicted_step_s", used ? prediction->step_s : (double)NAN);
    add_number(json, "predicted_low_s", used ? prediction->low_s : (double)NAN);
    add_number(json, "predicted_high_s", used ? prediction->high_s : (double)NAN);
    add_number(json, "measured_step_s", row->step_s);
    add_told(json, "predicted_oom",
             !used             ? PSIM_TOLD_NOT
             : prediction->oom ? PSIM_TOLD_YES
                               : PSIM_TOLD_NO);
    add_told(json, "measured_oom", row->oom);
    add_number(json, "predicted_peak_bytes",
               !used                                  ? (double)NAN
               : isfinite(prediction->compared_bytes) ? prediction->compared_bytes
                                                      : prediction->peak_bytes);
    add_number(json, "measured_peak_bytes", row->peak_bytes);
    add_string(json, "skipped", prediction->detail);
    (void)cJSON_AddBoolToObject(json, "step_compared",
                                isfinite(psim_tally_step_error(row, prediction)));
    if (used)
        add_answer(json, prediction);
    else
        add_no_answer(json);
    return json;
}

/* -- Sources ----------------------------------------------------------------------------------- */

static void
add_errors(cJSON *json, const char *key, const PsimErrors *errors)
{
    cJSON *object = cJSON_AddObjectToObject(json, key);

    add_number(object, "rows", (double)errors->n);
    add_number(object, "mape", errors->mape);
    add_number(object, "median", errors->median);
    add_number(object, "p90", errors->p90);
    add_number(object, "bias", errors->bias);
}

static void
add_counts(cJSON *json, const char *key, const GArray *counts)
{
    cJSON *object = cJSON_AddObjectToObject(json, key);

    for (guint i = 0; i < counts->len; i++) {
        const PsimCount *entry = &g_array_index(counts, PsimCount, i);

        add_number(object, entry->text, (double)entry->n_rows);
    }
}

static cJSON *
make_source(const PsimTally *tally)
{
    cJSON *json = cJSON_CreateObject();
    cJSON *oom = NULL;
    cJSON *ranking = NULL;

    add_string(json, "source_file", tally->name);
    add_number(json, "rows", (double)tally->n_rows);
    add_number(json, "used", (double)tally->n_used);
    add_counts(json, "skipped", tally->skipped);
    add_counts(json, "assumed", tally->assumed);
    add_errors(json, "step_time", &tally->step);
    add_number(json, "step_time_in_range", (double)tally->n_in_range);
    add_errors(json, "memory", &tally->memory);
    oom = cJSON_AddObjectToObject(json, "oom");
    add_number(oom, "measured_fits_predicted_fits", (double)tally->oom[0][0]);
    add_number(oom, "measured_fits_predicted_oom", (double)tally->oom[0][1]);
    add_number(oom, "measured_oom_predicted_fits", (double)tally->oom[1][0]);
    add_number(oom, "measured_oom_predicted_oom", (double)tally->oom[1][1]);
    ranking = cJSON_AddObjectToObject(json, "ranking");
    add_number(ranking, "groups", (double)tally->ranking.n_groups);
    add_number(ranking, "rows", (double)tally->ranking.n_rows);
    add_number(ranking, "spearman_rho", tally->ranking.rho);
    add_number(ranking, "regret", tally->ranking.regret);
    return json;
}

char *
psim_validation_json(const PsimValidation *self)
{
    GString *text = g_string_new("{\"schema\": \"plansim.validation/1\", \"rows\": [\n");

    for (guint i = 0; i < self->rows->len; i++)
        append_line(
            text,
            make_row(g_ptr_array_index(self->rows, i), g_ptr_array_index(self->predictions, i)),
            i + 1 == self->rows->len);
    g_string_append(text, "], \"sources\": [\n");
    for (guint i = 0; i < self->tallies->len; i++)
        append_line(text, make_source(g_ptr_array_index(self->tallies, i)),
                    i + 1 == self->tallies->len);
    g_string_append(text, "]}\n");
    return g_string_free(text, FALSE);
}
