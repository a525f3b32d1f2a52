/* SPDX-License-Identifier: MIT */
#include "cost/kernel.h"

#include <check.h>
#include <math.h>

#include "fixture.h"

/* -- Matrix products --------------------------------------------------------------------------- */

static PsimDevice
make_h100(void)
{
    return (PsimDevice){.n_sms = 132,
                        .peak_flop_per_s = {67e12, 494.5e12, 989.4e12, 989.4e12, 1979e12},
                        .memory_bytes_per_s = 3350e9,
                        .gemm = {.tiled = true,
                                 .efficiency = 0.726,
                                 .efficiency_fp8 = 0.62,
                                 .bandwidth_fraction = 0.8,
                                 .launch_s = 6.2e-6,
                                 .k0 = 0,
                                 .tile_c = 25,
                                 .wave_soft = 0.74,
                                 .misaligned = 1.45,
                                 .odd = 2.65}};
}

static PsimDevice
make_v100(void)
{
    return (PsimDevice){.n_sms = 80,
                        .peak_flop_per_s = {15.7e12, 0.0, 125e12, 0.0, 0.0},
                        .memory_bytes_per_s = 900e9,
                        .gemm = {.tiled = true,
                                 .efficiency = 0.919,
                                 .bandwidth_fraction = 0.8,
                                 .launch_s = 10.7e-6,
                                 .k0 = 256,
                                 .tile_c = 19,
                                 .wave_soft = 0.68,
                                 .misaligned = 1.0,
                                 .odd = 1.0}};
}

static PsimGemm
make_gemm(double m, double n, double k)
{
    return (PsimGemm){
        .m = m, .n = n, .k = k, .batch = 1.0, .element_bytes = 2.0, .output_bytes = 2.0};
}

static const struct {
    double m, n, k;
    double a100_us, h100_us, v100_us;
} gemm_cases[] = {
    {8192, 8192, 8192, 4718.37, 1547.04, 9930.53},
    {4096, 12288, 4096, 1811.52, 584.88, 3875.14},
    {4096, 4096, 4096, 604.97, 199.09, 1320.03},
    {2048, 8192, 1024, 161.40, 54.43, 395.80},
};

/* The table has two decimals. */
static const double table_tolerance_us = 0.005;

START_TEST(gemm_gives_the_table_of_the_fit)
{
    const PsimGemm gemm = make_gemm(gemm_cases[_i].m, gemm_cases[_i].n, gemm_cases[_i].k);
    const PsimDevice a100 = fixture_dgx_a100().device, h100 = make_h100(), v100 = make_v100();

    ck_assert_double_eq_tol(psim_kernel_gemm_s(&a100, PSIM_PRECISION_BF16, &gemm) * 1e6,
                            gemm_cases[_i].a100_us, table_tolerance_us);
    ck_assert_double_eq_tol(psim_kernel_gemm_s(&h100, PSIM_PRECISION_BF16, &gemm) * 1e6,
                            gemm_cases[_i].h100_us, table_tolerance_us);
    ck_assert_double_eq_tol(psim_kernel_gemm_s(&v100, PSIM_PRECISION_FP16, &gemm) * 1e6,
                            gemm_cases[_i].v100_us, table_tolerance_us);
}
END_TEST

/* All widths fill the tiles of the first, and the work is bound by compute. */
static const struct {
    double n, k;
    double element_bytes;
    double ratio;
} widths[] = {
    {8192, 8192, 2.0, 1.0},  {8184, 8192, 2.0, 1.0},  /* a multiple of 16 bytes */
    {8190, 8192, 2.0, 1.45}, {8188, 8192, 2.0, 1.45}, /* of 4 */
    {8191, 8192, 2.0, 2.65}, {8191, 8192, 4.0, 1.45}, /* four bytes each are words of their own */
    {8191, 8192, 1.0, 2.65}, {8190, 8192, 1.0, 2.65}, {8188, 8192, 1.0, 1.45},
};

START_TEST(gemm_of_misaligned_widths_takes_1_45_times_as_long_and_of_odd_ones_2_65)
{
    PsimDevice device = fixture_dgx_a100().device;
    device.gemm.launch_s = 0.0;
    device.memory_bytes_per_s = 1e30;
    const PsimGemm aligned = make_gemm(8192, 8192, 8192);
    PsimGemm gemm = make_gemm(8192, widths[_i].n, widths[_i].k);
    gemm.element_bytes = widths[_i].element_bytes;

    ck_assert_double_eq(psim_kernel_gemm_s(&device, PSIM_PRECISION_BF16, &gemm),
                        widths[_i].ratio *
                            psim_kernel_gemm_s(&device, PSIM_PRECISION_BF16, &aligned));
}
END_TEST

