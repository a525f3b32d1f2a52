/* SPDX-License-Identifier: MIT */
#include "spec/derive.h"

#include "base/limits.h"
#include "spec/member.h"
#include "spec/schedule_file.h"

#include <string.h>

/* Enough microbatches to make the bubble a ninth. */
#define MICROBATCHES_PER_STAGE 8u

static const char *const recompute_words[] = {"none", "selective", "full", NULL};

static void
note_count(PsimReader *reader, const char *key, uint64_t value, const char *why)
{
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, value);

    psim_reader_note_default(reader, key, text, why);
}

/* One rank a sequence goes without saying, and then there is nothing to communicate. */
static void
read_context(PsimPlan *plan, PsimReader *reader)
{
    static const char key[] = "context_communication";

    plan->cp = 1;
    plan->context_communication = plan->runtime.context_communication;
    if (psim_reader_has(reader, "context"))
        plan->cp = (uint32_t)psim_reader_count(reader, "context", 1, PSIM_LIMIT_CONTEXT);
    if (psim_reader_has(reader, key) || plan->cp > 1)
        plan->context_communication = (PsimContextCommunication)psim_member_choice(
            reader, key, psim_context_words(), plan->runtime.context_communication,
            "as the runtime has it");
}

/* gpus = tensor x context x pipeline x data: from two of the three sides, the third. */
static void
read_degrees(PsimPlan *plan, PsimReader *reader, PsimGiven *given)
{
    given->gpus = psim_reader_has(reader, "gpus");
    plan->n_gpus =
        given->gpus ? (uint32_t)psim_reader_count(reader, "gpus", 1, PSIM_LIMIT_GPUS) : 1;

    psim_reader_enter_or_empty(reader, "parallel");
    plan->tp = (uint32_t)psim_member_count(reader, "tensor", 1, PSIM_LIMIT_DEGREE, 1, "default");
    read_context(plan, reader);
    plan->pp = (uint32_t)psim_member_count(reader, "pipeline", 1, PSIM_LIMIT_DEGREE, 1, "default");

    const uint64_t ranks = (uint64_t)plan->tp * plan->cp * plan->pp;

    given->data = psim_reader_has(reader, "data");
    if (given->data) {
        plan->dp = (uint32_t)psim_reader_count(reader, "data", 1, PSIM_LIMIT_DEGREE);
    } else {
        plan->dp = (uint32_t)MAX(1, plan->n_gpus / ranks);
        note_count(reader, "data", plan->dp,
                   plan->cp > 1 ? "gpus / (tensor x context x pipeline)"
                                : "gpus / (tensor x pipeline)");
    }
    plan->sequence_parallel = psim_member_flag(reader, "sequence_parallel", false, "default");
    psim_reader_leave(reader);
    if (given->gpus)
        return;
    if (given->data) {
        plan->n_gpus = (uint32_t)MIN(ranks * plan->dp, UINT32_MAX);
        note_count(reader, "gpus", ranks * plan->dp,
                   plan->cp > 1 ? "tensor x context x pipeline x data"
                                : "tensor x pipeline x data");
    } else {
        plan->n_gpus = (uint32_t)psim_reader_count(reader, "gpus", 1, PSIM_LIMIT_GPUS);
    }
}

static void
read_batch(PsimPlan *plan, PsimReader *reader)
{
    psim_reader_enter_or_empty(reader, "batch");
    plan->micro_batch =
        (uint32_t)psim_member_count(reader, "micro", 1, PSIM_LIMIT_BATCH, 1, "default");

    const uint32_t depth = plan->pp > 1 ? MICROBATCHES_PER_STAGE * plan->pp : 1;
    const uint64_t unit = (uint64_t)plan->dp * plan->micro_batch;
    /* Beyond the limit the product would not even fit. */
    const uint64_t global = unit > PSIM_LIMIT_BATCH ? unit : unit * depth;

    if (!psim_reader_has(reader, "global") && global > PSIM_LIMIT_BATCH)
        psim_reader_complain(reader, "global", PSIM_ERROR_LIMIT,
                             "missing; micro %u x data %u x %u %s is more than %u samples "
                             "(PSIM_LIMIT_BATCH)",
                             plan->micro_batch, plan->dp, depth,
                             depth == 1 ? "microbatch" : "microbatches", PSIM_LIMIT_BATCH);
    plan->global_batch = (uint32_t)psim_member_count(
        reader, "global", 1, PSIM_LIMIT_BATCH, MIN(global, PSIM_LIMIT_BATCH),
        plan->pp > 1 ? "8 microbatches a stage" : "1 microbatch a replica");
    plan->n_microbatches = (uint32_t)MAX(1, plan->global_batch / unit);
    psim_reader_leave(reader);
}

