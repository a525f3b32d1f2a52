/* SPDX-License-Identifier: MIT */
/* An evaluator against the whole pipeline: random plans, every schedule, to the picosecond and the
 * byte; and what a period is worth.
 */
#include "../main.h"
#include "base/rng.h"
#include "plansim.h"
#include "spec/plan.h"
#include "written.h"

#include <math.h>
#include <string.h>

#define N_RANDOM 400

typedef struct {
    uint64_t seed;
    uint64_t drawn;
} Dice;

static uint32_t
roll(Dice *dice, uint32_t bound)
{
    return psim_rng_below(dice->seed, dice->drawn++, bound);
}

/* Overlaps and runtime are drawn. */
static PsimPlan *
draw_base(Dice *dice)
{
    static const char *const flags[] = {"false", "true"};
    static const char *const runtimes[] = {"megatron", "deepspeed", "pytorch-fsdp"};
    g_autofree char *overlap =
        g_strdup_printf("/overlap={\"data\": %s, \"pipeline\": %s, \"tensor\": false}",
                        flags[roll(dice, 2)], flags[roll(dice, 2)]);
    g_autofree char *runtime = g_strdup_printf("/runtime=%s", runtimes[roll(dice, 3)]);
    const bool is_list = roll(dice, 3) == 0;
    const uint32_t cp = is_list ? 1 : 1 + roll(dice, 2);
    g_autofree char *degrees = g_strdup_printf(
        "/parallel={\"tensor\": 1, \"context\": %u, \"pipeline\": %u, \"data\": 1}", cp, 4 / cp);

    /* A list of layers; a transformer with everything. */
    return load_plan(is_list ? "gpt-48-layers-m8" : "narayanan-1.7b", "/hardware=dgx-a100-80gb",
                     "/precision=fp16", "/gpus=4",
                     cp > 1 ? "/flash_attention=true" : "/flash_attention=false", degrees,
                     "/batch={\"micro\": 1, \"global\": 16}", "/schedule={\"name\": \"1f1b\"}",
                     "/layers_per_stage=even", overlap, runtime, NULL);
}

static PsimChange
draw_change(Dice *dice)
{
    static const uint32_t degrees[] = {1, 2, 3, 4, 6, 8, 12, 16};
    const char *const *names = psim_schedule_names();
    const PsimScheduleType *type =
        psim_schedule_find(names[roll(dice, g_strv_length((GStrv)(guintptr)names))]);
    PsimChange change = PSIM_CHANGE_INIT;
    const uint32_t most = MIN(type->max_chunks, type->min_chunks + 2);

    change.schedule = type->name;
    change.pp = degrees[roll(dice, 8)];
    change.tp = 1u << roll(dice, 3);
    change.dp = 1 + roll(dice, 3);
    change.n_chunks = type->min_chunks + roll(dice, most - type->min_chunks + 1);
    change.micro_batch = 1 + roll(dice, 2);
    change.recompute = (int)roll(dice, 3);
    change.zero_stage = (int)roll(dice, roll(dice, 4) == 0 ? 4 : 2);
    change.balanced = roll(dice, 5) == 0;
    change.sequence_parallel = (int)roll(dice, 2);
    const uint32_t m = roll(dice, 3) == 0 ? 1 + roll(dice, 100) : change.pp * (1 + roll(dice, 20));

    change.global_batch = change.micro_batch * change.dp * m;
    return change;
}

static char *
tell(const PsimChange *change)
{
    return g_strdup_printf("%s:%u tp %u pp %u dp %u micro %u global %u recompute %d zero %d sp %d "
                           "balanced %d",
                           change->schedule, change->n_chunks, change->tp, change->pp, change->dp,
                           change->micro_batch, change->global_batch, change->recompute,
                           change->zero_stage, change->sequence_parallel, change->balanced);
}

/* -- Tests -- */

