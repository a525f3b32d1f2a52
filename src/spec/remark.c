/* SPDX-License-Identifier: MIT */
#include "spec/remark.h"

#include "base/text.h"
#include "schedule/partition.h"

/* Below this many microbatches a stage, a pipeline mostly fills and drains. */
#define FEW_MICROBATCHES 4u
/* Trainers that do not pad by themselves are told to use this: GPT-2's 50257 becomes 50304. */
#define USUAL_VOCABULARY_MULTIPLE 64u

static const char warning[] = "warning";
static const char note[] = "note";

static uint32_t
round_up(uint32_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static void
remark_nodes(PsimPlan *plan)
{
    const uint32_t per_node = plan->hardware->gpus_per_node;
    const uint32_t idle = round_up(plan->n_gpus, per_node) - plan->n_gpus;

    if (idle == 0)
        return;
    psim_plan_warn(
        plan, "nodes-not-filled", plan->n_gpus > per_node ? warning : note,
        plan->n_gpus == 1
            ? g_strdup_printf("1 GPU leaves %u idle on nodes of %u", idle, per_node)
            : g_strdup_printf("%u GPUs leave %u idle on nodes of %u", plan->n_gpus, idle, per_node),
        g_strdup_printf("%u GPUs", plan->n_gpus + idle));
}

/* Groups are laid out in order, so one that does not divide a domain straddles two somewhere. */
static void
remark_tensor_placement(PsimPlan *plan)
{
    const uint32_t domain = plan->hardware->scale_up_size;
    uint32_t below = 0;
    uint32_t above = 0;

    if (plan->tp == 1 || domain % plan->tp == 0)
        return;
    if (plan->tp > domain) {
        psim_plan_warn(plan, "tp-across-nodes", warning,
                       g_strdup_printf("tensor %u is more than the %u GPUs of a scale-up domain: "
                                       "its collectives cross the fabric in every layer",
                                       plan->tp, domain),
                       g_strdup_printf("tensor %u or less, the rest to pipeline or data", domain));
        return;
    }
    if (plan->n_gpus <= domain)
        return;
    psim_partition_nearest(domain, plan->tp, &below, &above);
    psim_plan_warn(plan, "tp-across-nodes", warning,
                   g_strdup_printf("tensor %u does not divide the %u GPUs of a scale-up domain: "
                                   "some groups cross the fabric in every layer",
                                   plan->tp, domain),
                   g_strdup_printf("tensor %u or %u", below, above));
}

/* What products are slowed by whose width is a rank's share of the vocabulary. */
static double
find_vocabulary_ratio(const PsimPlan *plan, uint64_t rows)
{
    const PsimDevice *device = &plan->hardware->device;
    const uint64_t bytes = rows * (plan->precision <= PSIM_PRECISION_TF32 ? 4 : 2);

    if (!device->gemm.tiled || device->n_sms == 0 || bytes % 16 == 0)
        return 1.0;
    return bytes % 4 == 0 ? device->gemm.misaligned : device->gemm.odd;
}

static void
remark_vocabulary(PsimPlan *plan)
{
    const uint32_t vocabulary = plan->model->vocabulary;
    const uint64_t padded = psim_plan_padded_vocabulary(plan);
    const uint64_t rows = padded / plan->tp;
    const uint64_t unit = (uint64_t)USUAL_VOCABULARY_MULTIPLE * plan->tp;
    const double ratio = find_vocabulary_ratio(plan, rows);

    if (padded != vocabulary)
        psim_plan_warn(plan, "vocabulary-padded", note,
                       g_strdup_printf("vocabulary %u is padded to %" G_GUINT64_FORMAT
                                       ", a multiple of %u x tensor %u",
                                       vocabulary, padded, plan->runtime.vocabulary_multiple,
                                       plan->tp),
                       NULL);
    if (ratio <= 1.0)
        return;
    g_autoptr(GString) text = g_string_new(NULL);

    g_string_append_printf(text,
                           "a tensor rank has %" G_GUINT64_FORMAT " rows of vocabulary %u, %s: the "
                           "products of the logits take ",
                           rows, vocabulary,
                           rows % 2 == 1 ? "an odd number" : "no multiple of 16 bytes");
    psim_text_significant(text, ratio, /* digits= */ 3);
    g_string_append_printf(text, " times as long on %s", plan->hardware->device.name);
    psim_plan_warn(plan, "vocabulary-unaligned", warning,
                   g_string_free(g_steal_pointer(&text), /* free_segment= */ FALSE),
                   g_strdup_printf("pad it to %" G_GUINT64_FORMAT ", a multiple of %u x tensor %u",
                                   (vocabulary + unit - 1) / unit * unit, USUAL_VOCABULARY_MULTIPLE,
                                   plan->tp));
}

static void
remark_tensor(PsimPlan *plan)
{
    const PsimModel *model = plan->model;

    if (plan->sequence_parallel && plan->tp == 1)
        psim_plan_warn(plan, "sequence-parallel-alone", note,
                       g_strdup("sequence parallelism does nothing with tensor 1"), NULL);
    if (model->kind != PSIM_MODEL_TRANSFORMER)
        return;
    g_assert(model->n_kv_heads > 0);
    if (plan->tp > model->n_kv_heads)
        psim_plan_warn(plan, "kv-heads-replicated", warning,
                       g_strdup_printf("%u key-value heads on %u tensor ranks: each is kept %u "
                                       "times",
                                       model->n_kv_heads, plan->tp, plan->tp / model->n_kv_heads),
                       g_strdup_printf("tensor %u or less", model->n_kv_heads));
    remark_vocabulary(plan);
}

static void
remark_layer_list(PsimPlan *plan)
{
    const PsimModel *model = plan->model;
    double exchange_bytes = 0;

    for (uint32_t i = 0; i < model->n_listed; i++)
        exchange_bytes += model->layers[i].exchange_bytes;
    if (model->kind == PSIM_MODEL_LAYER_LIST && plan->tp > 1 && exchange_bytes <= 0)
        psim_plan_warn(plan, "no-exchange", warning,
                       g_strdup_printf("tensor %u, but no layer of %s has an \"exchange\": its "
                                       "communication counts as free",
                                       plan->tp, model->name),
                       NULL);
}

static void
remark_microbatches(PsimPlan *plan)
{
    const uint64_t enough = (uint64_t)FEW_MICROBATCHES * plan->pp;
    const uint64_t batch = enough * plan->dp * plan->micro_batch;
    const bool starved = plan->n_microbatches < plan->pp;

    if (plan->pp == 1 || plan->n_microbatches >= enough)
        return;
    psim_plan_warn(plan, starved ? "fewer-microbatches-than-stages" : "few-microbatches", note,
                   starved ? g_strdup_printf("%u of %u pipeline ranks wait at any time for want of "
                                             "microbatches",
                                             plan->pp - plan->n_microbatches, plan->pp)
                           : g_strdup_printf("%u microbatches on %u pipeline ranks: much of the "
                                             "step fills and drains the pipeline",
                                             plan->n_microbatches, plan->pp),
                   g_strdup_printf("%" G_GUINT64_FORMAT " microbatches or more: a global batch of "
                                   "%" G_GUINT64_FORMAT,
                                   enough, batch));
}

static void
remark_zero(PsimPlan *plan)
{
    if (plan->zero_stage >= 2 && plan->pp > 1)
        psim_plan_warn(plan, "zero-with-pipeline", warning,
                       g_strdup_printf("ZeRO %u with a pipeline: most runtimes refuse it, for "
                                       "gradients are needed across microbatches",
                                       plan->zero_stage),
                       g_strdup("zero_stage 1"));
    if (plan->zero_stage >= 1 && psim_plan_owners(plan) == 1)
        psim_plan_warn(plan, "zero-alone", note,
                       g_strdup_printf("ZeRO %u shards nothing with data 1", plan->zero_stage),
                       g_strdup("data 2 or more: what it shards is divided by the replicas"));
}

/* Matrix units work in 16 bits and below; wider formats leave them idle or at a fraction. */
static void
remark_precision(PsimPlan *plan)
{
    const PsimDevice *device = &plan->hardware->device;
    const char *const *words = psim_precision_words();
    const double *peaks = device->peak_flop_per_s;
    const PsimPrecision narrow = peaks[PSIM_PRECISION_BF16] >= peaks[PSIM_PRECISION_FP16]
                                     ? PSIM_PRECISION_BF16
                                     : PSIM_PRECISION_FP16;

    if (plan->precision > PSIM_PRECISION_TF32 || peaks[narrow] < 2.0 * peaks[plan->precision])
        return;
    g_autoptr(GString) text = g_string_new(words[plan->precision]);

    g_string_append(text, " products reach ");
    psim_text_significant(text, peaks[plan->precision] / 1e12, /* digits= */ 3);
    g_string_append_printf(text, " TFLOP/s at most on %s; %s products ", device->name,
                           words[narrow]);
    psim_text_significant(text, peaks[narrow] / 1e12, /* digits= */ 3);
    psim_plan_warn(plan, "slow-precision", warning,
                   g_string_free(g_steal_pointer(&text), /* free_segment= */ FALSE),
                   g_strdup_printf("precision %s", words[narrow]));
}

static void
remark_recompute(PsimPlan *plan)
{
    if (plan->recompute == PSIM_RECOMPUTE_SELECTIVE && plan->flash_attention &&
        !plan->runtime.selective_by_operator)
        psim_plan_warn(plan, "selective-with-flash", note,
                       g_strdup("selective recomputation saves little with flash attention, "
                                "which keeps no scores"),
                       g_strdup("recompute none"));
    if (plan->recompute == PSIM_RECOMPUTE_FULL && plan->model->kind == PSIM_MODEL_TRANSFORMER)
        return;
    if (plan->recompute_layers < psim_model_layer_count(plan->model) || plan->recompute_group > 1)
        psim_plan_warn(
            plan, "recompute-layers", warning,
            g_strdup("recompute_layers and recompute_group count with recompute full and "
                     "transformers only"),
            NULL);
}

/* A table of positions is as long as the sequence, so another sequence is another model. */
static void
remark_positions(PsimPlan *plan, const PsimGiven *given)
{
    const PsimModel *model = plan->model;

    if (!given->sequence || model->kind != PSIM_MODEL_TRANSFORMER ||
        model->positions != PSIM_POSITIONS_LEARNED)
        return;
    psim_plan_warn(plan, "learned-positions", note,
                   g_strdup_printf("a sequence of %u changes the model: its learned positions are "
                                   "%u x %u parameters",
                                   model->sequence, model->sequence, model->hidden),
                   NULL);
}

void
psim_remark_plan(PsimPlan *plan, const PsimGiven *given)
{
    remark_nodes(plan);
    remark_tensor_placement(plan);
    remark_tensor(plan);
    remark_layer_list(plan);
    remark_microbatches(plan);
    remark_zero(plan);
    remark_precision(plan);
    remark_recompute(plan);
    remark_positions(plan, given);
}
