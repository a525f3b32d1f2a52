/* SPDX-License-Identifier: MIT */
/* A calibration begins where nothing is yet, goes on where one is, and leaves everything else as it
 * was.
 */
#include "test_calibrate.h"

#include "calibrate/calibrate.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

static char *directory;
static char *path;

static void
make_directory(void)
{
    directory = g_dir_make_tmp("plansim-XXXXXX", NULL);
    path = g_build_filename(directory, "made.json", NULL);
}

static void
remove_directory(void)
{
    (void)g_remove(path);
    ck_assert_int_eq(g_rmdir(directory), 0);
    g_free(path);
    g_free(directory);
}

static PsimRecord *
calibrate(bool resume, GError **error)
{
    PsimCalibrateOptions options = {.budget_s = 600, .path = path, .resume = resume};

    options.suites[PSIM_SUITE_LAUNCH] = true;
    return psim_calibrate_run(fake_core(), &options, error);
}

static void
make_plan(void)
{
    g_autofree char *text = psim_preset_text(PSIM_PRESET_PLAN, "mt-nlg-530b");

    ck_assert(g_file_set_contents(path, text, -1, NULL));
}

static void
make_hardware(void)
{
    g_autofree char *text = psim_preset_text(PSIM_PRESET_HARDWARE, "dgx-h100");

    ck_assert(g_file_set_contents(path, text, -1, NULL));
}

static void
make_empty(void)
{
    ck_assert(g_file_set_contents(path, "", 0, NULL));
}

static void
make_calibration(void)
{
    g_autoptr(PsimRecord) record = calibrate(/* resume= */ false, NULL);

    ck_assert_ptr_nonnull(record);
}

static void
make_pipe(void)
{
    ck_assert_int_eq(mkfifo(path, 0600), 0);
}

static void
make_folder(void)
{
    ck_assert_int_eq(g_mkdir(path, 0700), 0);
}

static const struct {
    void (*make)(void);
    PsimError begin; /* how what is there is refused to begin at ... */
    const char *words;
    PsimError resume; /* ... and to go on with; 0 with words NULL: it goes on */
    const char *resume_words;
} kinds[] = {
    {make_plan, PSIM_ERROR_MISMATCH, "is there and is no calibration", PSIM_ERROR_SCHEMA, ""},
    {make_hardware, PSIM_ERROR_MISMATCH, "is there and is no calibration", PSIM_ERROR_SCHEMA,
     "/calibration: missing"},
    {make_empty, PSIM_ERROR_MISMATCH, "is there and is no calibration", PSIM_ERROR_SYNTAX, ""},
    {make_calibration, PSIM_ERROR_MISMATCH, "add --resume, or name another file", 0, NULL},
    {make_pipe, PSIM_ERROR_IO, "cannot write: it is no file", PSIM_ERROR_VALUE, "is no file"},
    {make_folder, PSIM_ERROR_IO, "cannot write: it is no file", PSIM_ERROR_VALUE, "is no file"},
};

static void
assert_refused(bool resume, PsimError code, const char *words)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimRecord) record = calibrate(resume, &error);

    ck_assert_ptr_null(record);
    ck_assert_msg(g_error_matches(error, PSIM_ERROR, (int)code), "%s", error->message);
    ck_assert_msg(strstr(error->message, words) != NULL, "%s", error->message);
}

START_TEST(what_is_there_stays)
{
    g_autofree char *before = NULL;
    g_autofree char *after = NULL;

    kinds[_i].make();
    const bool is_file = g_file_test(path, G_FILE_TEST_IS_REGULAR);

    ck_assert(!is_file || g_file_get_contents(path, &before, NULL, NULL));
    assert_refused(/* resume= */ false, kinds[_i].begin, kinds[_i].words);
    if (kinds[_i].resume_words != NULL)
        assert_refused(/* resume= */ true, kinds[_i].resume, kinds[_i].resume_words);
    ck_assert(!is_file || g_file_get_contents(path, &after, NULL, NULL));
    ck_assert_pstr_eq(after, before);
}
END_TEST

START_TEST(a_calibration_goes_on)
{
    make_calibration();
    g_autoptr(PsimRecord) record = calibrate(/* resume= */ true, NULL);

    ck_assert_ptr_nonnull(record);
}
END_TEST

START_TEST(where_no_file_can_be_nothing_is_measured)
{
    g_autofree char *missing = g_build_filename(directory, "none", "made.json", NULL);
    g_autoptr(GError) error = NULL;
    const PsimCalibrateOptions options = {.budget_s = 600, .path = missing};

    ck_assert_ptr_null(psim_calibrate_run(fake_core(), &options, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_IO));
}
END_TEST

Suite *
record_place_suite(void)
{
    Suite *suite = suite_create("record_place");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, make_directory, remove_directory);
    tcase_set_timeout(all, 60);
    tcase_add_loop_test(all, what_is_there_stays, 0, G_N_ELEMENTS(kinds));
    tcase_add_test(all, a_calibration_goes_on);
    tcase_add_test(all, where_no_file_can_be_nothing_is_measured);
    suite_add_tcase(suite, all);
    return suite;
}
