/* SPDX-License-Identifier: MIT */
/* A measured step: who is named first, and which factor explains it. */
#include "bare.h"
#include "questions.h"
#include "sim/altered.h"
#include "timeline/result.h"
#include "written.h"

#include <math.h>
#include <string.h>

static PsimResult *
measure(PsimPlan *plan, const char *step)
{
    PsimOptions options = PSIM_OPTIONS_INIT;
    g_autoptr(GError) error = NULL;

    options.measured_step = step;
    PsimResult *result = psim_simulate(plan, &options, &error);

    ck_assert_msg(result != NULL, "%s", error != NULL ? error->message : "no error");
    ck_assert_ptr_nonnull(result->gap);
    return result;
}

/* NULL: it is not among them. */
static const PsimExplanation *
look_for(const PsimGap *gap, const char *change)
{
    for (uint32_t i = 0; i < gap->n_explanations; i++) {
        if (strcmp(gap->explanations[i].change, change) == 0)
            return &gap->explanations[i];
    }
    return NULL;
}

static const PsimExplanation *
find(const PsimGap *gap, const char *change)
{
    const PsimExplanation *explanation = look_for(gap, change);

    ck_assert_msg(explanation != NULL, "%s", change);
    g_assert(explanation != NULL);
    return explanation;
}

START_TEST(twice_the_step_is_half_the_efficiency)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autoptr(PsimResult) result = measure(plan, "1.2s");
    const PsimGap *gap = result->gap;

    ck_assert_double_eq(gap->step_s, 1.2);
    ck_assert_double_eq(gap->ratio, 2.0);
    ck_assert_double_eq(gap->efficiency, 0.5);
    ck_assert_double_eq_tol(gap->efficiency_factor, 0.5, 1e-5);
    ck_assert_str_eq(gap->explanations[0].change, "half the peak: the figure counts sparsity");
    ck_assert_double_eq(gap->explanations[0].step_s, 1.2);
    ck_assert(gap->explanations[0].explains);
}
END_TEST

START_TEST(recomputation_that_was_not_stated_is_found)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    /* Forward again: (m + p - 1) x 160 ms. */
    g_autoptr(PsimResult) result = measure(plan, "800 ms");
    const PsimExplanation *first = &result->gap->explanations[0];

    ck_assert_str_eq(first->change, "recompute full");
    ck_assert_double_eq(first->step_s, 0.8);
    ck_assert_double_eq(first->ratio, 1.0);
    ck_assert(first->explains);
}
END_TEST

START_TEST(precision_bubble_and_microbatches_are_as_computed_by_hand)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autoptr(PsimResult) result = measure(plan, "1 s");
    const PsimGap *gap = result->gap;

    /* A quarter of the peak. */
    ck_assert_double_eq(find(gap, "products in fp32")->step_s, 2.4);
    /* m x p x 120 ms. */
    ck_assert_double_eq(find(gap, "one microbatch in the pipeline at a time")->step_s, 0.96);
    ck_assert(find(gap, "one microbatch in the pipeline at a time")->explains);
    ck_assert_double_eq(find(gap, "twice the micro batch, half the microbatches")->step_s, 0.72);
    /* What it has already, or has not at all, explains nothing. */
    ck_assert_ptr_null(look_for(gap, "recompute none"));
    ck_assert_ptr_null(look_for(gap, "network at a tenth of its bandwidth"));
    ck_assert_ptr_null(look_for(gap, "products in tf32"));
}
END_TEST

START_TEST(the_nearest_comes_first_and_within_a_twentieth_is_marked)
{
    g_autoptr(PsimPlan) plan = load_plan("mt-nlg-530b", NULL);
    g_autoptr(PsimResult) result = measure(plan, "75.3 s");
    const PsimGap *gap = result->gap;

    ck_assert_uint_gt(gap->n_explanations, 5);
    for (uint32_t i = 0; i < gap->n_explanations; i++) {
        const PsimExplanation *one = &gap->explanations[i];

        ck_assert(one->explains == (fabs(one->ratio - 1.0) <= 0.05));
        ck_assert(i == 0 || fabs(log(one->ratio)) >= fabs(log(one[-1].ratio)));
    }
}
END_TEST

