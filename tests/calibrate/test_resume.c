/* SPDX-License-Identifier: MIT */
/* A run that is killed at any moment leaves a file that reads, and one that goes on ends where a
 * run that nobody disturbed does.
 */
#include "test_calibrate.h"

#include "calibrate/calibrate.h"
#include "calibrate/record_write.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* From before the file is there to well into the products. */
static const unsigned moments_ms[] = {1, 20, 60, 150, 400, 800};

#define DELAY_US "1500"

static pid_t
start(const char *path, const char *option)
{
    const char *const words[] = {FAKE, path, option, NULL};
    g_auto(GStrv) environment = g_environ_setenv(g_get_environ(), "FAKE_DELAY_US", DELAY_US, TRUE);
    g_autoptr(GError) error = NULL;
    GPid child = 0;

    ck_assert_msg(g_spawn_async(NULL, (char **)(uintptr_t)words, environment,
                                G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &child, &error),
                  "%s", error != NULL ? error->message : "");
    return child;
}

static void
kill_after(pid_t child, unsigned moment_ms)
{
    int status = 0;

    g_usleep(moment_ms * 1000);
    (void)kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
}

static void
finish(const char *path)
{
    PsimCalibrateOptions options = {.budget_s = 600, .path = path, .resume = true};
    g_autoptr(GError) error = NULL;

    memset(options.suites, true, sizeof options.suites);
    options.resume = g_file_test(path, G_FILE_TEST_EXISTS);
    g_autoptr(PsimRecord) record = psim_calibrate_run(fake_core(), &options, &error);

    ck_assert_msg(record != NULL, "%s", error != NULL ? error->message : "");
    ck_assert(record->complete);
}

/* The same cases with the same times; how often each was measured depends on what was interrupted.
 */
static void
assert_alike(const char *path, const char *other_path)
{
    g_autoptr(PsimRecord) record = psim_record_load(path, NULL);
    g_autoptr(PsimRecord) other = psim_record_load(other_path, NULL);

    ck_assert(record != NULL && other != NULL);
    ck_assert_uint_eq(record->trials->len, other->trials->len);
    for (guint i = 0; i < record->trials->len; i++) {
        const PsimTrial *trial = g_ptr_array_index(record->trials, i);
        const PsimTrial *twin = psim_record_find(other, trial);

        ck_assert_ptr_nonnull(twin);
        ck_assert_int_eq(trial->role, twin->role);
        ck_assert_int_eq(trial->verdict, twin->verdict);
        if (trial->verdict == PSIM_VERDICT_RIGHT)
            ck_assert_double_eq(psim_record_time_s(record, trial), psim_record_time_s(other, twin));
    }
}

START_TEST(a_killed_run_leaves_a_file_that_goes_on)
{
    g_autofree char *directory = g_dir_make_tmp("plansim-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(directory, "killed.json", NULL);
    g_autofree char *other = g_build_filename(directory, "whole.json", NULL);
    g_autofree char *part = g_strconcat(path, ".part", NULL);
    g_autoptr(GError) error = NULL;

    kill_after(start(path, NULL), moments_ms[_i]);
    if (g_file_test(path, G_FILE_TEST_EXISTS)) {
        g_autoptr(PsimRecord) left = psim_record_load(path, &error);

        ck_assert_msg(left != NULL, "%s", error != NULL ? error->message : "");
        ck_assert(!left->complete);
        /* Killed once more while it goes on. */
        kill_after(start(path, "--resume"), moments_ms[_i]);
        g_autoptr(PsimRecord) later = psim_record_load(path, &error);

        ck_assert_msg(later != NULL, "%s", error != NULL ? error->message : "");
        ck_assert_uint_ge(later->trials->len, left->trials->len);
    }
    finish(path);
    finish(other);
    assert_alike(path, other);
    (void)g_unlink(path);
    (void)g_unlink(part);
    (void)g_unlink(other);
    ck_assert_int_eq(g_rmdir(directory), 0);
}
END_TEST

Suite *
resume_suite(void)
{
    Suite *suite = suite_create("resume");
    TCase *all = tcase_create("all");

    tcase_set_timeout(all, 60);
    tcase_add_loop_test(all, a_killed_run_leaves_a_file_that_goes_on, 0, G_N_ELEMENTS(moments_ms));
    suite_add_tcase(suite, all);
    return suite;
}
