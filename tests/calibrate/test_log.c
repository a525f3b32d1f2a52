/* SPDX-License-Identifier: MIT */
#include "test_calibrate.h"

#include "calibrate/log.h"

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

/* Steps from what no machine reaches to what one that hardly works does. */
static const struct {
    const char *line;
    const char *words;
} steps[] = {
    {"step_time: 1 ms", ": no efficiency of the matrix products alone explains it\n"},
    {"step_time: 20 s", "alone explains it: it would take 4.27 of the peak\n"},
    {"step_time: 35 s", "alone explains it: it would take 1.3"},
    {"step_time: 45 s", "efficiency 0.755 x "},
    {"step_time: 500 s", "efficiency 0.755 x "},
    {"step_time: 100000 s", ": no efficiency of the matrix products alone explains it\n"},
};

START_TEST(hardware_is_written_where_plansim_reads_it)
{
    g_autoptr(PsimPlan) plan = psim_plan_load("mt-nlg-530b", NULL, 0, NULL);
    g_autofree char *hardware = NULL;
    PsimLogFit fit;

    ck_assert(psim_log_fit(plan, steps[_i].line, &fit, &hardware, NULL));
    ck_assert_int_eq(hardware != NULL, psim_log_explains(&fit));
    if (hardware != NULL)
        ck_assert_double_eq_tol(find_step_s(hardware), fit.measured_s, 1e-4 * fit.measured_s);
    g_autofree char *text = psim_log_text(&fit);

    ck_assert_msg(strstr(text, steps[_i].words) != NULL, "%s", text);
}
END_TEST

/* Products that are slow in the file and fused attention that is not: one factor for both. */
START_TEST(a_factor_that_other_kernels_cannot_take_is_refused)
{
    static const PsimOverride overrides[] = {{"/flash_attention", "true"},
                                             {"/hardware/device/gemm/efficiency", "0.1"}};
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimPlan) plan = psim_plan_load("narayanan-1.7b", overrides, 2, NULL);
    g_autofree char *hardware = NULL;
    PsimLogFit fit;

    ck_assert_ptr_nonnull(plan);
    ck_assert(!psim_log_fit(plan, "step_time: 2 s", &fit, &hardware, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_INFEASIBLE));
    ck_assert_ptr_nonnull(strstr(error->message, "/attention/0/forward/efficiency"));
    ck_assert_ptr_null(hardware);
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
    tcase_add_loop_test(all, hardware_is_written_where_plansim_reads_it, 0, G_N_ELEMENTS(steps));
    tcase_add_test(all, a_factor_that_other_kernels_cannot_take_is_refused);
    suite_add_tcase(suite, all);
    return suite;
}
