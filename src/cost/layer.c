/* SPDX-License-Identifier: MIT */
#include "cost/layer.h"

#include "cost/ends.h"
#include "cost/kernel.h"
#include "cost/layer_list.h"
#include "cost/transformer.h"

/* Sums over a block's kernels. Two things happen on top of adding up:
 *
 * Host.     The device cannot run ahead of the dispatch of its kernels: a transformer block takes
 *           host_layer_s at least, its backward HOST_BACKWARD_RATIO times that, and what it
 *           recomputes its share of a forward once more.
 *           What is missing is spread over the passes in proportion.
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

/* Recomputation dispatches its share of the forward's kernels once more. */
static void
raise_to_host(const PsimRuntime *runtime,
              const uint32_t n_kernels[PSIM_N_PASSES],
              PsimBlockCost *cost)
{
    double *s = cost->compute_s;
    const double again = n_kernels[PSIM_PASS_FORWARD] > 0
                             ? (double)n_kernels[PSIM_PASS_RECOMPUTE] / n_kernels[PSIM_PASS_FORWARD]
                             : 0.0;
    const double host_s = runtime->host_layer_s * (HOST_BACKWARD_RATIO + again);
    const double backward_s =
        s[PSIM_PASS_BACKWARD_INPUT] + s[PSIM_PASS_BACKWARD_WEIGHT] + s[PSIM_PASS_RECOMPUTE];

    s[PSIM_PASS_FORWARD] = MAX(s[PSIM_PASS_FORWARD], runtime->host_layer_s);
    if (backward_s > 0.0 && backward_s < host_s) {
        s[PSIM_PASS_BACKWARD_INPUT] *= host_s / backward_s;
        s[PSIM_PASS_BACKWARD_WEIGHT] *= host_s / backward_s;
        s[PSIM_PASS_RECOMPUTE] *= host_s / backward_s;
    }
}

PsimBlockCost
psim_layer_cost(const PsimPlan *plan, PsimBlock block, uint32_t layer)
{
    g_autoptr(GArray) kernels = g_array_new(FALSE, FALSE, sizeof(PsimKernel));
    PsimBlockCost cost = {.tp_count = 0};
    uint32_t n_kernels[PSIM_N_PASSES] = {0};

    psim_layer_kernels(plan, block, layer, kernels);
    for (size_t i = 0; i < kernels->len; i++) {
        const PsimKernel *kernel = &g_array_index(kernels, PsimKernel, i);
        const double count = (double)kernel->count;

        n_kernels[kernel->pass] += kernel->count;
        cost.flop[kernel->pass] += count * kernel->flop;
        if (kernel->kind == PSIM_KERNEL_COLLECTIVE) {
            cost.tp_s[kernel->pass] += count * find_exposed_s(plan, kernels, i);
            cost.tp_bytes[kernel->pass] += count * kernel->bytes;
            cost.tp_count += kernel->count;
        } else {
            cost.compute_s[kernel->pass] += count * kernel->time_s;
        }
    }
    if (block == PSIM_BLOCK_LAYER && plan->model->kind == PSIM_MODEL_TRANSFORMER) {
        raise_to_host(&plan->runtime, n_kernels, &cost);
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
