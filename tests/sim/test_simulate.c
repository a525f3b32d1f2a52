/* SPDX-License-Identifier: MIT */
/* A plan through the whole pipeline: exactness, determinism, folding. */
#include "../main.h"
#include "draw.h"
#include "plansim.h"
#include "suites.h"
#include "timeline/summary.h"
#include "written.h"

#include <locale.h>
#include <string.h>

#define N_RANDOM  500
#define N_THREADS 4

static void
check_equal(const PsimResult *a, const PsimResult *b)
{
    ck_assert_int_eq(a->step_ps, b->step_ps);
    ck_assert_mem_eq(&a->breakdown, &b->breakdown, sizeof a->breakdown);
    ck_assert(a->worst_peak_bytes == b->worst_peak_bytes);
    ck_assert(a->hfu_fraction == b->hfu_fraction);
}

START_TEST(folded_unfolded_sweep_and_event_loop_give_the_same_picoseconds)
{
    Dice dice = {.seed = 1000u + (uint64_t)_i};
    g_autoptr(PsimPlan) plan = draw_plan(&dice);
    PsimOptions options = PSIM_OPTIONS_INIT;
    g_autoptr(PsimResult) plain = psim_simulate(plan, &options, NULL);

    options.event_loop = true;
    g_autoptr(PsimResult) events = psim_simulate(plan, &options, NULL);

    options.unfold = true;
    g_autoptr(PsimResult) wide_events = psim_simulate(plan, &options, NULL);

    options.event_loop = false;
    g_autoptr(PsimResult) wide = psim_simulate(plan, &options, NULL);

    check_equal(plain, events);
    check_equal(plain, wide);
    check_equal(plain, wide_events);
    ck_assert_int_eq(psim_breakdown_sum(&plain->breakdown), plain->step_ps);
    for (uint32_t s = 0; s < plain->n_stages; s++) {
        const PsimStageFigures *stage = &plain->stages[s];

        ck_assert(stage->peak_bytes == stage->weights_bytes + stage->gradients_bytes +
                                           stage->optimizer_bytes + stage->activations_bytes +
                                           stage->logits_bytes + stage->comm_buffers_bytes +
                                           stage->overhead_bytes);
    }
}
END_TEST

/* -- Determinism -- */

static char *
json_of(const char *name)
{
    g_autoptr(PsimPlan) plan = load_plan(name, NULL);
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);

    return written(result, "json");
}

START_TEST(two_runs_give_the_same_bytes)
{
    g_autofree char *first = json_of("mt-nlg-530b");
    g_autofree char *second = json_of("mt-nlg-530b");

    ck_assert_str_eq(first, second);
}
END_TEST

START_TEST(a_german_locale_changes_nothing)
{
    g_autofree char *plain = json_of("mt-nlg-530b");

    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
        return;
    g_autofree char *german = json_of("mt-nlg-530b");

    (void)setlocale(LC_ALL, "C.UTF-8");
    ck_assert_str_eq(plain, german);
}
END_TEST

/* -- The lesson of 48 layers on 4 GPUs -- */

static const struct {
    const char *plan;
    const char *schedule;
    double bubble;
    uint32_t in_flight;
} lessons[] = {
    {"gpt-48-layers-m8", "gpipe", 3.0 / 11.0, 8},
    {"gpt-48-layers-m32", "gpipe", 3.0 / 35.0, 32},
    {"gpt-48-layers-m8", "1f1b", 3.0 / 11.0, 4},
    {"gpt-48-layers-m32", "1f1b", 3.0 / 35.0, 4},
};

START_TEST(forty_eight_layers_on_four_gpus_have_the_textbook_bubble_and_memory)
{
    g_autofree char *schedule = g_strdup_printf("/schedule/name=%s", lessons[_i].schedule);
    g_autoptr(PsimPlan) plan = load_plan(lessons[_i].plan, schedule, NULL);
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);

    ck_assert_double_eq_tol(result->ideal_bubble_fraction, lessons[_i].bubble, 1e-15);
    /* Transfers of the example are small but not free. */
    ck_assert_double_eq_tol(result->bubble_fraction, lessons[_i].bubble, 5e-4);
    ck_assert_uint_eq(result->stages[0].in_flight_max, lessons[_i].in_flight);
}
END_TEST

/* -- Plans that do not fit -- */

START_TEST(a_plan_that_does_not_fit_names_term_and_change)
{
    g_autoptr(PsimPlan) plan = load_plan("gpt3-175b-one-gpu", NULL);
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);

    ck_assert(!psim_result_fits(result));
    ck_assert_str_eq(result->binding_term, "optimizer");
    ck_assert_ptr_nonnull(strstr(result->state_arithmetic, "of fp32 weights"));
    ck_assert_uint_ge(result->n_fixes, 1);
    ck_assert(result->fixes[0].peak_bytes <= result->capacity_bytes);
}
END_TEST

/* Neither recomputation nor a deeper pipeline is enough, both together are. */
START_TEST(where_no_single_change_is_enough_two_are_named)
{
    g_autoptr(PsimPlan) plan =
        load_plan("gpt3-175b-one-gpu", "/gpus=128", "/parallel/tensor=8", "/parallel/pipeline=4",
                  "/parallel/data=4", "/batch/micro=4", "/batch/global=64", "/recompute=\"none\"",
                  "/zero_stage=0", NULL);
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);

    ck_assert(!psim_result_fits(result));
    ck_assert_uint_ge(result->n_fixes, 1);
    for (uint32_t i = 0; i < result->n_fixes; i++) {
        ck_assert(g_str_has_prefix(result->fixes[i].change, "recompute=full, "));
        ck_assert(result->fixes[i].peak_bytes <= result->capacity_bytes);
    }
}
END_TEST

