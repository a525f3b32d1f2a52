/* SPDX-License-Identifier: MIT */
/* Everything is asked by way of the public interface: the result as JSON has the parts of the step,
 * the memory of each stage, and the defaults that were used.
 */
#include "validate/predict.h"

#include "plansim.h"
#include "validate/member_of.h"
#include "validate/resolve.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

static const char *const part_names[PSIM_PREDICT_PARTS] = {
    "compute",    "recompute",  "tp_exposed", "pp_exposed", "cp_exposed",
    "ep_exposed", "dp_exposed", "bubble",     "optimizer",  "other",
};

const char *const *
psim_predict_part_names(void)
{
    return part_names;
}

static const cJSON *
find_path(const cJSON *json, const char *first, const char *second)
{
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(json, first), second);
}

/* -- Memory ------------------------------------------------------------------------------------ */

/* "80 GiB" -> bytes; the writer of plansim has no other units for memory. */
static double
read_bytes(const cJSON *memory, const char *key)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {
        {" GiB", 1073741824.0}, {" GB", 1e9}, {" MiB", 1048576.0}, {" MB", 1e6}, {" B", 1}};
    g_autofree char *text = psim_member_of_text(memory, key);
    char *end = NULL;

    if (text == NULL)
        return (double)NAN;
    const double amount = g_ascii_strtod(text, &end);

    for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
        if (strcmp(end, units[i].unit) == 0)
            return amount * units[i].factor;
    }
    return (double)NAN;
}

/* What the driver reports as used beyond tensors: the context and communication buffers. */
static double
read_reserve(const cJSON *result)
{
    const cJSON *plan = find_path(result, "input", "resolved");
    const cJSON *device = find_path(plan, "hardware", "device");
    const cJSON *memory = cJSON_GetObjectItemCaseSensitive(device, "memory");

    return read_bytes(memory, "total") - read_bytes(memory, "usable");
}

static double
read_stage_bytes(const cJSON *stage, PsimBytesKind kind, double reserve)
{
    const double peak = psim_member_of_number(stage, "peak_bytes");

    switch (kind) {
    case PSIM_BYTES_PEAK:
        return peak - psim_member_of_number(stage, "communicators_bytes");
    case PSIM_BYTES_ALLOCATED:
        return peak - psim_member_of_number(stage, "overhead_bytes");
    case PSIM_BYTES_DEVICE:
        return peak + reserve;
    }
    return (double)NAN;
}

/* The stage that the row's figure is of; -1: the fullest. Ranks count pipelines last. */
static int
choose_stage(const PsimRow *row, int n_stages)
{
    if (row->bytes_rank == -2)
        return n_stages - 1;
    if (row->bytes_rank < 0 || row->n_gpus == 0 || n_stages < 2)
        return -1;
    return MIN((int)((double)row->bytes_rank / row->n_gpus * n_stages), n_stages - 1);
}

static double
read_compared_bytes(const PsimRow *row, const cJSON *result)
{
    const cJSON *stages = cJSON_GetObjectItemCaseSensitive(result, "stages");
    const double reserve = read_reserve(result);
    const int wanted = choose_stage(row, cJSON_GetArraySize(stages));
    const cJSON *stage = NULL;
    double most = (double)NAN;
    int i = 0;

    if (!isfinite(row->peak_bytes))
        return (double)NAN;
    cJSON_ArrayForEach(stage, stages)
    {
        const double bytes = read_stage_bytes(stage, row->bytes_kind, reserve);

        if (i++ == wanted)
            return bytes;
        most = fmax(most, bytes);
    }
    return most;
}

/* -- The answer -------------------------------------------------------------------------------- */

/* Defaults that stand for columns of the row. */
static const char *const telling_defaults[] = {
    "/parallel/sequence_parallel",
    "/batch/micro",
    "/batch/global",
    "/schedule/chunks",
    "/recompute",
    "/zero_stage",
    "/precision",
    "/flash_attention",
    "/model/transformer/gated_mlp",
    "/model/transformer/ffn_hidden",
    NULL,
};

static void
add_defaults(GPtrArray *assumed, const cJSON *result)
{
    const cJSON *entry = NULL;

    cJSON_ArrayForEach(entry, find_path(result, "input", "defaults_used"))
    {
        g_autofree char *key = psim_member_of_text(entry, "key");
        g_autofree char *value = psim_member_of_text(entry, "value");
        const char *last = key != NULL ? strrchr(key, '/') : NULL;

        if (last != NULL && value != NULL && g_strv_contains(telling_defaults, key))
            g_ptr_array_add(assumed, g_strdup_printf("%s %s", last + 1, value));
    }
}

