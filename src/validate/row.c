/* SPDX-License-Identifier: MIT */
#include "validate/row.h"

#include "validate/measured.h"
#include "validate/member_of.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

/* -- Reading ----------------------------------------------------------------------------------- */

/* "moe": an object, true or a count of experts; null and false are dense. */
static bool
has_experts(const cJSON *model)
{
    const cJSON *moe = cJSON_GetObjectItemCaseSensitive(model, "moe");

    if (moe == NULL || cJSON_IsNull(moe) || cJSON_IsFalse(moe))
        return false;
    return !cJSON_IsNumber(moe) || moe->valuedouble > 1;
}

static bool
says(const cJSON *object, const char *key, const char *word)
{
    g_autofree char *text = psim_member_of_text(object, key);

    return text != NULL && strstr(text, word) != NULL;
}

static PsimRowModel
read_model(const cJSON *json)
{
    const double params = psim_member_of_number(json, "params");

    return (PsimRowModel){
        .name = psim_member_of_text(json, "name"),
        .n_layers = psim_member_of_count(json, "layers"),
        .hidden = psim_member_of_count(json, "hidden"),
        .n_heads = psim_member_of_count(json, "heads"),
        .n_kv_heads = psim_member_of_count(json, "kv_heads"),
        .head_dim = psim_member_of_count(json, "head_dim"),
        .ffn_hidden = psim_member_of_count(json, "ffn_hidden"),
        .vocabulary = psim_member_of_count(json, "vocab"),
        .sequence = psim_member_of_count(json, "seq"),
        .params = params > 0 ? params : 0,
        .gated = psim_member_of_told(json, "gated_mlp"),
        .tied = psim_member_of_told(json, "tied_embeddings"),
        .learned_positions = psim_member_of_told(json, "learned_pos_emb"),
        .alibi = psim_member_of_told(json, "alibi"),
        .biases = psim_member_of_told(json, "bias"),
        .experts = has_experts(json),
        .frozen = says(json, "note", "frozen"),
        .other = says(json, "note", "convolutional") || says(json, "attention", ""),
    };
}

static GArray *
read_split(const cJSON *json)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "layers_per_stage");
    const cJSON *item = NULL;

    if (!cJSON_IsArray(list))
        return NULL;
    GArray *split = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    cJSON_ArrayForEach(item, list)
    {
        const double number = cJSON_IsNumber(item) ? item->valuedouble : -1;
        const uint32_t n_layers = number >= 0 && number <= UINT32_MAX ? (uint32_t)number : 0;

        g_array_append_val(split, n_layers);
    }
    return split;
}

static bool
is_garbled(const cJSON *json)
{
    static const char *const keys[] = {
        "gpus", "tp", "pp", "dp", "cp", "ep", "microbatch", "num_microbatches", "global_batch"};

    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, keys[i]);

        if (item != NULL && !cJSON_IsNull(item) && psim_member_of_count(json, keys[i]) == 0)
            return true;
    }
    return false;
}

static void
read_plan(PsimRow *self, const cJSON *json)
{
    const double zero_stage = psim_member_of_number(json, "zero_stage");
    const double offloaded = psim_member_of_number(json, "offload_ratio");

    self->garbled = is_garbled(json);
    self->tp = psim_member_of_count(json, "tp");
    self->pp = psim_member_of_count(json, "pp");
    self->vp = psim_member_of_count(json, "vp");
    self->dp = psim_member_of_count(json, "dp");
    self->cp = psim_member_of_count(json, "cp");
    self->ep = psim_member_of_count(json, "ep");
    self->chunk_a_layer = says(json, "vp", "one layer");
    self->micro_batch = psim_member_of_count(json, "microbatch");
    self->n_microbatches = psim_member_of_count(json, "num_microbatches");
    self->global_batch = psim_member_of_count(json, "global_batch");
    self->zero_stage = zero_stage >= 0 && zero_stage <= 3 ? (int)zero_stage : -1;
    self->schedule = psim_member_of_text(json, "schedule");
    self->recompute = psim_member_of_text(json, "recompute");
    self->precision = psim_member_of_text(json, "precision");
    self->fsdp = psim_member_of_word(json, "fsdp");
    self->flash_attention = psim_member_of_word(json, "flash_attention");
    self->attention_kernel = psim_member_of_text(json, "attention_kernel");
    self->sequence_parallel = psim_member_of_told(json, "sequence_parallel");
    self->layers_per_stage = read_split(json);
    self->offload =
        psim_member_of_told(json, "activation_cpu_offload") == PSIM_TOLD_YES || offloaded > 0;
}

PsimRow *
psim_row_new(const cJSON *json, const char *source_file)
{
    PsimRow *self = g_new0(PsimRow, 1);

    self->id = psim_member_of_text(json, "id");
    self->source = psim_member_of_text(json, "source");
    self->source_file = g_strdup(source_file);
    self->framework = psim_member_of_text(json, "framework");
    self->notes = psim_member_of_text(json, "notes");
    self->model = read_model(cJSON_GetObjectItemCaseSensitive(json, "model"));
    self->gpu = psim_member_of_text(json, "gpu");
    self->inter_link = psim_member_of_text(json, "inter_link");
    self->hardware = psim_member_of_text(json, "hardware");
    self->runtime = psim_member_of_text(json, "runtime");
    self->n_gpus = psim_member_of_count(json, "gpus");
    self->gpus_per_node = psim_member_of_count(json, "gpus_per_node");
    read_plan(self, json);
    psim_measured_read(self, json);
    return self;
}

