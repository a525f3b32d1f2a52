/* SPDX-License-Identifier: MIT */
#include "validate/plan_text.h"

#include "plansim.h"

#include <cjson/cJSON.h>
#include <string.h>

static void
add_count(cJSON *object, const char *key, uint32_t value)
{
    if (value > 0)
        (void)cJSON_AddNumberToObject(object, key, value);
}

static void
add_told(cJSON *object, const char *key, PsimTold told)
{
    if (told != PSIM_TOLD_NOT)
        (void)cJSON_AddBoolToObject(object, key, told == PSIM_TOLD_YES);
}

/* -- The model --------------------------------------------------------------------------------- */

/* Heads of 128 are what most models of this age have. */
#define USUAL_HEAD_DIM 128u

static uint32_t
choose_heads(const PsimRow *row, PsimResolved *resolved)
{
    const uint32_t tp = MAX(row->tp, 1);
    uint32_t n_heads = MAX(row->model.hidden / USUAL_HEAD_DIM, 1);

    if (row->model.n_heads > 0)
        return row->model.n_heads;
    while (n_heads > 1 && (row->model.hidden % n_heads != 0 || n_heads % tp != 0))
        n_heads--;
    psim_resolve_assume(resolved, "heads of %u", row->model.hidden / n_heads);
    return n_heads;
}

static uint32_t
choose_vocabulary(const PsimRow *row, PsimResolved *resolved)
{
    const bool gated = row->model.gated == PSIM_TOLD_YES;
    const uint32_t usual = gated ? 32000 : 50257;

    if (row->model.vocabulary > 0)
        return row->model.vocabulary;
    psim_resolve_assume(resolved, "vocabulary of %s", gated ? "LLaMA, 32000" : "GPT-2, 50257");
    return usual;
}

static bool
is_named(const PsimRow *row, const char *prefix)
{
    return row->model.name != NULL &&
           g_ascii_strncasecmp(row->model.name, prefix, strlen(prefix)) == 0;
}

static void
add_model(cJSON *plan, const PsimRow *row, PsimResolved *resolved)
{
    const PsimRowModel *model = &row->model;
    cJSON *document = cJSON_AddObjectToObject(plan, "model");
    cJSON *shape = cJSON_AddObjectToObject(document, "transformer");

    add_count(shape, "layers", model->n_layers);
    add_count(shape, "hidden", model->hidden);
    add_count(shape, "heads", choose_heads(row, resolved));
    add_count(shape, "kv_heads", model->n_heads > 0 ? model->n_kv_heads : 0);
    add_count(shape, "head_dim", model->head_dim);
    add_count(shape, "ffn_hidden", model->ffn_hidden);
    add_count(shape, "vocabulary", choose_vocabulary(row, resolved));
    add_count(shape, "sequence", model->sequence);
    add_told(shape, "gated_mlp", model->gated);
    add_told(shape, "tied_embeddings", model->tied);
    add_told(shape, "biases", model->biases);
    if (model->learned_positions == PSIM_TOLD_YES || model->alibi == PSIM_TOLD_YES)
        (void)cJSON_AddStringToObject(shape, "positions",
                                      model->alibi == PSIM_TOLD_YES ? "alibi" : "learned");
    if (is_named(row, "bert"))
        (void)cJSON_AddBoolToObject(shape, "causal", false);
    /* MPT is published without dropout. */
    if (is_named(row, "mpt"))
        (void)cJSON_AddBoolToObject(shape, "dropout", false);
}

/* -- The plan ---------------------------------------------------------------------------------- */

static bool
is_known_schedule(const char *name)
{
    return psim_schedule_summary(name) != NULL;
}

/* What the words before the first blank mean; "1F1B-I" is Megatron's interleaving. */
static const struct {
    const char *word;
    const char *name;
} schedule_words[] = {
    {"1f1b-i", "interleaved"}, {"1f1b", "1f1b"},         {"interleaved", "1f1b"},
    {"gpipe", "gpipe"},        {"none", "1f1b"},         {"zb-h1", "zb-h1"},
    {"zb-1p", "zb-h1"},        {"zb-h2", "zb-h2"},       {"zb-2p", "zb-h2"},
    {"v-half", "zb-v-half"},   {"v-min", "zb-v-min"},    {"v-zb", "zb-v"},
    {"zb-v", "zb-v"},          {"dualpipe", "dualpipe"},
};

