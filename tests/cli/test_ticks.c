/* SPDX-License-Identifier: MIT */
#include "cli/ticks.h"

#include <check.h>
#include <glib/gstdio.h>
#include <string.h>

Suite *ticks_suite(void);

static const struct {
    const char *text;
    bool ok;
    int64_t times[3];
} texts[] = {
    {"1,2,3", true, {1, 2, 3}},
    {"10 20 30", true, {10, 20, 30}},
    {"10, 20\t,30 \r", true, {10, 20, 30}},
    {" 0,0,1000000000000", true, {0, 0, 1000000000000}},
    {"1,2", false, {0}},
    {"1,2,3,4", false, {0}},
    {"1,,3", false, {0}},
    {"1 2 x", false, {0}},
    {"-1,2,3", false, {0}},
    {"1.5,2,3", false, {0}},
    {"1,2,1000000000001", false, {0}},
    {"1,2,99999999999999999999999", false, {0}},
    {"", false, {0}},
};

START_TEST(parse_takes_three_whole_numbers_and_nothing_else)
{
    int64_t times[3] = {0};

    ck_assert(psim_ticks_parse(texts[_i].text, times) == texts[_i].ok);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(times[i], texts[_i].times[i]);
}
END_TEST

/* Loads @text from a file called "times" in a directory of its own. */
static bool
load(PsimTicks *ticks, const char *text, gssize n_bytes, GError **error)
{
    g_autofree char *directory = g_dir_make_tmp("plansim-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(directory, "times", NULL);
    g_autoptr(GError) reason = NULL;

    ck_assert(g_file_set_contents(path, text, n_bytes, NULL));
    const bool ok = psim_ticks_load(ticks, path, &reason);

    ck_assert_int_eq(g_unlink(path), 0);
    ck_assert_int_eq(g_rmdir(directory), 0);
    /* Messages begin with the path; the rest is compared. */
    if (!ok)
        g_set_error_literal(error, reason->domain, reason->code,
                            reason->message + strlen(directory) + 1);
    return ok;
}

START_TEST(load_reads_a_line_for_each_stage_and_skips_comments)
{
    g_auto(PsimTicks) ticks = {0};
    g_autoptr(GError) error = NULL;

    ck_assert(load(&ticks, "# F I W\n1 2 3\n\n4,5,6\n  # more\n7 8 9", -1, &error));
    ck_assert_uint_eq(ticks.n_stages, 3);
    for (int i = 0; i < 9; i++)
        ck_assert_int_eq(ticks.times[i], i + 1);
}
END_TEST

static const struct {
    const char *text;
    gssize n_bytes;
    PsimError code;
    const char *message;
} files[] = {
    {"1 2 3\n  1 2\n", -1, PSIM_ERROR_SYNTAX,
     "times:2:3: must be three whole numbers up to 1000000000000: forward, input gradient, weight "
     "gradient"},
    {"", -1, PSIM_ERROR_SYNTAX, "times: has no line \"F I W\""},
    {"# nothing\n", -1, PSIM_ERROR_SYNTAX, "times: has no line \"F I W\""},
    {"1 2\0003", 5, PSIM_ERROR_SYNTAX, "times: is not a text of lines \"F I W\""},
    {"1 2 3 \xff", -1, PSIM_ERROR_SYNTAX, "times: is not a text of lines \"F I W\""},
};

START_TEST(load_names_the_line_that_is_wrong)
{
    g_auto(PsimTicks) ticks = {0};
    g_autoptr(GError) error = NULL;

    ck_assert(!load(&ticks, files[_i].text, files[_i].n_bytes, &error));
    ck_assert_int_eq(error->code, (int)files[_i].code);
    ck_assert_str_eq(error->message, files[_i].message);
}
END_TEST

START_TEST(load_says_why_a_file_cannot_be_read)
{
    g_auto(PsimTicks) ticks = {0};
    g_autoptr(GError) error = NULL;

    ck_assert(!psim_ticks_load(&ticks, "/nonexistent/times", &error));
    ck_assert_int_eq(error->code, PSIM_ERROR_IO);
    ck_assert_str_eq(error->message, "/nonexistent/times: No such file or directory");
}
END_TEST

Suite *
ticks_suite(void)
{
    Suite *suite = suite_create("ticks");
    TCase *tests = tcase_create("ticks");

    tcase_add_loop_test(tests, parse_takes_three_whole_numbers_and_nothing_else, 0,
                        G_N_ELEMENTS(texts));
    tcase_add_test(tests, load_reads_a_line_for_each_stage_and_skips_comments);
    tcase_add_loop_test(tests, load_names_the_line_that_is_wrong, 0, G_N_ELEMENTS(files));
    tcase_add_test(tests, load_says_why_a_file_cannot_be_read);
    suite_add_tcase(suite, tests);
    return suite;
}
