/* SPDX-License-Identifier: MIT */
#include "test_validate.h"

#include "validate/statistics.h"

#include <math.h>

/* Quarters and halves, so that every mean is exact. */
START_TEST(errors_are_summed_up)
{
    const double errors[] = {0.5, -0.25, 0.25, -0.5, 1.0};
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(double));

    g_array_append_vals(list, errors, G_N_ELEMENTS(errors));

    const PsimErrors sum = psim_statistics_errors(list);

    ck_assert_uint_eq(sum.n, 5);
    ck_assert_double_eq(sum.mape, 0.5);
    ck_assert_double_eq(sum.median, 0.5);
    /* Between the fourth and the fifth of 0.25 0.25 0.5 0.5 1.0; a tenth is no binary fraction. */
    ck_assert_double_eq_tol(sum.p90, 0.8, 1e-15);
    ck_assert_double_eq_tol(sum.bias, 0.2, 1e-15);
}
END_TEST

START_TEST(no_errors_have_no_mean)
{
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(double));
    const PsimErrors sum = psim_statistics_errors(list);

    ck_assert_uint_eq(sum.n, 0);
    ck_assert(isnan(sum.mape) && isnan(sum.median) && isnan(sum.p90) && isnan(sum.bias));
}
END_TEST

static const struct {
    double predicted[4];
    double measured[4];
    size_t n;
    double rho; /* NAN: no group */
    double regret;
} groups[] = {
    {{1, 2, 3, 4}, {10, 20, 30, 40}, 4, 1, 0},
    {{4, 3, 2, 1}, {10, 20, 30, 40}, 4, -1, 3},
    {{2, 1, 3}, {4, 5, 6}, 3, 0.5, 0.25},
    {{1, 2}, {1, 2}, 2, (double)NAN, 0},       /* two are no order */
    {{1, 2, 3}, {7, 7, 7}, 3, (double)NAN, 0}, /* nor are equals */
};

START_TEST(an_order_is_judged_by_rank_and_regret)
{
    PsimRanking sums = {0};

    psim_statistics_add_group(&sums, groups[_i].predicted, groups[_i].measured, groups[_i].n);

    const PsimRanking ranking = psim_statistics_mean_ranking(&sums);

    if (isnan(groups[_i].rho)) {
        ck_assert_uint_eq(ranking.n_groups, 0);
        return;
    }
    ck_assert_uint_eq(ranking.n_groups, 1);
    ck_assert_uint_eq(ranking.n_rows, groups[_i].n);
    ck_assert_double_eq_tol(ranking.rho, groups[_i].rho, 1e-15);
    ck_assert_double_eq(ranking.regret, groups[_i].regret);
    ck_assert_double_eq(ranking.worst, groups[_i].regret);
}
END_TEST

Suite *
statistics_suite(void)
{
    Suite *suite = suite_create("statistics");
    TCase *tcase = tcase_create("statistics");

    tcase_add_test(tcase, errors_are_summed_up);
    tcase_add_test(tcase, no_errors_have_no_mean);
    tcase_add_loop_test(tcase, an_order_is_judged_by_rank_and_regret, 0, G_N_ELEMENTS(groups));
    suite_add_tcase(suite, tcase);
    return suite;
}
