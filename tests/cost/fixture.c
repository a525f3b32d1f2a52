/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <string.h>

static PsimCollectiveConstants collectives[] = {
    {.what = PSIM_COLLECTIVE_ALL_REDUCE,
     .n_ranks = 8,
     .a_s = 20e-6,
     .step_s = 49e-6,
     .low_bytes_per_s = 42e9,
     .high_bytes_per_s = 228e9},
    {.what = PSIM_COLLECTIVE_ALL_GATHER,
     .n_ranks = 8,
     .a_s = 18e-6,
     .step_s = 51e-6,
     .low_bytes_per_s = 22e9,
     .high_bytes_per_s = 211e9},
    {.what = PSIM_COLLECTIVE_REDUCE_SCATTER,
     .n_ranks = 8,
     .a_s = 18e-6,
     .step_s = 57e-6,
     .low_bytes_per_s = 22e9,
     .high_bytes_per_s = 227e9},
    {.what = PSIM_COLLECTIVE_ALL_TO_ALL,
     .n_ranks = 8,
     .a_s = 30e-6,
     .step_s = 59e-6,
     .low_bytes_per_s = 203e9,
     .high_bytes_per_s = 225e9},
};

static char flash_attention[] = "flash-attention-2";

static PsimAttentionConstants attention[] = {
    {.kernel = flash_attention,
     .head_dim = 64,
     .causal = true,
     .forward = {0.564, 505, 2.4, 128.0},
     .backward = {0.564, 505, 1.5, 128.0}},
    {.kernel = flash_attention,
     .head_dim = 128,
     .causal = true,
     .forward = {0.622, 485, 2.4, 128.0},
     .backward = {0.622, 485, 1.5, 128.0}},
    {.kernel = flash_attention,
     .head_dim = 128,
     .causal = false,
     .forward = {0.657, 185, 1.0, 128.0},
     .backward = {0.657, 185, 1.0, 128.0}},
};

static PsimDevice
make_a100(void)
{
    return (PsimDevice){
        .n_sms = 108,
        .peak_flop_per_s = {19.5e12, 156e12, 312e12, 312e12, 0.0},
        .memory_bytes = 81920.0 * 1048576.0,
        .memory_bytes_per_s = 2039e9,
        .gemm = {.tiled = true,
                 .efficiency = 0.755,
                 .bandwidth_fraction = 0.8,
                 .launch_s = 1.7e-6,
                 .k0 = 82,
                 .tile_c = 35,
                 .wave_soft = 0.75,
                 .misaligned = 1.45,
                 .odd = 2.65},
        .attention = attention,
        .n_attention = G_N_ELEMENTS(attention),
        .memory_bound = {.launch_s = 2e-6,
                         .copy = 0.85,
                         .norm_forward = 0.8,
                         .norm_backward = 0.77,
                         .norm_forward_eager = 0.7,
                         .norm_backward_eager = 0.36,
                         .elementwise = 0.8,
                         .softmax = 0.75,
                         .embedding = 0.17,
                         .optimizer = 0.8,
                         .cross_entropy = 0.75},
    };
}

PsimHardware
fixture_dgx_a100(void)
{
    return (PsimHardware){
        .device = make_a100(),
        .gpus_per_node = 8,
        .scale_up_size = 8,
        .scale_up_bytes_per_s = 300e9,
        .scale_up_fraction = 0.78,
        .pair_bytes_per_s = 300e9,
        .scale_up_latency_s = 7e-6,
        .scale_up_step_s = 1.9e-6,
        .collectives = collectives,
        .n_collectives = G_N_ELEMENTS(collectives),
        .nics_per_node = 8,
        .nic_bytes_per_s = 25e9,
        .nic_fraction = 0.9,
        .ring_step_s = 6e-6,
        .fabric_latency_s = 17e-6,
        .oversubscription = 1.0,
    };
}

