/* SPDX-License-Identifier: MIT */
#include "spec/crosscheck.h"

#include "base/limits.h"
#include "schedule/partition.h"
#include "spec/device.h"
#include "spec/schedule_file.h"

#define U64 "%" G_GUINT64_FORMAT

/* Of a number that is to be a multiple of @unit: the multiples around it, 0 where there is none. */
static void
find_multiples(uint64_t value, uint64_t unit, uint64_t *ret_below, uint64_t *ret_above)
{
    *ret_below = value / unit * unit;
    *ret_above = *ret_below + unit;
}

/* "nearest: 24 or 32", where 0 means none; "nearest: none" where both are. Caller frees. */
static char *
word_nearest(uint64_t below, uint64_t above)
{
    if (below > 0 && above > 0)
        return g_strdup_printf("nearest: " U64 " or " U64, below, above);
    if (below > 0 || above > 0)
        return g_strdup_printf("nearest: " U64, below + above);
    return g_strdup("nearest: none");
}

/* -- Degrees ----------------------------------------------------------------------------------- */

/* GPUs of one replica; the limits leave room for a further degree. */
static uint64_t
count_ranks(const PsimPlan *plan)
{
    return (uint64_t)plan->tp * plan->cp * plan->pp;
}

/* "tensor 8 x context 2 x pipeline 4"; context where there is any. Caller frees. */
static char *
word_ranks(const PsimPlan *plan)
{
    return plan->cp == 1 ? g_strdup_printf("tensor %u x pipeline %u", plan->tp, plan->pp)
                         : g_strdup_printf("tensor %u x context %u x pipeline %u", plan->tp,
                                           plan->cp, plan->pp);
}

static void
check_given_product(const PsimPlan *plan, PsimReader *reader)
{
    const uint64_t ranks = count_ranks(plan);
    const uint64_t product = ranks * plan->dp;

    if (product == plan->n_gpus)
        return;

    g_autofree char *degrees = word_ranks(plan);

    g_autofree char *or_data = plan->n_gpus % ranks == 0
                                   ? g_strdup_printf(", or data " U64, plan->n_gpus / ranks)
                                   : g_strdup("");

    psim_reader_complain_at(reader, "/gpus", PSIM_ERROR_MISMATCH,
                            "is %u; %s x data %u = " U64 "; nearest: gpus " U64 "%s", plan->n_gpus,
                            degrees, plan->dp, product, product, or_data);
}

static bool
check_divided_gpus(const PsimPlan *plan, PsimReader *reader)
{
    const uint64_t ranks = count_ranks(plan);

    if (plan->n_gpus % ranks == 0) {
        if (plan->dp > PSIM_LIMIT_DEGREE)
            psim_reader_complain_at(reader, "/gpus", PSIM_ERROR_LIMIT,
                                    "is %u; leaves data %u; at most %u (PSIM_LIMIT_DEGREE)",
                                    plan->n_gpus, plan->dp, PSIM_LIMIT_DEGREE);
        return true;
    }

    uint64_t below = 0;
    uint64_t above = 0;

    find_multiples(plan->n_gpus, ranks, &below, &above);

    g_autofree char *nearest = word_nearest(below, above);
    g_autofree char *degrees = word_ranks(plan);

    psim_reader_complain_at(reader, "/gpus", PSIM_ERROR_MISMATCH,
                            "is %u; %s = " U64 " does not divide it; %s", plan->n_gpus, degrees,
                            ranks, nearest);
    return false;
}

/* Returns: whether the data-parallel size stands. */
static bool
check_gpus(const PsimPlan *plan, PsimReader *reader, const PsimGiven *given)
{
    const uint64_t product = count_ranks(plan) * plan->dp;
    g_autofree char *degrees = word_ranks(plan);

    if (given->gpus && !given->data)
        return check_divided_gpus(plan, reader);
    if (given->gpus)
        check_given_product(plan, reader);
    else if (product > PSIM_LIMIT_GPUS)
        psim_reader_complain_at(reader, "/parallel/data", PSIM_ERROR_LIMIT,
                                "is %u; %s x data %u = " U64 " GPUs; at most %u (PSIM_LIMIT_GPUS)",
                                plan->dp, degrees, plan->dp, product, PSIM_LIMIT_GPUS);
    return true;
}

