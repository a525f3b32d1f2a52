/* SPDX-License-Identifier: MIT */
#include "search/rampup.h"

#include "search/found.h"

#include <check.h>
#include <string.h>

Suite *rampup_suite(void);

static const struct {
    uint32_t start, increment, batch, n_levels;
} levels[] = {
    {192, 16, 2048, 116}, {32, 32, 1536, 47}, {0, 0, 2048, 0}, /* no ramp-up */
    {2048, 16, 2048, 0},                                       /* whole at once */
    {192, 16, 2050, 0},                                        /* misses the batch */
    {512, 16, 256, 0},                                         /* begins above it */
};

START_TEST(levels_lead_from_the_first_batch_to_the_whole_one)
{
    const PsimRampup rampup = {levels[_i].start, levels[_i].increment, 1e6};

    ck_assert_uint_eq(psim_rampup_levels(&rampup, levels[_i].batch), levels[_i].n_levels);
}
END_TEST

static const struct {
    uint32_t start, increment, batch;
    const char *refusal;
} refusals[] = {
    {0, 0, 128, NULL},
    {128, 16, 128, NULL},
    {112, 16, 128, NULL},
    {1048, 1, 2048, NULL},
    {1047, 1, 2048, "has 1001 batches before that of 2048; at most 1000"},
    {256, 16, 128, "begins with 256, above the batch of 128"},
    {129, 1, 128, "begins with 129, above the batch of 128"},
    {17, 16, 128, "from 17 on, increments of 16 miss the batch of 128; nearest: 113 and 129"},
    {1, 200, 128, "from 1 on, increments of 200 miss the batch of 128; nearest: 1 and 201"},
};

START_TEST(what_no_plan_can_have_says_why)
{
    const PsimRampup rampup = {refusals[_i].start, refusals[_i].increment, 1e6};
    g_autofree char *refusal = psim_rampup_refusal(&rampup, refusals[_i].batch);

    ck_assert_pstr_eq(refusal, refusals[_i].refusal);
}
END_TEST

/* -- On a plan: PP 4, DP 2, microbatches of 1, so that a batch is twice its microbatches -- */

static PsimPlan *
load_base(void)
{
    static const PsimOverride overrides[] = {
        {"/model", "llama-3-8b"}, {"/hardware", "dgx-h100"}, {"/gpus", "1"}};
    static const char text[] = "{\"schema\": \"plansim.plan/1\", \"name\": \"rampup\"}";
    GError *error = NULL;
    PsimPlan *plan =
        psim_plan_parse(text, strlen(text), "test", overrides, G_N_ELEMENTS(overrides), &error);

    ck_assert_msg(plan != NULL, "%s", error != NULL ? error->message : "");
    return plan;
}

static PsimChange
make_change(const char *schedule, uint32_t n_chunks)
{
    PsimChange change = PSIM_CHANGE_INIT;

    change.tp = 1;
    change.pp = 4;
    change.dp = 2;
    change.micro_batch = 1;
    change.global_batch = 64;
    change.schedule = schedule;
    change.n_chunks = n_chunks;
    change.recompute = 2;
    change.zero_stage = 1;
    change.sequence_parallel = 0;
    change.balanced = 0;
    return change;
}

static const struct {
    const char *schedule;
    uint32_t n_chunks;
    uint32_t start, increment;
    bool is_valid;
} ramps[] = {
    {"1f1b", 1, 0, 0, true},  /* none */
    {"1f1b", 1, 64, 8, true}, /* whole at once */
    {"1f1b", 1, 16, 16, true},        {"1f1b", 1, 16, 2, true},
    {"1f1b", 1, 16, 3, false},        /* 16 levels, the second of an odd batch on two replicas */
    {"1f1b", 1, 16, 5, false},        /* misses 64 */
    {"1f1b", 1, 128, 16, false},      /* begins above 64 */
    {"interleaved", 2, 16, 8, true},  /* rounds of four microbatches */
    {"interleaved", 2, 16, 4, false}, /* the second level has ten of them */
};

