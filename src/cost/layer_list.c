/* SPDX-License-Identifier: MIT */
#include "cost/layer_list.h"

#include "cost/collective.h"
#include "cost/kernel.h"

const PsimLayer *
psim_layer_list_at(const PsimModel *model, uint32_t layer, uint32_t *ret_left)
{
    uint32_t entry = 0;
    uint32_t before = 0; /* layers of the entries before */

    while (entry < model->n_listed && layer - before >= model->layers[entry].repeat) {
        before += model->layers[entry].repeat;
        entry++;
    }
    g_assert(entry < model->n_listed);
    if (ret_left) {
        *ret_left = model->layers[entry].repeat - (layer - before);
    }
    return &model->layers[entry];
}

static void
add_compute(const PsimPlan *plan, PsimPass pass, double flop, double bytes, GArray *kernels)
{
    const PsimDevice *device = &plan->hardware->device;
    const double compute_s = flop / psim_kernel_gemm_rate(device, plan->precision);
    const double memory_s = bytes / (device->memory_bytes_per_s * device->memory_bound.elementwise);
    const PsimKernel kernel = {
        .name = "layer",
        .kind = compute_s >= memory_s ? PSIM_KERNEL_GEMM : PSIM_KERNEL_MEMORY,
        .pass = pass,
        .time_s = device->gemm.launch_s + MAX(compute_s, memory_s),
        .flop = flop,
        .bytes = bytes,
        .count = 1,
    };

    g_array_append_val(kernels, kernel);
}

static void
add_exchange(const PsimPlan *plan, PsimPass pass, double payload_bytes, GArray *kernels)
{
    if (plan->tp <= 1 || payload_bytes <= 0.0) {
        return;
    }
    const PsimGroup group =
        psim_collective_group(plan->hardware, plan->tp, /* stride= */ 1, plan->n_gpus);
    const double time_s =
        psim_collective_s(plan->hardware, PSIM_COLLECTIVE_ALL_GATHER, group, payload_bytes);
    const PsimKernel kernel = {
        .name = "tp-exchange",
        .kind = PSIM_KERNEL_COLLECTIVE,
        .pass = pass,
        .time_s = time_s + plan->runtime.host_collective_s,
        .bytes = payload_bytes,
        .count = 1,
    };

    g_array_append_val(kernels, kernel);
}

void
psim_layer_list_kernels(const PsimPlan *plan, uint32_t layer, GArray *kernels)
{
    const PsimLayer *entry = psim_layer_list_at(plan->model, layer, /* ret_left= */ NULL);
    const double micro = (double)plan->micro_batch;
    const double share = micro / (double)plan->tp;
    const double forward = entry->forward_flop * share;
    /* Without weights the whole backward is the input's. */
    const double weight = entry->params > 0.0 ? entry->backward_flop / 2.0 * share : 0.0;
    const double input = entry->backward_flop * share - weight;
    const double bytes =
        share * (entry->memory_bytes > 0.0 ? entry->memory_bytes
                                           : entry->activation_bytes + entry->output_bytes);
    const double exchange = entry->exchange_bytes * micro;

    add_compute(plan, PSIM_PASS_FORWARD, forward, bytes, kernels);
    add_exchange(plan, PSIM_PASS_FORWARD, exchange, kernels);
    if (plan->recompute == PSIM_RECOMPUTE_FULL) {
        add_compute(plan, PSIM_PASS_RECOMPUTE, forward, bytes, kernels);
        add_exchange(plan, PSIM_PASS_RECOMPUTE, exchange, kernels);
    }
    add_compute(plan, PSIM_PASS_BACKWARD_INPUT, input, bytes, kernels);
    add_exchange(plan, PSIM_PASS_BACKWARD_INPUT, exchange, kernels);
    if (entry->params > 0.0) {
        add_compute(plan, PSIM_PASS_BACKWARD_WEIGHT, weight, bytes, kernels);
    }
}