START_TEST(gemm_with_an_odd_inner_width_is_slowed_by_2_65_too)
{
    /* The inner width is worked in full, so the odd one has a little less to do. */
    PsimDevice device = fixture_dgx_a100().device;
    device.gemm.launch_s = 0.0;
    device.memory_bytes_per_s = 1e30;
    device.gemm.k0 = 0.0;
    const PsimGemm aligned = make_gemm(8192, 8192, 8192);
    const PsimGemm odd = make_gemm(8192, 8192, 8191);

    ck_assert_double_eq_tol(psim_kernel_gemm_s(&device, PSIM_PRECISION_BF16, &odd) /
                                psim_kernel_gemm_s(&device, PSIM_PRECISION_BF16, &aligned),
                            2.65 * 8191.0 / 8192.0, 1e-12);
}
END_TEST

/* A width of 108 elements is a multiple of 8 bytes, of 112 one of 16. */
START_TEST(batched_products_of_misaligned_widths_leave_the_matrix_units)
{
    PsimDevice device = fixture_dgx_a100().device;
    device.gemm.launch_s = 0.0;
    device.memory_bytes_per_s = 1e30;
    device.gemm.batched_misaligned = 0.5;
    PsimGemm gemm = make_gemm(2048, 2048, 108);
    gemm.batch = 64.0;
    const double flop = 2.0 * 64.0 * 2048.0 * 2048.0 * 108.0;

    ck_assert_double_eq_tol(psim_kernel_gemm_s(&device, PSIM_PRECISION_BF16, &gemm),
                            flop / (0.5 * 19.5e12), 1e-12);

    /* One product alone, or one of aligned widths, has its kernel. */
    gemm.batch = 1.0;
    ck_assert_double_lt(psim_kernel_gemm_s(&device, PSIM_PRECISION_BF16, &gemm) * 64.0,
                        flop / (2.0 * 19.5e12));
    gemm.batch = 64.0;
    gemm.k = 112.0;
    ck_assert_double_lt(psim_kernel_gemm_s(&device, PSIM_PRECISION_BF16, &gemm),
                        flop / (4.0 * 19.5e12));
}
END_TEST

START_TEST(batched_products_cost_as_others_where_the_device_does_not_say)
{
    PsimDevice device = fixture_dgx_a100().device;
    PsimGemm gemm = make_gemm(2048, 2048, 108);
    gemm.batch = 64.0;
    device.gemm.launch_s = 0.0;
    device.memory_bytes_per_s = 1e30;
    device.gemm.batched_misaligned = 0.0;
    const double misaligned_s = psim_kernel_gemm_s(&device, PSIM_PRECISION_BF16, &gemm);

    device.gemm.misaligned = 1.0;
    ck_assert_double_eq_tol(misaligned_s,
                            1.45 * psim_kernel_gemm_s(&device, PSIM_PRECISION_BF16, &gemm), 1e-12);
}
END_TEST

START_TEST(gemm_rows_of_any_number_are_aligned)
{
    const PsimDevice device = fixture_dgx_a100().device;
    const PsimGemm even = make_gemm(8192, 8192, 8192);
    const PsimGemm odd = make_gemm(8191, 8192, 8192);

    ck_assert_double_le(psim_kernel_gemm_s(&device, PSIM_PRECISION_BF16, &odd),
                        psim_kernel_gemm_s(&device, PSIM_PRECISION_BF16, &even));
}
END_TEST

START_TEST(gemm_rate_is_peak_times_efficiency_of_the_precision)
{
    const PsimDevice h100 = make_h100();

    ck_assert_double_eq(psim_kernel_gemm_rate(&h100, PSIM_PRECISION_BF16), 989.4e12 * 0.726);
    ck_assert_double_eq(psim_kernel_gemm_rate(&h100, PSIM_PRECISION_FP8), 1979e12 * 0.62);
}
END_TEST

