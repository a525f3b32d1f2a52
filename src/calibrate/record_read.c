/* SPDX-License-Identifier: MIT */
/* The strict reader of hardware files has refused whatever is not as it must be, with its place; so
 * what is read here is there and of its type.
 */
#include "calibrate/record.h"
#include "calibrate/record_place.h"

#include <cjson/cJSON.h>
#include <string.h>

static const cJSON *
member(const cJSON *json, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(json, key);
}

static double
number_of(const cJSON *json, const char *key)
{
    const cJSON *item = member(json, key);

    return cJSON_IsNumber(item) ? item->valuedouble : 0.0;
}

static uint64_t
count_of(const cJSON *json, const char *key)
{
    return (uint64_t)number_of(json, key);
}

static const char *
text_of(const cJSON *json, const char *key)
{
    const cJSON *item = member(json, key);

    return cJSON_IsString(item) ? item->valuestring : "";
}

static bool
flag_of(const cJSON *json, const char *key)
{
    return cJSON_IsTrue(member(json, key));
}

/* Returns: the place of a word that the strict reader knows. */
static int
choice_of(const cJSON *json, const char *key, const char *const *words)
{
    return MAX(psim_word_index(text_of(json, key), words), 0);
}

static void
read_shape(const cJSON *row, PsimCase *what)
{
    switch (what->kind) {
    case PSIM_CASE_LAUNCH:
        what->launch.n_launches = count_of(row, "launches");
        return;
    case PSIM_CASE_STREAM:
        what->stream.what = (PsimStreamKind)choice_of(row, "what", psim_stream_words());
        what->stream.bytes = count_of(row, "bytes");
        return;
    case PSIM_CASE_GEMM:
        what->gemm.m = count_of(row, "m");
        what->gemm.n = count_of(row, "n");
        what->gemm.k = count_of(row, "k");
        what->gemm.layout = (PsimLayout)choice_of(row, "layout", psim_layout_words());
        what->gemm.accumulate_fp32 = flag_of(row, "accumulate");
        return;
    case PSIM_CASE_KERNEL:
        what->kernel.what = (PsimKernelKind)choice_of(row, "what", psim_kernel_words());
        what->kernel.rows = count_of(row, "rows");
        what->kernel.width = count_of(row, "width");
        return;
    case PSIM_CASE_ATTENTION:
        what->attention.batch = count_of(row, "batch");
        what->attention.n_heads = count_of(row, "heads");
        what->attention.sequence = count_of(row, "sequence");
        what->attention.head_dim = count_of(row, "head_dim");
        what->attention.causal = flag_of(row, "causal");
        what->attention.backward = flag_of(row, "backward");
        return;
    case PSIM_CASE_MEMCPY:
        what->memcpy.what = (PsimMemcpyKind)choice_of(row, "what", psim_memcpy_words());
        what->memcpy.bytes = count_of(row, "bytes");
        return;
    case PSIM_CASE_COLLECTIVE:
        what->collective.what = (PsimExchangeKind)choice_of(row, "what", psim_exchange_words());
        what->collective.n_ranks = (uint32_t)count_of(row, "ranks");
        what->collective.bytes = count_of(row, "bytes");
        return;
    }
}

static unsigned
read_flags(const cJSON *row)
{
    const cJSON *item = NULL;
    unsigned flags = 0;

    cJSON_ArrayForEach(item, member(row, "flags"))
    {
        const int place = psim_word_index(item->valuestring, psim_flag_words());

        if (place >= 0)
            flags |= 1u << place;
    }
    return flags;
}

static void
read_samples(const cJSON *row, PsimSamples *samples)
{
    const cJSON *list = member(row, "samples_us");
    const cJSON *item = NULL;

    samples->seconds = g_new(double, MAX(cJSON_GetArraySize(list), 1));
    cJSON_ArrayForEach(item, list) samples->seconds[samples->n++] = item->valuedouble * 1e-6;
    samples->n_a_batch = count_of(row, "repeats");
    samples->flags = read_flags(row);
    samples->clock_before_hz = number_of(row, "clock_before_hz");
    samples->clock_after_hz = number_of(row, "clock_after_hz");
    samples->power_watt = number_of(row, "power_watt");
    samples->best_s = number_of(row, "best_us") * 1e-6;
}

