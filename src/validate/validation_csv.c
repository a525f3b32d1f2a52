/* SPDX-License-Identifier: MIT */
#include "validate/tally.h"

#include <math.h>
#include <string.h>

/* Quoted as RFC 4180 has it, where that is needed. */
static void
append_text(GString *line, const char *value)
{
    if (line->len > 0 && line->str[line->len - 1] != '\n')
        g_string_append_c(line, ',');
    if (value == NULL)
        return;
    if (value[strcspn(value, ",\"\r\n")] == '\0') {
        g_string_append(line, value);
        return;
    }
    g_string_append_c(line, '"');
    for (; *value != '\0'; value++) {
        if (*value == '"')
            g_string_append_c(line, '"');
        g_string_append_c(line, *value);
    }
    g_string_append_c(line, '"');
}

static void
append_number(GString *line, double value)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    append_text(line,
                isfinite(value) ? g_ascii_formatd(buffer, sizeof buffer, "%.9g", value) : NULL);
}

static void
append_count(GString *line, uint32_t value)
{
    append_number(line, value > 0 ? value : (double)NAN);
}

static void
append_told(GString *line, PsimTold told)
{
    append_text(line, told == PSIM_TOLD_NOT ? NULL : told == PSIM_TOLD_YES ? "true" : "false");
}

static void
append_header(GString *text)
{
    const char *const *names = psim_predict_part_names();

    g_string_append(
        text, "id,source_file,skipped,hardware,runtime,model,layers,hidden,sequence,"
              "gpus,tp,cp,pp,vp,dp,micro_batch,microbatches,global_batch,zero_stage,"
              "schedule,recompute,sequence_parallel,precision,flash_attention,"
              "attention_kernel,measured_step_s,predicted_step_s,predicted_low_s,predicted_high_s,"
              "step_error");
    for (size_t i = 0; i < PSIM_PREDICT_PARTS; i++)
        g_string_append_printf(text, ",%s_s", names[i]);
    g_string_append(text, ",mfu_fraction,measured_oom,predicted_oom,measured_peak_bytes,"
                          "predicted_peak_bytes,memory_error,assumed\n");
}

static void
append_plan(GString *text, const PsimRow *row)
{
    append_text(text, row->model.name);
    append_count(text, row->model.n_layers);
    append_count(text, row->model.hidden);
    append_count(text, row->model.sequence);
    append_count(text, row->n_gpus);
    append_count(text, row->tp);
    append_count(text, row->cp);
    append_count(text, row->pp);
    append_count(text, row->vp);
    append_count(text, row->dp);
    append_count(text, row->micro_batch);
    append_count(text, row->n_microbatches);
    append_count(text, row->global_batch);
    append_number(text, row->zero_stage >= 0 ? row->zero_stage : (double)NAN);
    append_text(text, row->schedule);
    append_text(text, row->recompute);
    append_told(text, row->sequence_parallel);
    append_text(text, row->precision);
    append_text(text, row->flash_attention);
    append_text(text, row->attention_kernel);
}

static void
append_answer(GString *text, const PsimRow *row, const PsimPrediction *prediction)
{
    const bool used = prediction->skipped == NULL;
    g_autofree char *assumed = g_strjoinv("; ", prediction->assumed);

    append_number(text, row->step_s);
    append_number(text, prediction->step_s);
    append_number(text, prediction->low_s);
    append_number(text, prediction->high_s);
    append_number(text, psim_tally_step_error(row, prediction));
    for (size_t i = 0; i < PSIM_PREDICT_PARTS; i++)
        append_number(text, used ? prediction->parts_s[i] : (double)NAN);
    append_number(text, used ? prediction->mfu_fraction : (double)NAN);
    append_told(text, row->oom);
    append_text(text, !used ? NULL : prediction->oom ? "true" : "false");
    append_number(text, row->peak_bytes);
    append_number(text, isfinite(prediction->compared_bytes) ? prediction->compared_bytes
                                                             : prediction->peak_bytes);
    append_number(text, psim_tally_memory_error(row, prediction));
    append_text(text, assumed);
    g_string_append_c(text, '\n');
}

char *
psim_validation_csv(const PsimValidation *self)
{
    GString *text = g_string_new(NULL);

    append_header(text);
    for (guint i = 0; i < self->rows->len; i++) {
        const PsimRow *row = g_ptr_array_index(self->rows, i);
        const PsimPrediction *prediction = g_ptr_array_index(self->predictions, i);

        append_text(text, row->id);
        append_text(text, row->source_file);
        append_text(text, prediction->detail);
        append_text(text, prediction->hardware);
        append_text(text, prediction->runtime);
        append_plan(text, row);
        append_answer(text, row, prediction);
    }
    return g_string_free(text, FALSE);
}