static void
check_nodes(const PsimPlan *plan, PsimReader *reader)
{
    const PsimHardware *hardware = plan->hardware;
    const uint64_t most = (uint64_t)hardware->max_nodes * hardware->gpus_per_node;

    if (most == 0 || plan->n_gpus <= most)
        return;
    psim_reader_complain_at(
        reader, "/gpus", PSIM_ERROR_MISMATCH, "is %u; %s has at most %u %s of %u GPUs = " U64,
        plan->n_gpus, hardware->name, hardware->max_nodes,
        hardware->max_nodes == 1 ? "node" : "nodes", hardware->gpus_per_node, most);
}

/* -- Batch ------------------------------------------------------------------------------------- */

/* Returns: whether the number of microbatches stands. */
static bool
check_batch(const PsimPlan *plan, PsimReader *reader)
{
    const uint64_t unit = (uint64_t)plan->dp * plan->micro_batch;
    uint64_t below = 0;
    uint64_t above = 0;

    if (plan->n_microbatches > PSIM_LIMIT_MICROBATCHES)
        psim_reader_complain_at(reader, "/batch/global", PSIM_ERROR_LIMIT,
                                "is %u; makes %u microbatches; at most %u "
                                "(PSIM_LIMIT_MICROBATCHES)",
                                plan->global_batch, plan->n_microbatches, PSIM_LIMIT_MICROBATCHES);
    if (plan->global_batch % unit == 0)
        return true;
    find_multiples(plan->global_batch, unit, &below, &above);

    g_autofree char *nearest = word_nearest(below, above);

    psim_reader_complain_at(reader, "/batch/global", PSIM_ERROR_MISMATCH,
                            "is %u; %u replicas x microbatches of %u = " U64
                            " do not divide it; %s",
                            plan->global_batch, plan->dp, plan->micro_batch, unit, nearest);
    return false;
}

/* -- Tensor parallelism ------------------------------------------------------------------------ */

/* Key-value heads are split, or copied where there are fewer of them than ranks. */
static bool
kv_heads_allow(const PsimModel *model, uint32_t tp)
{
    return model->n_kv_heads % tp == 0 || tp % model->n_kv_heads == 0;
}

static bool
model_allows(const PsimModel *model, uint32_t tp)
{
    g_assert(tp > 0);
    return model->n_heads % tp == 0 && model->ffn_hidden % tp == 0 && kv_heads_allow(model, tp);
}

/* The degrees around @tp that the whole model allows, so that one change is enough. */
static char *
word_nearest_tensor(const PsimModel *model, uint32_t tp)
{
    uint32_t below = MIN(tp - 1, model->n_heads);
    uint32_t above = tp + 1;

    while (below > 0 && !model_allows(model, below))
        below--;
    while (above <= model->n_heads && !model_allows(model, above))
        above++;
    return word_nearest(below, above <= model->n_heads ? above : 0);
}

static void
check_tensor(const PsimPlan *plan, PsimReader *reader)
{
    static const char pointer[] = "/parallel/tensor";
    const PsimModel *model = plan->model;
    const uint32_t tp = plan->tp;

    if (model->kind != PSIM_MODEL_TRANSFORMER || model_allows(model, tp))
        return;

    g_autofree char *nearest = word_nearest_tensor(model, tp);

    if (model->n_heads % tp != 0)
        psim_reader_complain_at(reader, pointer, PSIM_ERROR_MISMATCH,
                                "is %u; %u heads do not divide over %u tensor ranks; %s", tp,
                                model->n_heads, tp, nearest);
    if (!kv_heads_allow(model, tp))
        psim_reader_complain_at(reader, pointer, PSIM_ERROR_MISMATCH,
                                "is %u; %u key-value heads neither divide over %u tensor ranks "
                                "nor divide them; %s",
                                tp, model->n_kv_heads, tp, nearest);
    if (model->ffn_hidden % tp != 0)
        psim_reader_complain_at(reader, pointer, PSIM_ERROR_MISMATCH,
                                "is %u; ffn_hidden %u does not divide over %u tensor ranks; %s", tp,
                                model->ffn_hidden, tp, nearest);
}

