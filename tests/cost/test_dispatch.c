/* SPDX-License-Identifier: MIT */
/* What the host's dispatch makes of a layer. */
#include "cost/layer.h"

#include <check.h>

#include "fixture.h"

/* Of n shares of the whole: their sum rounds n times. */
static const double shares_tolerance = 1e-14;

START_TEST(a_layer_of_short_kernels_takes_their_dispatch)
{
    Fixture f;
    fixture_init(&f, fixture_gpt(1, 1024, 16), /* tp= */ 1, /* micro_batch= */ 1);
    f.plan.recompute = PSIM_RECOMPUTE_FULL;
    f.plan.runtime.host_layer_s = 1.0;
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);
    const double backward_s =
        cost.compute_s[PSIM_PASS_BACKWARD_INPUT] + cost.compute_s[PSIM_PASS_BACKWARD_WEIGHT];

    ck_assert_double_eq_tol(cost.compute_s[PSIM_PASS_FORWARD], 1.0, shares_tolerance);
    ck_assert_double_eq_tol(backward_s, 1.6, shares_tolerance);
    ck_assert_double_eq(cost.compute_s[PSIM_PASS_RECOMPUTE], cost.compute_s[PSIM_PASS_FORWARD]);
}
END_TEST

/* Scores, softmax, dropout, context and its new order of fourteen kernels. */
START_TEST(what_is_made_again_is_dispatched_as_in_the_forward)
{
    Fixture f;
    fixture_init(&f, fixture_gpt(1, 1024, 16), /* tp= */ 1, /* micro_batch= */ 1);
    f.plan.recompute = PSIM_RECOMPUTE_SELECTIVE;
    f.plan.runtime.host_layer_s = 1.0;
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_double_eq_tol(cost.compute_s[PSIM_PASS_RECOMPUTE], 5.0 / 14.0, shares_tolerance);
}
END_TEST

/* Kernels between the products take a second each, products nothing: of the forward 8 and 6, of the
 * backward 12 and 12. */
START_TEST(long_kernels_give_no_lead_to_the_short_ones)
{
    Fixture f;
    fixture_init(&f, fixture_gpt(1, 1024, 16), /* tp= */ 1, /* micro_batch= */ 1);
    f.hardware.device.peak_flop_per_s[PSIM_PRECISION_BF16] = 1e30;
    f.hardware.device.memory_bytes_per_s = 1e30;
    f.hardware.device.gemm.launch_s = 0.0;
    f.hardware.device.memory_bound.launch_s = 1.0;
    f.plan.runtime.host_layer_s = 14.0 * 0.5;
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);
    const double backward_s =
        cost.compute_s[PSIM_PASS_BACKWARD_INPUT] + cost.compute_s[PSIM_PASS_BACKWARD_WEIGHT];

    ck_assert_double_eq_tol(cost.compute_s[PSIM_PASS_FORWARD], 8.0 * 1.0 + 6.0 * 0.5,
                            shares_tolerance);
    ck_assert_double_eq_tol(backward_s, 12.0 * 1.0 + 12.0 * (1.6 * 7.0 / 24.0), shares_tolerance);
    /* However long the kernels are, this is what another slice of tokens would wait for. */
    ck_assert_double_eq_tol(cost.dispatch_s[PSIM_PASS_FORWARD], 7.0, shares_tolerance);
    ck_assert_double_eq_tol(cost.dispatch_s[PSIM_PASS_BACKWARD_INPUT] +
                                cost.dispatch_s[PSIM_PASS_BACKWARD_WEIGHT],
                            1.6 * 7.0, shares_tolerance);
}
END_TEST

START_TEST(kernels_longer_than_their_dispatch_hide_the_host)
{
    Fixture f;
    fixture_init(&f, fixture_gpt(128, 25600, 160), /* tp= */ 1, /* micro_batch= */ 4);
    const PsimBlockCost without = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);
    f.plan.runtime.host_layer_s = 1e-3;
    const PsimBlockCost with = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_mem_eq(with.compute_s, without.compute_s, sizeof with.compute_s);
    ck_assert_mem_eq(with.tp_s, without.tp_s, sizeof with.tp_s);
    ck_assert_mem_eq(with.cp_s, without.cp_s, sizeof with.cp_s);
}
END_TEST

START_TEST(ends_have_no_floor)
{
    Fixture f;
    fixture_init(&f, fixture_gpt(1, 1024, 16), /* tp= */ 1, /* micro_batch= */ 1);
    f.plan.runtime.host_layer_s = 1.0;
    const PsimBlockCost embedding = psim_layer_cost(&f.plan, PSIM_BLOCK_EMBEDDING, 0);
    const PsimBlockCost head = psim_layer_cost(&f.plan, PSIM_BLOCK_HEAD, 0);

    ck_assert_double_lt(fixture_compute_s(&embedding), 0.1);
    ck_assert_double_lt(fixture_compute_s(&head), 0.1);
}
END_TEST

Suite *dispatch_suite(void);

Suite *
dispatch_suite(void)
{
    Suite *suite = suite_create("dispatch");
    TCase *host = tcase_create("host");
    tcase_add_test(host, a_layer_of_short_kernels_takes_their_dispatch);
    tcase_add_test(host, what_is_made_again_is_dispatched_as_in_the_forward);
    tcase_add_test(host, long_kernels_give_no_lead_to_the_short_ones);
    tcase_add_test(host, kernels_longer_than_their_dispatch_hide_the_host);
    tcase_add_test(host, ends_have_no_floor);
    suite_add_tcase(suite, host);

    return suite;
}
