/* SPDX-License-Identifier: MIT */
/* Which inputs move the answer: by hand where it is known, and which way it goes everywhere. */
#include "bare.h"
#include "questions.h"
#include "timeline/result.h"
#include "written.h"

#include <math.h>
#include <string.h>

static PsimResult *
probe(PsimPlan *plan)
{
    PsimOptions options = PSIM_OPTIONS_INIT;

    options.sensitivity = true;
    options.other_stacks = true;
    PsimResult *result = psim_simulate(plan, &options, NULL);

    ck_assert_ptr_nonnull(result);
    return result;
}

/* NULL: no such row. */
static const PsimSensitivity *
look_for(const PsimResult *result, const char *input)
{
    for (uint32_t i = 0; i < result->n_sensitivity; i++) {
        if (strcmp(result->sensitivity[i].input, input) == 0)
            return &result->sensitivity[i];
    }
    return NULL;
}

static const PsimSensitivity *
find(const PsimResult *result, const char *input)
{
    const PsimSensitivity *row = look_for(result, input);

    ck_assert_msg(row != NULL, "%s", input);
    g_assert(row != NULL);
    return row;
}

START_TEST(a_step_of_products_alone_follows_their_efficiency_and_nothing_else)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autoptr(PsimResult) result = probe(plan);
    const PsimSensitivity *gemm = find(result, "gemm_efficiency");

    ck_assert_int_eq(result->step_ps, BARE_STEP_PS);
    ck_assert_double_eq_tol(gemm->elasticity, -1.0, 1e-9);
    ck_assert_double_eq(gemm->low_value, 0.45);
    ck_assert_double_eq_tol(gemm->low_step_s, 0.6 / 0.9, 1e-9);
    ck_assert_double_eq_tol(gemm->high_step_s, 0.6 / 1.1, 1e-9);
    ck_assert_double_eq(find(result, "hbm_bandwidth")->elasticity, 0.0);
    ck_assert_double_eq(find(result, "scale_up_bandwidth")->elasticity, 0.0);
    ck_assert_double_eq(find(result, "memory_capacity")->elasticity, 0.0);
}
END_TEST

START_TEST(what_a_plan_does_not_have_has_no_row)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autoptr(PsimResult) result = probe(plan);

    ck_assert_ptr_null(look_for(result, "nic_bandwidth"));
    ck_assert_ptr_null(look_for(result, "attention_efficiency"));
    ck_assert_ptr_null(look_for(result, "host_dispatch"));
    ck_assert_ptr_null(look_for(result, "tp_for_dp"));
    ck_assert_ptr_null(look_for(result, "chunks"));
}
END_TEST

START_TEST(counts_go_to_the_next_legal_values)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autoptr(PsimResult) result = probe(plan);
    const PsimSensitivity *microbatches = find(result, "microbatches");
    const PsimSensitivity *micro = find(result, "micro_batch");

    ck_assert_double_eq(microbatches->low_value, 3.0);
    ck_assert_double_eq(microbatches->low_step_s, 0.48);
    ck_assert_double_eq(microbatches->high_value, 5.0);
    ck_assert_double_eq(microbatches->high_step_s, 0.72);
    ck_assert_double_eq_tol(microbatches->elasticity, log(1.5) / log(5.0 / 3.0), 1e-12);
    /* One rank of all four layers, and two replicas: (2 + 0) x 240 ms. */
    ck_assert_double_eq(find(result, "pp_for_dp")->low_value, 1.0);
    ck_assert_double_eq(find(result, "pp_for_dp")->low_step_s, 0.48);
    /* Half the microbatches, of twice the time: (2 + 1) x 240 ms. */
    ck_assert(isnan(micro->low_value) && isnan(micro->low_step_s));
    ck_assert_double_eq(micro->high_value, 2.0);
    ck_assert_double_eq(micro->high_step_s, 0.72);
    ck_assert_double_eq_tol(micro->elasticity, log(1.2) / log(2.0), 1e-12);
}
END_TEST

/* H100 has several; the runtime takes cuDNN's. */
START_TEST(attention_is_that_of_the_runtime)
{
    g_autoptr(PsimPlan) plan =
        load_plan("narayanan-18.4b", "/hardware=dgx-h100", "/runtime=megatron",
                  "/flash_attention=true", "/precision=bf16", NULL);
    g_autoptr(PsimResult) result = probe(plan);

    ck_assert_double_eq(find(result, "attention_efficiency")->value, 0.567);
}
END_TEST

/* 24 layers on two stages: eleven and thirteen each are models of 22 and 26. */
START_TEST(layers_a_stage_are_those_of_another_model)
{
    static const char *const layers[] = {"/model/transformer/layers=22",
                                         "/model/transformer/layers=26"};
    g_autoptr(PsimPlan) plan =
        load_plan("narayanan-1.7b", "/parallel/pipeline=2", "/parallel/data=16", "/gpus=32", NULL);
    g_autoptr(PsimResult) result = probe(plan);
    const PsimSensitivity *row = find(result, "layers_per_stage");
    const double steps_s[] = {row->low_step_s, row->high_step_s};

    ck_assert_double_eq(row->value, 12.0);
    ck_assert_double_eq(row->low_value, 11.0);
    ck_assert_double_eq(row->high_value, 13.0);
    ck_assert(row->elasticity > 0.7 && row->elasticity < 1.0);
    for (size_t i = 0; i < G_N_ELEMENTS(layers); i++) {
        g_autoptr(PsimPlan) other = load_plan("narayanan-1.7b", "/parallel/pipeline=2",
                                              "/parallel/data=16", "/gpus=32", layers[i], NULL);
        g_autoptr(PsimResult) answer = psim_simulate(other, NULL, NULL);

        ck_assert_double_eq((double)answer->step_ps / 1e12, steps_s[i]);
    }
}
END_TEST