START_TEST(a_card_in_a_slot_is_named)
{
    g_autoptr(PsimPlan) plan = load_plan("mt-nlg-530b", NULL);
    g_autoptr(PsimResult) result = measure(plan, "75.3 s");

    ck_assert_double_gt(find(result->gap, "device a100-pcie-80gb")->step_s, 60.0);
}
END_TEST

START_TEST(the_factor_brings_the_prediction_to_the_measurement)
{
    g_autoptr(PsimPlan) plan = load_plan("narayanan-1.7b", NULL);
    g_autoptr(PsimResult) first = psim_simulate(plan, NULL, NULL);
    g_autofree char *step = g_strdup_printf("%.9f s", 1.1 * (double)first->step_ps / 1e12);
    g_autoptr(PsimResult) result = measure(plan, step);
    const double factor = result->gap->efficiency_factor;
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimAltered *tuned = psim_altered_make(plan, arena);
    const PsimOptions options = PSIM_OPTIONS_INIT;
    PsimAnswer answer = {0};

    ck_assert(factor > 0.5 && factor < 1.0);
    psim_altered_scale_products(tuned, factor);
    ck_assert(psim_altered_replay(&tuned->plan, &options, &answer));
    ck_assert_double_eq_tol((double)answer.step_ps / 1e12, result->gap->step_s,
                            2e-6 * result->gap->step_s);
}
END_TEST

START_TEST(a_rate_says_the_same_as_the_step_it_means)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    PsimOptions options = PSIM_OPTIONS_INIT;

    /* 4 layers x 3 TFLOP x 4 samples / (600 ms x 2 GPUs) = 40 TFLOP/s. */
    options.measured_tflops = 20.0;
    g_autoptr(PsimResult) result = psim_simulate(plan, &options, NULL);

    ck_assert_double_eq_tol(result->gap->step_s, 1.2, 1e-12);
}
END_TEST

START_TEST(no_factor_explains_what_is_not_in_the_products)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autoptr(PsimResult) result = measure(plan, "1 us");
    g_autofree char *json = written(result, "json");
    g_autofree char *text = written(result, "text");

    ck_assert(isnan(result->gap->efficiency_factor));
    ck_assert_ptr_nonnull(strstr(json, "\"efficiency_factor\": null"));
    ck_assert_ptr_nonnull(
        strstr(text, "  no efficiency of the matrix products alone explains it\n"));
}
END_TEST

/* Three times the efficiency of a half. */
START_TEST(no_factor_goes_beyond_the_peak)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autoptr(PsimResult) result = measure(plan, "200 ms");
    g_autofree char *text = written(result, "text");

    ck_assert_double_eq_tol(result->gap->efficiency_factor, 3.0, 1e-4);
    ck_assert_ptr_nonnull(strstr(text, "  no efficiency of the matrix products alone explains it: "
                                       "it would take 1.50 of the peak\n"));
}
END_TEST

START_TEST(a_step_too_short_for_wide_formats_was_computed_in_narrow_ones)
{
    g_autoptr(PsimPlan) plan = bare_plan("/precision=fp32", NULL);
    g_autoptr(PsimResult) result = measure(plan, "600 ms");

    /* A quarter of the peak of fp16. */
    ck_assert_double_eq(find(result->gap, "products in 16 bits")->step_s, 0.6);
    ck_assert(find(result->gap, "products in 16 bits")->explains);
}
END_TEST

