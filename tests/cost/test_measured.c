/* SPDX-License-Identifier: MIT */
/* Our formulas and shipped constants against a collection of micro-benchmarks, within the errors
 * that were found when the constants were fitted to it. The collection is not part of the project;
 * where it is missing, all of this is skipped. test_facts.c holds a sample that never is. */
#include "cost/collective.h"
#include "cost/kernel.h"
#include "measured.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Collectives: the two lines ---------------------------------------------------------------- */

static PsimCollective
find_kind(const char *word)
{
    static const struct {
        const char *word;
        PsimCollective what;
    } kinds[] = {
        {"all_reduce", PSIM_COLLECTIVE_ALL_REDUCE},
        {"all_gather", PSIM_COLLECTIVE_ALL_GATHER},
        {"reduce_scatter", PSIM_COLLECTIVE_REDUCE_SCATTER},
        {"alltoall", PSIM_COLLECTIVE_ALL_TO_ALL},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (strcmp(kinds[i].word, word) == 0)
            return kinds[i].what;
    }
    /* Broadcasts, reductions and sends have the bytes of the buffer on the wire. */
    return PSIM_COLLECTIVE_SEND;
}

static PsimCollectiveConstants
read_fit(const Measured *fits, const cJSON *fit)
{
    return (PsimCollectiveConstants){
        .what = find_kind(measured_word(fits, fit, "collective")),
        .n_ranks = (uint32_t)measured_number(fits, fit, "ranks"),
        .a_s = measured_number(fits, fit, "a2_us") * 1e-6,
        .step_s = measured_number(fits, fit, "a_step_us") * 1e-6,
        .low_bytes_per_s = measured_number(fits, fit, "B_low") * 1e9,
        .high_bytes_per_s = measured_number(fits, fit, "B_high") * 1e9,
    };
}

static bool
is_of_fit(const Measured *rows, const cJSON *row, const Measured *fits, const cJSON *fit)
{
    static const char *const columns[] = {"system", "collective", "ranks", "nodes", "source"};
    const double bytes = measured_number(rows, row, "bytes");

    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) {
        if (!measured_alike(rows, row, fits, fit, columns[i]))
            return false;
    }
    return bytes >= measured_number(fits, fit, "min_bytes") &&
           bytes <= measured_number(fits, fit, "max_bytes");
}

/* Mean size of the error over the rows of a fit of at least so many bytes, [1].
 *
 * @excess_s    floor of the log beyond ours, [s] */
static double
find_collective_error(const PsimHardware *hardware,
                      const Measured *fits,
                      const cJSON *fit,
                      double excess_s,
                      double least_bytes,
                      uint32_t *ret_rows)
{
    g_autoptr(Measured) rows = measured_load("collectives.json");
    const PsimCollective what = find_kind(measured_word(fits, fit, "collective"));
    const uint32_t n_ranks = (uint32_t)measured_number(fits, fit, "ranks");
    const uint32_t n_nodes = (uint32_t)measured_number(fits, fit, "nodes");
    const bool inside = hardware->scale_up_size >= n_ranks;
    const PsimGroup group = {.n_ranks = n_ranks,
                             .n_per_node = inside ? n_ranks : n_ranks / n_nodes,
                             .n_groups_per_node = 1};
    double sum = 0.0;
    const cJSON *row = NULL;

    *ret_rows = 0;
    cJSON_ArrayForEach(row, rows->rows)
    {
        const double bytes = measured_number(rows, row, "bytes");

        if (bytes < least_bytes || !is_of_fit(rows, row, fits, fit))
            continue;
        const double time_s = psim_collective_s(hardware, what, group, bytes) + excess_s;

        sum += fabs(time_s / (measured_number(rows, row, "time_us") * 1e-6) - 1.0);
        *ret_rows += 1;
    }
    return sum / *ret_rows;
}

/* With the constants of a fit, the formula errs by what the fit says, to the digits it is given
 * with. */
