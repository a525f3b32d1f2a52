/* SPDX-License-Identifier: MIT */
#include "base/rng.h"

#include <check.h>

Suite *rng_suite(void);

START_TEST(the_same_seed_and_id_give_the_same_bits_for_ever)
{
    /* SplitMix64 of seed 0 begins with this number. */
    ck_assert_uint_eq(psim_rng_mix(UINT64_C(0x9e3779b97f4a7c15)), UINT64_C(0xe220a8397b1dcdaf));
    ck_assert_uint_eq(psim_rng_u64(1, 2), psim_rng_u64(1, 2));
    ck_assert_uint_ne(psim_rng_u64(1, 2), psim_rng_u64(2, 1));
    ck_assert_uint_ne(psim_rng_u64(0, 0), psim_rng_u64(0, 1));
}
END_TEST

START_TEST(below_stays_below_and_reaches_every_value)
{
    unsigned counts[10] = {0};

    for (uint64_t id = 0; id < 10000; id++)
        counts[psim_rng_below(7, id, 10)]++;
    /* 1000 each, standard deviation 30: five of them. */
    for (int i = 0; i < 10; i++)
        ck_assert(counts[i] > 850 && counts[i] < 1150);
    ck_assert_uint_eq(psim_rng_below(7, 3, 1), 0);
}
END_TEST

START_TEST(unit_lies_in_the_half_open_interval_with_mean_one_half)
{
    double sum = 0.0;

    for (uint64_t id = 0; id < 10000; id++) {
        const double value = psim_rng_unit(11, id);

        ck_assert(value >= 0.0 && value < 1.0);
        sum += value;
    }
    /* The standard deviation of the mean is 0.0029. */
    ck_assert_double_eq_tol(sum / 10000, 0.5, 0.015);
}
END_TEST

Suite *
rng_suite(void)
{
    Suite *suite = suite_create("rng");
    TCase *tests = tcase_create("rng");

    tcase_add_test(tests, the_same_seed_and_id_give_the_same_bits_for_ever);
    tcase_add_test(tests, below_stays_below_and_reaches_every_value);
    tcase_add_test(tests, unit_lies_in_the_half_open_interval_with_mean_one_half);
    suite_add_tcase(suite, tests);
    return suite;
}
