/* SPDX-License-Identifier: MIT */
#include "test_calibrate.h"

#include "calibrate/log.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *line;
    const char *step; /* NULL: refused */
} lines[] = {
    {" iteration 20/ 100 | elapsed time per iteration (ms): 15100.0 | learning rate: 1.0E-4",
     "15100 ms"},
    {"elapsed time per iteration (s): 47.25 | loss 2", "47.25 s"},
    {"step_time: 812 ms, loss 2.1", "812 ms"},
    {"step_time: 1.5, loss 2.1", "1.5 s"},
    {" 10%|#   | 10/100 [02:31<22:39, 15.10s/it, loss=2.1]", "15.1 s"},
    {"iteration_time: 2 min", "2 min"},
    {"train_step_timing in s: 3.25", "3.25 s"},
    {"loss 2.1 at step 100", NULL},
    {"elapsed time per iteration (ms): -3", NULL},
    {"elapsed time per iteration (ms): soon", NULL},
    {"s/it", NULL},
    {"", NULL},
};

START_TEST(a_step_time_is_found_in_a_line)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *step = psim_log_step(lines[_i].line, &error);

    ck_assert_pstr_eq(step, lines[_i].step);
    ck_assert(step != NULL || g_error_matches(error, PSIM_ERROR, PSIM_ERROR_VALUE));
}
END_TEST

static double
find_step_s(const char *hardware)
{
    const PsimOverride override = {"/hardware", hardware};
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimPlan) plan = psim_plan_load("mt-nlg-530b", &override, 1, &error);

    ck_assert_msg(plan != NULL, "%s", error != NULL ? error->message : "");
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);
    PsimSummary summary = {.size = sizeof summary};

    psim_result_summary(result, &summary);
    return (double)summary.step / (double)PSIM_TIME_PER_S;
}

/* The hardware that comes out makes the plan take what was measured. */
START_TEST(a_step_becomes_the_efficiency_that_explains_it)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimPlan) plan = psim_plan_load("mt-nlg-530b", NULL, 0, NULL);
    g_autofree char *hardware = NULL;
    PsimLogFit fit;

    ck_assert(
        psim_log_fit(plan, "elapsed time per iteration (ms): 60100.0", &fit, &hardware, &error));
    ck_assert_double_eq(fit.measured_s, 60.1);
    ck_assert_double_lt(fit.factor, 1.0);
    ck_assert_ptr_nonnull(strstr(hardware, "transferred"));
    /* Six digits of the factor's search. */
    ck_assert_double_eq_tol(find_step_s(hardware), 60.1, 1e-3);
}
END_TEST

START_TEST(no_efficiency_explains_what_is_beyond_all)
{
    g_autoptr(PsimPlan) plan = psim_plan_load("mt-nlg-530b", NULL, 0, NULL);
    g_autofree char *hardware = NULL;
    PsimLogFit fit;

    ck_assert(psim_log_fit(plan, "step_time: 1 ms", &fit, &hardware, NULL));
    ck_assert(isnan(fit.factor));
    ck_assert_ptr_null(hardware);
    g_autofree char *text = psim_log_text(&fit);

    ck_assert_ptr_nonnull(strstr(text, "no efficiency of products closes the gap"));
}
END_TEST

Suite *
log_suite(void)
{
    Suite *suite = suite_create("log");
    TCase *all = tcase_create("all");

    tcase_set_timeout(all, 60);
    tcase_add_loop_test(all, a_step_time_is_found_in_a_line, 0, G_N_ELEMENTS(lines));
    tcase_add_test(all, a_step_becomes_the_efficiency_that_explains_it);
    tcase_add_test(all, no_efficiency_explains_what_is_beyond_all);
    suite_add_tcase(suite, all);
    return suite;
}