START_TEST(two_lines_err_as_their_fits_say)
{
    g_autoptr(Measured) fits = measured_load("collective_fits.json");
    const cJSON *fit = NULL;
    uint32_t n_fits = 0;

    cJSON_ArrayForEach(fit, fits->rows)
    {
        PsimCollectiveConstants constants = read_fit(fits, fit);
        const PsimHardware hardware = {
            .gpus_per_node = constants.n_ranks,
            .scale_up_size = constants.n_ranks,
            .collectives = &constants,
            .n_collectives = 1,
        };
        const double stated = measured_number(fits, fit, "mape2") / 100.0;
        uint32_t n_rows = 0;
        const double error =
            find_collective_error(&hardware, fits, fit, /* excess_s= */ 0.0, 0.0, &n_rows);

        ck_assert_uint_eq(n_rows, (uint32_t)measured_number(fits, fit, "points"));
        ck_assert_msg(fabs(error - stated) <= 0.001, "%s, %s: %.3f, stated %.3f",
                      measured_word(fits, fit, "system"), measured_word(fits, fit, "collective"),
                      error, stated);
        n_fits++;
    }
    ck_assert_uint_ge(n_fits, 40);
}
END_TEST

/* -- Collectives: what is shipped -------------------------------------------------------------- */

/* Constants are shipped with two or three digits ... */
#define ROUNDED 0.01
/* ... and some come from another log of such a machine, or are round numbers. */
#define OTHER_LOG 0.03

static const struct {
    const char *hardware;
    const char *system;
    const char *collective;
    const char *source;
    double slack; /* beyond the error of the fit */
} shipped[] = {
    {"dgx-a100-80gb", "8x A100-SXM4-40GB single node", "all_reduce", "superbench", ROUNDED},
    {"dgx-a100-80gb", "8x A100-SXM4-40GB single node", "all_gather", "superbench", ROUNDED},
    {"dgx-a100-80gb", "8x A100-SXM4-40GB single node", "reduce_scatter", "superbench", ROUNDED},
    {"dgx-a100-80gb", "8x A100-SXM4-40GB single node", "alltoall", "superbench", ROUNDED},
    {"dgx-a100-80gb", "8x A100-SXM single node", "all_reduce", "ml-eng", OTHER_LOG},
    {"hgx-h200", "8x H200 single node", "all_reduce", "ml-eng", ROUNDED},
    {"aws-p6-b200", "8x B200 (P6-B200) single node", "all_reduce", "ml-eng", ROUNDED},
    {"azure-ndv2", "8x V100-SXM2 single node", "all_reduce", "vtrain", ROUNDED},
    {"azure-ndv2", "4x V100-SXM2 single node", "all_reduce", "vtrain", ROUNDED},
    {"azure-ndv2", "2x V100-SXM2 single node", "all_reduce", "vtrain", ROUNDED},
    {"dgx-h100", "p2p h100_dgx devices_per_node=2", "send_recv", "vidur", OTHER_LOG},
    /* Across nodes nothing is fitted: what the tiers make together. */
    {"aws-p5", "2x8 H100 (p5) EFAv2 32x100Gb", "all_reduce", "aws", ROUNDED},
    {"aws-p4de", "2x8 A100-80GB (p4de) EFAv1 4x100Gb", "all_reduce", "aws", ROUNDED},
    {"aws-p6-b200", "4x8 B200 (P6-B200) EFAv4 8x400Gb", "all_reduce", "ml-eng", ROUNDED},
};

#define N_SHIPPED_INSIDE 11

static const cJSON *
find_fit(const Measured *fits, int index)
{
    const cJSON *fit = NULL;

    cJSON_ArrayForEach(fit, fits->rows)
    {
        if (measured_is(fits, fit, "system", shipped[index].system) &&
            measured_is(fits, fit, "collective", shipped[index].collective) &&
            measured_is(fits, fit, "source", shipped[index].source))
            return fit;
    }
    ck_abort_msg("no fit of %s", shipped[index].system);
    return NULL;
}

static PsimHardware *
load(const char *name)
{
    PsimHardware *hardware = psim_hardware_load(name, NULL, 0, NULL);

    ck_assert_ptr_nonnull(hardware);
    return hardware;
}

/* How much longer than ours the floor of a log is: one process drives all its devices, and a
 * training job pays less. */
