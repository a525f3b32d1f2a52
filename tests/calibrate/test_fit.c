/* SPDX-License-Identifier: MIT */
#include "test_calibrate.h"

#include "calibrate/fit.h"

#include <math.h>

/* t = a + x / b, and c that nothing depends on. */
#define N_ROWS 24u

static double
predict_line(const double *values, size_t row, const void *user)
{
    const double *x = user;

    return values[0] + x[row] / values[1];
}

/* A share s of x, beside the rest at half the speed. */
static double
predict_share(const double *values, size_t row, const void *user)
{
    const double *x = user;

    return x[row] * values[0] + 2.0 * x[row] * (1.0 - values[0]);
}

static void
fill(double *x, double *seconds, double a, double b)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        x[i] = exp2((double)i);
        seconds[i] = a + x[i] / b;
    }
}

START_TEST(constants_of_exact_rows_are_found)
{
    double x[N_ROWS];
    double seconds[N_ROWS];
    PsimFitParameter parameters[] = {
        {.name = "a", .scale = PSIM_FIT_POSITIVE, .starts = {1, 10, 1e3, 1e-2}},
        {.name = "b", .scale = PSIM_FIT_POSITIVE, .starts = {1, 1e-2, 1e2, 10}},
    };
    PsimFit fit = {parameters, 2, seconds, N_ROWS, predict_line, x};

    fill(x, seconds, 50, 3);
    ck_assert(psim_fit_solve(&fit));
    ck_assert_double_eq_tol(psim_fit_find(&fit, "a")->value, 50, 1e-3);
    ck_assert_double_eq_tol(psim_fit_find(&fit, "b")->value, 3, 1e-4);
    ck_assert(parameters[0].identifiable && parameters[1].identifiable);
    ck_assert_ptr_null(psim_fit_find(&fit, "c"));
}
END_TEST

/* A third of the rows ten times too slow: least squares alone would take b for a fifth of itself.
 */
START_TEST(outliers_hardly_count)
{
    double x[N_ROWS];
    double seconds[N_ROWS];
    PsimFitParameter parameters[] = {
        {.name = "a", .scale = PSIM_FIT_POSITIVE, .starts = {1, 10, 1e3, 1e-2}},
        {.name = "b", .scale = PSIM_FIT_POSITIVE, .starts = {1, 1e-2, 1e2, 10}},
    };
    PsimFit fit = {parameters, 2, seconds, N_ROWS, predict_line, x};

    fill(x, seconds, 50, 3);
    for (size_t i = 0; i < N_ROWS; i += 3)
        seconds[i] *= 10;
    ck_assert(psim_fit_solve(&fit));
    ck_assert_double_eq_tol(parameters[1].value, 3, 0.3);
}
END_TEST

START_TEST(a_floor_is_kept)
{
    double x[N_ROWS];
    double seconds[N_ROWS];
    PsimFitParameter parameters[] = {
        {.name = "a", .scale = PSIM_FIT_POSITIVE, .floor = 80, .starts = {81, 90, 100, 200}},
        {.name = "b", .scale = PSIM_FIT_POSITIVE, .starts = {1, 1e-2, 1e2, 10}},
    };
    PsimFit fit = {parameters, 2, seconds, N_ROWS, predict_line, x};

    fill(x, seconds, 50, 3);
    ck_assert(psim_fit_solve(&fit));
    ck_assert_double_ge(parameters[0].value, 80);
}
END_TEST

START_TEST(a_share_stays_one)
{
    double x[N_ROWS];
    double seconds[N_ROWS];
    PsimFitParameter share = {.name = "s", .scale = PSIM_FIT_SHARE, .starts = {0.5, 0.1, 0.9, 0.7}};
    PsimFit fit = {&share, 1, seconds, N_ROWS, predict_share, x};

    for (size_t i = 0; i < N_ROWS; i++) {
        x[i] = 1.0 + (double)i;
        seconds[i] = x[i] * 1.25;
    }
    ck_assert(psim_fit_solve(&fit));
    ck_assert_double_eq_tol(share.value, 0.75, 1e-4);
    ck_assert(share.identifiable);
}
END_TEST

static double
predict_without_second(const double *values, size_t row, const void *user)
{
    const double *x = user;

    return x[row] / values[0] + 0.0 * values[1];
}

START_TEST(what_no_row_tells_is_not_identifiable)
{
    double x[N_ROWS];
    double seconds[N_ROWS];
    PsimFitParameter parameters[] = {
        {.name = "b", .scale = PSIM_FIT_POSITIVE, .starts = {1, 1e-2, 1e2, 10}},
        {.name = "c", .scale = PSIM_FIT_POSITIVE, .starts = {1, 2, 3, 4}},
    };
    PsimFit fit = {parameters, 2, seconds, N_ROWS, predict_without_second, x};

    fill(x, seconds, 0, 3);
    ck_assert(psim_fit_solve(&fit));
    ck_assert_double_eq_tol(parameters[0].value, 3, 1e-4);
    ck_assert(parameters[0].identifiable);
    ck_assert(!parameters[1].identifiable);
}
END_TEST

START_TEST(fewer_rows_than_constants_are_not_fitted)
{
    const double x[] = {1};
    const double seconds[] = {1};
    PsimFitParameter parameters[2] = {
        {.name = "a", .scale = PSIM_FIT_POSITIVE, .starts = {1, 1, 1, 1}},
        {.name = "b", .scale = PSIM_FIT_POSITIVE, .starts = {1, 1, 1, 1}},
    };
    PsimFit fit = {parameters, 2, seconds, 1, predict_line, x};

    ck_assert(!psim_fit_solve(&fit));
    fit.n_rows = 0;
    ck_assert(!psim_fit_solve(&fit));
}
END_TEST

Suite *
fit_suite(void)
{
    Suite *suite = suite_create("fit");
    TCase *all = tcase_create("all");

    tcase_add_test(all, constants_of_exact_rows_are_found);
    tcase_add_test(all, outliers_hardly_count);
    tcase_add_test(all, a_floor_is_kept);
    tcase_add_test(all, a_share_stays_one);
    tcase_add_test(all, what_no_row_tells_is_not_identifiable);
    tcase_add_test(all, fewer_rows_than_constants_are_not_fitted);
    suite_add_tcase(suite, all);
    return suite;
}
