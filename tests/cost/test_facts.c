/* SPDX-License-Identifier: MIT */
/* The shipped constants against a few published measurements: a sample that is always at hand.
 * test_measured.c has the whole, where it is. */
#include "cost/collective.h"
#include "cost/kernel.h"

#include <check.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static PsimHardware *
load(const char *name)
{
    PsimHardware *hardware = psim_hardware_load(name, NULL, 0, NULL);

    ck_assert_ptr_nonnull(hardware);
    return hardware;
}

/* -- Matrix products --------------------------------------------------------------------------- */

/* What the formula gives with the constants that were fitted: a reference of its own. */
static const struct {
    const char *hardware;
    PsimPrecision precision;
    double m, n, k;
    double time_us;
} products[] = {
    {"dgx-a100-80gb", PSIM_PRECISION_BF16, 8192, 8192, 8192, 4718.37},
    {"dgx-a100-80gb", PSIM_PRECISION_BF16, 4096, 12288, 4096, 1811.52},
    {"dgx-a100-80gb", PSIM_PRECISION_BF16, 4096, 4096, 4096, 604.97},
    {"dgx-a100-80gb", PSIM_PRECISION_BF16, 2048, 8192, 1024, 161.40},
    {"dgx-h100", PSIM_PRECISION_BF16, 8192, 8192, 8192, 1547.04},
    {"dgx-h100", PSIM_PRECISION_BF16, 4096, 12288, 4096, 584.88},
    {"dgx-h100", PSIM_PRECISION_BF16, 4096, 4096, 4096, 199.09},
    {"dgx-h100", PSIM_PRECISION_BF16, 2048, 8192, 1024, 54.43},
    {"v100-16gb-x8", PSIM_PRECISION_FP16, 8192, 8192, 8192, 9930.53},
    {"v100-16gb-x8", PSIM_PRECISION_FP16, 4096, 12288, 4096, 3875.14},
    {"v100-16gb-x8", PSIM_PRECISION_FP16, 4096, 4096, 4096, 1320.03},
    {"v100-16gb-x8", PSIM_PRECISION_FP16, 2048, 8192, 1024, 395.80},
};

START_TEST(shipped_products_take_the_reference_times)
{
    g_autoptr(PsimHardware) hardware = load(products[_i].hardware);
    const PsimGemm gemm = {.m = products[_i].m,
                           .n = products[_i].n,
                           .k = products[_i].k,
                           .batch = 1.0,
                           .element_bytes = 2.0,
                           .output_bytes = 2.0};
    const double time_us =
        psim_kernel_gemm_s(&hardware->device, products[_i].precision, &gemm) * 1e6;

    ck_assert_double_eq_tol(time_us / products[_i].time_us, 1.0, 1e-3);
}
END_TEST

/* -- Fused attention --------------------------------------------------------------------------- */

/* Figures of the FlashAttention repository and of arXiv 2407.08608: 16384 tokens, 16 heads of
 * 128. Launch and occupancy, which the curves do not have, take 1 to 3 % of these points. */
static const struct {
    const char *hardware;
    const char *kernel;
    bool causal, forward, backward;
    double sequence;
    double tflops;
} attention[] = {
    {"dgx-a100-80gb", "flash-attention-2", false, true, true, 2048, 187},
    {"dgx-a100-80gb", "flash-attention-2", true, true, true, 512, 99},
    {"dgx-a100-80gb", "flash-attention-2", true, true, true, 2048, 155},
    {"dgx-a100-80gb", "flash-attention-2", true, true, true, 16384, 189},
    {"dgx-h100", "flash-attention-2", true, true, true, 2048, 265},
    {"dgx-h100", "flash-attention-3", false, true, false, 2048, 625},
    {"dgx-h100", "flash-attention-3", true, true, false, 2048, 521},
    {"dgx-h100", "flash-attention-3", false, false, true, 2048, 501},
    {"dgx-h100", "cudnn", true, true, false, 2048, 484},
    {"dgx-h100", "cudnn", false, false, true, 16384, 516},
};