const char *
psim_plan_text_schedule(const PsimRow *row)
{
    if (row->pp <= 1 || row->schedule == NULL)
        return row->vp > 1 && row->pp > 1 ? "interleaved" : "1f1b";
    for (size_t i = 0; i < G_N_ELEMENTS(schedule_words); i++) {
        const char *word = schedule_words[i].word;
        const char *name = schedule_words[i].name;

        if (g_ascii_strncasecmp(row->schedule, word, strlen(word)) != 0)
            continue;
        if (strcmp(name, "1f1b") == 0 && row->vp > 1)
            name = "interleaved";
        return is_known_schedule(name) ? name : NULL;
    }
    return NULL;
}

const char *
psim_plan_text_recompute(const PsimRow *row)
{
    const char *text = row->recompute;

    /* What the source itself doubts is not stated. vTrain's layers on one tensor rank take 17.0 ms,
     * what their kernels take without recomputation (16.5 ms); with it they would reach 209
     * TFLOP/s.
     */
    if (text == NULL || strstr(text, "not stated") != NULL || strstr(text, "doubtful") != NULL)
        return NULL;
    if (g_str_has_prefix(text, "none"))
        return "none";
    if (strstr(text, "some blocks") != NULL || strstr(text, "except") != NULL ||
        strchr(text, '[') != NULL)
        return "";
    if (g_str_has_prefix(text, "full"))
        return "full";
    return g_str_has_prefix(text, "selective") ? "selective" : "";
}

static uint32_t
count_chunks(const PsimRow *row, const char *schedule)
{
    if (row->chunk_a_layer && strcmp(schedule, "interleaved") == 0)
        return (row->model.n_layers + 2) / row->pp;
    /* Nothing is assumed where chunks could not differ. */
    return row->pp <= 1 ? 1 : row->vp;
}

static void
add_told_split(cJSON *plan, const GArray *layers)
{
    cJSON *list = cJSON_AddArrayToObject(plan, "layers_per_stage");

    for (guint i = 0; i < layers->len; i++)
        (void)cJSON_AddItemToArray(list, cJSON_CreateNumber(g_array_index(layers, uint32_t, i)));
}

/* One layer fewer at both ends, or one more on the first stages. */
static uint32_t
count_own(uint32_t n_layers, uint32_t n_stages, uint32_t stage, bool with_ends)
{
    const bool at_end = stage == 0 || stage + 1 == n_stages;

    return with_ends ? (n_layers + 2) / n_stages - (at_end ? 1 : 0)
                     : n_layers / n_stages + (stage < n_layers % n_stages ? 1 : 0);
}

/* Where layers do not divide: embedding and head count as a layer each if that makes it even, as
 * the sources that use such shapes do; else the first stages have one more. */
static void
add_split(cJSON *plan, const PsimRow *row, uint32_t n_chunks, PsimResolved *resolved)
{
    const uint32_t n_stages = MAX(row->pp, 1) * MAX(n_chunks, 1);
    const uint32_t n_layers = row->model.n_layers;
    const bool with_ends = (n_layers + 2) % n_stages == 0;

    if (row->layers_per_stage != NULL) {
        add_told_split(plan, row->layers_per_stage);
        return;
    }
    if (n_layers % n_stages == 0 || n_stages > n_layers + 2)
        return;
    cJSON *list = cJSON_AddArrayToObject(plan, "layers_per_stage");

    psim_resolve_assume(resolved, "layers_per_stage, %s",
                        with_ends ? "one fewer at both ends" : "the first stages have more");
    for (uint32_t i = 0; i < n_stages; i++)
        (void)cJSON_AddItemToArray(list,
                                   cJSON_CreateNumber(count_own(n_layers, n_stages, i, with_ends)));
}

/* "fp16 mixed", "bf16 (fp32 master weights)", "fp8 (hybrid) + bf16", "amp (bf16)": the type of the
 * matrix products is the first that is named, but FP8 wherever it is. */
static const char *
find_precision(const char *text)
{
    static const char *const words[] = {"bf16", "fp16", "tf32", "fp32", NULL};
    const char *first = NULL;
    const char *found = NULL;

    if (text == NULL)
        return NULL;
    if (strstr(text, "fp8") != NULL)
        return "fp8";
    if (strstr(text, "tf32") != NULL)
        return "tf32";
    for (size_t i = 0; words[i] != NULL; i++) {
        const char *place = strstr(text, words[i]);

        if (place != NULL && (first == NULL || place < first)) {
            first = place;
            found = words[i];
        }
    }
    return found;
}

static PsimTold
find_flash(const char *word)
{
    static const char *const no[] = {"false", "unfused", "local", "none", NULL};

    if (word == NULL)
        return PSIM_TOLD_NOT;
    return g_strv_contains(no, word) ? PSIM_TOLD_NO : PSIM_TOLD_YES;
}