START_TEST(an_evaluator_gives_the_steps_and_peaks_of_the_simulation)
{
    Dice dice = {.seed = (uint64_t)_i};
    g_autoptr(PsimPlan) base = draw_base(&dice);
    g_autoptr(PsimEvaluator) evaluator = psim_evaluator_new(base);

    for (unsigned i = 0; i < 20; i++) {
        const PsimChange change = draw_change(&dice);
        g_autofree char *text = tell(&change);
        g_autoptr(GError) error = NULL;
        g_autoptr(GError) evaluator_error = NULL;
        g_autoptr(PsimPlan) plan = psim_plan_derive(base, &change, &error);
        PsimEvaluation evaluation = {.size = sizeof evaluation};
        PsimTime bound = 0;
        double bytes = 0.0;

        ck_assert_msg((plan != NULL) == psim_evaluator_is_valid(evaluator, &change), "%s: %s", text,
                      error != NULL ? error->message : "valid");
        if (plan == NULL)
            continue;
        g_autoptr(PsimResult) result = psim_simulate(plan, NULL, &error);

        ck_assert_msg((result != NULL) ==
                          psim_evaluator_run(evaluator, &change, &evaluation, &evaluator_error),
                      "%s", text);
        if (result == NULL) {
            ck_assert_str_eq(evaluator_error->message, error->message);
            continue;
        }
        PsimSummary summary = {.size = sizeof summary};

        psim_result_summary(result, &summary);
        ck_assert_msg(evaluation.step == summary.step, "%s: %" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
                      text, evaluation.step, summary.step);
        ck_assert_uint_eq((uint64_t)llround(evaluation.peak_bytes), summary.peak_bytes);
        ck_assert(evaluation.fits == psim_result_fits(result));
        ck_assert_double_eq(evaluation.mfu_fraction, summary.mfu_fraction);
        ck_assert_double_eq(evaluation.tokens_per_s, summary.tokens_per_s);
        ck_assert(psim_evaluator_bytes(evaluator, &change, &bytes, NULL));
        ck_assert_double_eq(bytes, evaluation.peak_bytes);
        ck_assert_msg(psim_evaluator_floor(evaluator, &change) <= bytes, "%s", text);
        ck_assert(psim_evaluator_bound(evaluator, &change, &bound, NULL));
        ck_assert_msg(bound <= evaluation.step, "%s: bound %" G_GINT64_FORMAT, text, bound);
    }
}
END_TEST

static const struct {
    const char *schedule;
    uint32_t n_chunks;
} periodic[] = {
    {"1f1b", 1}, {"interleaved", 2}, {"eager-1f1b", 1}, {"zb-h1", 1}, {"zb-h2", 1}, {"zb-v", 2},
};

START_TEST(a_static_schedule_repeats)
{
    Dice dice = {.seed = 7};
    g_autoptr(PsimPlan) base = draw_base(&dice);
    g_autoptr(PsimEvaluator) evaluator = psim_evaluator_new(base);
    PsimChange change = PSIM_CHANGE_INIT;
    PsimEvaluation evaluation = {.size = sizeof evaluation};

    change.schedule = periodic[_i].schedule;
    change.n_chunks = periodic[_i].n_chunks;
    change.pp = 4;
    change.tp = 2;
    change.global_batch = 512;
    g_autoptr(PsimPlan) plan = psim_plan_derive(base, &change, NULL);
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);
    PsimSummary summary = {.size = sizeof summary};

    psim_result_summary(result, &summary);
    ck_assert(psim_evaluator_run(evaluator, &change, &evaluation, NULL));
    ck_assert_int_eq(evaluation.step, summary.step);
    ck_assert_msg(evaluation.repeats, "%s", change.schedule);
}
END_TEST

START_TEST(what_is_refused_is_refused_in_the_words_of_a_plan_file)
{
    Dice dice = {.seed = 3};
    g_autoptr(PsimPlan) base = draw_base(&dice);
    g_autoptr(PsimEvaluator) evaluator = psim_evaluator_new(base);
    g_autoptr(GError) error = NULL;
    PsimChange change = PSIM_CHANGE_INIT;
    PsimEvaluation evaluation = {.size = sizeof evaluation};

    change.pp = 7;
    change.global_batch = 14;
    ck_assert(!psim_evaluator_is_valid(evaluator, &change));
    ck_assert(!psim_evaluator_run(evaluator, &change, &evaluation, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_MISMATCH));
    ck_assert_ptr_nonnull(strstr(error->message, " layers do not divide over 7 stages"));
}
END_TEST

START_TEST(a_derived_plan_keeps_what_is_not_changed)
{
    Dice dice = {.seed = 3};
    g_autoptr(PsimPlan) base = draw_base(&dice);
    const PsimChange nothing = PSIM_CHANGE_INIT;
    g_autoptr(PsimPlan) plan = psim_plan_derive(base, &nothing, NULL);
    g_autofree char *before = psim_plan_write(base);
    g_autofree char *after = psim_plan_write(plan);

    ck_assert_str_eq(before, after);
}
END_TEST

static Suite *
evaluator_suite(void)
{
    Suite *suite = suite_create("evaluator");
    TCase *cases = tcase_create("evaluator");

    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, an_evaluator_gives_the_steps_and_peaks_of_the_simulation, 0,
                        N_RANDOM / 20);
    tcase_add_loop_test(cases, a_static_schedule_repeats, 0, G_N_ELEMENTS(periodic));
    tcase_add_test(cases, what_is_refused_is_refused_in_the_words_of_a_plan_file);
    tcase_add_test(cases, a_derived_plan_keeps_what_is_not_changed);
    suite_add_tcase(suite, cases);
    return suite;
}

PSIM_TEST_SUITES(evaluator_suite);