START_TEST(shipped_attention_reaches_the_published_rates)
{
    g_autoptr(PsimHardware) hardware = load(attention[_i].hardware);
    const PsimAttention shape = {.batch = 16384.0 / attention[_i].sequence,
                                 .n_heads = 16.0,
                                 .queries = attention[_i].sequence,
                                 .keys = attention[_i].sequence,
                                 .head_dim = 128.0,
                                 .causal = attention[_i].causal,
                                 .kernel = attention[_i].kernel};
    const double flop = psim_kernel_attention_flop(&shape);
    double done_flop = 0.0;
    double time_s = 0.0;

    if (attention[_i].forward) {
        done_flop += flop;
        time_s += psim_kernel_attention_s(&hardware->device, PSIM_PRECISION_FP16, &shape,
                                          /* backward= */ false);
    }
    if (attention[_i].backward) {
        done_flop += 2.5 * flop;
        time_s += psim_kernel_attention_s(&hardware->device, PSIM_PRECISION_FP16, &shape,
                                          /* backward= */ true);
    }
    ck_assert_double_eq_tol(done_flop / time_s / 1e12 / attention[_i].tflops, 1.0, 0.06);
}
END_TEST

/* -- Collectives ------------------------------------------------------------------------------- */

/* nccl-tests: superbenchmark (A100), ml-engineering (H200, B200); vTrain's tables (V100). Floors of
 * 20 to 56 us beyond ours, for one process that drives all devices, are a few percent here. */
static const struct {
    const char *hardware;
    PsimCollective what;
    uint32_t n_ranks;
    double payload_bytes;
    double time_us;
} collectives[] = {
    {"dgx-a100-80gb", PSIM_COLLECTIVE_ALL_REDUCE, 8, 67108864, 584.5},
    {"dgx-a100-80gb", PSIM_COLLECTIVE_ALL_REDUCE, 8, 1073741824, 8159.5},
    {"dgx-a100-80gb", PSIM_COLLECTIVE_ALL_GATHER, 8, 67108864, 379.7},
    {"dgx-a100-80gb", PSIM_COLLECTIVE_ALL_GATHER, 8, 1073741824, 4413.4},
    {"dgx-a100-80gb", PSIM_COLLECTIVE_REDUCE_SCATTER, 8, 67108864, 356.1},
    {"dgx-a100-80gb", PSIM_COLLECTIVE_REDUCE_SCATTER, 8, 1073741824, 4203.0},
    {"dgx-a100-80gb", PSIM_COLLECTIVE_ALL_TO_ALL, 8, 1073741824, 4335.5},
    {"hgx-h200", PSIM_COLLECTIVE_ALL_REDUCE, 8, 67108864, 338.9},
    {"hgx-h200", PSIM_COLLECTIVE_ALL_REDUCE, 8, 1073741824, 4053.4},
    {"aws-p6-b200", PSIM_COLLECTIVE_ALL_REDUCE, 8, 1073741824, 2597.7},
    {"azure-ndv2", PSIM_COLLECTIVE_ALL_REDUCE, 2, 67108864, 2998.7},
    {"azure-ndv2", PSIM_COLLECTIVE_ALL_REDUCE, 4, 1073741824, 18872.0},
    {"azure-ndv2", PSIM_COLLECTIVE_ALL_REDUCE, 8, 67108864, 912.2},
    {"azure-ndv2", PSIM_COLLECTIVE_ALL_REDUCE, 8, 1073741824, 13983.0},
};

START_TEST(shipped_collectives_take_the_measured_times)
{
    g_autoptr(PsimHardware) hardware = load(collectives[_i].hardware);
    const uint32_t n_ranks = collectives[_i].n_ranks;
    const PsimGroup group = {.n_ranks = n_ranks, .n_per_node = n_ranks, .n_groups_per_node = 1};
    const double time_us =
        psim_collective_s(hardware, collectives[_i].what, group, collectives[_i].payload_bytes) *
        1e6;

    ck_assert_double_eq_tol(time_us / collectives[_i].time_us, 1.0, 0.12);
}
END_TEST

/* -- Kernels between the products ---------------------------------------------------------------
 */

/* Operators of PyTorch and Megatron, 16-bit: Estimate-Train-Time's runs on Perlmutter (A100) and
 * Vista (GH200). Bytes an element as hardware/README.md counts them. */
