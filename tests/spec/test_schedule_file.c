/* SPDX-License-Identifier: MIT */
/* Plans whose schedule is a PyTorch schedule file, named or written inside them. */
#include "spec/plan.h"
#include "test_spec.h"

#include <glib/gstdio.h>
#include <string.h>

/* Four ranks, one microbatch. */
#define FOUR "\"0F0,0B0\", \"1F0,1B0\", \"2F0,2B0\", \"3F0,3B0\""
#define SETS "/batch/global=2|/schedule/csv=[" FOUR "]"

static PsimPlan *
accept(const char *sets)
{
    g_autoptr(GError) error = NULL;
    PsimPlan *plan = test_spec_parse(TEST_PLAN, sets, &error);

    ck_assert_msg(plan != NULL, "%s", error != NULL ? error->message : "");
    return plan;
}

START_TEST(a_plan_may_have_its_order_inside)
{
    g_autoptr(PsimPlan) plan = accept(SETS);
    const PsimShape shape = psim_plan_shape(plan);

    ck_assert(plan->schedule == &psim_csv_type);
    ck_assert_str_eq(psim_plan_schedule_name(plan), "csv");
    ck_assert_uint_eq(plan->n_chunks, 1);
    ck_assert_uint_eq(plan->n_microbatches, 1);
    ck_assert(shape.given == plan->schedule_file->order);
    ck_assert_uint_eq(shape.given->n_ops[3], 2);
}
END_TEST

START_TEST(chunks_are_those_of_the_order)
{
    g_autoptr(PsimPlan) plan =
        accept("/batch/global=2|/parallel/pipeline=2|/gpus=8|/schedule/csv=[\"0F0,3F0,3B0,0B0\", "
               "\"1F0,2F0,\", \"2B0,1B0\"]");
    g_autofree char *chunks = test_spec_default(plan->defaults, "/schedule/chunks");

    ck_assert_uint_eq(plan->n_chunks, 2);
    ck_assert_str_eq(chunks, "2, as the schedule file has it");
    ck_assert_uint_eq(plan->schedule_file->order->rank_of_stage[3], 0);
}
END_TEST

START_TEST(the_canonical_text_has_the_order)
{
    g_autoptr(PsimPlan) plan = accept(SETS);
    g_autofree char *text = psim_plan_write(plan);
    g_autoptr(PsimPlan) again = test_spec_parse(text, "", NULL);

    ck_assert_ptr_nonnull(strstr(text, "  \"schedule\": {\n"
                                       "    \"name\": \"csv\",\n"
                                       "    \"chunks\": 1,\n"
                                       "    \"group\": 4,\n"
                                       "    \"slices\": 1,\n"
                                       "    \"csv\": [\n"
                                       "      \"0F0,0B0\",\n"
                                       "      \"1F0,1B0\",\n"
                                       "      \"2F0,2B0\",\n"
                                       "      \"3F0,3B0\"\n"
                                       "    ]\n"
                                       "  },\n"));
    ck_assert_ptr_nonnull(again);
    ck_assert_str_eq(again->digest, plan->digest);
}
END_TEST

/* The 1F1B order of @m microbatches on four ranks as a file. */
static char *
write_file(const char *directory, uint32_t m)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(GString) text = g_string_new(NULL);
    const PsimShape shape = {
        .n_ranks = 4, .n_microbatches = m, .n_chunks = 1, .group = 4, .n_slices = 1};
    char *path = g_build_filename(directory, "x.csv", NULL);

    ck_assert(psim_csv_append(psim_schedule_emit(psim_schedule_find("1f1b"), &shape, arena), text,
                              /* error= */ NULL));
    ck_assert(g_file_set_contents(path, text->str, -1, /* error= */ NULL));
    return path;
}