static void
check_sequence(const PsimPlan *plan, PsimReader *reader)
{
    const PsimModel *model = plan->model;
    const uint64_t unit = (uint64_t)plan->tp * plan->cp;
    uint64_t below = 0;
    uint64_t above = 0;

    if (!plan->sequence_parallel || model->kind != PSIM_MODEL_TRANSFORMER ||
        model->sequence % unit == 0)
        return;
    find_multiples(model->sequence, unit, &below, &above);

    g_autofree char *nearest = word_nearest(below, above);
    g_autofree char *ranks =
        plan->cp == 1
            ? g_strdup_printf("%u tensor ranks", plan->tp)
            : g_strdup_printf("tensor %u x context %u = " U64 " ranks", plan->tp, plan->cp, unit);

    psim_reader_complain_at(reader, "/parallel/sequence_parallel", PSIM_ERROR_MISMATCH,
                            "is true; a sequence of %u does not divide over %s; %s tokens",
                            model->sequence, ranks, nearest);
}

/* -- Context parallelism ----------------------------------------------------------------------- */

/* A rank of a causal model has two chunks of the sequence, one from either end, so that all ranks
 * have equal work. */
static void
check_chunks_of_sequence(const PsimPlan *plan, PsimReader *reader)
{
    const PsimModel *model = plan->model;
    const uint64_t n_chunks = (model->causal ? 2 : 1) * (uint64_t)plan->cp;
    uint64_t below = 0;
    uint64_t above = 0;

    if (model->sequence % n_chunks == 0)
        return;
    find_multiples(model->sequence, n_chunks, &below, &above);

    g_autofree char *nearest = word_nearest(below, above);

    psim_reader_complain_at(reader, "/parallel/context", PSIM_ERROR_MISMATCH,
                            "is %u; a sequence of %u does not divide into " U64
                            " chunks%s; %s tokens",
                            plan->cp, model->sequence, n_chunks,
                            model->causal ? ", two a rank where attention is causal" : "", nearest);
}

/* An all-to-all hands a rank the whole sequence of some of its heads. */
static void
check_heads_of_context(const PsimPlan *plan, PsimReader *reader)
{
    const PsimModel *model = plan->model;
    const uint64_t ranks = (uint64_t)plan->tp * plan->cp;

    if (plan->context_communication != PSIM_CONTEXT_A2A ||
        (model->n_heads % ranks == 0 && model->n_kv_heads % ranks == 0))
        return;
    psim_reader_complain_at(reader, "/parallel/context_communication", PSIM_ERROR_MISMATCH,
                            "is \"a2a\"; %u heads and %u key-value heads do not both divide over "
                            "tensor %u x context %u = " U64 " ranks; use p2p",
                            model->n_heads, model->n_kv_heads, plan->tp, plan->cp, ranks);
}

static void
check_context(const PsimPlan *plan, PsimReader *reader)
{
    static const char pointer[] = "/parallel/context";

    if (plan->cp == 1)
        return;
    if (plan->model->kind != PSIM_MODEL_TRANSFORMER) {
        psim_reader_complain_at(reader, pointer, PSIM_ERROR_MISMATCH,
                                "is %u; a layer list has no sequence to split; must be 1",
                                plan->cp);
        return;
    }
    if (!plan->flash_attention || plan->hardware->device.n_attention == 0)
        psim_reader_complain_at(
            reader, pointer, PSIM_ERROR_MISMATCH,
            "is %u; parts of attention are joined by fused kernels only, and "
            "%s; must be 1",
            plan->cp, plan->flash_attention ? "the device has none" : "flash_attention is false");
    check_chunks_of_sequence(plan, reader);
    check_heads_of_context(plan, reader);
}