/* 4 samples of 12 TFLOP on two chips of 100 TFLOP/s in 1.2 s. */
START_TEST(what_the_machine_did_in_the_measured_step_is_told)
{
    g_autoptr(PsimPlan) plan = bare_plan("/run/tokens=864000", NULL);
    g_autoptr(PsimResult) result = measure(plan, "1.2 s");
    g_autofree char *json = written(result, "json");
    g_autofree char *text = written(result, "text");

    ck_assert_double_eq_tol(result->gap->model_flop_per_s_per_gpu, 20e12, 1.0);
    ck_assert_double_eq_tol(result->gap->mfu_fraction, 0.2, 1e-12);
    ck_assert_double_eq_tol(result->gap->tokens_per_s, 4.0 / 1.2, 1e-12);
    ck_assert_double_eq_tol(result->gap->days, 3.0, 1e-12);
    ck_assert_ptr_nonnull(strstr(json, "\"model_tflops_per_gpu\": 20,\n"));
    ck_assert_ptr_nonnull(strstr(text, "  as measured: 20.0 TFLOP/s a GPU, MFU 20.0%, 3.33 "
                                       "tokens/s; 864 k tokens take 3.00 days\n"));
}
END_TEST

START_TEST(the_reports_tell_it)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autoptr(PsimResult) result = measure(plan, "800 ms");
    g_autofree char *json = written(result, "json");
    g_autofree char *text = written(result, "text");

    ck_assert_ptr_nonnull(strstr(json, "\"measured\": {\n    \"step_s\": 0.8,\n    "
                                       "\"predicted_step_s\": 0.6,\n"));
    ck_assert_ptr_nonnull(strstr(json,
                                 "{\"change\": \"recompute full\", \"step_s\": 0.8, "
                                 "\"ratio\": 1, \"within_5_percent\": true, \"fits\": true}"));
    ck_assert_ptr_nonnull(
        strstr(text, "\nmeasured 800 ms a step, predicted 600 ms: 1.33 times the prediction\n"));
}
END_TEST

static const struct {
    const char *step;
    const char *message;
} wrong[] = {
    {"15.1", "measured step: \"15.1\" has no unit; must be a time such as \"4.5 us\""},
    {"3 GB", "measured step: \"3 GB\" is a size; must be a time such as \"4.5 us\""},
    {"0 s", "the measured step is \"0 s\"; must be more than 0 s"},
    {"-2 s", "the measured step is \"-2 s\"; must be more than 0 s"},
};

START_TEST(what_is_no_time_is_refused_in_words)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autoptr(GError) error = NULL;
    PsimOptions options = PSIM_OPTIONS_INIT;

    options.measured_step = wrong[_i].step;
    ck_assert_ptr_null(psim_simulate(plan, &options, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_VALUE));
    ck_assert_str_eq(error->message, wrong[_i].message);
}
END_TEST

Suite *
gap_suite(void)
{
    Suite *suite = suite_create("gap");
    TCase *tests = tcase_create("gap");

    tcase_add_test(tests, twice_the_step_is_half_the_efficiency);
    tcase_add_test(tests, recomputation_that_was_not_stated_is_found);
    tcase_add_test(tests, precision_bubble_and_microbatches_are_as_computed_by_hand);
    tcase_add_test(tests, the_nearest_comes_first_and_within_a_twentieth_is_marked);
    tcase_add_test(tests, a_card_in_a_slot_is_named);
    tcase_add_test(tests, the_factor_brings_the_prediction_to_the_measurement);
    tcase_add_test(tests, a_rate_says_the_same_as_the_step_it_means);
    tcase_add_test(tests, no_factor_explains_what_is_not_in_the_products);
    tcase_add_test(tests, no_factor_goes_beyond_the_peak);
    tcase_add_test(tests, a_step_too_short_for_wide_formats_was_computed_in_narrow_ones);
    tcase_add_test(tests, what_the_machine_did_in_the_measured_step_is_told);
    tcase_add_test(tests, the_reports_tell_it);
    tcase_add_loop_test(tests, what_is_no_time_is_refused_in_words, 0, G_N_ELEMENTS(wrong));
    suite_add_tcase(suite, tests);
    return suite;
}
