/* SPDX-License-Identifier: MIT */
/* The member `calibration`; hardware/README.md, "A calibration". */
#include "calibrate/record_write.h"

#include "calibrate/layout.h"
#include "calibrate/record_place.h"
#include "calibrate/warnings.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#define SCHEMA "plansim.calibration/1"
#define US     1e6

/* -- Rows -- */

static void
add_shape(cJSON *row, const PsimCase *what)
{
    switch (what->kind) {
    case PSIM_CASE_LAUNCH:
        psim_json_count(row, "launches", what->launch.n_launches);
        psim_json_flag(row, "graphed", what->graphed);
        return;
    case PSIM_CASE_STREAM:
        psim_json_text(row, "what", psim_stream_words()[what->stream.what]);
        psim_json_count(row, "bytes", what->stream.bytes);
        return;
    case PSIM_CASE_GEMM:
        psim_json_count(row, "m", what->gemm.m);
        psim_json_count(row, "n", what->gemm.n);
        psim_json_count(row, "k", what->gemm.k);
        psim_json_text(row, "layout", psim_layout_words()[what->gemm.layout]);
        psim_json_flag(row, "accumulate", what->gemm.accumulate_fp32);
        return;
    case PSIM_CASE_KERNEL:
        psim_json_text(row, "what", psim_kernel_words()[what->kernel.what]);
        psim_json_count(row, "rows", what->kernel.rows);
        psim_json_count(row, "width", what->kernel.width);
        return;
    case PSIM_CASE_ATTENTION:
        psim_json_count(row, "batch", what->attention.batch);
        psim_json_count(row, "heads", what->attention.n_heads);
        psim_json_count(row, "sequence", what->attention.sequence);
        psim_json_count(row, "head_dim", what->attention.head_dim);
        psim_json_flag(row, "causal", what->attention.causal);
        psim_json_flag(row, "backward", what->attention.backward);
        return;
    case PSIM_CASE_MEMCPY:
        psim_json_text(row, "what", psim_memcpy_words()[what->memcpy.what]);
        psim_json_count(row, "bytes", what->memcpy.bytes);
        return;
    case PSIM_CASE_COLLECTIVE:
        psim_json_text(row, "what", psim_exchange_words()[what->collective.what]);
        psim_json_count(row, "ranks", what->collective.n_ranks);
        psim_json_count(row, "bytes", what->collective.bytes);
        return;
    }
}

static void
add_known(cJSON *row, const char *key, double value)
{
    if (value > 0.0)
        psim_json_number(row, key, value);
}

static void
add_samples(cJSON *row, const PsimTrial *trial)
{
    const PsimSamples *samples = &trial->samples;
    g_autofree double *us = g_new(double, MAX(samples->n, 1));
    cJSON *flags = NULL;

    for (uint32_t i = 0; i < samples->n; i++)
        us[i] = samples->seconds[i] * US;
    psim_json_flag(row, "cold", trial->cold);
    psim_json_count(row, "repeats", MAX(samples->n_a_batch, 1));
    psim_json_number(row, "median_us", psim_accuracy_median(us, samples->n));
    psim_json_number(row, "min_us", gsl_stats_min(us, 1, samples->n));
    psim_json_number(row, "mad_us", psim_accuracy_mad(us, samples->n));
    add_known(row, "clock_before_hz", samples->clock_before_hz);
    add_known(row, "clock_after_hz", samples->clock_after_hz);
    add_known(row, "power_watt", samples->power_watt);
    add_known(row, "best_us", samples->best_s * US);
    psim_json_number(row, "error", trial->error);
    flags = cJSON_AddArrayToObject(row, "flags");
    for (int i = 0; psim_flag_words()[i] != NULL; i++) {
        if ((samples->flags & (1u << i)) != 0)
            (void)cJSON_AddItemToArray(flags, cJSON_CreateString(psim_flag_words()[i]));
    }
    psim_json_list(row, "samples_us", us, samples->n);
}

/* The file is written after each case, and a row stays what it is. */
static cJSON *
make_row(PsimTrial *trial)
{
    if (trial->line != NULL)
        return cJSON_CreateRaw(trial->line);
    cJSON *row = cJSON_CreateObject();

    psim_json_text(row, "kind", psim_case_words()[trial->what.kind]);
    psim_json_text(row, "number", psim_number_words()[trial->what.number]);
    add_shape(row, &trial->what);
    psim_json_text(row, "role", psim_role_words()[trial->role]);
    psim_json_text(row, "verdict", psim_verdict_words()[trial->verdict]);
    if (trial->verdict == PSIM_VERDICT_RIGHT)
        add_samples(row, trial);
    trial->line = psim_json_line(row);
    cJSON_Delete(row);
    return cJSON_CreateRaw(trial->line);
}