/* -- Pipeline ---------------------------------------------------------------------------------- */

/* What an uneven split looks like and costs: a pipeline goes at the pace of its fullest stage.
 * Caller frees. */
static char *
word_uneven_split(uint32_t n_layers, uint32_t n_stages)
{
    const uint32_t few = n_layers / n_stages;
    const uint32_t n_fuller = n_layers % n_stages;
    const uint32_t n_others = n_stages - n_fuller;
    const double excess = (double)(few + 1) * n_stages / n_layers - 1.0;
    g_autofree char *fuller = n_fuller == 1 ? g_strdup_printf("%u", few + 1)
                                            : g_strdup_printf("%u x %u", n_fuller, few + 1);
    g_autofree char *others =
        n_others == 1 ? g_strdup_printf("%u", few) : g_strdup_printf("%u x %u", n_others, few);

    if (few == 0)
        return g_strdup("or give layers_per_stage");
    return g_strdup_printf("or layers_per_stage \"balanced\", or a list such as %s, %s, whose "
                           "fullest stage has %.0f %% more layers than the mean",
                           fuller, others, 100.0 * excess);
}

static void
complain_of_uneven(const PsimPlan *plan, PsimReader *reader, uint32_t n_layers)
{
    const uint32_t v = plan->n_chunks;
    uint32_t below = 0;
    uint32_t above = 0;
    g_autofree char *stages =
        v == 1 ? g_strdup_printf("%u stages", plan->pp)
               : g_strdup_printf("pipeline %u x chunks %u = %u stages", plan->pp, v, plan->pp * v);

    if (n_layers % v == 0)
        psim_partition_nearest(n_layers / v, plan->pp, &below, &above);

    g_autofree char *nearest = word_nearest(below, above);
    g_autofree char *uneven = word_uneven_split(n_layers, plan->pp * v);

    psim_reader_complain_at(reader, "/parallel/pipeline", PSIM_ERROR_MISMATCH,
                            "is %u; %u layers do not divide over %s; %s%s, %s", plan->pp, n_layers,
                            stages, nearest,
                            below + above == 0 ? ""
                            : v == 1           ? " stages"
                                               : " ranks",
                            uneven);
}

static void
check_explicit_split(const PsimPlan *plan, PsimReader *reader, uint32_t n_split)
{
    const uint32_t n_stages = psim_plan_stage_count(plan);
    const uint32_t n_layers = psim_model_layer_count(plan->model);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n_split; i++)
        sum += plan->layers_per_stage[i];
    if (n_split != n_stages)
        psim_reader_complain_at(reader, "/layers_per_stage", PSIM_ERROR_MISMATCH,
                                "has %u stages; pipeline %u x chunks %u = %u", n_split, plan->pp,
                                plan->n_chunks, n_stages);
    if (sum != n_layers)
        psim_reader_complain_at(reader, "/layers_per_stage", PSIM_ERROR_MISMATCH,
                                "has " U64 " layers in all; the model has %u", sum, n_layers);
}

