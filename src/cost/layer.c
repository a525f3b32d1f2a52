/* SPDX-License-Identifier: MIT */
#include "cost/layer.h"

#include "cost/ends.h"
#include "cost/kernel.h"
#include "cost/layer_list.h"
#include "cost/transformer.h"

/* Sums over a block's kernels. Two things happen on top of adding up:
 *
 * Host.     A kernel of a transformer block takes at least as long as the host needs to dispatch
 *           it: host_layer_s over the kernels of a forward, HOST_BACKWARD_RATIO times that over
 *           those of a backward. The host gains no lead from a long kernel for the short ones
 *           behind it: of sums over kernels, of the greater of two sums, and of their root of
 *           squares, the first fits the layers of vTrain's 32 shapes best (9 against 15 and 10%).
 *           Kernels that context parallelism adds are dispatched on top.
 * Overlap.  The gather of a weight gradient's input, with sequence parallelism, runs beside the
 *           product of the input gradient, as long as its own, in every stack.
 *           With overlap_tp a collective hides behind the product next to it in the list, which it
 *           feeds or drains piece by piece; one of tp pieces is always exposed. An all-reduce of
 * the forward is needed whole at once, by the residual, and stays exposed; that of the backward
 *           hides behind the weight gradient, which takes as long as the product next to it.
 */

/* Backward against forward dispatch: fitted to 200 iteration times of Megatron-DeepSpeed. */
#define HOST_BACKWARD_RATIO 1.6

void
psim_layer_kernels(const PsimPlan *plan, PsimBlock block, uint32_t layer, GArray *kernels)
{
    const bool listed = plan->model->kind == PSIM_MODEL_LAYER_LIST;

    switch (block) {
    case PSIM_BLOCK_LAYER:
        if (listed) {
            psim_layer_list_kernels(plan, layer, kernels);
        } else {
            psim_transformer_kernels(plan, kernels);
        }
        return;
    case PSIM_BLOCK_EMBEDDING:
        if (!listed) {
            psim_ends_embedding_kernels(plan, kernels);
        }
        return;
    case PSIM_BLOCK_HEAD:
        if (!listed) {
            psim_ends_head_kernels(plan, kernels);
        }
        return;
    }
}

static const PsimKernel *
find_gemm(const GArray *kernels, size_t index, PsimPass pass)
{
    if (index >= kernels->len) {
        return NULL;
    }
    const PsimKernel *kernel = &g_array_index(kernels, PsimKernel, index);
    return kernel->kind == PSIM_KERNEL_GEMM && kernel->pass == pass ? kernel : NULL;
}

/* What a collective adds beside a product that hides all but @least_s of it: what the product does
 * not cover, and what it takes from the product meanwhile. */
static double
find_beside_s(const PsimPlan *plan, double collective_s, double gemm_s, double least_s)
{
    const double exposed_s = MAX(collective_s - gemm_s, least_s);

    return exposed_s + psim_kernel_contention(&plan->hardware->device) * (collective_s - exposed_s);
}

static double
find_exposed_s(const PsimPlan *plan, const GArray *kernels, size_t index)
{
    const PsimKernel *collective = &g_array_index(kernels, PsimKernel, index);
    const bool forward =
        collective->pass == PSIM_PASS_FORWARD || collective->pass == PSIM_PASS_RECOMPUTE;
    const PsimKernel *after = find_gemm(kernels, index + 1, collective->pass);
    const PsimKernel *before = index > 0 ? find_gemm(kernels, index - 1, collective->pass) : NULL;
    const PsimKernel *gemm = after ? after : before;
    const double time_s = collective->time_s;

    if (gemm == NULL)
        return time_s;
    if (plan->sequence_parallel && collective->pass == PSIM_PASS_BACKWARD_WEIGHT)
        return find_beside_s(plan, time_s, gemm->time_s, /* least_s= */ 0.0);
    if (!plan->overlap_tp || (forward && !plan->sequence_parallel))
        return time_s;
    /* The backward's second collective runs beside the weight gradient, which nobody cuts. */
    if (!forward && after == NULL)
        return find_beside_s(plan, time_s, gemm->time_s, time_s / (double)plan->tp);
    return MIN(find_beside_s(plan, time_s, gemm->cut_s, time_s / (double)plan->tp) + gemm->cut_s -
                   gemm->time_s,
               time_s);
}

/* Behind the attention of a step, however long that is on its way: a transfer takes few of the
 * processors, a collective as many as any. */
static double
find_context_s(const PsimPlan *plan, const PsimKernel *kernel, double dispatch_s)
{
    const double beside_s = kernel->beside_s > 0.0 ? MAX(kernel->beside_s, dispatch_s) : 0.0;

    return kernel->kind == PSIM_KERNEL_TRANSFER
               ? MAX(kernel->time_s - beside_s, 0.0)
               : find_beside_s(plan, kernel->time_s, beside_s, /* least_s= */ 0.0);
}

