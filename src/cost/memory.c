/* SPDX-License-Identifier: MIT */
#include "cost/memory.h"

#include "cost/context.h"
#include "cost/layer_list.h"
#include "cost/widths.h"

/* What autograd keeps from a transformer block's forward for its backward. */

typedef enum {
    WIDTH_STREAM, /* hidden; of a rank's own tokens with sequence parallelism */
    WIDTH_QUERY,  /* heads x head_dim */
    WIDTH_KEY,    /* KV heads x head_dim */
    WIDTH_FFN,
    WIDTH_SCORES, /* heads x sequence */
    WIDTH_HEADS,
} Width;

typedef enum {
    UNIT_ELEMENT,
    UNIT_OPERAND, /* of a product with weights: 1 byte in fp8, as it entered the product */
    UNIT_MASK,    /* 1 byte */
    UNIT_FP32,
} Unit;

enum {
    IF_DROPOUT = 1 << 0,
    IF_GATED = 1 << 1,
    IF_UNFUSED = 1 << 2, /* scores are materialised */
    IF_FUSED = 1 << 3,
    IF_LOOSE_GATE = 1 << 4, /* gated, and SiLU is a kernel of its own */
    IF_LOOSE_NORM = 1 << 6, /* RMSNorm as a chain: its fp32 copy is kept; the 16-bit value before
                             * its weight takes the input's place */
    IF_CORE = 1 << 5,       /* of the attention core: selective recomputation drops it */
    IF_SAVED = 1 << 7,      /* kept where selective recomputation goes by operator */
    IF_OPERATORS = 1 << 8,  /* kept there and nowhere else */
};

/* With e = 2 bytes, ffn = 4 h and as many KV heads as heads, in order: 2 + 2 + 2 + 2 + 2 = 10 s b
 * h, 2 + 1 + 2 = 5 a s^2 b, 2 + 1 + 2 + 2 + 8 + 8 + 1 = 24 s b h; together s b h (34 + 5 a s/h). */
static const struct {
    const char *name;
    Width width;
    Unit unit;
    unsigned flags;
} tensors[] = {
    {"norm input", WIDTH_STREAM, UNIT_ELEMENT, IF_SAVED},
    {"norm in fp32", WIDTH_STREAM, UNIT_FP32, IF_LOOSE_NORM},
    {"qkv input", WIDTH_STREAM, UNIT_OPERAND, 0},
    {"queries", WIDTH_QUERY, UNIT_ELEMENT, IF_SAVED},
    {"keys", WIDTH_KEY, UNIT_ELEMENT, 0},
    {"values", WIDTH_KEY, UNIT_ELEMENT, IF_SAVED},
    {"softmax output", WIDTH_SCORES, UNIT_ELEMENT, IF_UNFUSED | IF_CORE},
    {"score dropout mask", WIDTH_SCORES, UNIT_MASK, IF_UNFUSED | IF_DROPOUT | IF_CORE},
    {"score dropout output", WIDTH_SCORES, UNIT_ELEMENT, IF_UNFUSED | IF_DROPOUT | IF_CORE},
    {"softmax statistics", WIDTH_HEADS, UNIT_FP32, IF_FUSED | IF_CORE | IF_SAVED},
    {"projection input", WIDTH_QUERY, UNIT_OPERAND, IF_SAVED},
    {"dropout mask", WIDTH_STREAM, UNIT_MASK, IF_DROPOUT},
    {"norm input", WIDTH_STREAM, UNIT_ELEMENT, 0},
    {"norm in fp32", WIDTH_STREAM, UNIT_FP32, IF_LOOSE_NORM},
    {"fc1 input", WIDTH_STREAM, UNIT_OPERAND, 0},
    {"activation input", WIDTH_FFN, UNIT_ELEMENT, IF_SAVED},
    {"gate", WIDTH_FFN, UNIT_ELEMENT, IF_GATED},
    {"silu output", WIDTH_FFN, UNIT_ELEMENT, IF_LOOSE_GATE},
    {"fc2 input", WIDTH_FFN, UNIT_OPERAND, 0},
    {"fc2 output", WIDTH_STREAM, UNIT_ELEMENT, IF_GATED | IF_OPERATORS | IF_SAVED},
    {"dropout mask", WIDTH_STREAM, UNIT_MASK, IF_DROPOUT},
};

static double
count_elements(const PsimWidths *w, Width width)
{
    switch (width) {
    case WIDTH_STREAM:
        return w->own_tokens * w->hidden;
    case WIDTH_QUERY:
        return w->tokens * w->query;
    case WIDTH_KEY:
        return w->tokens * w->key;
    case WIDTH_FFN:
        return w->tokens * w->ffn;
    case WIDTH_SCORES:
        return w->tokens * w->heads * w->sequence;
    case WIDTH_HEADS:
        return w->tokens * w->heads;
    }
    return 0.0;
}

