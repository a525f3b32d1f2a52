/* SPDX-License-Identifier: MIT */
/* Totals of the JSON answer are the sums of their parts, to the picosecond and to the byte, on
 * random plans. */
#include "../main.h"
#include "draw.h"
#include "properties.h"
#include "written.h"

#include <cjson/cJSON.h>
#include <math.h>

#define N_RANDOM 100

/* An answer, and the parts of it that are looked at. */
typedef struct {
    cJSON *root;
    const cJSON *plan, *step, *pipeline, *stages, *verdict;
} Told;

static const cJSON *
member(const cJSON *object, const char *key)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, key);

    ck_assert_msg(found != NULL, "no member %s", key);
    return found;
}

static double
number(const cJSON *object, const char *key)
{
    return cJSON_GetNumberValue(member(object, key));
}

static Told
tell(int seed)
{
    Dice dice = {.seed = 80000u + (uint64_t)seed};
    g_autoptr(PsimPlan) plan = draw_plan(&dice);
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);
    g_autofree char *text = written(result, "json");
    cJSON *root = cJSON_Parse(text);

    ck_assert_ptr_nonnull(root);
    return (Told){.root = root,
                  .plan = member(root, "plan"),
                  .step = member(root, "step"),
                  .pipeline = member(root, "pipeline"),
                  .stages = member(root, "stages"),
                  .verdict = member(root, "verdict")};
}

/* Of the numbers among the members of an object, or among the items of an array. */
static double
sum_of(const cJSON *numbers)
{
    double sum = 0.0;
    const cJSON *item = NULL;

    cJSON_ArrayForEach(item, numbers) sum += cJSON_GetNumberValue(item);
    return sum;
}

static double
sum_over_stages(const Told *told, const char *key)
{
    double sum = 0.0;
    const cJSON *stage = NULL;

    cJSON_ArrayForEach(stage, told->stages) sum += number(stage, key);
    return sum;
}

/* Whole numbers below 2^53 add up exactly. */
START_TEST(the_parts_of_a_step_sum_to_it)
{
    const Told told = tell(_i);
    const double step_ps = number(told.step, "time_ps");

    ck_assert_double_eq(sum_of(member(told.step, "breakdown_ps")), step_ps);
    ck_assert_double_eq(number(told.step, "time_s"), step_ps / 1e12);
    ck_assert_double_eq_tol(sum_of(member(told.step, "breakdown_s")), step_ps / 1e12, 1e-13);
    ck_assert(number(told.step, "time_low_s") <= number(told.step, "time_s"));
    ck_assert(number(told.step, "time_high_s") >= number(told.step, "time_s"));
    cJSON_Delete(told.root);
}
END_TEST

static double
sum_of_terms(const cJSON *stage)
{
    static const char *const terms[] = {
        "weights_bytes", "gradients_bytes",    "optimizer_bytes", "activations_bytes",
        "logits_bytes",  "comm_buffers_bytes", "overhead_bytes"};
    double sum = 0.0;

    for (size_t i = 0; i < G_N_ELEMENTS(terms); i++)
        sum += number(stage, terms[i]);
    return sum;
}

START_TEST(every_stage_is_told_and_its_terms_sum_to_its_peak)
{
    const Told told = tell(_i);
    const cJSON *stage = NULL;

    ck_assert_int_eq(cJSON_GetArraySize(told.stages), (int)number(told.plan, "pp"));
    cJSON_ArrayForEach(stage, told.stages)
        ck_assert_double_eq(sum_of_terms(stage), number(stage, "peak_bytes"));
    cJSON_Delete(told.root);
}
END_TEST

START_TEST(the_verdict_is_of_the_fullest_stage)
{
    const Told told = tell(_i);
    const double margin = number(told.verdict, "margin_bytes");
    const int worst = (int)number(told.verdict, "worst_stage");
    double most = 0.0;
    const cJSON *stage = NULL;

    cJSON_ArrayForEach(stage, told.stages) most = MAX(most, number(stage, "peak_bytes"));
    ck_assert_double_eq(number(told.verdict, "worst_peak_bytes"), most);
    ck_assert_double_eq(number(cJSON_GetArrayItem(told.stages, worst), "peak_bytes"), most);
    ck_assert_double_eq(number(told.verdict, "capacity_bytes") - most, margin);
    ck_assert(cJSON_IsTrue(member(told.verdict, "fits")) == (margin >= 0.0));
    cJSON_Delete(told.root);
}
END_TEST

START_TEST(degrees_and_batches_multiply_out)
{
    const Told told = tell(_i);
    const cJSON *plan = told.plan;

    ck_assert_double_eq(number(plan, "world_size"), number(plan, "tp") * number(plan, "cp") *
                                                        number(plan, "pp") * number(plan, "dp"));
    ck_assert_double_eq(number(plan, "global_batch"), number(plan, "micro_batch") *
                                                          number(plan, "dp") *
                                                          number(plan, "num_microbatches"));
    ck_assert_double_eq(sum_over_stages(&told, "layers"), 12.0);
    ck_assert_double_eq(sum_of(member(plan, "layers_per_stage")), 12.0);
    cJSON_Delete(told.root);
}
END_TEST