START_TEST(a_capacity_just_short_of_the_peak_changes_the_verdict)
{
    g_autoptr(PsimPlan) roomy = bare_plan(NULL, NULL);
    g_autoptr(PsimResult) first = psim_simulate(roomy, NULL, NULL);
    g_autofree char *capacity =
        g_strdup_printf("/hardware/device/memory/usable=%.0f B", 0.95 * first->worst_peak_bytes);
    g_autoptr(PsimPlan) tight = bare_plan(capacity, NULL);
    g_autoptr(PsimResult) result = probe(tight);
    const PsimSensitivity *row = find(result, "memory_capacity");

    ck_assert(!result->fits);
    ck_assert(!row->low_fits && row->high_fits && row->changes_verdict);
    ck_assert(!find(result, "gemm_efficiency")->changes_verdict);
}
END_TEST

static const char *const plans[] = {"mt-nlg-530b", "narayanan-1.7b", "naive-pipeline",
                                    "gpipe-transformer-16", "megatron-lm-8.3b-512-v100"};

START_TEST(rates_never_lengthen_a_step_and_latencies_never_shorten_it)
{
    static const char *const rates[] = {"gemm_efficiency", "attention_efficiency", "hbm_bandwidth",
                                        "scale_up_bandwidth", "nic_bandwidth"};
    static const char *const latencies[] = {"kernel_launch", "host_dispatch", "scale_up_latency",
                                            "fabric_latency"};
    g_autoptr(PsimPlan) plan = load_plan(plans[_i], NULL);
    g_autoptr(PsimResult) result = probe(plan);

    for (size_t i = 0; i < G_N_ELEMENTS(rates); i++) {
        const PsimSensitivity *row = look_for(result, rates[i]);

        ck_assert_msg(row == NULL || row->elasticity <= 1e-9, "%s", rates[i]);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(latencies); i++) {
        const PsimSensitivity *row = look_for(result, latencies[i]);

        ck_assert_msg(row == NULL || row->elasticity >= -1e-9, "%s", latencies[i]);
    }
    for (uint32_t i = 1; i < result->n_sensitivity; i++)
        ck_assert(fabs(result->sensitivity[i].elasticity) <=
                  fabs(result->sensitivity[i - 1].elasticity));
}
END_TEST

START_TEST(other_stacks_are_what_a_run_with_them_says)
{
    g_autoptr(PsimPlan) plan = load_plan("naive-pipeline", NULL);
    g_autoptr(PsimResult) result = probe(plan);

    ck_assert_uint_gt(result->n_other_stacks, 3);
    for (uint32_t i = 0; i < result->n_other_stacks; i++) {
        const PsimOtherStack *stack = &result->other_stacks[i];
        g_autofree char *runtime = g_strdup_printf("/runtime=%s", stack->name);
        g_autoptr(PsimPlan) other = load_plan("naive-pipeline", runtime, NULL);
        g_autoptr(PsimResult) run = psim_simulate(other, NULL, NULL);

        ck_assert_str_ne(stack->name, result->runtime_name);
        ck_assert_double_eq(stack->step_s, (double)run->step_ps / 1e12);
        ck_assert_double_eq_tol(stack->mfu_fraction, run->mfu_fraction, 1e-12);
        ck_assert_double_eq(stack->peak_bytes, run->worst_peak_bytes);
        ck_assert(stack->fits == run->fits);
    }
}
END_TEST

START_TEST(the_reports_tell_them_only_where_they_were_asked_for)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autoptr(PsimResult) plain = psim_simulate(plan, NULL, NULL);
    g_autoptr(PsimResult) result = probe(plan);
    g_autofree char *plain_json = written(plain, "json");
    g_autofree char *json = written(result, "json");
    g_autofree char *text = written(result, "text");

    ck_assert_ptr_null(strstr(plain_json, "\"sensitivity\""));
    ck_assert_ptr_null(strstr(plain_json, "\"other_stacks\""));
    ck_assert_ptr_null(strstr(plain_json, "\"measured\": {"));
    ck_assert_ptr_nonnull(strstr(json, "{\"input\": \"gemm_efficiency\", \"unit\": \"1\", "
                                       "\"value\": 0.5, \"low_value\": 0.45, "));
    ck_assert_ptr_nonnull(strstr(json, "{\"runtime\": \"megatron\", \"step_s\": "));
    ck_assert_ptr_nonnull(
        strstr(text, "\nwhat moves the answer, each input alone, by running the plan again\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nother stacks, on the same hardware; this is ideal\n"));
}
END_TEST

Suite *
sensitivity_suite(void)
{
    Suite *suite = suite_create("sensitivity");
    TCase *tests = tcase_create("sensitivity");

    tcase_add_test(tests, a_step_of_products_alone_follows_their_efficiency_and_nothing_else);
    tcase_add_test(tests, what_a_plan_does_not_have_has_no_row);
    tcase_add_test(tests, counts_go_to_the_next_legal_values);
    tcase_add_test(tests, attention_is_that_of_the_runtime);
    tcase_add_test(tests, layers_a_stage_are_those_of_another_model);
    tcase_add_test(tests, a_capacity_just_short_of_the_peak_changes_the_verdict);
    tcase_add_loop_test(tests, rates_never_lengthen_a_step_and_latencies_never_shorten_it, 0,
                        G_N_ELEMENTS(plans));
    tcase_add_test(tests, other_stacks_are_what_a_run_with_them_says);
    tcase_add_test(tests, the_reports_tell_them_only_where_they_were_asked_for);
    suite_add_tcase(suite, tests);
    return suite;
}