static int
find_zero_stage(const PsimRow *row)
{
    if (row->zero_stage >= 0 || row->fsdp == NULL)
        return row->zero_stage;
    if (strstr(row->fsdp, "GRAD") != NULL)
        return 2;
    return strcmp(row->fsdp, "false") == 0 ? -1 : 3;
}

static void
add_parallel(cJSON *plan, const PsimRow *row)
{
    cJSON *parallel = cJSON_AddObjectToObject(plan, "parallel");

    add_count(plan, "gpus", row->n_gpus);
    add_count(parallel, "tensor", row->tp);
    if (row->cp > 1)
        add_count(parallel, "context", row->cp);
    add_count(parallel, "pipeline", row->pp);
    add_count(parallel, "data", row->dp);
    add_told(parallel, "sequence_parallel", row->tp <= 1 ? PSIM_TOLD_NO : row->sequence_parallel);
}

static uint32_t
find_data(const PsimRow *row)
{
    const uint32_t ranks = MAX(row->tp, 1) * MAX(row->cp, 1) * MAX(row->pp, 1);

    return row->dp > 0 ? row->dp : row->n_gpus / ranks;
}

/* What two of the three figures say about the third. A profile of one rank is one pass over the
 * whole batch of a replica. */
static void
add_batch(cJSON *plan, const PsimRow *row)
{
    cJSON *batch = cJSON_AddObjectToObject(plan, "batch");
    const uint32_t dp = find_data(row);
    const uint32_t own = row->micro_batch * MAX(row->n_microbatches, 1) * dp;
    const uint32_t global = row->global_batch > 0 ? row->global_batch : own;
    const bool one_pass = row->n_microbatches > 0 || (row->bytes_rank >= 0 && row->pp <= 1);
    const uint32_t n_microbatches = MAX(row->n_microbatches, 1);
    const bool divides = dp > 0 && one_pass && global % (n_microbatches * dp) == 0;
    const uint32_t micro = row->micro_batch > 0 ? row->micro_batch
                           : divides            ? global / (n_microbatches * dp)
                                                : 0;

    add_count(batch, "micro", micro);
    add_count(batch, "global", global);
}

/* Only where the source says so in words. */
static void
add_overlap(cJSON *plan, const PsimRow *row)
{
    if (row->notes == NULL || strstr(row->notes, "all DP/TP/PP overlaps on") == NULL)
        return;
    cJSON *overlap = cJSON_AddObjectToObject(plan, "overlap");

    (void)cJSON_AddBoolToObject(overlap, "data", true);
    (void)cJSON_AddBoolToObject(overlap, "pipeline", true);
    (void)cJSON_AddBoolToObject(overlap, "tensor", true);
}

char *
psim_plan_text_write(const PsimRow *row, PsimResolved *resolved)
{
    cJSON *plan = cJSON_CreateObject();
    const char *schedule = psim_plan_text_schedule(row);
    const char *recompute = psim_plan_text_recompute(row);
    const char *precision = find_precision(row->precision);
    const int zero_stage = find_zero_stage(row);
    const uint32_t n_chunks = count_chunks(row, schedule);

    (void)cJSON_AddStringToObject(plan, "schema", "plansim.plan/1");
    add_model(plan, row, resolved);
    (void)cJSON_AddStringToObject(plan, "hardware", resolved->hardware);
    (void)cJSON_AddStringToObject(plan, "runtime", resolved->runtime);
    add_parallel(plan, row);
    add_batch(plan, row);
    cJSON *order = cJSON_AddObjectToObject(plan, "schedule");

    if (row->pp > 1 && row->vp == 0 && !row->chunk_a_layer && row->schedule != NULL &&
        strstr(row->schedule, "interleaved") != NULL)
        psim_resolve_assume(resolved, "schedule 1f1b");
    (void)cJSON_AddStringToObject(order, "name", schedule);
    add_count(order, "chunks", n_chunks);
    add_split(plan, row, n_chunks, resolved);
    if (recompute != NULL)
        (void)cJSON_AddStringToObject(plan, "recompute", recompute);
    if (zero_stage >= 0)
        (void)cJSON_AddNumberToObject(plan, "zero_stage", zero_stage);
    if (precision != NULL)
        (void)cJSON_AddStringToObject(plan, "precision", precision);
    add_told(plan, "flash_attention", find_flash(row->flash_attention));
    add_overlap(plan, row);

    char *text = cJSON_PrintUnformatted(plan);
    char *copy = g_strdup(text);

    cJSON_free(text);
    cJSON_Delete(plan);
    return copy;
}
