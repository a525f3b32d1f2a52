/* SPDX-License-Identifier: MIT */
#include "search/reliability.h"

#include <check.h>
#include <math.h>

Suite *reliability_suite(void);

static const PsimFailures usual = {
    .work_s = 30.0 * 86400.0,
    .gpu_mtbf_s = 50000.0 * 3600.0,
    .n_gpus = 4096,
    .checkpoint_s = 60.0,
    .restart_s = 600.0,
    .seed = 1,
};

START_TEST(youngs_interval_is_the_root_of_twice_checkpoint_times_mtbf)
{
    const PsimReliability found = psim_reliability_find(&usual);

    ck_assert_double_eq_tol(found.mtbf_s, 43945.3125, 1e-9);
    ck_assert_double_eq_tol(found.young_s, sqrt(2.0 * 60.0 * 43945.3125), 1e-9);
    /* Daly's differs by terms of the order of the checkpoint itself. */
    ck_assert_double_eq_tol(found.daly_s, found.young_s, 60.0);
}
END_TEST

START_TEST(simulated_durations_lie_around_the_expected_one)
{
    const PsimReliability found = psim_reliability_find(&usual);

    ck_assert(found.low_s < found.middle_s && found.middle_s < found.high_s);
    /* A thousand trials of some sixty failures each: the mean is known to a fraction of a per cent.
     */
    ck_assert_double_eq_tol(found.middle_s / found.expected_s, 1.0, 0.01);
    ck_assert_double_eq_tol(found.n_failures, found.expected_s / found.mtbf_s, 2.0);
    ck_assert_double_eq(found.goodput_fraction, usual.work_s / found.middle_s);
    ck_assert(found.simulated_s > 0.5 * found.daly_s && found.simulated_s < 2.0 * found.daly_s);
}
END_TEST

START_TEST(the_same_seed_gives_the_same_days_and_fewer_gpus_fewer_failures)
{
    const PsimReliability one = psim_reliability_find(&usual);
    const PsimReliability two = psim_reliability_find(&usual);
    PsimFailures few = usual;

    few.n_gpus = 64;
    const PsimReliability calm = psim_reliability_find(&few);

    ck_assert_double_eq(one.high_s, two.high_s);
    ck_assert(calm.n_failures < one.n_failures);
    ck_assert(calm.goodput_fraction > one.goodput_fraction);
}
END_TEST

START_TEST(a_run_that_fails_before_it_has_begun_never_ends)
{
    PsimFailures hopeless = usual;

    hopeless.gpu_mtbf_s = 3600.0;
    const PsimReliability found = psim_reliability_find(&hopeless);

    ck_assert(isinf(found.middle_s));
    ck_assert_double_eq(found.goodput_fraction, 0.0);
}
END_TEST

Suite *
reliability_suite(void)
{
    Suite *suite = suite_create("reliability");
    TCase *cases = tcase_create("reliability");

    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, youngs_interval_is_the_root_of_twice_checkpoint_times_mtbf);
    tcase_add_test(cases, simulated_durations_lie_around_the_expected_one);
    tcase_add_test(cases, the_same_seed_gives_the_same_days_and_fewer_gpus_fewer_failures);
    tcase_add_test(cases, a_run_that_fails_before_it_has_begun_never_ends);
    suite_add_tcase(suite, cases);
    return suite;
}
