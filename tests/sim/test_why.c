/* SPDX-License-Identifier: MIT */
/* Where a number comes from: every member of every kind of plan has an answer. */
#include "../main.h"
#include "bare.h"
#include "cost/memory.h"
#include "draw.h"
#include "questions.h"
#include "timeline/result.h"
#include "written.h"

#include <string.h>

static bool
append(const char *bytes, size_t n_bytes, void *user)
{
    g_string_append_len(user, bytes, (gssize)n_bytes);
    return true;
}

static bool
refuse(const char *bytes, size_t n_bytes, void *user)
{
    (void)bytes;
    (void)n_bytes;
    (void)user;
    return false;
}

static char *
explain(PsimPlan *plan, const char *member)
{
    g_autoptr(GError) error = NULL;
    GString *text = g_string_new(NULL);

    ck_assert_msg(psim_explain(plan, member, append, text, &error), "%s: %s", member,
                  error != NULL ? error->message : "no error");
    return g_string_free(text, /* free_segment= */ FALSE);
}

static const char *const plans[] = {"mt-nlg-530b", "gpt3-175b-one-gpu", "data-parallel-ring",
                                    "gpipe-amoebanet-4", "alexnet-two-gtx-580"};

START_TEST(every_member_of_every_plan_is_derived)
{
    g_autoptr(PsimPlan) plan = load_plan(plans[_i], NULL);
    const char *const *members = psim_explain_members();

    for (; *members != NULL; members++) {
        g_autofree char *text = explain(plan, *members);
        g_autofree char *head = g_strdup_printf("%s = ", *members);

        ck_assert_msg(g_str_has_prefix(text, head), "%s", text);
        ck_assert_ptr_nonnull(strstr(text, "\nformula\n  "));
        ck_assert_ptr_null(strstr(text, " nan"));
        ck_assert_ptr_null(strstr(text, "(null)"));
    }
}
END_TEST

START_TEST(the_step_leads_to_its_parts_inputs_and_constants)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autofree char *text = explain(plan, "step.time_s");

    ck_assert(g_str_has_prefix(text, "step.time_s = 600 ms, by replay of the plan's operations\n"));
    ck_assert_ptr_nonnull(strstr(text, "step.breakdown_s.bubble"));
    ck_assert_ptr_nonnull(strstr(text, "120 ms"));
    ck_assert_ptr_nonnull(strstr(text, "/batch/global"));
    ck_assert_ptr_nonnull(strstr(text, "given"));
    ck_assert_ptr_nonnull(strstr(text, "default"));
    ck_assert_ptr_nonnull(strstr(text, "  - gemm.efficiency = 0.500 [measured]: a ruler\n"));
    ck_assert_ptr_nonnull(strstr(text, "  - dense peak = 100 TFLOP/s [data sheet]: by hand\n"));
}
END_TEST

START_TEST(a_product_at_its_rate_is_bound_by_it)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autofree char *text = explain(plan, "step.breakdown_s.compute");

    ck_assert_ptr_nonnull(strstr(text, "480 ms, mean over 2 ranks; 4 microbatches a step\n"));
    ck_assert_ptr_nonnull(
        strstr(text, "\nkernels of one layer, one microbatch, one rank: 60.0 ms\n"));
    ck_assert_ptr_nonnull(strstr(text, "50.0 TFLOP/s  FLOP/s\n"));
    ck_assert_ptr_nonnull(strstr(text, "0 to 1"));
}
END_TEST

START_TEST(the_bubble_shows_its_closed_form)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autofree char *text = explain(plan, "pipeline.bubble_fraction");

    ck_assert(g_str_has_prefix(text, "pipeline.bubble_fraction = 20.0%, idle / step"));
    ck_assert_ptr_nonnull(strstr(text, "\nclosed form\n  20.0% of the step, "));
    ck_assert_ptr_nonnull(strstr(text, "p = 2, m = 4\n"));
}
END_TEST

static const char *const spellings[][2] = {
    {"stages[1].peak_bytes", "stages.1.peak_bytes"},
    {"stages[1].peak_bytes", "/stages/1/peak_bytes"},
    {"step.time_s", "step.time_ps"},
    {"step.breakdown_s.bubble", "step.breakdown_ps.bubble"},
};

