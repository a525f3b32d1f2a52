/* SPDX-License-Identifier: MIT */
#include "cost/gemm_table.h"

#include <check.h>
#include <math.h>

#include "fixture.h"

Suite *gemm_table_suite(void);

/* As a reader leaves them: sorted by precision, layout, output, widths, tokens. Times are powers of
 * two, so that the middle of two is exact. */
static PsimGemmRow rows[] = {
    {PSIM_PRECISION_BF16, PSIM_PRODUCT_TN, 1024, 4096, 512, 2.0, 0x1p-14},
    {PSIM_PRECISION_BF16, PSIM_PRODUCT_TN, 4096, 4096, 512, 2.0, 0x1p-12},
    {PSIM_PRECISION_BF16, PSIM_PRODUCT_TN, 65536, 4096, 512, 2.0, 0x1p-8},
    {PSIM_PRECISION_BF16, PSIM_PRODUCT_NN, 1024, 4096, 512, 2.0, 0x1p-13},
    {PSIM_PRECISION_BF16, PSIM_PRODUCT_NT, 512, 4096, 1024, 8.0, 0x1p-11},
    {PSIM_PRECISION_BF16, PSIM_PRODUCT_NT, 4096, 512, 1024, 8.0, 0x1p-10},
    {PSIM_PRECISION_BF16, PSIM_PRODUCT_NT, 4096, 512, 4096, 8.0, 0x1p-8},
};
static const PsimGemmConstants constants = {
    .rows = rows, .n_rows = G_N_ELEMENTS(rows), .rows_ratio = 1.0};

static const struct {
    PsimGemm gemm;
    PsimPrecision precision;
    PsimBasis basis;
    double time_s;
} cases[] = {
    {{1024, 4096, 512, 1, 2, 2, PSIM_PRODUCT_TN},
     PSIM_PRECISION_BF16,
     PSIM_BASIS_MEASURED,
     0x1p-14},
    {{1024, 4096, 512, 1, 2, 2, PSIM_PRODUCT_NN},
     PSIM_PRECISION_BF16,
     PSIM_BASIS_MEASURED,
     0x1p-13},
    /* Twice the one and half the other: the geometric mean. */
    {{2048, 4096, 512, 1, 2, 2, PSIM_PRODUCT_TN},
     PSIM_PRECISION_BF16,
     PSIM_BASIS_INTERPOLATED,
     0x1p-13},
    /* A neighbour is beyond a factor of two. */
    {{16384, 4096, 512, 1, 2, 2, PSIM_PRODUCT_TN}, PSIM_PRECISION_BF16, PSIM_BASIS_FORMULA, 0},
    {{512, 4096, 512, 1, 2, 2, PSIM_PRODUCT_TN}, PSIM_PRECISION_BF16, PSIM_BASIS_FORMULA, 0},
    {{131072, 4096, 512, 1, 2, 2, PSIM_PRODUCT_TN}, PSIM_PRECISION_BF16, PSIM_BASIS_FORMULA, 0},
    /* Another precision, output, width, batch, or no whole number of rows. */
    {{1024, 4096, 512, 1, 2, 2, PSIM_PRODUCT_TN}, PSIM_PRECISION_FP16, PSIM_BASIS_FORMULA, 0},
    {{1024, 4096, 512, 1, 2, 4, PSIM_PRODUCT_TN}, PSIM_PRECISION_BF16, PSIM_BASIS_FORMULA, 0},
    {{1024, 4096, 640, 1, 2, 2, PSIM_PRODUCT_TN}, PSIM_PRECISION_BF16, PSIM_BASIS_FORMULA, 0},
    {{1024, 4096, 512, 2, 2, 2, PSIM_PRODUCT_TN}, PSIM_PRECISION_BF16, PSIM_BASIS_FORMULA, 0},
    {{1024.5, 4096, 512, 1, 2, 2, PSIM_PRODUCT_TN}, PSIM_PRECISION_BF16, PSIM_BASIS_FORMULA, 0},
    /* A weight gradient has its tokens in k; its transpose is as good, but not before itself. */
    {{512, 4096, 1024, 1, 2, 8, PSIM_PRODUCT_NT},
     PSIM_PRECISION_BF16,
     PSIM_BASIS_MEASURED,
     0x1p-11},
    {{4096, 512, 1024, 1, 2, 8, PSIM_PRODUCT_NT},
     PSIM_PRECISION_BF16,
     PSIM_BASIS_MEASURED,
     0x1p-10},
    {{512, 4096, 4096, 1, 2, 8, PSIM_PRODUCT_NT}, PSIM_PRECISION_BF16, PSIM_BASIS_MEASURED, 0x1p-8},
    {{512, 4096, 2048, 1, 2, 8, PSIM_PRODUCT_NT},
     PSIM_PRECISION_BF16,
     PSIM_BASIS_INTERPOLATED,
     0x1p-9},
};

