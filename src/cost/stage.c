/* SPDX-License-Identifier: MIT */
#include "cost/stage.h"

#include "cost/kernel.h"
#include "cost/layer_list.h"
#include "cost/widths.h"

#include <math.h>

static void
add_cost(PsimBlockCost *sum, const PsimBlockCost *cost, uint32_t n_alike)
{
    const double n = (double)n_alike;

    for (size_t pass = 0; pass < PSIM_N_PASSES; pass++) {
        sum->compute_s[pass] += n * cost->compute_s[pass];
        sum->dispatch_s[pass] += n * cost->dispatch_s[pass];
        sum->tp_s[pass] += n * cost->tp_s[pass];
        sum->tp_bytes[pass] += n * cost->tp_bytes[pass];
        sum->cp_s[pass] += n * cost->cp_s[pass];
        sum->cp_bytes[pass] += n * cost->cp_bytes[pass];
        sum->flop[pass] += n * cost->flop[pass];
    }
    sum->tp_count += n_alike * cost->tp_count;
    sum->cp_whole_s += n * cost->cp_whole_s;
    sum->cp_count += n_alike * cost->cp_count;
}

/* Blocks are recomputed one by one, so the greatest need of working memory counts; the last block
 * hands over. */
static void
add_memory(PsimBlockMemory *sum, const PsimBlockMemory *memory, uint32_t n_alike)
{
    const double n = (double)n_alike;

    sum->params += n * memory->params;
    sum->stored_bytes += n * memory->stored_bytes;
    sum->working_bytes = MAX(sum->working_bytes, memory->working_bytes);
    sum->gradient_bytes = MAX(sum->gradient_bytes, memory->gradient_bytes);
    sum->output_bytes = memory->output_bytes;
    sum->logits_bytes += n * memory->logits_bytes;
}

static void
add_blocks(
    const PsimPlan *plan, PsimBlock block, uint32_t layer, uint32_t n_alike, PsimStageCost *stage)
{
    const PsimBlockCost cost = psim_layer_cost(plan, block, layer);
    const PsimBlockMemory memory = psim_memory_block(plan, block, layer);

    add_cost(&stage->cost, &cost, n_alike);
    add_memory(&stage->memory, &memory, n_alike);
}

/* Of alike entries the first is apart: what it keeps for recomputation is another layer's output.
 */
static void
add_listed(const PsimPlan *plan, const PsimStage *range, PsimStageCost *stage)
{
    const uint32_t end = range->layer_first + range->n_layers;
    uint32_t layer = range->layer_first;

    while (layer < end) {
        uint32_t left = 0;
        psim_layer_list_at(plan->model, layer, &left);
        add_blocks(plan, PSIM_BLOCK_LAYER, layer, /* n_alike= */ 1, stage);
        const uint32_t rest = MIN(left, end - layer) - 1;
        if (rest > 0) {
            add_blocks(plan, PSIM_BLOCK_LAYER, layer + 1, rest, stage);
        }
        layer += 1 + rest;
    }
}

/* Layers that are made again in groups: a group keeps one input, and all else of it lives at once
 * while its backward runs. The cost is that of one by one. */
static void
add_recomputed(const PsimPlan *plan, const PsimStage *range, uint32_t n_alike, PsimStageCost *stage)
{
    const uint32_t group = MIN(plan->recompute_group, n_alike);
    const double n_groups = ceil((double)n_alike / group);
    const PsimBlockCost cost = psim_layer_cost(plan, PSIM_BLOCK_LAYER, range->layer_first);
    PsimBlockMemory memory = psim_memory_block(plan, PSIM_BLOCK_LAYER, range->layer_first);
    const double input_bytes = memory.stored_bytes;

    memory.working_bytes = group * (input_bytes + memory.working_bytes) - input_bytes;
    memory.stored_bytes = input_bytes * n_groups / n_alike;
    add_cost(&stage->cost, &cost, n_alike);
    add_memory(&stage->memory, &memory, n_alike);
}

/* With full recomputation the first layers are made again, the others keep what they have. */
static void
add_transformer(const PsimPlan *plan, const PsimStage *range, PsimStageCost *stage)
{
    const uint32_t n_again = MIN(plan->recompute_layers, range->n_layers);
    PsimPlan kept = *plan;

    if (plan->recompute != PSIM_RECOMPUTE_FULL) {
        add_blocks(plan, PSIM_BLOCK_LAYER, range->layer_first, range->n_layers, stage);
        return;
    }
    kept.recompute = PSIM_RECOMPUTE_NONE;
    if (n_again > 0)
        add_recomputed(plan, range, n_again, stage);
    if (n_again < range->n_layers)
        add_blocks(&kept, PSIM_BLOCK_LAYER, range->layer_first, range->n_layers - n_again, stage);
}

static void
add_layers(const PsimPlan *plan, const PsimStage *range, PsimStageCost *stage)
{
    if (plan->model->kind == PSIM_MODEL_LAYER_LIST) {
        add_listed(plan, range, stage);
    } else if (range->n_layers > 0) {
        add_transformer(plan, range, stage);
    }
}

/* Without sequence parallelism every TP rank has the whole output and sends a share of it, which
 * the receivers gather (scatter-gather); with it a rank has its share only. */
static double
find_output_bytes(const PsimPlan *plan, const PsimStage *range)
{
    if (range->has_head) {
        return 0.0;
    }
    if (plan->model->kind == PSIM_MODEL_LAYER_LIST) {
        /* A stage without layers hands on what it receives. */
        const uint32_t end = MAX(range->layer_first + range->n_layers, 1U);
        return psim_layer_list_at(plan->model, end - 1, /* ret_left= */ NULL)->output_bytes *
               (double)plan->micro_batch / (double)plan->tp;
    }
    return (double)plan->micro_batch * (double)plan->model->sequence * (double)plan->model->hidden *
           psim_widths_element_bytes(plan) / (double)plan->cp / (double)plan->tp;
}

PsimStageCost
psim_stage_cost(const PsimPlan *plan, const PsimStage *stage)
{
    const PsimDevice *device = &plan->hardware->device;
    const PsimRuntime *runtime = &plan->runtime;
    PsimStageCost sum = {.output_bytes = find_output_bytes(plan, stage)};

    if (stage->has_embedding) {
        add_blocks(plan, PSIM_BLOCK_EMBEDDING, /* layer= */ 0, /* n_alike= */ 1, &sum);
    }
    add_layers(plan, stage, &sum);
    if (stage->has_head) {
        add_blocks(plan, PSIM_BLOCK_HEAD, /* layer= */ 0, /* n_alike= */ 1, &sum);
    }

    const double params = sum.memory.params;
    const double owners =
        runtime->shards_optimizer[plan->zero_stage] ? (double)psim_plan_owners(plan) : 1.0;
    sum.optimizer_s = psim_kernel_memory_s(
        device, runtime->optimizer_traffic_bytes * params / owners, device->memory_bound.optimizer);
    sum.gradient_bytes = params * psim_plan_reduce_bytes(plan);
    sum.weight_bytes = params * psim_plan_weight_bytes(plan);
    return sum;
}
