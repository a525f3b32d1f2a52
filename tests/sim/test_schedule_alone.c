/* SPDX-License-Identifier: MIT */
/* Schedules alone, through the public interface. */
#include "draw.h"
#include "plansim.h"
#include "suites.h"
#include "written.h"

#include <string.h>

static PsimScheduleOptions
options_of(const char *name, uint32_t p, uint32_t m)
{
    PsimScheduleOptions options = PSIM_SCHEDULE_OPTIONS_INIT;

    options.name = name;
    options.n_ranks = p;
    options.n_microbatches = m;
    return options;
}

START_TEST(json_has_the_members_scripts_rely_on)
{
    const PsimScheduleOptions options = options_of("1f1b", 2, 2);
    g_autoptr(PsimResult) result = psim_schedule_simulate(&options, NULL);
    g_autofree char *text = written(result, "json");

    ck_assert_str_eq(text, "{\n"
                           "  \"makespan\": 9,\n"
                           "  \"busy\": [6, 6],\n"
                           "  \"own_span\": [9, 6],\n"
                           "  \"peak_chunks\": [2, 1],\n"
                           "  \"bubble\": {\"time\": 3, \"fraction_of_total\": 0.3333333333333333, "
                           "\"ratio_to_ideal\": 0.5},\n"
                           "  \"deadlock\": null,\n"
                           "  \"ranks\": [\n"
                           "    [\"F0\", \"F1\", \"B0\", \"B1\"],\n"
                           "    [\"F0\", \"B0\", \"F1\", \"B1\"]\n"
                           "  ]\n"
                           "}\n");
}
END_TEST

START_TEST(a_deadlock_is_a_result_that_does_not_fit)
{
    PsimScheduleOptions options = options_of("interleaved:3", 4, 5);
    g_autoptr(PsimResult) result = NULL;

    options.group = 4;
    result = psim_schedule_simulate(&options, NULL);
    g_autofree char *text = written(result, "json");

    ck_assert(!psim_result_fits(result));
    ck_assert_ptr_nonnull(strstr(text, "\"makespan\": null"));
    ck_assert_ptr_nonnull(strstr(text, "\"heads\": [\"8F4\", \"9F4\", \"10F4\", \"7B0\"]"));
}
END_TEST

START_TEST(unequal_stages_take_their_own_times)
{
    static const int64_t times[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2};
    PsimScheduleOptions options = options_of("1f1b", 4, 8);
    PsimSummary summary = {.size = sizeof summary};

    options.stage_times = times;
    options.n_stage_times = 4;
    g_autoptr(PsimResult) result = psim_schedule_simulate(&options, NULL);

    psim_result_summary(result, &summary);
    ck_assert_int_eq(summary.step, 57);
}
END_TEST

/* What the note of zb-h1 says of its bubble. */
START_TEST(zb_h1_idles_as_its_note_says)
{
    Dice dice = {.seed = 70000u + (uint64_t)_i};
    const int64_t weight = 1 + draw_below(&dice, 10);
    PsimScheduleOptions options = options_of("zb-h1", 2 + draw_below(&dice, 7), 0);
    PsimSummary summary = {.size = sizeof summary};

    options.n_microbatches = options.n_ranks + draw_below(&dice, 10);
    options.forward = weight + draw_below(&dice, 10);
    options.backward_input = weight + draw_below(&dice, 10);
    options.backward_weight = weight;
    const int64_t busy =
        options.n_microbatches * (options.forward + options.backward_input + weight);
    const int64_t bubble =
        (options.n_ranks - 1) * (options.forward + options.backward_input - weight);
    g_autoptr(PsimResult) result = psim_schedule_simulate(&options, NULL);

    psim_result_summary(result, &summary);
    ck_assert_int_eq(summary.step, busy + bubble);
}
END_TEST

static const struct {
    const char *name;
    uint32_t p, m, chunks;
    PsimError code;
    const char *message;
} refused[] = {
    {"1f1b", 0, 8, 0, PSIM_ERROR_VALUE, "0 ranks; expected at least 1"},
    {"1f1b", 4, 0, 0, PSIM_ERROR_VALUE, "0 microbatches; expected at least 1"},
    {"1f2b", 4, 8, 0, PSIM_ERROR_VALUE, "no schedule \"1f2b\"; did you mean \"1f1b\"?"},
    {"1f1b", 4, 8, 2, PSIM_ERROR_MISMATCH, "2 chunks; schedule \"1f1b\" has 1 a rank"},
    {"interleaved:2", 4, 8, 3, PSIM_ERROR_MISMATCH, "\"interleaved:2\" contradicts 3 chunks"},
    {"interleaved:x", 4, 8, 0, PSIM_ERROR_VALUE,
     "\"interleaved:x\": after the colon stands the number of chunks, 1 to 65535"},
    {"1f1b", 70000, 8, 0, PSIM_ERROR_LIMIT, "70000 stages, more than PSIM_LIMIT_STAGES (65535)"},
    {"1f1b", 4, 20000000, 0, PSIM_ERROR_LIMIT,
     "20000000 microbatches, more than PSIM_LIMIT_MICROBATCHES (16777216)"},
};

START_TEST(what_cannot_be_run_is_refused_in_words)
{
    PsimScheduleOptions options = options_of(refused[_i].name, refused[_i].p, refused[_i].m);
    g_autoptr(GError) error = NULL;

    options.n_chunks = refused[_i].chunks;
    ck_assert_ptr_null(psim_schedule_simulate(&options, &error));
    ck_assert_int_eq(error->code, (int)refused[_i].code);
    ck_assert_str_eq(error->message, refused[_i].message);
}
END_TEST

START_TEST(every_schedule_of_the_list_has_a_summary_and_runs)
{
    for (const char *const *name = psim_schedule_names(); *name != NULL; name++) {
        const PsimScheduleOptions options = options_of(*name, 4, 8);
        g_autoptr(PsimResult) result = psim_schedule_simulate(&options, NULL);

        ck_assert_ptr_nonnull(psim_schedule_summary(*name));
        ck_assert(psim_result_fits(result));
    }
}
END_TEST

Suite *
schedule_alone_suite(void)
{
    Suite *suite = suite_create("schedule_alone");
    TCase *tests = tcase_create("schedule_alone");

    tcase_add_test(tests, json_has_the_members_scripts_rely_on);
    tcase_add_test(tests, a_deadlock_is_a_result_that_does_not_fit);
    tcase_add_test(tests, unequal_stages_take_their_own_times);
    tcase_add_loop_test(tests, zb_h1_idles_as_its_note_says, 0, 100);
    tcase_add_loop_test(tests, what_cannot_be_run_is_refused_in_words, 0, G_N_ELEMENTS(refused));
    tcase_add_test(tests, every_schedule_of_the_list_has_a_summary_and_runs);
    suite_add_tcase(suite, tests);
    return suite;
}
