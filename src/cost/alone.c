/* SPDX-License-Identifier: MIT */
/* Kernels for those who fit and check the constants: the same formulas as a simulation's. */
#include "cost/kernel.h"

static PsimGemm
make_gemm(const PsimProduct *product)
{
    return (PsimGemm){
        .m = product->m,
        .n = product->n,
        .k = product->k,
        .batch = 1.0,
        .element_bytes = product->element_bytes,
        .output_bytes = product->output_bytes,
        .layout = product->layout,
    };
}

double
psim_product_s(const PsimProductCost *cost, const PsimProduct *product)
{
    const PsimGemm gemm = make_gemm(product);
    const PsimDevice device = {
        .n_sms = cost->n_sms,
        .peak_flop_per_s = {[PSIM_PRECISION_FP32] = cost->peak_flop_per_s},
        .memory_bytes_per_s = cost->memory_bytes_per_s,
        .gemm =
            {
                .tiled = cost->tiled,
                .efficiency = cost->efficiency,
                .bandwidth_fraction = cost->bandwidth_fraction,
                .launch_s = cost->launch_s,
                .k0 = cost->k0,
                .tile_c = cost->tile_c,
                .wave_soft = cost->wave_soft,
                .misaligned = cost->misaligned,
                .odd = cost->odd,
                .m0 = cost->m0,
                .n0 = cost->n0,
            },
    };

    return psim_kernel_gemm_s(&device, PSIM_PRECISION_FP32, &gemm);
}

static bool
find_precision(const char *word, PsimPrecision *ret_precision)
{
    const char *const *words = psim_precision_words();

    for (unsigned i = 0; words[i] != NULL; i++) {
        if (!g_str_equal(words[i], word))
            continue;
        *ret_precision = (PsimPrecision)i;
        return true;
    }
    return false;
}

bool
psim_hardware_product_cost(const PsimHardware *self,
                           const char *precision,
                           PsimProductCost *ret_cost)
{
    g_return_val_if_fail(self != NULL && precision != NULL && ret_cost != NULL, false);

    const PsimDevice *device = &self->device;
    const PsimGemmConstants *gemm = &device->gemm;
    PsimPrecision which = PSIM_PRECISION_FP32;

    if (!find_precision(precision, &which))
        return false;
    /* The efficiency of fp8 is its own. */
    const bool fp8 = which == PSIM_PRECISION_FP8 && gemm->efficiency_fp8 > 0.0;
    const double efficiency = fp8 ? gemm->efficiency_fp8 : gemm->efficiency;

    *ret_cost = (PsimProductCost){
        .size = sizeof *ret_cost,
        .tiled = gemm->tiled,
        .n_sms = device->n_sms,
        .peak_flop_per_s = psim_kernel_gemm_rate(device, which) / efficiency,
        .memory_bytes_per_s = device->memory_bytes_per_s,
        .efficiency = efficiency,
        .bandwidth_fraction = gemm->bandwidth_fraction,
        .launch_s = gemm->launch_s,
        .k0 = gemm->k0,
        .tile_c = gemm->tile_c,
        .wave_soft = gemm->wave_soft,
        .misaligned = gemm->misaligned,
        .odd = gemm->odd,
        .m0 = gemm->m0,
        .n0 = gemm->n0,
    };
    return true;
}

double
psim_hardware_product_s(const PsimHardware *self,
                        const char *precision,
                        const PsimProduct *product,
                        PsimBasis *ret_basis)
{
    g_return_val_if_fail(self != NULL && precision != NULL && product != NULL, -1.0);

    const PsimGemm gemm = make_gemm(product);
    PsimPrecision which = PSIM_PRECISION_FP32;

    if (!find_precision(precision, &which))
        return -1.0;
    if (ret_basis != NULL)
        *ret_basis = psim_kernel_gemm_basis(&self->device, which, &gemm);
    return psim_kernel_gemm_s(&self->device, which, &gemm);
}

double
psim_fused_attention_s(const PsimFusedAttentionCost *cost, const PsimFusedAttention *attention)
{
    const PsimAttentionPass pass = {
        .efficiency = cost->efficiency,
        .s0 = cost->s0,
        .occupancy = cost->occupancy,
        .tile = cost->tile,
    };
    PsimAttentionConstants row = {.causal = attention->causal, .forward = pass, .backward = pass};
    const PsimDevice device = {
        .n_sms = cost->n_sms,
        .peak_flop_per_s = {[PSIM_PRECISION_FP32] = cost->peak_flop_per_s},
        .attention = &row,
        .n_attention = 1,
    };
    const PsimAttention what = {
        .batch = attention->batch,
        .n_heads = attention->n_heads,
        .n_kv_heads = attention->n_heads,
        .queries = attention->sequence,
        .keys = attention->sequence,
        .head_dim = attention->head_dim,
        .causal = attention->causal,
    };

    return psim_kernel_attention_s(&device, PSIM_PRECISION_FP32, &what, attention->backward);
}