static bool
is_compute(const PsimKernel *kernel)
{
    return kernel->kind == PSIM_KERNEL_GEMM || kernel->kind == PSIM_KERNEL_ATTENTION ||
           kernel->kind == PSIM_KERNEL_MEMORY;
}

/* What the host needs for each kernel of a pass: it spends host_layer_s on a forward, as much on
 * each kernel. */
static void
find_dispatch(const PsimRuntime *runtime, const GArray *kernels, double ret_s[PSIM_N_PASSES])
{
    uint32_t n_kernels[PSIM_N_PASSES] = {0};

    for (size_t i = 0; i < kernels->len; i++) {
        const PsimKernel *kernel = &g_array_index(kernels, PsimKernel, i);
        if (is_compute(kernel) && !kernel->is_added)
            n_kernels[kernel->pass] += kernel->count;
    }
    const uint32_t n_backward =
        n_kernels[PSIM_PASS_BACKWARD_INPUT] + n_kernels[PSIM_PASS_BACKWARD_WEIGHT];
    const double forward_s = runtime->host_layer_s / MAX(n_kernels[PSIM_PASS_FORWARD], 1U);
    const double backward_s = HOST_BACKWARD_RATIO * runtime->host_layer_s / MAX(n_backward, 1U);

    ret_s[PSIM_PASS_FORWARD] = forward_s;
    ret_s[PSIM_PASS_RECOMPUTE] = forward_s;
    ret_s[PSIM_PASS_BACKWARD_INPUT] = backward_s;
    ret_s[PSIM_PASS_BACKWARD_WEIGHT] = backward_s;
}

PsimBlockCost
psim_layer_cost(const PsimPlan *plan, PsimBlock block, uint32_t layer)
{
    g_autoptr(GArray) kernels = g_array_new(FALSE, FALSE, sizeof(PsimKernel));
    PsimBlockCost cost = {.tp_count = 0};
    double dispatch_s[PSIM_N_PASSES] = {0};

    psim_layer_kernels(plan, block, layer, kernels);
    if (block == PSIM_BLOCK_LAYER && plan->model->kind == PSIM_MODEL_TRANSFORMER)
        find_dispatch(&plan->runtime, kernels, dispatch_s);
    for (size_t i = 0; i < kernels->len; i++) {
        const PsimKernel *kernel = &g_array_index(kernels, PsimKernel, i);
        const double count = (double)kernel->count;

        cost.flop[kernel->pass] += count * kernel->flop;
        if (kernel->kind == PSIM_KERNEL_COLLECTIVE) {
            cost.tp_s[kernel->pass] += count * find_exposed_s(plan, kernels, i);
            cost.tp_bytes[kernel->pass] += count * kernel->bytes;
            cost.tp_count += kernel->count;
        } else if (is_compute(kernel)) {
            cost.compute_s[kernel->pass] += count * MAX(kernel->time_s, dispatch_s[kernel->pass]);
            cost.dispatch_s[kernel->pass] += count * dispatch_s[kernel->pass];
        } else {
            cost.cp_s[kernel->pass] +=
                count * find_context_s(plan, kernel, dispatch_s[kernel->pass]);
            cost.cp_whole_s += count * kernel->time_s;
            cost.cp_bytes[kernel->pass] += count * kernel->bytes;
            cost.cp_count += kernel->count;
        }
    }
    return cost;
}

static double
count_listed_flop(const PsimModel *model)
{
    double flop = 0.0;

    for (uint32_t i = 0; i < model->n_listed; i++) {
        const PsimLayer *layer = &model->layers[i];
        flop += (double)layer->repeat * (layer->forward_flop + layer->backward_flop);
    }
    return flop;
}

double
psim_layer_model_flop(const PsimModel *model, bool convention_full_attention)
{
    if (model->kind == PSIM_MODEL_LAYER_LIST) {
        return count_listed_flop(model);
    }
    const double h = (double)model->hidden;
    const double query = (double)model->n_heads * (double)model->head_dim;
    const double key = (double)model->n_kv_heads * (double)model->head_dim;
    const double ffn = (double)model->ffn_hidden * (model->gated_mlp ? 3.0 : 2.0);
    const double matrices = 2.0 * h * (2.0 * query + 2.0 * key + ffn);
    const double full = 4.0 * (double)model->sequence * query;
    const bool half = model->causal && !convention_full_attention;
    const double attention = half ? full / 2.0 : full;
    const double head = 2.0 * h * (double)model->vocabulary;

    /* A backward has two products for each of the forward's. */
    return 3.0 * ((double)model->n_layers * (matrices + attention) + head);
}