static double
find_excess(const PsimHardware *hardware, const Measured *fits, const cJSON *fit)
{
    const uint32_t n_ranks = (uint32_t)measured_number(fits, fit, "ranks");
    const PsimGroup group = {.n_ranks = n_ranks, .n_per_node = n_ranks, .n_groups_per_node = 1};
    const PsimCollective what = find_kind(measured_word(fits, fit, "collective"));

    return measured_number(fits, fit, "a2_us") * 1e-6 -
           psim_collective_s(hardware, what, group, /* payload_bytes= */ 1e-9);
}

START_TEST(shipped_collectives_are_within_the_errors_of_their_fits)
{
    g_autoptr(Measured) fits = measured_load("collective_fits.json");
    g_autoptr(PsimHardware) hardware = load(shipped[_i].hardware);
    const cJSON *fit = find_fit(fits, _i);
    const double excess_s = find_excess(hardware, fits, fit);
    const double allowed = measured_number(fits, fit, "mape2") / 100.0 + shipped[_i].slack;
    uint32_t n_rows = 0;
    const double error = find_collective_error(hardware, fits, fit, excess_s, 0.0, &n_rows);

    printf("# %s, %s: %.1f %% over %u rows, allowed %.1f %%; its floor is %.0f us longer\n",
           shipped[_i].system, shipped[_i].collective, 100.0 * error, n_rows, 100.0 * allowed,
           excess_s * 1e6);
    ck_assert_uint_eq(n_rows, (uint32_t)measured_number(fits, fit, "points"));
    ck_assert_msg(error <= allowed, "%.3f, allowed %.3f", error, allowed);
}
END_TEST

/* Where bandwidth decides. */
#define LARGE_BYTES    268435456.0
#define COMPOSED_ERROR 0.25

START_TEST(large_collectives_across_nodes_are_within_a_quarter)
{
    g_autoptr(Measured) fits = measured_load("collective_fits.json");
    g_autoptr(PsimHardware) hardware = load(shipped[_i].hardware);
    uint32_t n_rows = 0;
    const double error = find_collective_error(hardware, fits, find_fit(fits, _i),
                                               /* excess_s= */ 0.0, LARGE_BYTES, &n_rows);

    printf("# %s, %s: %.1f %% over %u rows from 256 MiB\n", shipped[_i].system,
           shipped[_i].collective, 100.0 * error, n_rows);
    ck_assert_uint_ge(n_rows, 4);
    ck_assert_double_le(error, COMPOSED_ERROR);
}
END_TEST

/* -- Fused attention --------------------------------------------------------------------------- */

/* Which kernel of which node a curve is of. */
static const struct {
    const char *hardware;
    const char *gpu;
    const char *kernel;
    const char *pass;
    const char *ours;
} curves[] = {
    {"dgx-a100-80gb", "A100-SXM4-80GB", "FlashAttention-2", "fwd+bwd", "flash-attention-2"},
    {"dgx-h100", "H100-SXM5-80GB", "FlashAttention-2", "fwd+bwd", "flash-attention-2"},
    {"dgx-h100", "H100-SXM5-80GB", "FlashAttention-3", "fwd", "flash-attention-3"},
    {"dgx-h100", "H100-SXM5-80GB", "FlashAttention-3", "bwd", "flash-attention-3"},
    {"dgx-h100", "H100-SXM5-80GB", "cuDNN", "fwd", "cudnn"},
    {"dgx-h100", "H100-SXM5-80GB", "cuDNN", "bwd", "cudnn"},
};

/* The curves were drawn with 16384 tokens of width 2048. A thousand times as many tokens leave out
 * launch and occupancy, which are no part of their fits. */
#define CURVE_TOKENS (1000.0 * 16384.0)
#define CURVE_WIDTH  2048.0

static bool
has_kernel(const PsimDevice *device, const char *kernel, double head_dim)
{
    for (uint32_t i = 0; i < device->n_attention; i++) {
        if (strcmp(device->attention[i].kernel, kernel) == 0 &&
            device->attention[i].head_dim == (uint32_t)head_dim)
            return true;
    }
    return false;
}

