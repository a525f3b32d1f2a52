/* SPDX-License-Identifier: MIT */
/* A heavy LM head on the last of eight stages: what no schedule saves, another split does. */
#include "plansim.h"
#include "suites.h"
#include "written.h"

#include <string.h>

static PsimResult *
run_llama(const char *schedule, const char *split)
{
    static const char text[] =
        "{\"schema\": \"plansim.plan/1\", \"name\": \"p\", \"model\": \"llama-3-8b\", "
        "\"hardware\": \"dgx-h100\", \"gpus\": 8, \"parallel\": {\"pipeline\": 8}, "
        "\"batch\": {\"global\": 64}}";
    const PsimOverride overrides[] = {{"/schedule/name", schedule}, {"/layers_per_stage", split}};
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimPlan) plan =
        psim_plan_parse(text, strlen(text), "test", overrides, G_N_ELEMENTS(overrides), &error);

    ck_assert_msg(plan != NULL, "%s", error != NULL ? error->message : "");
    PsimResult *result = psim_simulate(plan, NULL, &error);

    ck_assert_msg(result != NULL, "%s", error != NULL ? error->message : "");
    return result;
}

static double
step_s(const char *schedule, const char *split)
{
    g_autoptr(PsimResult) result = run_llama(schedule, split);
    PsimSummary summary = {.size = sizeof summary};

    psim_result_summary(result, &summary);
    return (double)summary.step * 1e-12;
}

START_TEST(the_head_costs_more_than_any_schedule_saves_and_balance_restores_it)
{
    static const char *const schedules[] = {"eager-1f1b",     "interleaved", "zb-h1",  "zb-h2",
                                            "interleaved-zb", "zb-v",        "v-half", "v-min",
                                            "dualpipe-v",     "hanayo",      "auto"};
    const double even_s = step_s("1f1b", "even");
    const double balanced_s = step_s("1f1b", "balanced");

    /* The last stage takes as long as 6.6 layers, in a balanced split none longer than 5. */
    ck_assert_double_eq_tol(even_s / balanced_s, 1.30, 0.01);
    for (size_t i = 0; i < G_N_ELEMENTS(schedules); i++) {
        const double saved_s = even_s - step_s(schedules[i], "even");

        ck_assert_msg(saved_s < (even_s - balanced_s) / 2.0, "%s saves %g s", schedules[i],
                      saved_s);
    }
}
END_TEST

START_TEST(auto_and_balance_together_are_best)
{
    const double auto_s = step_s("auto", "balanced");

    ck_assert_double_lt(auto_s, step_s("zb-h1", "balanced"));
    ck_assert_double_lt(auto_s, step_s("1f1b", "balanced"));
    ck_assert_double_lt(auto_s, step_s("auto", "even"));
}
END_TEST

START_TEST(auto_fits_where_zero_bubble_does_not)
{
    g_autoptr(PsimResult) automatic = run_llama("auto", "even");
    g_autoptr(PsimResult) fixed = run_llama("zb-h1", "even");

    ck_assert(psim_result_fits(automatic));
    ck_assert(!psim_result_fits(fixed));
}
END_TEST

START_TEST(the_split_is_told)
{
    g_autoptr(PsimResult) result = run_llama("1f1b", "balanced");
    g_autofree char *json = written(result, "json");

    ck_assert_ptr_nonnull(strstr(json, "\"layers_per_stage\": \"balanced\""));
    ck_assert_ptr_nonnull(strstr(json, "\"layers_per_stage\": [4, 5, 5, 4, 4, 4, 4, 2]"));
    ck_assert_ptr_nonnull(strstr(json, "balanced: a microbatch takes"));
}
END_TEST

Suite *
balance_suite(void)
{
    Suite *suite = suite_create("balance");
    TCase *tests = tcase_create("balance");

    tcase_add_test(tests, the_head_costs_more_than_any_schedule_saves_and_balance_restores_it);
    tcase_add_test(tests, auto_and_balance_together_are_best);
    tcase_add_test(tests, auto_fits_where_zero_bubble_does_not);
    tcase_add_test(tests, the_split_is_told);
    tcase_set_timeout(tests, 60);
    suite_add_tcase(suite, tests);
    return suite;
}
