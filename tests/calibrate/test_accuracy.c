/* SPDX-License-Identifier: MIT */
#include "test_calibrate.h"

#include "calibrate/accuracy.h"

#include <math.h>

/* Quarters and halves, so that every mean is exact. */
START_TEST(errors_are_summed_up)
{
    const double errors[] = {0.5, -0.25, 0.25, -0.5, 1.0};
    const PsimAccuracy sum = psim_accuracy_of(errors, G_N_ELEMENTS(errors));

    ck_assert_uint_eq(sum.n, 5);
    ck_assert_double_eq(sum.mape, 0.5);
    ck_assert_double_eq(sum.median, 0.5);
    ck_assert_double_eq(sum.worst, 1.0);
    /* A fifth is no binary fraction. */
    ck_assert_double_eq_tol(sum.bias, 0.2, 1e-15);
    ck_assert_double_eq_tol(sum.p90, 0.8, 1e-15);
}
END_TEST

START_TEST(no_rows_have_no_errors)
{
    const PsimAccuracy sum = psim_accuracy_of(NULL, 0);

    ck_assert_uint_eq(sum.n, 0);
    ck_assert(isnan(sum.mape) && isnan(sum.worst) && isnan(sum.bias));
    ck_assert(isnan(psim_accuracy_median(NULL, 0)) && isnan(psim_accuracy_mad(NULL, 0)));
}
END_TEST

START_TEST(median_and_its_deviation_see_through_an_outlier)
{
    const double values[] = {3, 1, 100, 2, 4};

    ck_assert_double_eq(psim_accuracy_median(values, 5), 3);
    ck_assert_double_eq(psim_accuracy_mad(values, 5), 1);
    ck_assert_double_eq(values[2], 100);
}
END_TEST

Suite *
accuracy_suite(void)
{
    Suite *suite = suite_create("accuracy");
    TCase *all = tcase_create("all");

    tcase_add_test(all, errors_are_summed_up);
    tcase_add_test(all, no_rows_have_no_errors);
    tcase_add_test(all, median_and_its_deviation_see_through_an_outlier);
    suite_add_tcase(suite, all);
    return suite;
}