/* Rate of our kernel at a point of a curve, [FLOP/s]. */
static double
find_rate(const PsimDevice *device, const Measured *rows, const cJSON *row, int index)
{
    const double sequence = measured_number(rows, row, "seq_q");
    const double head_dim = measured_number(rows, row, "d_qk");
    const PsimAttention attention = {.batch = CURVE_TOKENS / sequence,
                                     .n_heads = CURVE_WIDTH / head_dim,
                                     .queries = sequence,
                                     .keys = sequence,
                                     .head_dim = head_dim,
                                     .causal = measured_number(rows, row, "causal") > 0.0,
                                     .kernel = curves[index].ours};
    const double flop = psim_kernel_attention_flop(&attention);
    const double forward_s =
        psim_kernel_attention_s(device, PSIM_PRECISION_FP16, &attention, /* backward= */ false);
    const double backward_s =
        psim_kernel_attention_s(device, PSIM_PRECISION_FP16, &attention, /* backward= */ true);

    if (strcmp(curves[index].pass, "fwd") == 0)
        return flop / forward_s;
    return strcmp(curves[index].pass, "bwd") == 0 ? 2.5 * flop / backward_s
                                                  : 3.5 * flop / (forward_s + backward_s);
}

static bool
is_of_curve(const Measured *table, const cJSON *row, int index)
{
    return measured_is(table, row, "gpu", curves[index].gpu) &&
           measured_is(table, row, "kernel", curves[index].kernel) &&
           measured_is(table, row, "pass", curves[index].pass);
}

/* Mean size of the error over the points of one fit, [1]. */
static double
find_curve_error(
    const PsimDevice *device, const Measured *fits, const cJSON *fit, int index, uint32_t *ret_n)
{
    g_autoptr(Measured) rows = measured_load("attention.json");
    double sum = 0.0;
    const cJSON *row = NULL;

    *ret_n = 0;
    cJSON_ArrayForEach(row, rows->rows)
    {
        if (!is_of_curve(rows, row, index) || !measured_alike(rows, row, fits, fit, "d_qk") ||
            !measured_alike(rows, row, fits, fit, "causal"))
            continue;
        sum += fabs(find_rate(device, rows, row, index) /
                        (measured_number(rows, row, "tflops") * 1e12) -
                    1.0);
        *ret_n += 1;
    }
    return sum / *ret_n;
}

/* Efficiencies are shipped with three digits at most, some for both passes of a curve. */
#define ROUNDED_CURVE 0.005

static void
check_curve(const PsimDevice *device, const Measured *fits, const cJSON *fit, int index)
{
    const double head_dim = measured_number(fits, fit, "d_qk");
    const double stated = measured_number(fits, fit, "mape_pct") / 100.0;
    uint32_t n_rows = 0;
    const double error = find_curve_error(device, fits, fit, index, &n_rows);

    printf("# %s %s %s, head %g, causal %g: %.1f %% over %u points, stated %.1f %%\n",
           curves[index].gpu, curves[index].kernel, curves[index].pass, head_dim,
           measured_number(fits, fit, "causal"), 100.0 * error, n_rows, 100.0 * stated);
    ck_assert_uint_eq(n_rows, (uint32_t)measured_number(fits, fit, "points"));
    ck_assert_msg(error <= stated + ROUNDED_CURVE, "head %g: %.3f, stated %.3f", head_dim, error,
                  stated);
}

START_TEST(shipped_attention_is_within_the_errors_of_its_fits)
{
    g_autoptr(Measured) fits = measured_load("attention_fits.json");
    g_autoptr(PsimHardware) hardware = load(curves[_i].hardware);
    uint32_t n_fits = 0;
    const cJSON *fit = NULL;

    cJSON_ArrayForEach(fit, fits->rows)
    {
        if (!is_of_curve(fits, fit, _i) ||
            !has_kernel(&hardware->device, curves[_i].ours, measured_number(fits, fit, "d_qk")))
            continue;
        check_curve(&hardware->device, fits, fit, _i);
        n_fits++;
    }
    ck_assert_uint_gt(n_fits, 0);
}
END_TEST

/* -- Matrix products --------------------------------------------------------------------------- */

/* Which rows the error is of that a device's file states. */
static const struct {
    const char *hardware;
    const char *gpu;
    const char *source;
    PsimPrecision precision;
    bool unseen; /* only shapes of models that the fit never saw */
    double least_tokens;
    double least_us;
} products[] = {
    {"dgx-a100-80gb", "A100-SXM4-80GB", "vidur", PSIM_PRECISION_FP16, true, 128, 0},
    {"dgx-h100", "H100-SXM5-80GB", "vidur", PSIM_PRECISION_FP16, true, 128, 0},
    {"a40-x8", "A40-48GB", "vidur", PSIM_PRECISION_FP16, true, 128, 0},
    {"a100-pcie-80gb-x8", "A100-PCIe-80GB", "simumax", PSIM_PRECISION_BF16, false, 0, 0},
    {"v100-16gb-x8", "V100-SXM2-16GB", "deepbench", PSIM_PRECISION_FP16, false, 0, 20},
};

