/* SPDX-License-Identifier: MIT */
/* Schedule files through the public interface. */
#include "plansim.h"
#include "suites.h"
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

static PsimScheduleOptions
options_of(const char *name, uint32_t p, uint32_t m)
{
    PsimScheduleOptions options = PSIM_SCHEDULE_OPTIONS_INIT;

    options.name = name;
    options.n_ranks = p;
    options.n_microbatches = m;
    return options;
}

/* A schedule as a file's text; caller frees. */
static char *
write_csv(const char *name, uint32_t p, uint32_t m, bool with_communication)
{
    const PsimScheduleOptions options = options_of(name, p, m);
    g_autoptr(GError) error = NULL;
    GString *text = g_string_new(NULL);

    ck_assert_msg(psim_schedule_write_csv(&options, with_communication, append, text, &error), "%s",
                  error != NULL ? error->message : "");
    return g_string_free(text, /* free_segment= */ FALSE);
}

static PsimResult *
replay_csv(const char *text)
{
    PsimScheduleOptions options = options_of("x.csv", 0, 0);
    g_autoptr(GError) error = NULL;

    options.csv = text;
    PsimResult *result = psim_schedule_simulate(&options, &error);

    ck_assert_msg(result != NULL, "%s", error != NULL ? error->message : "");
    return result;
}

static PsimTime
makespan_of(const PsimResult *result)
{
    PsimSummary summary = {.size = sizeof summary};

    psim_result_summary(result, &summary);
    return summary.step;
}

START_TEST(a_file_takes_as_long_as_the_schedule_it_was_written_from)
{
    const char *name = psim_schedule_names()[_i];
    const PsimScheduleOptions options = options_of(name, 4, 8);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimResult) result = psim_schedule_simulate(&options, NULL);

    for (unsigned with = 0; with < 2; with++) {
        g_string_truncate(text, 0);
        if (!psim_schedule_write_csv(&options, with == 1, append, text, &error)) {
            ck_assert_int_eq(error->code, PSIM_ERROR_UNSUPPORTED);
            return;
        }
        g_autoptr(PsimResult) again = replay_csv(text->str);

        ck_assert_int_eq(makespan_of(again), makespan_of(result));
    }
}
END_TEST

START_TEST(pairs_of_pytorchs_dualpipe_v_run_at_once)
{
    g_autofree char *text = write_csv("dualpipe-v", 4, 10, /* with_communication= */ false);
    g_autofree char *digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
    g_autoptr(PsimResult) result = replay_csv(text);
    g_autofree char *json = written(result, "json");

    /* PyTorch's dualpipev_4rank_10mb.csv */
    ck_assert_str_eq(digest, "16ce4a29936e4c5ad774098add32489b4937942e3f5ab0108f17d2826b184529");
    ck_assert_int_eq(makespan_of(result), 66);
    ck_assert_ptr_nonnull(strstr(json, "\"peak_chunks\": [9, 9, 9, 9]"));
}
END_TEST

#define DEADLOCK "0F0,0B0,0F1,0B1\n1F1,1F0,1B1,1B0\n"

START_TEST(a_deadlock_of_a_file_is_a_result)
{
    g_autoptr(PsimResult) result = replay_csv(DEADLOCK);
    g_autofree char *json = written(result, "json");
    g_autofree char *text = written(result, "text");

    ck_assert(!psim_result_fits(result));
    ck_assert_ptr_nonnull(strstr(json, "\"heads\": [\"B0\", \"F1\"]"));
    ck_assert_ptr_nonnull(strstr(text, "the backward of stage 1, microbatch 0, on rank 1"));
    ck_assert_ptr_nonnull(strstr(text, "the forward of stage 0, microbatch 1, on rank 0"));
}
END_TEST

static const struct {
    const char *name;
    const char *csv;
    uint32_t p, m, v;
    PsimError code;
    const char *message;
} refused[] = {
    {"x.csv", DEADLOCK, 4, 0, 0, PSIM_ERROR_MISMATCH, "x.csv has 2 ranks, not 4"},
    {"x.csv", DEADLOCK, 2, 8, 1, PSIM_ERROR_MISMATCH, "x.csv has 2 microbatches, not 8"},
    {"x.csv", DEADLOCK, 0, 0, 2, PSIM_ERROR_MISMATCH, "x.csv has 1 chunk a rank, not 2"},
    {"x.csv", "0F0\n", 0, 0, 0, PSIM_ERROR_MISMATCH,
     "x.csv:1:1: 0F0 has no backward; needs 0B0, or 0I0 and 0W0"},
    {"/nowhere/x.csv", NULL, 0, 0, 0, PSIM_ERROR_IO, "/nowhere/x.csv: No such file or directory"},
};

START_TEST(what_a_file_is_not_is_refused)
{
    PsimScheduleOptions options = options_of(refused[_i].name, refused[_i].p, refused[_i].m);
    g_autoptr(GError) error = NULL;

    options.csv = refused[_i].csv;
    options.n_chunks = refused[_i].v;
    ck_assert_ptr_null(psim_schedule_simulate(&options, &error));
    ck_assert_int_eq(error->code, (int)refused[_i].code);
    ck_assert_str_eq(error->message, refused[_i].message);
}
END_TEST