/* GPT-3 on so many replicas of one node, fully sharded. */
static PsimResult *
simulate_replicas(unsigned dp)
{
    g_autofree char *gpus = g_strdup_printf("/gpus=%u", 8 * dp);
    g_autofree char *degrees =
        g_strdup_printf("/parallel={\"tensor\": 8, \"pipeline\": 1, \"data\": %u}", dp);
    g_autofree char *batch = g_strdup_printf("/batch={\"micro\": 1, \"global\": %u}", 2 * dp);
    g_autoptr(PsimPlan) plan = load_plan("gpt3-175b-one-gpu", gpus, degrees, batch,
                                         "/recompute=full", "/zero_stage=3", NULL);

    return psim_simulate(plan, NULL, NULL);
}

/* The replicas that the last fix names. */
static unsigned
read_replicas(const PsimResult *result)
{
    const char *change = result->n_fixes > 0 ? result->fixes[result->n_fixes - 1].change : "";
    const char *degree = strstr(change, "dp=");
    const unsigned dp = degree != NULL ? (unsigned)g_ascii_strtoull(degree + 3, NULL, 10) : 0;
    g_autofree char *expected =
        g_strdup_printf("gpus=%u, dp=%u, global_batch=%u", 8 * dp, dp, 2 * dp);

    ck_assert_str_eq(change, expected);
    return dp;
}

START_TEST(more_replicas_are_named_where_states_are_sharded_over_them)
{
    g_autoptr(PsimResult) result = simulate_replicas(1);
    const unsigned dp = read_replicas(result);
    g_autoptr(PsimResult) enough = simulate_replicas(dp);
    g_autoptr(PsimResult) too_few = simulate_replicas(dp - 1);

    ck_assert(psim_result_fits(enough));
    ck_assert(!psim_result_fits(too_few));
}
END_TEST

/* -- What a result counts -- */

START_TEST(hardware_flops_are_the_models_and_those_of_recomputation)
{
    static const char *const plans[] = {"mt-nlg-530b", "gpt-48-layers-m8", "alexnet-two-gtx-580"};

    for (size_t i = 0; i < G_N_ELEMENTS(plans); i++) {
        g_autoptr(PsimPlan) plan = load_plan(plans[i], "/recompute=\"none\"", NULL);
        g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);

        ck_assert_double_eq_tol(result->hfu_fraction / result->mfu_fraction, 1.0, 1e-12);
    }
    /* A forward once more: four parts instead of three, but for the head, which is kept. */
    g_autoptr(PsimPlan) plan = load_plan("mt-nlg-530b", "/recompute=\"full\"", NULL);
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);

    ck_assert_double_eq_tol(result->hfu_fraction / result->mfu_fraction, 4.0 / 3.0, 5e-3);
}
END_TEST

/* 3 layers a stage, 240 microbatches; a layer reduces its output twice in the forward, twice when
 * that is recomputed and twice in the backward: sequence x hidden in bf16. */
START_TEST(tensor_parallel_collectives_are_counted_one_by_one)
{
    g_autoptr(PsimPlan) plan = load_plan("mt-nlg-530b", NULL);
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);
    const PsimCollectiveFigures *tp = &result->collectives[0];
    const double layers = 240.0 * 3.0 * 6.0;

    ck_assert_str_eq(tp->group, "tp");
    ck_assert_uint_ge(tp->count, (uint64_t)layers);
    ck_assert_uint_le(tp->count, (uint64_t)layers + 240 * 4);
    ck_assert_double_ge((double)tp->count * tp->bytes, layers * 2048.0 * 20480.0 * 2.0);
    ck_assert_double_le(tp->bytes, 2048.0 * 20480.0 * 2.0);
}
END_TEST

static bool
always(void *user)
{
    (void)user;
    return true;
}

START_TEST(a_cancelled_run_says_so)
{
    g_autoptr(PsimPlan) plan = load_plan("mt-nlg-530b", NULL);
    g_autoptr(GError) error = NULL;
    PsimOptions options = PSIM_OPTIONS_INIT;

    options.event_loop = true;
    options.cancelled = always;
    ck_assert_ptr_null(psim_simulate(plan, &options, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_CANCELLED));
}
END_TEST

Suite *
simulate_suite(void)
{
    Suite *suite = suite_create("simulate");
    TCase *tests = tcase_create("simulate");

    tcase_add_loop_test(tests, folded_unfolded_sweep_and_event_loop_give_the_same_picoseconds, 0,
                        N_RANDOM);
    tcase_add_test(tests, two_runs_give_the_same_bytes);
    tcase_add_test(tests, a_german_locale_changes_nothing);
    tcase_add_loop_test(tests, forty_eight_layers_on_four_gpus_have_the_textbook_bubble_and_memory,
                        0, G_N_ELEMENTS(lessons));
    tcase_add_test(tests, a_plan_that_does_not_fit_names_term_and_change);
    tcase_add_test(tests, where_no_single_change_is_enough_two_are_named);
    tcase_add_test(tests, more_replicas_are_named_where_states_are_sharded_over_them);
    tcase_add_test(tests, hardware_flops_are_the_models_and_those_of_recomputation);
    tcase_add_test(tests, tensor_parallel_collectives_are_counted_one_by_one);
    tcase_add_test(tests, a_cancelled_run_says_so);
    suite_add_tcase(suite, tests);
    return suite;
}

PSIM_TEST_SUITES(balance_suite,
                 context_suite,
                 schedule_alone_suite,
                 schedule_csv_suite,
                 simulate_suite,
                 systems_suite);