/* The collection has a part of the rows that some of the fits were tested on. */
#define THINNED 0.01

/* Rows that are no multiple of 16 bytes take a factor of their own, which is no part of the fits;
 * V100 has none. */
static bool
is_aligned(const Measured *rows, const cJSON *row)
{
    return fmod(measured_number(rows, row, "n"), 8.0) <= 0.0 &&
           fmod(measured_number(rows, row, "k"), 8.0) <= 0.0;
}

static bool
is_of_device(const Measured *rows, const cJSON *row, int index)
{
    return (is_aligned(rows, row) || g_str_has_prefix(products[index].gpu, "V100")) &&
           measured_is(rows, row, "gpu", products[index].gpu) &&
           measured_is(rows, row, "source", products[index].source) &&
           measured_number(rows, row, "m") >= products[index].least_tokens &&
           measured_number(rows, row, "time_us_median") >= products[index].least_us &&
           (!products[index].unseen || measured_number(rows, row, "heldout") > 0.0);
}

static PsimGemm
read_product(const Measured *rows, const cJSON *row)
{
    const bool accumulates = measured_number(rows, row, "acc_fp32") > 0.0;

    return (PsimGemm){.m = measured_number(rows, row, "m"),
                      .n = measured_number(rows, row, "n"),
                      .k = measured_number(rows, row, "k"),
                      .batch = measured_number(rows, row, "batch"),
                      .element_bytes = 2.0,
                      .output_bytes = accumulates ? 8.0 : 2.0};
}

START_TEST(shipped_products_are_within_the_errors_of_their_files)
{
    g_autoptr(Measured) rows = measured_load("gemm.json");
    g_autoptr(PsimHardware) hardware = load(products[_i].hardware);
    const double stated = hardware->device.gemm.origin.error_fraction;
    double sum = 0.0;
    uint32_t n_rows = 0;
    const cJSON *row = NULL;

    cJSON_ArrayForEach(row, rows->rows)
    {
        const PsimGemm gemm = read_product(rows, row);
        const double measured_s = measured_number(rows, row, "time_us_median") * 1e-6;

        if (!is_of_device(rows, row, _i))
            continue;
        sum +=
            fabs(psim_kernel_gemm_s(&hardware->device, products[_i].precision, &gemm) / measured_s -
                 1.0);
        n_rows++;
    }
    printf("# %s: %.1f %% over %u products, stated %.1f %%\n", products[_i].gpu,
           100.0 * sum / n_rows, n_rows, 100.0 * stated);
    ck_assert_uint_gt(n_rows, 100);
    ck_assert_double_le(sum / n_rows, stated + THINNED);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("measured");
    TCase *tests = tcase_create("measured");

    tcase_add_test(tests, two_lines_err_as_their_fits_say);
    tcase_add_loop_test(tests, shipped_collectives_are_within_the_errors_of_their_fits, 0,
                        N_SHIPPED_INSIDE);
    tcase_add_loop_test(tests, large_collectives_across_nodes_are_within_a_quarter,
                        N_SHIPPED_INSIDE, G_N_ELEMENTS(shipped));
    tcase_add_loop_test(tests, shipped_attention_is_within_the_errors_of_its_fits, 0,
                        G_N_ELEMENTS(curves));
    tcase_add_loop_test(tests, shipped_products_are_within_the_errors_of_their_files, 0,
                        G_N_ELEMENTS(products));
    tcase_set_timeout(tests, 60);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    if (!g_file_test(SHARED "/hardware/collective_fits.json", G_FILE_TEST_EXISTS)) {
        printf("1..0 # SKIP no %s\n", SHARED);
        return EXIT_SUCCESS;
    }
    SRunner *runner = srunner_create(make_suite());

    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    const int n_failed = srunner_ntests_failed(runner);

    srunner_free(runner);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