static bool
append_bytes(const char *bytes, size_t n_bytes, void *user)
{
    g_string_append_len(user, bytes, (gssize)n_bytes);
    return true;
}

static void
read_result(const PsimRow *row, const cJSON *json, PsimPrediction *self)
{
    const cJSON *step = cJSON_GetObjectItemCaseSensitive(json, "step");
    const cJSON *parts = cJSON_GetObjectItemCaseSensitive(step, "breakdown_s");
    const cJSON *verdict = cJSON_GetObjectItemCaseSensitive(json, "verdict");
    const cJSON *pipeline = cJSON_GetObjectItemCaseSensitive(json, "pipeline");

    self->step_s = psim_member_of_number(step, "time_s");
    self->low_s = psim_member_of_number(step, "time_low_s");
    self->high_s = psim_member_of_number(step, "time_high_s");
    for (size_t i = 0; i < PSIM_PREDICT_PARTS; i++)
        self->parts_s[i] = psim_member_of_number(parts, part_names[i]);
    self->mfu_fraction = psim_member_of_number(step, "mfu_fraction");
    self->bubble_fraction = psim_member_of_number(pipeline, "bubble_fraction");
    self->oom = psim_member_of_told(verdict, "fits") == PSIM_TOLD_NO;
    self->peak_bytes = psim_member_of_number(verdict, "worst_peak_bytes");
    self->compared_bytes = read_compared_bytes(row, json);
}

/* "row:3:14: /parallel/pipeline: is 12; ..." is counted as "refused: /parallel/pipeline". */
static void
keep_refusal(PsimPrediction *self, const GError *error)
{
    const char *pointer = strstr(error->message, ": /");
    g_autofree char *line = g_strndup(error->message, strcspn(error->message, "\n"));
    g_autofree char *place =
        pointer != NULL ? g_strndup(pointer + 2, strcspn(pointer + 2, ": ")) : g_strdup("plan");
    g_autofree char *kind = g_strconcat("refused: ", place, NULL);

    self->skipped = g_intern_string(kind);
    self->detail = g_strconcat("refused: ", pointer != NULL ? pointer + 2 : line, NULL);
    self->detail[strcspn(self->detail, "\n")] = '\0';
}

static PsimPlan *
parse_plan(const PsimResolved *resolved, GError **error)
{
    const guint n_changes = resolved->changes.pointers->len;
    g_autofree PsimOverride *overrides = g_new0(PsimOverride, n_changes + 1);

    for (guint i = 0; i < n_changes; i++)
        overrides[i] = (PsimOverride){
            .pointer = g_ptr_array_index(resolved->changes.pointers, i),
            .value = g_ptr_array_index(resolved->changes.values, i),
        };
    return psim_plan_parse(resolved->text, strlen(resolved->text), "row", overrides, n_changes,
                           error);
}

static void
simulate(const PsimRow *row, PsimResolved *resolved, PsimPrediction *self)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(PsimPlan) plan = parse_plan(resolved, &error);
    PsimOptions options = PSIM_OPTIONS_INIT;

    options.brief = true;
    g_autoptr(PsimResult) result = plan != NULL ? psim_simulate(plan, &options, &error) : NULL;

    if (result == NULL || !psim_result_write(result, "json", append_bytes, text, &error)) {
        keep_refusal(self, error);
        return;
    }
    cJSON *json = cJSON_ParseWithLength(text->str, text->len);

    read_result(row, json, self);
    add_defaults(resolved->assumed, json);
    cJSON_Delete(json);
}

PsimPrediction *
psim_predict_row(const PsimRow *row)
{
    PsimPrediction *self = g_new0(PsimPrediction, 1);
    g_auto(PsimResolved) resolved = {0};

    self->step_s = self->low_s = self->high_s = (double)NAN;
    self->peak_bytes = (double)NAN;
    self->compared_bytes = (double)NAN;
    psim_resolve_row(row, &resolved);
    if (resolved.text == NULL) {
        self->skipped = resolved.skipped;
        self->detail = g_strdup(resolved.detail != NULL ? resolved.detail : resolved.skipped);
    } else {
        simulate(row, &resolved, self);
    }
    self->hardware = g_steal_pointer(&resolved.hardware);
    self->runtime = g_steal_pointer(&resolved.runtime);
    g_ptr_array_add(resolved.assumed, NULL);
    self->assumed = (char **)g_ptr_array_free(g_steal_pointer(&resolved.assumed), FALSE);
    return self;
}

void
psim_prediction_free(void *self)
{
    PsimPrediction *prediction = self;

    if (prediction == NULL)
        return;
    g_free(prediction->detail);
    g_free(prediction->hardware);
    g_free(prediction->runtime);
    g_strfreev(prediction->assumed);
    g_free(prediction);
}