START_TEST(gemm_in_a_format_the_device_lacks_runs_in_the_next_one_down)
{
    const PsimDevice v100 = make_v100();
    const PsimDevice a100 = fixture_dgx_a100().device;

    ck_assert_double_eq(psim_kernel_gemm_rate(&v100, PSIM_PRECISION_BF16), 125e12 * 0.919);
    ck_assert_double_eq(psim_kernel_gemm_rate(&v100, PSIM_PRECISION_TF32), 15.7e12 * 0.919);
    ck_assert_double_eq(psim_kernel_gemm_rate(&a100, PSIM_PRECISION_FP8), 312e12 * 0.755);
}
END_TEST

START_TEST(gemm_without_tiles_saturates_in_each_dimension)
{
    PsimDevice device = {
        .peak_flop_per_s = {120e9},
        .memory_bytes_per_s = 1e30,
        .gemm = {.efficiency = 0.5, .bandwidth_fraction = 1.0, .m0 = 28, .n0 = 28, .k0 = 28}};
    const PsimGemm gemm = make_gemm(100, 100, 100);

    /* 2 x 128^3 FLOP at 60 GFLOP/s */
    ck_assert_double_eq(psim_kernel_gemm_s(&device, PSIM_PRECISION_FP32, &gemm),
                        2.0 * 128 * 128 * 128 / 60e9);
}
END_TEST

START_TEST(gemm_bound_by_memory_takes_its_traffic)
{
    PsimDevice device = fixture_dgx_a100().device;
    device.gemm.launch_s = 0.0;
    device.memory_bytes_per_s = 1e9;
    const PsimGemm gemm = make_gemm(128, 128, 128);
    const double bytes = 2.0 * 3.0 * 128.0 * 128.0;

    /* The smooth maximum adds less than a rounding error where the sides are far apart. */
    ck_assert_double_eq_tol(psim_kernel_gemm_s(&device, PSIM_PRECISION_BF16, &gemm), bytes / 0.8e9,
                            1e-15);
}
END_TEST

/* -- Attention --------------------------------------------------------------------------------- */

static PsimAttention
make_attention(double head_dim, bool causal)
{
    return (PsimAttention){.batch = 2.0,
                           .n_heads = 27.0,
                           .queries = 512.0,
                           .keys = 512.0,
                           .head_dim = head_dim,
                           .causal = causal};
}

START_TEST(attention_flop_is_halved_by_a_causal_mask)
{
    const PsimAttention full = make_attention(128, false), half = make_attention(128, true);

    ck_assert_double_eq(psim_kernel_attention_flop(&full), 4.0 * 2 * 27 * 512 * 512 * 128);
    ck_assert_double_eq(psim_kernel_attention_flop(&half), 2.0 * 2 * 27 * 512 * 512 * 128);
}
END_TEST

static const struct {
    double head_dim;
    bool causal;
    bool backward;
    double efficiency, s0, occupancy;
} attention_cases[] = {
    {128, true, false, 0.622, 485, 2.4},
    {128, true, true, 0.622, 485, 1.5},
    {128, false, false, 0.657, 185, 1.0},
    {64, true, false, 0.564, 505, 2.4},
    {80, true, false, 0.564, 505, 2.4}, /* the nearest head size */
    {256, true, true, 0.622, 485, 1.5},
    {64, false, false, 0.657, 185, 1.0}, /* the mask counts before the head size */
};

START_TEST(attention_takes_the_row_that_fits_best)
{
    const PsimDevice device = fixture_dgx_a100().device;
    const PsimAttention attention =
        make_attention(attention_cases[_i].head_dim, attention_cases[_i].causal);
    const bool backward = attention_cases[_i].backward;
    const double occupancy = attention_cases[_i].occupancy;
    const double w = 2.0 * 27 * 4 / 108; /* 2 blocks an SM */
    const double rate = 312e12 * attention_cases[_i].efficiency *
                        (512 / (512 + attention_cases[_i].s0)) *
                        (w / sqrt(w * w + occupancy * occupancy));
    const double flop = psim_kernel_attention_flop(&attention) * (backward ? 2.5 : 1.0);

    /* The product is associated otherwise. */
    ck_assert_double_eq_tol(
        psim_kernel_attention_s(&device, PSIM_PRECISION_BF16, &attention, backward),
        5e-6 + flop / rate, 1e-15);
}
END_TEST