static double
find_unit_bytes(const PsimPlan *plan, const PsimWidths *w, Unit unit)
{
    switch (unit) {
    case UNIT_ELEMENT:
        return w->element_bytes;
    case UNIT_OPERAND:
        return psim_plan_keeps_fp8(plan) ? 1.0 : w->element_bytes;
    case UNIT_MASK:
        return 1.0;
    case UNIT_FP32:
        return 4.0;
    }
    return 0.0;
}

static bool
goes_by_operator(const PsimPlan *plan)
{
    return plan->recompute == PSIM_RECOMPUTE_SELECTIVE && plan->runtime.selective_by_operator;
}

/* The plan's answers to the conditions; IF_CORE and IF_SAVED are none. */
static unsigned
find_flags(const PsimPlan *plan)
{
    const PsimModel *model = plan->model;
    /* As in transformer.c: a device without a fused kernel runs the chain. */
    const bool fused = plan->flash_attention && plan->hardware->device.n_attention > 0;
    unsigned flags = IF_CORE | IF_SAVED | (fused ? IF_FUSED : IF_UNFUSED);

    flags |= model->dropout ? IF_DROPOUT : 0U;
    flags |= model->norm == PSIM_NORM_RMSNORM && !plan->runtime.fused_norm ? IF_LOOSE_NORM : 0U;
    flags |= model->gated_mlp ? IF_GATED : 0U;
    flags |= goes_by_operator(plan) ? IF_OPERATORS : 0U;
    flags |= model->gated_mlp && !plan->runtime.fused_bias_gelu ? IF_LOOSE_GATE : 0U;
    return flags;
}

void
psim_memory_tensors(const PsimPlan *plan, GArray *list)
{
    const PsimWidths w = psim_widths_of_plan(plan);
    const unsigned flags = find_flags(plan);

    for (size_t i = 0; plan->model->kind == PSIM_MODEL_TRANSFORMER && i < G_N_ELEMENTS(tensors);
         i++) {
        const PsimTensor tensor = {
            .name = tensors[i].name,
            .bytes =
                count_elements(&w, tensors[i].width) * find_unit_bytes(plan, &w, tensors[i].unit),
            .again = goes_by_operator(plan) ? (tensors[i].flags & IF_SAVED) == 0
                                            : (tensors[i].flags & IF_CORE) != 0,
        };

        if ((tensors[i].flags & flags) == tensors[i].flags)
            g_array_append_val(list, tensor);
    }
}

/* @again: those that selective recomputation makes again, or the others */
static double
sum_tensors(const PsimPlan *plan, bool again)
{
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(PsimTensor));
    double bytes = 0.0;

    psim_memory_tensors(plan, list);
    for (guint i = 0; i < list->len; i++) {
        const PsimTensor *tensor = &g_array_index(list, PsimTensor, i);

        if (tensor->again == again)
            bytes += tensor->bytes;
    }
    return bytes;
}

/* Gradients that live at once in the backward of a block, the larger of its halves:
 *
 *     unfused attention    of the softmax's output and of its input; and of the masked scores,
 *                          where mask and scale are kernels of their own
 *     context parallelism  of keys and values of other ranks, and those themselves
 *     MLP                  of the activation's output and input; gated, of the gate as well
 */
static double
find_gradients_at_once(const PsimPlan *plan, const PsimWidths *w)
{
    const bool materialised = (find_flags(plan) & IF_UNFUSED) != 0;
    const double n_scores = materialised ? (plan->runtime.fused_softmax ? 2.0 : 3.0) : 0.0;
    const double n_ffn = plan->model->gated_mlp ? 3.0 : 2.0;

    const double attention = w->element_bytes * n_scores * count_elements(w, WIDTH_SCORES) +
                             psim_context_buffer_bytes(plan);

    return MAX(attention, w->element_bytes * n_ffn * count_elements(w, WIDTH_FFN));
}