PsimHardware
fixture_ideal(void)
{
    PsimHardware hardware = fixture_dgx_a100();

    hardware.scale_up_bytes_per_s = 1e9;
    hardware.pair_bytes_per_s = 1e9;
    hardware.scale_up_fraction = 1.0;
    hardware.scale_up_latency_s = 0.0;
    hardware.scale_up_step_s = 0.0;
    hardware.n_collectives = 0;
    hardware.nic_bytes_per_s = 0.5e9;
    hardware.nic_fraction = 1.0;
    hardware.ring_step_s = 0.0;
    hardware.fabric_latency_s = 0.0;
    return hardware;
}

PsimModel
fixture_gpt(uint32_t n_layers, uint32_t hidden, uint32_t n_heads)
{
    return (PsimModel){
        .kind = PSIM_MODEL_TRANSFORMER,
        .n_layers = n_layers,
        .hidden = hidden,
        .n_heads = n_heads,
        .n_kv_heads = n_heads,
        .head_dim = hidden / n_heads,
        .ffn_hidden = 4 * hidden,
        .vocabulary = 51200,
        .sequence = 2048,
        .tied_embeddings = true,
        .causal = true,
        .biases = true,
        .dropout = true,
        .positions = PSIM_POSITIONS_LEARNED,
        .norm = PSIM_NORM_LAYERNORM,
    };
}

PsimModel
fixture_llama(void)
{
    return (PsimModel){
        .kind = PSIM_MODEL_TRANSFORMER,
        .n_layers = 32,
        .hidden = 4096,
        .n_heads = 32,
        .n_kv_heads = 8,
        .head_dim = 128,
        .ffn_hidden = 14336,
        .vocabulary = 128256,
        .sequence = 8192,
        .gated_mlp = true,
        .causal = true,
        .positions = PSIM_POSITIONS_ROTARY,
        .norm = PSIM_NORM_RMSNORM,
    };
}

PsimRuntime
fixture_runtime(void)
{
    return (PsimRuntime){
        .weight_bytes = 2.0,
        .gradient_bytes = 2.0,
        .gradient_bytes_bf16 = 2.0,
        .fused_gradient_accumulation = true,
        .fused_rotary = true,
        .vocabulary_parallel_loss = true,
        .vocabulary_multiple = 128,
        .optimizer_bytes = 12.0,
        .optimizer_traffic_bytes = 30.0,
        .gradient_reduce_bytes = 2.0,
        .shards_optimizer = {false, true, true, true},
        .shards_gradients = {false, false, true, true},
        .shards_weights = {false, false, false, true},
        .fused_norm = true,
        .fused_softmax = true,
        .fused_bias_gelu = true,
        .fused_cross_entropy = true,
        .logits_bytes = 4.0,
    };
}

void
fixture_init(Fixture *self, PsimModel model, uint32_t tp, uint32_t micro_batch)
{
    self->model = model;
    self->hardware = fixture_dgx_a100();
    self->plan = (PsimPlan){
        .model = &self->model,
        .hardware = &self->hardware,
        .runtime = fixture_runtime(),
        .n_gpus = tp,
        .tp = tp,
        .recompute_layers = UINT32_MAX,
        .recompute_group = 1,
        .cp = 1,
        .pp = 1,
        .dp = 1,
        .micro_batch = micro_batch,
        .global_batch = micro_batch,
        .n_microbatches = 1,
        .n_chunks = 1,
        .group = 1,
        .precision = PSIM_PRECISION_BF16,
    };
}

double
fixture_compute_s(const PsimBlockCost *cost)
{
    double sum = 0.0;

    for (size_t pass = 0; pass < PSIM_N_PASSES; pass++) {
        sum += cost->compute_s[pass];
    }
    return sum;
}

uint32_t
fixture_count(
    const PsimPlan *plan, PsimBlock block, PsimPass pass, const char *name, double *ret_bytes)
{
    g_autoptr(GArray) kernels = g_array_new(FALSE, FALSE, sizeof(PsimKernel));
    uint32_t count = 0;

    psim_layer_kernels(plan, block, /* layer= */ 0, kernels);
    for (size_t i = 0; i < kernels->len; i++) {
        const PsimKernel *kernel = &g_array_index(kernels, PsimKernel, i);
        if (kernel->pass == pass && strcmp(kernel->name, name) == 0) {
            count += kernel->count;
            *ret_bytes = kernel->bytes;
        }
    }
    return count;
}