START_TEST(attention_without_a_kernel_is_negative)
{
    PsimDevice device = fixture_dgx_a100().device;
    device.n_attention = 0;
    const PsimAttention attention = make_attention(128, true);

    ck_assert_double_lt(
        psim_kernel_attention_s(&device, PSIM_PRECISION_BF16, &attention, /* backward= */ false),
        0.0);
}
END_TEST

START_TEST(the_kernel_asked_for_is_taken_where_there_is_one)
{
    char slow[] = "slow";
    PsimDevice device = fixture_dgx_a100().device;
    PsimAttentionConstants rows[] = {device.attention[1], device.attention[1]};
    PsimAttention attention = make_attention(128, true);

    rows[1].kernel = slow;
    rows[1].forward.efficiency /= 2.0;
    device.attention = rows;
    device.n_attention = 2;
    const double first_s = psim_kernel_attention_s(&device, PSIM_PRECISION_BF16, &attention, false);

    attention.kernel = "slow";
    ck_assert_double_gt(psim_kernel_attention_s(&device, PSIM_PRECISION_BF16, &attention, false),
                        first_s);
    attention.kernel = "none such";
    ck_assert_double_eq(psim_kernel_attention_s(&device, PSIM_PRECISION_BF16, &attention, false),
                        first_s);
}
END_TEST

START_TEST(attention_in_larger_tiles_fills_the_device_less)
{
    PsimDevice device = fixture_dgx_a100().device;
    const PsimAttention attention = make_attention(128, true);
    const double narrow_s =
        psim_kernel_attention_s(&device, PSIM_PRECISION_BF16, &attention, false);
    PsimAttentionConstants row = device.attention[1];

    row.forward.tile = 256.0;
    device.attention = &row;
    device.n_attention = 1;
    ck_assert_double_gt(psim_kernel_attention_s(&device, PSIM_PRECISION_BF16, &attention, false),
                        narrow_s);
}
END_TEST

/* -- Memory-bound kernels ---------------------------------------------------------------------- */

START_TEST(memory_kernel_takes_launch_and_traffic)
{
    const PsimDevice device = fixture_dgx_a100().device;

    ck_assert_double_eq(psim_kernel_memory_s(&device, 2039e6, 0.5), 2e-6 + 2039e6 / (2039e9 * 0.5));
    ck_assert_double_eq(psim_kernel_memory_s(&device, 0.0, 0.5), 0.0);
}
END_TEST

Suite *kernel_suite(void);

Suite *
kernel_suite(void)
{
    Suite *suite = suite_create("kernel");

    TCase *gemm = tcase_create("gemm");
    tcase_add_loop_test(gemm, gemm_gives_the_table_of_the_fit, 0, G_N_ELEMENTS(gemm_cases));
    tcase_add_loop_test(gemm,
                        gemm_of_misaligned_widths_takes_1_45_times_as_long_and_of_odd_ones_2_65, 0,
                        G_N_ELEMENTS(widths));
    tcase_add_test(gemm, gemm_with_an_odd_inner_width_is_slowed_by_2_65_too);
    tcase_add_test(gemm, batched_products_of_misaligned_widths_leave_the_matrix_units);
    tcase_add_test(gemm, batched_products_cost_as_others_where_the_device_does_not_say);
    tcase_add_test(gemm, gemm_rows_of_any_number_are_aligned);
    tcase_add_test(gemm, gemm_rate_is_peak_times_efficiency_of_the_precision);
    tcase_add_test(gemm, gemm_in_a_format_the_device_lacks_runs_in_the_next_one_down);
    tcase_add_test(gemm, gemm_without_tiles_saturates_in_each_dimension);
    tcase_add_test(gemm, gemm_bound_by_memory_takes_its_traffic);
    suite_add_tcase(suite, gemm);

    TCase *attention = tcase_create("attention");
    tcase_add_test(attention, attention_flop_is_halved_by_a_causal_mask);
    tcase_add_loop_test(attention, attention_takes_the_row_that_fits_best, 0,
                        G_N_ELEMENTS(attention_cases));
    tcase_add_test(attention, attention_without_a_kernel_is_negative);
    tcase_add_test(attention, the_kernel_asked_for_is_taken_where_there_is_one);
    tcase_add_test(attention, attention_in_larger_tiles_fills_the_device_less);
    suite_add_tcase(suite, attention);

    TCase *memory = tcase_create("memory");
    tcase_add_test(memory, memory_kernel_takes_launch_and_traffic);
    suite_add_tcase(suite, memory);
    return suite;
}