/* The model is tied: with a pipeline, the last stage has a copy of the embedding. Norms and biases
 * of rows are whole on every tensor rank. */
START_TEST(parameters_of_the_stages_are_the_models)
{
    const Told told = tell(_i);
    const cJSON *model = member(told.root, "model");
    const cJSON *parts = member(model, "params_by_part");
    const double total = number(model, "params_total");
    const double ranks = number(told.plan, "tp") * number(told.plan, "pp");
    const double params = sum_over_stages(&told, "params") * number(told.plan, "tp");

    ck_assert_double_eq(sum_of(parts), total);
    ck_assert_double_ge(params, total);
    ck_assert_double_le(params, ranks > 1.0 ? 1.01 * (total + number(parts, "embedding")) : total);
    cJSON_Delete(told.root);
}
END_TEST

START_TEST(the_bubble_is_the_mean_of_what_the_stages_idle)
{
    const Told told = tell(_i);
    const double pp = number(told.plan, "pp");
    const double step_s = number(told.step, "time_s");
    const double idle_s = sum_over_stages(&told, "idle_s");

    /* A mean is a whole number of picoseconds. */
    ck_assert_double_eq_tol(number(told.pipeline, "bubble_s"), idle_s / pp, 1.5e-12);
    ck_assert_double_eq(number(told.pipeline, "bubble_s"),
                        number(member(told.step, "breakdown_s"), "bubble"));
    ck_assert_double_eq_tol(number(told.pipeline, "bubble_fraction"), idle_s / pp / step_s, 1e-9);
    ck_assert(sum_over_stages(&told, "busy_s") + idle_s <= pp * step_s * (1.0 + 1e-12));
    cJSON_Delete(told.root);
}
END_TEST

START_TEST(rates_follow_from_the_step)
{
    const Told told = tell(_i);
    const double step_s = number(told.step, "time_s");
    const double tokens = number(told.plan, "global_batch") * 2048.0 * number(told.plan, "cp");
    const double gpus = number(told.plan, "world_size");
    const cJSON *model = member(told.root, "model");

    ck_assert_double_eq_tol(number(told.step, "tokens_per_s") * step_s / tokens, 1.0, 1e-12);
    ck_assert_double_eq_tol(number(told.step, "tokens_per_s_per_gpu") * gpus * step_s / tokens, 1.0,
                            1e-12);
    ck_assert_double_eq_tol(number(told.step, "mfu_fraction") * gpus * step_s * 312e12 /
                                (number(model, "flops_per_token_model") * tokens),
                            1.0, 1e-9);
    ck_assert(number(told.step, "hfu_fraction") >= number(told.step, "mfu_fraction"));
    cJSON_Delete(told.root);
}
END_TEST

/* What of a kind is exposed is part of its time; and nothing is sent that has no bytes. */
START_TEST(collectives_are_exposed_for_no_longer_than_they_take)
{
    const Told told = tell(_i);
    const cJSON *row = NULL;
    const double dp_s = number(member(told.step, "breakdown_s"), "dp_exposed");
    double told_s = 0.0;

    cJSON_ArrayForEach(row, member(told.root, "collectives"))
    {
        if (strcmp(cJSON_GetStringValue(member(row, "group")), "dp") == 0)
            told_s += number(row, "exposed_s");
        ck_assert(number(row, "count") >= 1.0);
        ck_assert(number(row, "bytes") > 0.0);
        ck_assert(number(row, "group_size") >= 2.0);
        ck_assert(number(row, "exposed_s") >= 0.0);
        ck_assert(number(row, "exposed_s") <= number(row, "time_s") + 1e-12);
    }
    /* One rank is its own mean: its rows share what is exposed. */
    if (number(told.plan, "pp") == 1.0)
        ck_assert_double_le(told_s, dp_s + 1e-9);
    cJSON_Delete(told.root);
}
END_TEST

Suite *
totals_suite(void)
{
    Suite *suite = suite_create("totals");
    TCase *tests = tcase_create("totals");

    tcase_add_loop_test(tests, the_parts_of_a_step_sum_to_it, 0, N_RANDOM);
    tcase_add_loop_test(tests, every_stage_is_told_and_its_terms_sum_to_its_peak, 0, N_RANDOM);
    tcase_add_loop_test(tests, the_verdict_is_of_the_fullest_stage, 0, N_RANDOM);
    tcase_add_loop_test(tests, degrees_and_batches_multiply_out, 0, N_RANDOM);
    tcase_add_loop_test(tests, parameters_of_the_stages_are_the_models, 0, N_RANDOM);
    tcase_add_loop_test(tests, the_bubble_is_the_mean_of_what_the_stages_idle, 0, N_RANDOM);
    tcase_add_loop_test(tests, rates_follow_from_the_step, 0, N_RANDOM);
    tcase_add_loop_test(tests, collectives_are_exposed_for_no_longer_than_they_take, 0, N_RANDOM);
    suite_add_tcase(suite, tests);
    return suite;
}

PSIM_TEST_SUITES(monotone_suite, totals_suite);