static unsigned
find_word(const char *const *words, const char *word)
{
    unsigned index = 0;

    while (words[index] != NULL && !g_str_equal(words[index], word))
        index++;
    g_assert(words[index] != NULL);
    return index;
}

/* PyTorch cuts the microbatches into equal rounds; Megatron-LM takes as many as ranks at a time. */
static uint32_t
choose_group(const PsimPlan *plan)
{
    const uint32_t n_rounds = MAX(1, plan->n_microbatches / plan->pp);

    if (plan->runtime.interleave == PSIM_INTERLEAVE_PYTORCH && plan->n_chunks > 1 &&
        plan->n_microbatches % n_rounds == 0)
        return plan->n_microbatches / n_rounds;
    return plan->pp;
}

/* From the list of schedules, or the order of a file. */
static void
read_order(PsimPlan *plan, PsimReader *reader, const PsimPartsContext *context)
{
    const char *const *words = psim_schedule_words();
    const unsigned fallback = find_word(words, "1f1b");

    plan->schedule = psim_schedule_find(words[fallback]);
    if (!psim_schedule_file_read(plan, reader, context))
        plan->schedule = psim_schedule_find(
            words[psim_member_choice(reader, "name", words, fallback, "default")]);
}

static void
read_schedule(PsimPlan *plan, PsimReader *reader, const PsimPartsContext *context)
{
    psim_reader_enter_or_empty(reader, "schedule");
    read_order(plan, reader, context);

    const PsimCsvFile *file = plan->schedule_file;

    plan->n_chunks = (uint32_t)psim_member_count(
        reader, "chunks", 1, PSIM_LIMIT_STAGES,
        file != NULL ? psim_csv_n_chunks(file->order) : plan->schedule->default_chunks,
        file != NULL ? "as the schedule file has it" : "as the schedule has it");

    plan->n_slices = (uint32_t)psim_member_count(reader, "slices", 1, PSIM_LIMIT_SEQUENCE,
                                                 MAX(plan->schedule->default_slices, 1),
                                                 "as the schedule has it");

    const uint32_t group = choose_group(plan);

    plan->group = (uint32_t)psim_member_count(reader, "group", 1, PSIM_LIMIT_MICROBATCHES, group,
                                              group == plan->pp ? "as many as pipeline ranks"
                                                                : "microbatches in equal rounds");
    psim_reader_leave(reader);
}

/* Returns: entries. */
static uint32_t
read_explicit_split(PsimPlan *plan, PsimReader *reader, const char *key)
{
    const size_t n_items = psim_reader_items(reader, key, /* required= */ true);
    const uint32_t n_split = (uint32_t)MIN(n_items, PSIM_LIMIT_STAGES);

    plan->split = PSIM_SPLIT_EXPLICIT;
    plan->layers_per_stage = g_new0(uint32_t, MAX(n_split, 1));
    for (uint32_t i = 0; i < n_split; i++)
        plan->layers_per_stage[i] =
            (uint32_t)psim_reader_item_count(reader, key, i, 0, PSIM_LIMIT_LAYERS);
    if (n_items > PSIM_LIMIT_STAGES)
        psim_reader_complain(reader, key, PSIM_ERROR_LIMIT,
                             "has %zu stages; at most %u (PSIM_LIMIT_STAGES)", n_items,
                             PSIM_LIMIT_STAGES);
    return n_split;
}

/* Returns: entries; 0 for an even or balanced split, which the crosscheck fills in. */
static uint32_t
read_split(PsimPlan *plan, PsimReader *reader)
{
    static const char key[] = "layers_per_stage";

    if (psim_reader_is_array(reader, key))
        return read_explicit_split(plan, reader, key);
    if (!psim_reader_has(reader, key)) {
        psim_reader_note_default(reader, key, "\"even\"", "default");
        return 0;
    }
    const char *word =
        psim_reader_is_string(reader, key) ? psim_reader_string(reader, key) : "neither";

    if (g_str_equal(word, "balanced"))
        plan->split = PSIM_SPLIT_BALANCED;
    else if (!g_str_equal(word, "even"))
        psim_reader_complain(reader, key, PSIM_ERROR_VALUE,
                             "must be \"even\", \"balanced\" or an array of layers, one number a "
                             "stage");
    return 0;
}