/* -- What was found -- */

static void
add_accuracy(cJSON *into, const char *key, const PsimAccuracy *accuracy)
{
    cJSON *object = NULL;

    if (accuracy->n == 0)
        return;
    object = cJSON_AddObjectToObject(into, key);
    psim_json_count(object, "rows", accuracy->n);
    psim_json_number(object, "mape", accuracy->mape);
    psim_json_number(object, "median", accuracy->median);
    psim_json_number(object, "p90", accuracy->p90);
    psim_json_number(object, "worst", accuracy->worst);
    psim_json_number(object, "bias", accuracy->bias);
}

static void
add_gemm_fit(cJSON *into, PsimNumber number, const PsimGemmFit *fit)
{
    static const char *const decades[PSIM_GEMM_FIT_DECADES] = {
        "under 1 us", "1 to 10 us",   "10 to 100 us", "0.1 to 1 ms",
        "1 to 10 ms", "10 to 100 ms", "0.1 to 1 s",   "over 1 s"};
    g_autofree char *key = g_strconcat("gemm ", psim_number_words()[number], NULL);
    cJSON *object = cJSON_AddObjectToObject(into, key);

    psim_json_count(object, "n_fit", fit->train.n);
    psim_json_count(object, "n_heldout", fit->held_out.n);
    add_accuracy(object, "train", &fit->train);
    add_accuracy(object, "heldout", &fit->held_out);
    add_accuracy(object, "constant_efficiency", &fit->constant);
    for (size_t i = 0; i < PSIM_GEMM_FIT_LAYOUTS; i++)
        add_accuracy(object, psim_layout_words()[i], &fit->by_layout[i]);
    for (size_t i = 0; i < PSIM_GEMM_FIT_DECADES; i++)
        add_accuracy(object, decades[i], &fit->by_decade[i]);
}

static void
add_fits(cJSON *calibration, const PsimConstants *constants)
{
    cJSON *fit = cJSON_AddObjectToObject(calibration, "fit");

    for (int number = 0; number < PSIM_N_NUMBERS; number++) {
        if (constants->has_gemm[number])
            add_gemm_fit(fit, (PsimNumber)number, &constants->gemm[number]);
    }
    add_accuracy(fit, "memory", &constants->memory_held_out);
}

static void
add_parameters(cJSON *calibration, const PsimConstants *constants)
{
    cJSON *params = cJSON_AddObjectToObject(calibration, "params");

    for (int number = 0; number < PSIM_N_NUMBERS; number++) {
        const PsimGemmFit *fit = &constants->gemm[number];
        g_autofree char *key = g_strconcat("gemm ", psim_number_words()[number], NULL);

        if (!constants->has_gemm[number])
            continue;
        cJSON *of = cJSON_AddObjectToObject(params, key);

        psim_json_text(of, "form", fit->cost.tiled ? "tile" : "smooth");
        for (size_t i = 0; i < fit->n_parameters; i++) {
            cJSON *parameter = cJSON_AddObjectToObject(of, fit->parameters[i].name);

            psim_json_number(parameter, "value", fit->parameters[i].value);
            psim_json_number(parameter, "stderr", fit->parameters[i].error);
            psim_json_flag(parameter, "identifiable", fit->parameters[i].identifiable);
        }
    }
}

/* -- How it was measured -- */

static void
add_unit(cJSON *calibration, const PsimUnitFacts *facts)
{
    cJSON *unit = cJSON_AddObjectToObject(calibration, "unit");
    cJSON *peaks = NULL;

    psim_json_text(unit, "name", facts->name);
    psim_json_text(unit, "identifier", facts->identifier);
    psim_json_text(unit, "driver", facts->driver);
    psim_json_text(unit, "libraries", facts->libraries);
    psim_json_text(unit, "architecture", facts->architecture);
    psim_json_count(unit, "units", facts->n_units);
    psim_json_count(unit, "sms", facts->n_sms);
    psim_json_count(unit, "memory_bytes", facts->memory_bytes);
    psim_json_count(unit, "memory_usable_bytes", facts->memory_usable_bytes);
    psim_json_count(unit, "cache_bytes", facts->cache_bytes);
    psim_json_number(unit, "clock_hz", facts->clock_hz);
    psim_json_number(unit, "memory_clock_hz", facts->memory_clock_hz);
    psim_json_number(unit, "power_limit_watt", facts->power_limit_watt);
    psim_json_number(unit, "nominal_bytes_per_s", facts->nominal_bytes_per_s);
    psim_json_number(unit, "nominal_link_bytes_per_s", facts->nominal_link_bytes_per_s);
    psim_json_number(unit, "nominal_host_bytes_per_s", facts->nominal_host_bytes_per_s);
    peaks = cJSON_AddObjectToObject(unit, "nominal_flop_per_s");
    for (int i = 0; i < PSIM_N_NUMBERS; i++)
        add_known(peaks, psim_number_words()[i], facts->nominal_flop_per_s[i]);
}

