/* SPDX-License-Identifier: MIT */
/* Samples are the formula's time, with a few that something disturbed: a median and a minimum both
 * see through those. FAKE_DELAY_US makes a case take its while, so that a run can be killed.
 */
#include "fake.h"

#include <stdlib.h>

#define N_SAMPLES 9u

struct PsimUnit {
    PsimUnitFacts facts;
    PsimProductCost cost;
};

const PsimProductCost fake_gpu_cost = {
    .size = sizeof(PsimProductCost),
    .tiled = true,
    .n_sms = 100,
    .peak_flop_per_s = 400e12,
    .memory_bytes_per_s = 2e12,
    .efficiency = 0.72,
    .bandwidth_fraction = 0.85,
    .launch_s = 6e-6,
    .k0 = 90,
    .tile_c = 30,
    .wave_soft = 0.6,
};
const PsimProductCost fake_core_cost = {
    .size = sizeof(PsimProductCost),
    .peak_flop_per_s = 100e9,
    .memory_bytes_per_s = 20e9,
    .efficiency = 0.9,
    .bandwidth_fraction = 0.85,
    .launch_s = 2e-6,
    .k0 = 12,
    .m0 = 20,
    .n0 = 16,
};
const double fake_attention_efficiency = 0.6;
const double fake_norm_fraction = 0.5;

static PsimUnit *
make_unit(const char *name, const PsimProductCost *cost)
{
    PsimUnit *self = g_new0(PsimUnit, 1);

    self->cost = *cost;
    self->facts = (PsimUnitFacts){
        .name = name,
        .identifier = "",
        .driver = "1.0",
        .libraries = "none",
        .architecture = "invented",
        .n_units = 2,
        .n_sms = cost->n_sms,
        .memory_bytes = UINT64_C(80) << 30,
        .memory_usable_bytes = UINT64_C(78) << 30,
        .cache_bytes = UINT64_C(32) << 20,
        .clock_hz = 1e9,
        .nominal_bytes_per_s = cost->memory_bytes_per_s,
    };
    self->facts.nominal_flop_per_s[cost->tiled ? PSIM_NUMBER_BF16 : PSIM_NUMBER_FP32] =
        cost->peak_flop_per_s;
    return self;
}

static PsimUnit *
open_gpu(uint32_t number, GError **error)
{
    (void)number;
    (void)error;
    return make_unit("Fake GPU", &fake_gpu_cost);
}

static PsimUnit *
open_core(uint32_t number, GError **error)
{
    (void)number;
    (void)error;
    return make_unit("Fake core", &fake_core_cost);
}

static PsimUnit *
open_slow_core(uint32_t number, GError **error)
{
    PsimUnit *self = open_core(number, error);

    self->cost.efficiency /= 1.25;
    return self;
}

/* Of which nobody says how fast it is. */
static PsimUnit *
open_bare_core(uint32_t number, GError **error)
{
    PsimUnit *self = open_core(number, error);

    self->facts.nominal_bytes_per_s = 0.0;
    self->facts.nominal_flop_per_s[PSIM_NUMBER_FP32] = 0.0;
    return self;
}

static PsimUnit *
open_other(uint32_t number, GError **error)
{
    (void)number;
    (void)error;
    return make_unit("Another GPU", &fake_gpu_cost);
}

static void
close_unit(PsimUnit *self)
{
    g_free(self);
}

static void
describe(PsimUnit *self, PsimUnitFacts *ret_facts)
{
    *ret_facts = self->facts;
}

static PsimVerdict
check(PsimUnit *self,
      const PsimCase *what,
      const PsimPolicy *policy,
      double *ret_error,
      GError **error)
{
    (void)policy;
    (void)error;
    *ret_error = 0.25;
    return what->kind == PSIM_CASE_ATTENTION && self->facts.n_sms == 0 ? PSIM_VERDICT_UNSUPPORTED
                                                                       : PSIM_VERDICT_RIGHT;
}