void
psim_row_free(void *self)
{
    PsimRow *row = self;

    g_free(row->id);
    g_free(row->source);
    g_free(row->source_file);
    g_free(row->framework);
    g_free(row->notes);
    g_free(row->model.name);
    g_free(row->gpu);
    g_free(row->inter_link);
    g_free(row->hardware);
    g_free(row->runtime);
    g_free(row->schedule);
    g_free(row->recompute);
    g_free(row->precision);
    g_free(row->fsdp);
    g_free(row->flash_attention);
    g_free(row->attention_kernel);
    g_clear_pointer(&row->layers_per_stage, g_array_unref);
    g_free(row);
}

static bool
contains(const char *text, const char *word)
{
    if (text == NULL)
        return false;

    g_autofree char *lower = g_ascii_strdown(text, -1);

    return strstr(lower, word) != NULL;
}

bool
psim_row_mentions(const PsimRow *self, const char *word)
{
    return contains(self->framework, word) || contains(self->source, word) ||
           contains(self->id, word) || contains(self->notes, word);
}

/* -- Contradictions ---------------------------------------------------------------------------- */

static char *
check_gpus(const PsimRow *self)
{
    const uint64_t product =
        (uint64_t)MAX(self->tp, 1) * MAX(self->pp, 1) * self->dp * MAX(self->cp, 1);

    if (self->n_gpus == 0 || self->dp == 0 || product == self->n_gpus)
        return NULL;
    return g_strdup_printf("tensor %u x pipeline %u x data %u x context %u = %" G_GUINT64_FORMAT
                           " GPUs, but it says %u",
                           MAX(self->tp, 1), MAX(self->pp, 1), self->dp, MAX(self->cp, 1), product,
                           self->n_gpus);
}

static char *
check_batch(const PsimRow *self)
{
    const uint64_t product = (uint64_t)self->micro_batch * self->n_microbatches * self->dp;

    if (product == 0 || self->global_batch == 0 || product == self->global_batch)
        return NULL;
    return g_strdup_printf(
        "microbatch %u x %u microbatches x data %u = %" G_GUINT64_FORMAT " samples, but it says %u",
        self->micro_batch, self->n_microbatches, self->dp, product, self->global_batch);
}

/* Rates are printed with three digits, and averaged apart from the time. */
#define RATE_TOLERANCE 0.1

static char *
check_rate(const PsimRow *self)
{
    const double tokens = (double)self->global_batch * self->model.sequence;
    const double rate = tokens / self->step_s;

    if (!isfinite(self->tokens_per_s) || !(tokens > 0) || !(self->step_s > 0) ||
        fabs(rate / self->tokens_per_s - 1) <= RATE_TOLERANCE)
        return NULL;
    return g_strdup_printf("%.4g tokens in %.4g s are %.4g tokens/s, but it says %.4g", tokens,
                           self->step_s, rate, self->tokens_per_s);
}

/* A label such as "530B" is rounded and may leave embeddings out; a wrong shape is far off. */
#define PARAMETER_TOLERANCE 0.25

static char *
check_parameters(const PsimRow *self)
{
    const PsimRowModel *model = &self->model;
    const double h = model->hidden;
    const double kv = model->n_heads > 0 && model->n_kv_heads > 0
                          ? (double)model->n_kv_heads / model->n_heads
                          : 1;
    const double attention =
        model->head_dim > 0 && model->n_heads > 0 ? (double)model->head_dim * model->n_heads : h;
    const double ffn = model->ffn_hidden > 0 ? model->ffn_hidden : 4 * h;
    const double matrices = model->gated == PSIM_TOLD_YES ? 3 : 2;
    const double block = h * attention * (2 + 2 * kv) + matrices * h * ffn;
    const double positions = model->learned_positions == PSIM_TOLD_YES ? model->sequence : 0;
    const double ends =
        h * (model->vocabulary * (model->tied == PSIM_TOLD_NO ? 2.0 : 1.0) + positions);
    const double blocks = model->n_layers * block;

    if (!(model->params > 0) || !(blocks > 0) || model->experts)
        return NULL;
    if (model->params > blocks * (1 - PARAMETER_TOLERANCE) &&
        model->params < (blocks + ends) * (1 + PARAMETER_TOLERANCE))
        return NULL;
    return g_strdup_printf("the shape has %.3g parameters, but it says %.3g", blocks + ends,
                           model->params);
}

char *
psim_row_contradiction(const PsimRow *self)
{
    static char *(*const checks[])(const PsimRow *) = {check_gpus, check_batch, check_rate,
                                                       check_parameters};

    for (size_t i = 0; i < G_N_ELEMENTS(checks); i++) {
        char *reason = checks[i](self);

        if (reason != NULL)
            return reason;
    }
    return NULL;
}