static void
read_precision(PsimPlan *plan, PsimReader *reader)
{
    static const PsimPrecision preferred[] = {PSIM_PRECISION_BF16, PSIM_PRECISION_FP16,
                                              PSIM_PRECISION_FP32};
    unsigned fallback = PSIM_PRECISION_FP32;

    for (size_t i = G_N_ELEMENTS(preferred); i > 0 && plan->hardware != NULL; i--)
        if (plan->hardware->device.peak_flop_per_s[preferred[i - 1]] > 0)
            fallback = preferred[i - 1];
    plan->precision = (PsimPrecision)psim_member_choice(reader, "precision", psim_precision_words(),
                                                        fallback, "the device has it");
}

static void
read_overlap(PsimPlan *plan, PsimReader *reader)
{
    static const char why[] = "as the runtime has it";
    const PsimRuntime *runtime = &plan->runtime;

    plan->flash_attention =
        psim_member_flag(reader, "flash_attention", runtime->flash_attention, why);
    psim_reader_enter_or_empty(reader, "overlap");
    plan->overlap_dp = psim_member_flag(reader, "data", runtime->overlap_dp, why);
    plan->overlap_pp = psim_member_flag(reader, "pipeline", runtime->overlap_pp, why);
    plan->overlap_tp = psim_member_flag(reader, "tensor", runtime->overlap_tp, why);
    psim_reader_leave(reader);
}

static double
default_price(const PsimPlan *plan, PsimReader *reader)
{
    const PsimDevice *device = plan->hardware != NULL ? &plan->hardware->device : NULL;

    if (device == NULL || device->usd_per_gpu_hour <= 0)
        return 0;

    g_autoptr(PsimWriter) writer = psim_writer_new(/* pretty= */ false);
    g_autofree char *why =
        g_strconcat("the device's price of ",
                    device->price_date != NULL ? device->price_date : "no date", NULL);

    psim_writer_number(writer, NULL, device->usd_per_gpu_hour);

    g_autofree char *value = psim_writer_finish(writer);

    psim_reader_note_default(reader, "usd_per_gpu_hour", g_strchomp(value), why);
    return device->usd_per_gpu_hour;
}

/* Recompute full may leave layers alone, and may keep one input for several. That it does neither
 * goes without saying. */
static void
read_recomputed_layers(PsimPlan *plan, PsimReader *reader)
{
    plan->recompute_layers = plan->model != NULL ? psim_model_layer_count(plan->model) : 0;
    plan->recompute_group = 1;
    if (psim_reader_has(reader, "recompute_layers"))
        plan->recompute_layers =
            (uint32_t)psim_reader_count(reader, "recompute_layers", 0, PSIM_LIMIT_LAYERS);
    if (psim_reader_has(reader, "recompute_group"))
        plan->recompute_group =
            (uint32_t)psim_reader_count(reader, "recompute_group", 1, PSIM_LIMIT_LAYERS);
}

static void
read_run(PsimPlan *plan, PsimReader *reader)
{
    psim_reader_enter_or_empty(reader, "run");
    if (psim_reader_has(reader, "tokens"))
        plan->tokens = psim_reader_number(reader, "tokens", 0, 1e18);
    plan->usd_per_gpu_hour = psim_reader_has(reader, "usd_per_gpu_hour")
                                 ? psim_reader_number(reader, "usd_per_gpu_hour", 0, 1e6)
                                 : default_price(plan, reader);
    psim_reader_leave(reader);
}

void
psim_derive_plan(PsimPlan *plan,
                 PsimReader *reader,
                 const PsimPartsContext *context,
                 PsimGiven *given,
                 uint32_t *ret_n_split)
{
    read_degrees(plan, reader, given);
    read_batch(plan, reader);
    read_schedule(plan, reader, context);
    *ret_n_split = read_split(plan, reader);
    plan->recompute = (PsimRecompute)psim_member_choice(reader, "recompute", recompute_words,
                                                        PSIM_RECOMPUTE_NONE, "default");
    read_recomputed_layers(plan, reader);
    plan->zero_stage = (uint32_t)psim_member_count(reader, "zero_stage", 0, 3, 0, "default");
    read_precision(plan, reader);
    read_overlap(plan, reader);
    read_run(plan, reader);
}