static void
add_method(cJSON *calibration, const PsimRecord *record)
{
    cJSON *method = cJSON_AddObjectToObject(calibration, "method");
    cJSON *suites = NULL;

    psim_json_text(method, "statistic", record->least_counts ? "minimum" : "median");
    psim_json_count(method, "warm_up", record->method.n_warm_up);
    psim_json_count(method, "batches", record->method.n_batches);
    psim_json_number(method, "batch_s", record->method.batch_s);
    psim_json_number(method, "budget_s", record->method.budget_s);
    psim_json_count(method, "seed", record->method.seed);
    suites = cJSON_AddArrayToObject(method, "suites");
    for (int i = 0; i < PSIM_N_SUITES; i++) {
        if (record->suites[i])
            (void)cJSON_AddItemToArray(suites, cJSON_CreateString(psim_suite_words()[i]));
    }
}

/* Clocks or watts of all cases, where known, which is to say above 0. Returns: how many. */
static size_t
collect(const PsimRecord *record, bool watts, double *ret_values)
{
    size_t n = 0;

    for (guint i = 0; i < record->trials->len; i++) {
        const PsimTrial *trial = g_ptr_array_index(record->trials, i);
        const double value = watts ? trial->samples.power_watt : trial->samples.clock_after_hz;

        if (value > 0.0)
            ret_values[n++] = value;
    }
    return n;
}

static void
add_clocks(cJSON *calibration, const PsimRecord *record)
{
    g_autofree double *values = g_new(double, record->trials->len + 1);
    cJSON *object = cJSON_AddObjectToObject(calibration, "clocks");
    size_t n = collect(record, /* watts= */ false, values);
    size_t n_throttled = 0;

    if (n > 0)
        psim_json_number(object, "hz_min", gsl_stats_min(values, 1, n));
    psim_json_number(object, "hz_median", psim_accuracy_median(values, n));
    n = collect(record, /* watts= */ true, values);
    psim_json_number(object, "power_watt_median", psim_accuracy_median(values, n));
    for (guint i = 0; i < record->trials->len; i++) {
        const PsimTrial *trial = g_ptr_array_index(record->trials, i);

        n_throttled += (trial->samples.flags & PSIM_FLAG_THROTTLED) != 0;
    }
    psim_json_count(object, "throttled_cases", n_throttled);
}

void
psim_record_add(cJSON *hardware, const PsimRecord *record, const PsimConstants *constants)
{
    cJSON *calibration = cJSON_AddObjectToObject(hardware, "calibration");
    g_autoptr(GPtrArray) warnings = psim_warnings_of(record, constants);
    cJSON *list = NULL;

    psim_json_text(calibration, "schema", SCHEMA);
    psim_json_text(calibration, "backend", record->backend);
    psim_json_flag(calibration, "complete", record->complete);
    add_unit(calibration, &record->facts);
    add_method(calibration, record);
    add_clocks(calibration, record);
    if (constants != NULL) {
        add_parameters(calibration, constants);
        add_fits(calibration, constants);
    }
    list = cJSON_AddArrayToObject(calibration, "warnings");
    for (guint i = 0; i < warnings->len; i++)
        (void)cJSON_AddItemToArray(list, cJSON_CreateString(g_ptr_array_index(warnings, i)));
    list = cJSON_AddArrayToObject(calibration, "rows");
    for (guint i = 0; i < record->trials->len; i++)
        (void)cJSON_AddItemToArray(list, make_row(g_ptr_array_index(record->trials, i)));
}

/* Beside its place under a name of its own, so that a run that was killed leaves one such file at
 * most, which the next run takes over. */
bool
psim_record_save(const PsimRecord *record,
                 const PsimConstants *constants,
                 const char *path,
                 GError **error)
{
    g_autofree char *target = psim_record_place_target(path, error);

    if (target == NULL)
        return false;
    g_autofree char *text = psim_record_text(record, constants);
    g_autofree char *part = g_strconcat(target, ".part", NULL);
    g_autoptr(GError) reason = NULL;

    if (!g_file_set_contents_full(part, text, -1, G_FILE_SET_CONTENTS_NONE, 0666, &reason)) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_IO, "%s: cannot write: %s", path,
                    reason->message);
        return false;
    }
    if (g_rename(part, target) == 0)
        return true;
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_IO, "%s: cannot write: %s", path, g_strerror(errno));
    return false;
}