static PsimTrial *
read_trial(const cJSON *row)
{
    PsimTrial *trial = g_new0(PsimTrial, 1);

    trial->what.kind = (PsimCaseKind)choice_of(row, "kind", psim_case_words());
    trial->what.number = (PsimNumber)choice_of(row, "number", psim_number_words());
    trial->what.graphed = flag_of(row, "graphed");
    read_shape(row, &trial->what);
    trial->role = (PsimRole)choice_of(row, "role", psim_role_words());
    trial->verdict = (PsimVerdict)choice_of(row, "verdict", psim_verdict_words());
    if (trial->verdict == PSIM_VERDICT_RIGHT) {
        trial->cold = flag_of(row, "cold");
        trial->error = number_of(row, "error");
        read_samples(row, &trial->samples);
    }
    return trial;
}

static PsimUnitFacts
read_unit(const cJSON *unit)
{
    const cJSON *peaks = member(unit, "nominal_flop_per_s");
    PsimUnitFacts facts = {
        .name = text_of(unit, "name"),
        .identifier = text_of(unit, "identifier"),
        .driver = text_of(unit, "driver"),
        .libraries = text_of(unit, "libraries"),
        .architecture = text_of(unit, "architecture"),
        .n_units = (uint32_t)count_of(unit, "units"),
        .n_sms = (uint32_t)count_of(unit, "sms"),
        .memory_bytes = count_of(unit, "memory_bytes"),
        .memory_usable_bytes = count_of(unit, "memory_usable_bytes"),
        .cache_bytes = count_of(unit, "cache_bytes"),
        .clock_hz = number_of(unit, "clock_hz"),
        .memory_clock_hz = number_of(unit, "memory_clock_hz"),
        .power_limit_watt = number_of(unit, "power_limit_watt"),
        .nominal_bytes_per_s = number_of(unit, "nominal_bytes_per_s"),
        .nominal_link_bytes_per_s = number_of(unit, "nominal_link_bytes_per_s"),
        .nominal_host_bytes_per_s = number_of(unit, "nominal_host_bytes_per_s"),
    };

    for (size_t i = 0; i < PSIM_N_NUMBERS; i++)
        facts.nominal_flop_per_s[i] = number_of(peaks, psim_number_words()[i]);
    return facts;
}

static void
read_method(PsimRecord *record, const cJSON *method)
{
    const cJSON *item = NULL;

    record->least_counts = g_str_equal(text_of(method, "statistic"), "minimum");
    record->method.n_warm_up = (uint32_t)count_of(method, "warm_up");
    record->method.n_batches = (uint32_t)count_of(method, "batches");
    record->method.batch_s = number_of(method, "batch_s");
    record->method.budget_s = number_of(method, "budget_s");
    record->method.seed = count_of(method, "seed");
    cJSON_ArrayForEach(item, member(method, "suites"))
    {
        const int place = psim_word_index(item->valuestring, psim_suite_words());

        if (place >= 0)
            record->suites[place] = true;
    }
}

static PsimRecord *
read_record(const cJSON *calibration)
{
    const PsimUnitFacts facts = read_unit(member(calibration, "unit"));
    PsimRecord *record = psim_record_new(text_of(calibration, "backend"), &facts);
    const cJSON *row = NULL;

    record->complete = flag_of(calibration, "complete");
    read_method(record, member(calibration, "method"));
    cJSON_ArrayForEach(row, member(calibration, "rows"))
        g_ptr_array_add(record->trials, read_trial(row));
    return record;
}

PsimRecord *
psim_record_load(const char *path, GError **error)
{
    /* What is no path would be the name of a preset, which was never measured here. */
    const bool is_path = strchr(path, '/') != NULL || g_str_has_suffix(path, ".json");
    g_autofree char *file = g_strconcat(is_path ? "" : "./", path, NULL);
    g_autoptr(PsimHardware) hardware =
        psim_record_place_check_old(path, error) ? psim_hardware_load(file, NULL, 0, error) : NULL;

    if (hardware == NULL)
        return NULL;
    g_autofree char *text = psim_hardware_write(hardware);
    cJSON *json = cJSON_Parse(text);
    const cJSON *calibration = member(json, "calibration");
    PsimRecord *record = NULL;

    if (cJSON_IsObject(calibration))
        record = read_record(calibration);
    else
        g_set_error(
            error, PSIM_ERROR, PSIM_ERROR_SCHEMA,
            "%s: /calibration: missing; only a file that \"plansim calibrate\" wrote can be "
            "gone on with or checked",
            path);
    cJSON_Delete(json);
    return record;
}