static double
time_attention_s(const PsimUnit *self, const PsimCase *what)
{
    const PsimFusedAttentionCost cost = {
        .size = sizeof cost,
        .n_sms = self->facts.n_sms,
        .peak_flop_per_s = self->cost.peak_flop_per_s,
        .efficiency = fake_attention_efficiency,
        .s0 = 600,
        .occupancy = 1.5,
        .tile = 128,
    };
    const PsimFusedAttention attention = {
        .size = sizeof attention,
        .batch = (double)what->attention.batch,
        .n_heads = (double)what->attention.n_heads,
        .sequence = (double)what->attention.sequence,
        .head_dim = (double)what->attention.head_dim,
        .causal = what->attention.causal,
        .backward = what->attention.backward,
    };

    return psim_fused_attention_s(&cost, &attention);
}

static double
time_stream_s(const PsimUnit *self, const PsimCase *what)
{
    static const double transfers[PSIM_N_STREAM_KINDS] = {2, 2, 3, 1};

    return transfers[what->stream.what] * (double)what->stream.bytes /
           (self->cost.memory_bytes_per_s * self->cost.bandwidth_fraction);
}

static double
time_case_s(const PsimUnit *self, const PsimCase *what)
{
    const double bytes_per_s = self->cost.memory_bytes_per_s;

    switch (what->kind) {
    case PSIM_CASE_LAUNCH:
        return (double)what->launch.n_launches * 1e-6;
    case PSIM_CASE_STREAM:
        return time_stream_s(self, what);
    case PSIM_CASE_GEMM: {
        const PsimProduct product = psim_constants_product(what);

        return psim_product_s(&self->cost, &product);
    }
    case PSIM_CASE_KERNEL:
        return 3e-6 + psim_constants_kernel_bytes(what) / (bytes_per_s * fake_norm_fraction);
    case PSIM_CASE_ATTENTION:
        return time_attention_s(self, what);
    case PSIM_CASE_MEMCPY:
        return 1e-5 + (double)what->memcpy.bytes / 25e9;
    case PSIM_CASE_COLLECTIVE:
        return 1e-5 + MIN((double)what->collective.bytes / 20e9,
                          2e-5 + (double)what->collective.bytes / 200e9);
    }
    g_assert_not_reached();
}

static PsimVerdict
measure(PsimUnit *self,
        const PsimCase *what,
        const PsimPolicy *policy,
        PsimSamples *ret_samples,
        GError **error)
{
    const char *delay = g_getenv("FAKE_DELAY_US");
    const double time_s = time_case_s(self, what);

    (void)policy;
    (void)error;
    if (delay != NULL)
        g_usleep((gulong)g_ascii_strtoull(delay, NULL, 10));
    *ret_samples = (PsimSamples){
        .n = N_SAMPLES,
        .seconds = g_new(double, N_SAMPLES),
        .n_a_batch = 1,
        .clock_before_hz = 1e9,
        .clock_after_hz = 1e9,
    };
    for (uint32_t i = 0; i < N_SAMPLES; i++)
        ret_samples->seconds[i] = i % 3 == 2 ? 1.5 * time_s : time_s;
    return PSIM_VERDICT_RIGHT;
}

static PsimVerdict
measure_nothing(PsimUnit *self,
                const PsimCase *what,
                const PsimPolicy *policy,
                PsimSamples *ret_samples,
                GError **error)
{
    (void)self;
    (void)what;
    (void)policy;
    (void)ret_samples;
    (void)error;
    return PSIM_VERDICT_FAILED;
}

#define BACKEND(function, opener, measurer)                                                        \
    const PsimBackend *function(void)                                                              \
    {                                                                                              \
        static const PsimBackend backend = {                                                       \
            .abi = PSIM_BACKEND_ABI,                                                               \
            .name = "fake",                                                                        \
            .open = opener,                                                                        \
            .close = close_unit,                                                                   \
            .describe = describe,                                                                  \
            .check = check,                                                                        \
            .measure = measurer,                                                                   \
        };                                                                                         \
                                                                                                   \
        return &backend;                                                                           \
    }

BACKEND(fake_gpu, open_gpu, measure)
BACKEND(fake_core, open_core, measure)
BACKEND(fake_bare_core, open_bare_core, measure)
BACKEND(fake_slow_core, open_slow_core, measure)
BACKEND(fake_other, open_other, measure)
BACKEND(fake_broken, open_core, measure_nothing)