START_TEST(members_may_be_spelt_as_people_do)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autofree char *one = explain(plan, spellings[_i][0]);
    g_autofree char *other = explain(plan, spellings[_i][1]);

    ck_assert_str_eq(strchr(one, '='), strchr(other, '='));
}
END_TEST

START_TEST(a_stage_that_is_named_is_the_one_explained)
{
    g_autoptr(PsimPlan) plan = load_plan("mt-nlg-530b", NULL);
    g_autofree char *last = explain(plan, "stages[34].logits_bytes");
    g_autofree char *fullest = explain(plan, "stages.peak_bytes");

    ck_assert_ptr_nonnull(strstr(last, ", on stage 34\n"));
    ck_assert_ptr_nonnull(strstr(fullest, ", the fullest\n"));
}
END_TEST

static const struct {
    const char *member;
    const char *message;
} wrong[] = {
    {"step.tim_s", "no derivation of \"step.tim_s\"; did you mean \"step.time_s\"?"},
    {"stages[2].peak_bytes", "\"stages[2].peak_bytes\" is beyond the last stage; must be from 0 to "
                             "1"},
};

START_TEST(what_is_not_known_is_refused_in_words)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autoptr(GError) error = NULL;

    ck_assert(!psim_explain(plan, wrong[_i].member, append, NULL, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_VALUE));
    ck_assert_str_eq(error->message, wrong[_i].message);
}
END_TEST

START_TEST(what_is_like_nothing_gets_the_list)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autoptr(GError) error = NULL;

    ck_assert(!psim_explain(plan, "weather", append, NULL, &error));
    ck_assert(g_str_has_prefix(error->message, "no derivation of \"weather\"; known members are "
                                               "step.time_s, step.breakdown_s.compute, "));
}
END_TEST

START_TEST(a_reader_that_stops_is_an_error)
{
    g_autoptr(PsimPlan) plan = bare_plan(NULL, NULL);
    g_autoptr(GError) error = NULL;

    ck_assert(!psim_explain(plan, "step.time_s", refuse, NULL, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_IO));
}
END_TEST

START_TEST(the_tensors_of_a_layer_sum_to_what_it_keeps)
{
    Dice dice = {.seed = 7000u + (uint64_t)_i};
    g_autoptr(PsimPlan) plan = draw_plan(&dice);
    g_autoptr(GArray) tensors = g_array_new(FALSE, FALSE, sizeof(PsimTensor));
    const PsimBlockMemory memory = psim_memory_block(plan, PSIM_BLOCK_LAYER, 0);
    double sum = 0.0;

    psim_memory_tensors(plan, tensors);
    for (guint i = 0; i < tensors->len; i++)
        sum += g_array_index(tensors, PsimTensor, i).bytes;
    ck_assert_uint_gt(tensors->len, 5);
    ck_assert_double_eq(sum, memory.stored_bytes + memory.working_bytes);
}
END_TEST

Suite *
why_suite(void)
{
    Suite *suite = suite_create("why");
    TCase *tests = tcase_create("why");

    tcase_add_loop_test(tests, every_member_of_every_plan_is_derived, 0, G_N_ELEMENTS(plans));
    tcase_add_test(tests, the_step_leads_to_its_parts_inputs_and_constants);
    tcase_add_test(tests, a_product_at_its_rate_is_bound_by_it);
    tcase_add_test(tests, the_bubble_shows_its_closed_form);
    tcase_add_loop_test(tests, members_may_be_spelt_as_people_do, 0, G_N_ELEMENTS(spellings));
    tcase_add_test(tests, a_stage_that_is_named_is_the_one_explained);
    tcase_add_loop_test(tests, what_is_not_known_is_refused_in_words, 0, G_N_ELEMENTS(wrong));
    tcase_add_test(tests, what_is_like_nothing_gets_the_list);
    tcase_add_test(tests, a_reader_that_stops_is_an_error);
    tcase_add_loop_test(tests, the_tensors_of_a_layer_sum_to_what_it_keeps, 0, 50);
    suite_add_tcase(suite, tests);
    return suite;
}

PSIM_TEST_SUITES(gap_suite, sensitivity_suite, why_suite);