static const struct {
    const char *hardware;
    const char *what;
    size_t fraction; /* place of the share of the bandwidth */
    double elements;
    double bytes; /* of an element */
    double time_us;
} kernels[] = {
#define SHARE(member) offsetof(PsimMemoryBoundConstants, member)
#define SCORES        (2.0 * 16.0 * 4608.0 * 4608.0)
    {"dgx-a100-80gb", "softmax", SHARE(softmax), SCORES, 4.0, 3591.2},
    {"dgx-a100-80gb", "softmax back", SHARE(softmax), SCORES, 6.0, 4777.6},
    {"dgx-a100-80gb", "GeLU", SHARE(activation), 2048.0 * 22528.0, 4.0, 144.0},
    {"dgx-a100-80gb", "GeLU back", SHARE(activation), 2048.0 * 22528.0, 6.0, 189.2},
    {"dgx-a100-80gb", "GeLU", SHARE(activation), 20480.0 * 32768.0, 4.0, 1823.6},
    {"dgx-a100-80gb", "GeLU back", SHARE(activation), 20480.0 * 32768.0, 6.0, 2554.8},
    {"dgx-a100-80gb", "norm", SHARE(norm_forward_eager), 8192.0 * 5632.0, 4.0, 155.8},
    {"dgx-a100-80gb", "norm back", SHARE(norm_backward_eager), 8192.0 * 5632.0, 8.0, 527.2},
    {"dgx-a100-80gb", "residual", SHARE(elementwise), 10240.0 * 8192.0, 6.0, 290.8},
    {"gh200", "softmax", SHARE(softmax), SCORES, 4.0, 1872.2},
    {"gh200", "softmax back", SHARE(softmax), SCORES, 6.0, 2625.4},
    {"gh200", "GeLU", SHARE(activation), 2048.0 * 22528.0, 4.0, 75.8},
    {"gh200", "GeLU back", SHARE(activation), 2048.0 * 22528.0, 6.0, 98.8},
    {"gh200", "norm", SHARE(norm_forward_eager), 8192.0 * 5632.0, 4.0, 84.2},
    {"gh200", "norm back", SHARE(norm_backward_eager), 8192.0 * 5632.0, 8.0, 122.1},
    {"gh200", "residual", SHARE(elementwise), 10240.0 * 8192.0, 6.0, 139.9},
#undef SCORES
#undef SHARE
};

/* One share for all sizes and both passes: the smallest GeLU on the A100 is 16 % off, on the GH200,
 * whose share of elementwise kernels is the A100's, the residual 14 %. */
static const double kernel_tolerance = 0.17;

START_TEST(shipped_kernels_between_the_products_take_the_measured_times)
{
    g_autoptr(PsimHardware) hardware = load(kernels[_i].hardware);
    const char *constants = (const char *)&hardware->device.memory_bound;
    double fraction = 0.0;

    memcpy(&fraction, constants + kernels[_i].fraction, sizeof fraction);
    const double time_us =
        psim_kernel_memory_s(&hardware->device, kernels[_i].elements * kernels[_i].bytes,
                             fraction) *
        1e6;

    ck_assert_msg(fabs(time_us / kernels[_i].time_us - 1.0) <= kernel_tolerance,
                  "%s, %s: %.1f us, measured %.1f", kernels[_i].hardware, kernels[_i].what, time_us,
                  kernels[_i].time_us);
}
END_TEST

Suite *facts_suite(void);

Suite *
facts_suite(void)
{
    Suite *suite = suite_create("facts");
    TCase *tests = tcase_create("facts");

    tcase_add_loop_test(tests, shipped_products_take_the_reference_times, 0,
                        G_N_ELEMENTS(products));
    tcase_add_loop_test(tests, shipped_attention_reaches_the_published_rates, 0,
                        G_N_ELEMENTS(attention));
    tcase_add_loop_test(tests, shipped_collectives_take_the_measured_times, 0,
                        G_N_ELEMENTS(collectives));
    tcase_add_loop_test(tests, shipped_kernels_between_the_products_take_the_measured_times, 0,
                        G_N_ELEMENTS(kernels));
    suite_add_tcase(suite, tests);
    return suite;
}
