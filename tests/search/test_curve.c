/* SPDX-License-Identifier: MIT */
#include "search/curve.h"

#include <check.h>

Suite *curve_suite(void);

/* Speed a GPU of the best plan on 16, 32 and 64 of them; 0: none within the limits. */
static const struct {
    double speeds[3];
    uint32_t knee_gpus;
    bool is_open;
} curves[] = {
    {{100, 95, 90}, 64, true},                            /* none up to the end */
    {{100, 95, 70}, 32, false},                           /* a knee is a plan that brings less */
    {{100, 70, 60}, 16, false}, {{100, 95, 0}, 32, true}, /* what a limit excludes brings neither
                                                             less nor more */
    {{100, 70, 0}, 16, false},  {{100, 0, 90}, 64, true}, {{100, 0, 70}, 16, false},
    {{0, 100, 70}, 32, false}, /* the first that has a plan is the measure */
    {{0, 100, 95}, 64, true},   {{100, 0, 0}, 0, true}, /* one plan is no curve */
    {{0, 0, 100}, 0, true},     {{0, 0, 0}, 0, false},
};

START_TEST(a_knee_needs_a_plan_that_brings_less)
{
    const PsimSearchOptions options = {.n_best = 1};
    g_autoptr(PsimSpace) space = psim_space_new();
    PsimFound groups[3] = {{.rampup_s = 0.0}};
    PsimSearchAnswer answer = {.groups = g_array_new(FALSE, FALSE, sizeof(PsimFound))};

    g_ptr_array_add(space->sites, g_new0(PsimSite, 1));
    for (uint32_t i = 0; i < 3; i++) {
        groups[i].plan.n_gpus = 16u << i;
        groups[i].evaluation.tokens_per_s = curves[_i].speeds[i] * groups[i].plan.n_gpus;
        g_array_append_val(space->gpus, groups[i].plan.n_gpus);
        g_array_append_val(answer.groups, groups[i]);
    }
    g_autoptr(PsimCurve) curve = psim_curve_find(space, &options, &answer, 0);

    ck_assert_uint_eq(curve->points->len, 3);
    ck_assert_uint_eq(curve->knee_gpus, curves[_i].knee_gpus);
    ck_assert_int_eq(curve->is_open, curves[_i].is_open);
    g_array_unref(answer.groups);
}
END_TEST

Suite *
curve_suite(void)
{
    Suite *suite = suite_create("curve");
    TCase *cases = tcase_create("curve");

    tcase_add_loop_test(cases, a_knee_needs_a_plan_that_brings_less, 0, G_N_ELEMENTS(curves));
    suite_add_tcase(suite, cases);
    return suite;
}