static PsimBlockMemory
find_transformer_memory(const PsimPlan *plan)
{
    const PsimWidths w = psim_widths_of_plan(plan);
    const double again = sum_tensors(plan, /* again= */ true);
    const double rest = sum_tensors(plan, /* again= */ false);
    const double input = w.element_bytes * w.own_tokens * w.hidden;
    PsimBlockMemory memory = {
        .params = psim_widths_layer_params(plan),
        .gradient_bytes = find_gradients_at_once(plan, &w),
        .output_bytes = input,
    };

    switch (plan->recompute) {
    case PSIM_RECOMPUTE_NONE:
        memory.stored_bytes = again + rest;
        break;
    case PSIM_RECOMPUTE_SELECTIVE:
        memory.stored_bytes = rest;
        memory.working_bytes = again;
        break;
    case PSIM_RECOMPUTE_FULL:
        memory.stored_bytes = input;
        memory.working_bytes = again + rest - input; /* the input is among them */
        break;
    }
    return memory;
}

/* The input of a layer is the output of the one before; the first layer's is its samples, of which
 * the list says nothing, so its own output stands for them. */
static double
find_input_bytes(const PsimModel *model, uint32_t layer)
{
    return psim_layer_list_at(model, layer > 0 ? layer - 1 : 0, /* ret_left= */ NULL)->output_bytes;
}

static PsimBlockMemory
find_listed_memory(const PsimPlan *plan, uint32_t layer)
{
    const PsimLayer *entry = psim_layer_list_at(plan->model, layer, /* ret_left= */ NULL);
    const double share = (double)plan->micro_batch / (double)plan->tp;
    const double all = entry->activation_bytes * share;
    const double input = MIN(find_input_bytes(plan->model, layer) * share, all);
    const bool full = plan->recompute == PSIM_RECOMPUTE_FULL;

    return (PsimBlockMemory){
        .params = entry->params / (double)plan->tp,
        .stored_bytes = full ? input : all,
        .working_bytes = full ? all - input : 0.0,
        .output_bytes = entry->output_bytes * share,
    };
}

static PsimBlockMemory
find_embedding_memory(const PsimPlan *plan)
{
    const PsimWidths w = psim_widths_of_plan(plan);
    const double stream = w.own_tokens * w.hidden;

    return (PsimBlockMemory){
        .params = psim_widths_embedding_params(plan),
        .stored_bytes = plan->model->dropout ? stream : 0.0, /* a mask */
        .output_bytes = w.element_bytes * stream,
    };
}

static PsimBlockMemory
find_head_memory(const PsimPlan *plan)
{
    const PsimWidths w = psim_widths_of_plan(plan);

    return (PsimBlockMemory){
        .params = psim_widths_head_params(plan),
        /* Inputs of the norm and of the logits' product. */
        .stored_bytes = 2.0 * w.element_bytes * w.own_tokens * w.hidden,
        .logits_bytes = plan->runtime.logits_bytes * w.tokens * psim_widths_loss_vocabulary(plan),
    };
}

PsimBlockMemory
psim_memory_block(const PsimPlan *plan, PsimBlock block, uint32_t layer)
{
    const bool listed = plan->model->kind == PSIM_MODEL_LAYER_LIST;

    switch (block) {
    case PSIM_BLOCK_LAYER:
        return listed ? find_listed_memory(plan, layer) : find_transformer_memory(plan);
    case PSIM_BLOCK_EMBEDDING:
        return listed ? (PsimBlockMemory){.params = 0.0} : find_embedding_memory(plan);
    case PSIM_BLOCK_HEAD:
        return listed ? (PsimBlockMemory){.params = 0.0} : find_head_memory(plan);
    }
    return (PsimBlockMemory){.params = 0.0};
}

PsimModelStates
psim_memory_states(const PsimPlan *plan, double params)
{
    const PsimRuntime *runtime = &plan->runtime;
    const uint32_t stage = plan->zero_stage;
    const double owners = (double)psim_plan_owners(plan);

    return (PsimModelStates){
        .weights_bytes = params * psim_plan_kept_weight_bytes(plan) /
                         (runtime->shards_weights[stage] ? owners : 1.0),
        .gradients_bytes = params * psim_plan_gradient_bytes(plan) /
                           (runtime->shards_gradients[stage] ? owners : 1.0),
        .optimizer_bytes = params * psim_plan_optimizer_bytes(plan) /
                           (runtime->shards_optimizer[stage] ? owners : 1.0),
    };
}

double
psim_memory_communicators(const PsimPlan *plan)
{
    const bool is_split = plan->tp > 1 || plan->pp > 1;
    const bool has[] = {plan->tp > 1, plan->pp > 1, is_split, plan->cp > 1,
                        plan->dp * plan->cp > 1 && is_split};
    double n_groups = 0.0;

    for (size_t i = 0; i < G_N_ELEMENTS(has); i++)
        n_groups += has[i] ? 1.0 : 0.0;
    const double channels = plan->hardware->device.sms_taken_by_collective;

    return n_groups * channels * PSIM_MEMORY_CHANNEL_BYTES;
}