START_TEST(a_plan_must_be_able_to_run_every_level)
{
    g_autoptr(PsimPlan) base = load_base();
    g_autoptr(PsimEvaluator) evaluator = psim_evaluator_new(base);
    const PsimRampup rampup = {ramps[_i].start, ramps[_i].increment, 6400.0};
    const PsimChange change = make_change(ramps[_i].schedule, ramps[_i].n_chunks);

    ck_assert(psim_evaluator_is_valid(evaluator, &change));
    ck_assert(psim_rampup_is_valid(&rampup, evaluator, &change) == ramps[_i].is_valid);
}
END_TEST

static double
step_s(PsimEvaluator *evaluator, uint32_t global_batch)
{
    PsimChange change = make_change("1f1b", 1);
    PsimEvaluation evaluation = {.size = sizeof evaluation};

    change.global_batch = global_batch;
    ck_assert(psim_evaluator_run(evaluator, &change, &evaluation, NULL));
    return (double)evaluation.step / (double)PSIM_TIME_PER_S;
}

/* 9600 samples in three levels of 3200: 200 steps of 16, 100 of 32, 66 2/3 of 48. */
START_TEST(the_time_is_that_of_the_steps_of_each_level)
{
    g_autoptr(PsimPlan) base = load_base();
    g_autoptr(PsimEvaluator) evaluator = psim_evaluator_new(base);
    const PsimRampup rampup = {16, 16, 9600.0};
    const PsimChange change = make_change("1f1b", 1);
    const double expected_s = 200.0 * step_s(evaluator, 16) + 100.0 * step_s(evaluator, 32) +
                              200.0 / 3.0 * step_s(evaluator, 48);
    double time_s = 0.0;

    ck_assert(psim_rampup_run(&rampup, evaluator, &change, &time_s));
    ck_assert_double_eq_tol(time_s, expected_s, 1e-9 * expected_s);
    /* Small batches fill the pipeline worse: 9600 samples take longer than at 64. */
    ck_assert_double_gt(time_s, 150.0 * step_s(evaluator, 64));
}
END_TEST

START_TEST(days_are_those_of_the_ramp_up_and_of_the_rest)
{
    const PsimSite site = {.sequence = 1000, .usd_per_gpu_hour = 2.0};
    const PsimFound found = {.plan = {.n_gpus = 8},
                             .evaluation = {.tokens_per_s = 1000.0, .fits = true},
                             .rampup_s = 86400.0};
    /* 86.4e6 tokens at the start in a day, and as many after it in another. */
    PsimLimits limits = {.tokens = 172.8e6, .rampup = {16, 16, 86400.0}};
    const PsimWholeRun run = psim_found_whole_run(&found, &site, &limits);

    ck_assert_double_eq(run.days, 2.0);
    ck_assert_double_eq(run.usd, 2.0 * 24.0 * 8.0 * 2.0);
    limits.max_days = 1.99;
    ck_assert(!psim_found_keeps(&found, &site, &limits));
    limits.max_days = 2.0;
    ck_assert(psim_found_keeps(&found, &site, &limits));
}
END_TEST

Suite *
rampup_suite(void)
{
    Suite *suite = suite_create("rampup");
    TCase *cases = tcase_create("rampup");

    tcase_add_loop_test(cases, levels_lead_from_the_first_batch_to_the_whole_one, 0,
                        G_N_ELEMENTS(levels));
    tcase_add_loop_test(cases, what_no_plan_can_have_says_why, 0, G_N_ELEMENTS(refusals));
    tcase_add_loop_test(cases, a_plan_must_be_able_to_run_every_level, 0, G_N_ELEMENTS(ramps));
    tcase_add_test(cases, the_time_is_that_of_the_steps_of_each_level);
    tcase_add_test(cases, days_are_those_of_the_ramp_up_and_of_the_rest);
    suite_add_tcase(suite, cases);
    return suite;
}
