/* SPDX-License-Identifier: MIT */
/* Sources print what they like: seconds, tokens or samples a second, of a GPU or of the job; "GB"
 * that an allocator or nvidia-smi divided by 2^30. Tables give the order of trust.
 */
#include "validate/measured.h"

#include "validate/member_of.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#define GIB 1073741824.0
#define MIB 1048576.0

/* -- Time -------------------------------------------------------------------------------------- */

/* A rate of samples or tokens; NAN where one of the factors is not stated. */
static double
divide(double amount, double rate)
{
    return amount > 0 && rate > 0 ? amount / rate : (double)NAN;
}

static double
read_tokens_per_s(const PsimRow *row, const cJSON *measured)
{
    const double whole = psim_member_of_number(measured, "tokens_per_s");
    const double each = psim_member_of_number(measured, "tokens_per_s_per_gpu");

    return isfinite(whole) || row->n_gpus == 0 ? whole : each * row->n_gpus;
}

static double
read_step(const PsimRow *row, const cJSON *measured, const cJSON *derived)
{
    const double batch = row->global_batch;
    const double candidates[] = {
        psim_member_of_number(measured, "step_time_s"),
        psim_member_of_number(derived, "step_time_s"),
        psim_member_of_number(derived, "step_time_s_if_peak_989"),
        divide(batch * row->model.sequence, row->tokens_per_s),
        divide(batch, psim_member_of_number(measured, "samples_per_s")),
    };

    for (size_t i = 0; i < G_N_ELEMENTS(candidates); i++) {
        if (candidates[i] > 0 && isfinite(candidates[i]))
            return candidates[i];
    }
    return (double)NAN;
}

/* -- Memory ------------------------------------------------------------------------------------ */

static const struct {
    const char *key;
    double unit;
    PsimBytesKind kind;
} memory_keys[] = {
    {"memory_max_allocated_bytes", 1, PSIM_BYTES_ALLOCATED},
    {"memory_peak_bytes", 1, PSIM_BYTES_PEAK},
    {"memory_gib_device_total", GIB, PSIM_BYTES_DEVICE},
    {"memory_mib_smi", MIB, PSIM_BYTES_DEVICE},
    {"memory_mib_per_gpu_smi", MIB, PSIM_BYTES_DEVICE},
    {"memory_gib", GIB, PSIM_BYTES_PEAK},
    {"memory_gb", GIB, PSIM_BYTES_PEAK},
};

/* The row's own words go before what the key suggests. */
static void
read_kind(PsimRow *row, const cJSON *measured)
{
    g_autofree char *kind = psim_member_of_text(measured, "memory_kind");

    if (kind == NULL)
        return;
    if (strstr(kind, "smi") != NULL || strstr(kind, "device") != NULL)
        row->bytes_kind = PSIM_BYTES_DEVICE;
    else if (strstr(kind, "reserved") != NULL)
        row->bytes_kind = PSIM_BYTES_PEAK;
    else if (strstr(kind, "allocated") != NULL)
        row->bytes_kind = PSIM_BYTES_ALLOCATED;
    if (strstr(kind, "the last rank") != NULL)
        row->bytes_rank = -2;
}

/* A profile of one rank: what the model holds, and the peak above it. */
static void
read_rank_profile(PsimRow *row, const cJSON *json, const cJSON *measured)
{
    const double held = psim_member_of_number(measured, "model_states_mib");
    const double above = psim_member_of_number(measured, "activation_peak_mib");
    const double rank = psim_member_of_number(json, "rank");

    if (!isfinite(held) || !isfinite(above))
        return;
    row->peak_bytes = (held + above) * MIB;
    row->bytes_kind = PSIM_BYTES_ALLOCATED;
    row->bytes_rank = rank >= 0 && rank <= G_MAXINT ? (int)rank : -1;
}

static void
read_memory(PsimRow *row, const cJSON *json, const cJSON *measured)
{
    row->peak_bytes = (double)NAN;
    row->bytes_rank = -1;
    for (size_t i = 0; i < G_N_ELEMENTS(memory_keys); i++) {
        const double amount = psim_member_of_number(measured, memory_keys[i].key);

        if (!(amount > 0))
            continue;
        row->peak_bytes = amount * memory_keys[i].unit;
        row->bytes_kind = memory_keys[i].kind;
        read_kind(row, measured);
        return;
    }
    read_rank_profile(row, json, measured);
}

void
psim_measured_read(PsimRow *row, const cJSON *json)
{
    const cJSON *measured = cJSON_GetObjectItemCaseSensitive(json, "measured");
    const cJSON *derived = cJSON_GetObjectItemCaseSensitive(json, "derived");
    g_autofree char *status = psim_member_of_text(measured, "status");

    row->tokens_per_s = read_tokens_per_s(row, measured);
    row->step_s = read_step(row, measured, derived);
    row->time_is_noise = row->notes != NULL && strstr(row->notes, "for memory only") != NULL;
    read_memory(row, json, measured);
    row->oom = psim_member_of_told(measured, "oom");
    row->failed = psim_member_of_told(measured, "failed") == PSIM_TOLD_YES ||
                  (status != NULL && strcmp(status, "ok") != 0 && row->oom != PSIM_TOLD_YES);
    /* What ran did fit. */
    if (row->oom == PSIM_TOLD_NOT && isfinite(row->step_s))
        row->oom = PSIM_TOLD_NO;
}