START_TEST(a_file_is_looked_for_beside_the_plan_and_read_once)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *directory = g_dir_make_tmp("plansim-XXXXXX", NULL);
    g_autofree char *path = write_file(directory, 32);
    g_autofree char *plan_path = g_build_filename(directory, "p.json", NULL);
    g_autoptr(GString) text = g_string_new(TEST_PLAN);

    g_string_replace(text, "\n}\n", ",\n  \"schedule\": {\"name\": \"x.csv\"}\n}\n", 1);
    g_autoptr(PsimPlan) plan =
        psim_plan_parse(text->str, text->len, plan_path, /* overrides= */ NULL, 0, &error);

    ck_assert_msg(plan != NULL, "%s", error != NULL ? error->message : "");
    (void)g_unlink(path);
    (void)g_rmdir(directory);
    ck_assert_str_eq(psim_plan_schedule_name(plan), path);
    ck_assert_str_eq(g_ptr_array_index(plan->files, plan->files->len - 1), "x.csv");

    /* What is written has no need of the file; its long lines are cut. */
    g_autofree char *canonical = psim_plan_write(plan);
    g_autoptr(PsimPlan) again = test_spec_parse(canonical, "", &error);

    ck_assert_ptr_null(error);
    ck_assert_str_eq(again->digest, plan->digest);
    ck_assert_ptr_nonnull(
        strstr(canonical, "      \"0F0,0F1,0F2,0F3,0B0,0F4,0B1,0F5,0B2,0F6,0B3,0F7,0B4,0F8,0B5,"
                          "0F9,0B6,0F10,0B7,\",\n"));

    PsimScheduleOptions options = PSIM_SCHEDULE_OPTIONS_INIT;

    psim_plan_schedule_options(plan, &options);
    ck_assert_str_eq(options.name, path);
    ck_assert_str_eq(options.csv, plan->schedule_file->text);
}
END_TEST

START_TEST(a_file_of_the_command_line_is_looked_for_where_the_user_is)
{
    g_autofree char *message = test_spec_complain(TEST_PLAN, "/schedule/name=nowhere/x.csv");

    ck_assert_str_eq(message, "nowhere/x.csv: No such file or directory");
}
END_TEST

static const struct {
    const char *sets;
    const char *message;
} contradictions[] = {
    {SETS "|/parallel/pipeline=2|/gpus=8",
     "--set /parallel/pipeline=2: /parallel/pipeline: is 2; csv has 4 ranks"},
    {SETS "|/batch/global=4", "--set /batch/global=4: /batch/global: is 4, which makes 2 "
                              "microbatches; csv has 1: a batch of 2"},
    {SETS "|/schedule/chunks=2", "--set /schedule/chunks=2: /schedule/chunks: is 2; csv has 1 a "
                                 "rank"},
    {SETS "|/schedule/slices=2", "--set /schedule/slices=2: /schedule/slices: is 2; csv has 1 a "
                                 "microbatch"},
    {SETS "|/schedule/name=gpipe",
     "--set /schedule/name=gpipe: /schedule/name: is beside \"csv\", which has the order already; "
     "must be \"csv\", or left out"},
    {"/schedule/name=csv", "p.json:1:1: /schedule/csv: missing; expected an array"},
    {"/schedule/csv=[]",
     "p.json: /schedule/csv:1:1: empty; expected a line of cells for each rank"},
    {"/schedule/csv=[\"0F0,0B0\\n1F0,1B0\"]",
     "--set /schedule/csv=[\"0F0,0B0\\n1F0,1B0\"]: /schedule/csv: has a line end in item 0; an "
     "item is the line of one rank, or part of it if it ends in a comma"},
    {"/schedule/csv=[\"0F0,\", \"0x0\"]",
     "p.json: /schedule/csv:1:5: \"0x0\" has no kind, but \"x\"; must be one of F, B, I, W, "
     "SEND_F, RECV_F, SEND_B, RECV_B, UNSHARD, RESHARD, REDUCE_GRAD"},
};

START_TEST(a_file_that_contradicts_the_plan_is_refused)
{
    g_autofree char *message = test_spec_complain(TEST_PLAN, contradictions[_i].sets);

    ck_assert_str_eq(message, contradictions[_i].message);
}
END_TEST

Suite *
schedule_file_suite(void)
{
    Suite *suite = suite_create("schedule_file");
    TCase *tcase = tcase_create("schedule_file");

    tcase_add_test(tcase, a_plan_may_have_its_order_inside);
    tcase_add_test(tcase, chunks_are_those_of_the_order);
    tcase_add_test(tcase, the_canonical_text_has_the_order);
    tcase_add_test(tcase, a_file_is_looked_for_beside_the_plan_and_read_once);
    tcase_add_test(tcase, a_file_of_the_command_line_is_looked_for_where_the_user_is);
    tcase_add_loop_test(tcase, a_file_that_contradicts_the_plan_is_refused, 0,
                        G_N_ELEMENTS(contradictions));
    suite_add_tcase(suite, tcase);
    return suite;
}