static void
check_split(PsimPlan *plan, PsimReader *reader, uint32_t n_split)
{
    const uint64_t n_stages = (uint64_t)plan->pp * plan->n_chunks;
    const uint32_t n_layers = psim_model_layer_count(plan->model);

    if (n_stages > PSIM_LIMIT_STAGES) {
        psim_reader_complain_at(reader, "/parallel/pipeline", PSIM_ERROR_LIMIT,
                                "is %u; x chunks %u = " U64
                                " stages; at most %u (PSIM_LIMIT_STAGES)",
                                plan->pp, plan->n_chunks, n_stages, PSIM_LIMIT_STAGES);
        return;
    }
    if (plan->split == PSIM_SPLIT_EXPLICIT) {
        check_explicit_split(plan, reader, n_split);
        return;
    }
    plan->layers_per_stage = g_new0(uint32_t, n_stages);
    if (plan->split == PSIM_SPLIT_BALANCED)
        psim_partition_nearly_even(n_layers, (uint32_t)n_stages, plan->layers_per_stage);
    else if (!psim_partition_even(n_layers, (uint32_t)n_stages, plan->layers_per_stage))
        complain_of_uneven(plan, reader, n_layers);
}

/* Returns: whether the schedule takes so many chunks. */
static bool
check_chunks(const PsimPlan *plan, PsimReader *reader)
{
    const PsimScheduleType *type = plan->schedule;

    if (plan->n_chunks >= type->min_chunks && plan->n_chunks <= type->max_chunks)
        return true;

    g_autofree char *range = psim_schedule_chunks(type);

    psim_reader_complain_at(reader, "/schedule/chunks", PSIM_ERROR_MISMATCH,
                            "is %u; schedule \"%s\" has %s a rank", plan->n_chunks, type->name,
                            range);
    return false;
}

/* A schedule that is not made of slices has no room for them; one slice a token is the most. */
static void
check_slices(const PsimPlan *plan, PsimReader *reader)
{
    const bool is_transformer = plan->model->kind == PSIM_MODEL_TRANSFORMER;

    if (plan->n_slices > 1 && plan->schedule->default_slices < 2)
        psim_reader_complain_at(reader, "/schedule/slices", PSIM_ERROR_MISMATCH,
                                "is %u; %s does not slice microbatches", plan->n_slices,
                                plan->schedule->name);
    else if (is_transformer && plan->n_slices > plan->model->sequence)
        psim_reader_complain_at(reader, "/schedule/slices", PSIM_ERROR_MISMATCH,
                                "is %u; a sequence of %u tokens has at most as many slices",
                                plan->n_slices, plan->model->sequence);
}

/* The schedule's own rules. */
static void
check_schedule(const PsimPlan *plan, PsimReader *reader)
{
    const PsimShape shape = psim_plan_shape(plan);
    g_autoptr(GString) text = g_string_new(NULL);

    check_slices(plan, reader);
    if (plan->schedule->check == NULL)
        return;
    plan->schedule->check(&shape, plan->runtime.interleave == PSIM_INTERLEAVE_PYTORCH, text);

    g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);

    for (size_t i = 0; lines[i] != NULL; i++)
        if (lines[i][0] != '\0')
            psim_reader_complain_at(reader, "/schedule", PSIM_ERROR_MISMATCH, "%s", lines[i]);
}

/* -- Device ------------------------------------------------------------------------------------ */

static void
check_precision(const PsimPlan *plan, PsimReader *reader)
{
    const PsimDevice *device = &plan->hardware->device;

    if (device->peak_flop_per_s[plan->precision] > 0)
        return;

    g_autofree char *able = psim_device_precisions(device);

    psim_reader_complain_at(reader, "/precision", PSIM_ERROR_MISMATCH,
                            "is \"%s\"; %s computes in %s", psim_precision_words()[plan->precision],
                            device->name, able);
}

void
psim_crosscheck_plan(PsimPlan *plan, PsimReader *reader, const PsimGiven *given, uint32_t n_split)
{
    /* What follows from a stand-in would only repeat the complaint in other words. */
    const bool batch_stands = check_gpus(plan, reader, given) && check_batch(plan, reader);

    check_nodes(plan, reader);
    check_tensor(plan, reader);
    check_sequence(plan, reader);
    check_context(plan, reader);
    check_split(plan, reader, n_split);
    if (check_chunks(plan, reader) && batch_stands && psim_schedule_file_check(plan, reader))
        check_schedule(plan, reader);
    check_precision(plan, reader);
}