static const struct {
    const char *name;
    const char *csv;
    bool with_communication;
    PsimWrite write;
    PsimError code;
    const char *message;
} unwritten[] = {
    {"chimera", NULL, false, append, PSIM_ERROR_UNSUPPORTED,
     "a bidirectional schedule has each stage on two ranks; in a PyTorch schedule file a stage has "
     "one rank, so it cannot be written"},
    {"x.csv", DEADLOCK, true, append, PSIM_ERROR_INFEASIBLE,
     "the order deadlocks, so it has no transfers: rank 0 waits with 0B0, rank 1 waits with 1F1"},
    {"1f1b", NULL, false, refuse, PSIM_ERROR_IO, "the schedule file could not be written"},
    {"1f2b", NULL, false, append, PSIM_ERROR_VALUE, "no schedule \"1f2b\"; did you mean \"1f1b\"?"},
};

START_TEST(what_cannot_be_written_says_why)
{
    PsimScheduleOptions options =
        options_of(unwritten[_i].name, unwritten[_i].csv ? 0 : 4, unwritten[_i].csv ? 0 : 8);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    options.csv = unwritten[_i].csv;
    ck_assert(!psim_schedule_write_csv(&options, unwritten[_i].with_communication,
                                       unwritten[_i].write, text, &error));
    ck_assert_int_eq(error->code, (int)unwritten[_i].code);
    ck_assert_str_eq(error->message, unwritten[_i].message);
}
END_TEST

/* -- Plans ------------------------------------------------------------------------------------- */

/* A file's text as the lines of a plan's "csv", set; caller frees. */
static char *
set_csv(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GString) json = g_string_new("/schedule={\"csv\": [");

    for (size_t i = 0; lines[i][0] != '\0'; i++)
        g_string_append_printf(json, "%s\"%s\"", i > 0 ? ", " : "", lines[i]);
    g_string_append(json, "]}");
    return g_string_free(g_steal_pointer(&json), /* free_segment= */ FALSE);
}

START_TEST(a_plan_with_a_file_steps_as_with_the_schedule)
{
    g_autofree char *text = write_csv("zb-v", 4, 8, /* with_communication= */ false);
    g_autofree char *set = set_csv(text);
    g_autoptr(PsimPlan) plan =
        load_plan("gpt-48-layers-m8", "/schedule={\"name\": \"zb-v\"}", NULL);
    g_autoptr(PsimPlan) with_file = load_plan("gpt-48-layers-m8", set, NULL);
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);
    g_autoptr(PsimResult) again = psim_simulate(with_file, NULL, NULL);

    ck_assert_int_gt(makespan_of(result), 0);
    ck_assert_int_eq(makespan_of(again), makespan_of(result));
}
END_TEST

START_TEST(a_result_outlives_the_plan_with_its_file)
{
    g_autofree char *text = write_csv("1f1b", 4, 8, /* with_communication= */ false);
    g_autofree char *set = set_csv(text);
    PsimPlan *plan = load_plan("gpt-48-layers-m8", set, NULL);
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);

    psim_plan_unref(plan);
    g_autofree char *report = written(result, "text");

    ck_assert_ptr_nonnull(strstr(report, "schedule csv"));
}
END_TEST

START_TEST(a_deadlock_of_a_plan_names_what_each_rank_waits_for)
{
    g_autofree char *set = set_csv(DEADLOCK);
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimPlan) plan = load_plan("gpt-48-layers-m8", "/parallel/pipeline=2", "/gpus=2",
                                         "/batch/global=2", set, NULL);

    ck_assert_ptr_null(psim_simulate(plan, NULL, &error));
    ck_assert_int_eq(error->code, PSIM_ERROR_INFEASIBLE);
    ck_assert_str_eq(error->message,
                     "schedule csv deadlocks\n"
                     "rank 0: B0 waits for the backward of stage 1, microbatch 0, on rank 1\n"
                     "rank 1: F1 waits for the forward of stage 0, microbatch 1, on rank 0");
}
END_TEST

Suite *
schedule_csv_suite(void)
{
    Suite *suite = suite_create("schedule_csv");
    TCase *tests = tcase_create("schedule_csv");
    int n_schedules = 0;

    while (psim_schedule_names()[n_schedules] != NULL)
        n_schedules++;
    tcase_add_loop_test(tests, a_file_takes_as_long_as_the_schedule_it_was_written_from, 0,
                        n_schedules);
    tcase_add_test(tests, pairs_of_pytorchs_dualpipe_v_run_at_once);
    tcase_add_test(tests, a_deadlock_of_a_file_is_a_result);
    tcase_add_loop_test(tests, what_a_file_is_not_is_refused, 0, G_N_ELEMENTS(refused));
    tcase_add_loop_test(tests, what_cannot_be_written_says_why, 0, G_N_ELEMENTS(unwritten));
    tcase_add_test(tests, a_plan_with_a_file_steps_as_with_the_schedule);
    tcase_add_test(tests, a_result_outlives_the_plan_with_its_file);
    tcase_add_test(tests, a_deadlock_of_a_plan_names_what_each_rank_waits_for);
    suite_add_tcase(suite, tests);
    return suite;
}