START_TEST(a_measured_shape_comes_before_its_neighbours_and_the_formula)
{
    double time_s = 0.0;
    const PsimBasis basis =
        psim_gemm_table_find(&constants, cases[_i].precision, &cases[_i].gemm, &time_s);

    ck_assert_int_eq(basis, cases[_i].basis);
    /* By way of exp and log. */
    if (basis != PSIM_BASIS_FORMULA)
        ck_assert_double_eq_tol(time_s, cases[_i].time_s, 1e-12 * time_s);
}
END_TEST

START_TEST(a_variant_scales_measured_rows)
{
    PsimGemmConstants slower = constants;
    double time_s = 0.0;

    slower.rows_ratio = 2.0;
    ck_assert_int_eq(psim_gemm_table_find(&slower, PSIM_PRECISION_BF16, &cases[0].gemm, &time_s),
                     PSIM_BASIS_MEASURED);
    ck_assert_double_eq(time_s, 0x1p-13);
}
END_TEST

START_TEST(without_rows_nothing_is_found)
{
    const PsimGemmConstants none = {.n_rows = 0};
    double time_s = -1.0;

    ck_assert_int_eq(psim_gemm_table_find(&none, PSIM_PRECISION_BF16, &cases[0].gemm, &time_s),
                     PSIM_BASIS_FORMULA);
    ck_assert_double_eq(time_s, -1.0);
}
END_TEST

/* What a fit works with is the simulation's own formula. */
START_TEST(the_public_formula_is_the_simulations)
{
    const PsimHardware hardware = fixture_dgx_a100();
    PsimProductCost cost;
    const PsimProduct product = {sizeof product, 2048, 12288, 4096, 2, 2, PSIM_PRODUCT_TN};
    const PsimGemm gemm = {2048, 12288, 4096, 1, 2, 2, PSIM_PRODUCT_TN};
    PsimBasis basis = PSIM_BASIS_MEASURED;

    ck_assert(psim_hardware_product_cost(&hardware, "bf16", &cost));
    ck_assert_double_eq(psim_product_s(&cost, &product),
                        psim_kernel_gemm_s(&hardware.device, PSIM_PRECISION_BF16, &gemm));
    ck_assert_double_eq(psim_hardware_product_s(&hardware, "bf16", &product, &basis),
                        psim_product_s(&cost, &product));
    ck_assert_int_eq(basis, PSIM_BASIS_FORMULA);
    ck_assert(!psim_hardware_product_cost(&hardware, "bf15", &cost));
    ck_assert_double_lt(psim_hardware_product_s(&hardware, "bf15", &product, NULL), 0.0);
}
END_TEST

Suite *
gemm_table_suite(void)
{
    Suite *suite = suite_create("gemm_table");
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, a_measured_shape_comes_before_its_neighbours_and_the_formula, 0,
                        G_N_ELEMENTS(cases));
    tcase_add_test(all, a_variant_scales_measured_rows);
    tcase_add_test(all, without_rows_nothing_is_found);
    tcase_add_test(all, the_public_formula_is_the_simulations);
    suite_add_tcase(suite, all);
    return suite;
}
