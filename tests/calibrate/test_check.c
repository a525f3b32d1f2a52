/* SPDX-License-Identifier: MIT */
#include "test_calibrate.h"

#include "calibrate/check.h"

#include <glib/gstdio.h>
#include <string.h>

static char *directory;
static char *path;

static void
make_file(void)
{
    PsimCalibrateOptions options = {.budget_s = 600};

    directory = g_dir_make_tmp("plansim-XXXXXX", NULL);
    path = g_build_filename(directory, "made.json", NULL);
    options.path = path;
    options.suites[PSIM_SUITE_BANDWIDTH] = options.suites[PSIM_SUITE_GEMM] = true;
    g_autoptr(PsimRecord) record = psim_calibrate_run(fake_core(), &options, NULL);

    ck_assert_ptr_nonnull(record);
}

static void
remove_file(void)
{
    (void)g_unlink(path);
    ck_assert_int_eq(g_rmdir(directory), 0);
    g_free(path);
    g_free(directory);
}

static PsimCheck *
check(const PsimBackend *backend, GError **error)
{
    const PsimCalibrateOptions options = {.budget_s = 600, .path = path};

    return psim_check_run(backend, &options, error);
}

START_TEST(an_unchanged_machine_holds)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimCheck) answer = check(fake_core(), &error);

    ck_assert_msg(answer != NULL, "%s", error != NULL ? error->message : "");
    ck_assert_uint_eq(answer->products.n, 24);
    ck_assert_double_le(answer->products.mape, 0.01);
    ck_assert_double_le(answer->repeats.mape, 1e-5);
    ck_assert(psim_check_holds(answer));
    g_autofree char *text = psim_check_text(answer);

    ck_assert_ptr_nonnull(strstr(text, "the calibration holds\n"));
}
END_TEST

/* The same core, slower by a fifth. */
START_TEST(a_changed_machine_does_not)
{
    g_autoptr(PsimCheck) answer = check(fake_slow_core(), NULL);

    ck_assert_ptr_nonnull(answer);
    ck_assert_double_ge(answer->products.mape, 0.1);
    ck_assert(!psim_check_holds(answer));
    g_autofree char *text = psim_check_text(answer);

    ck_assert_ptr_nonnull(strstr(text, "does not hold: calibrate again"));
}
END_TEST

START_TEST(another_machine_is_refused)
{
    g_autoptr(GError) error = NULL;

    ck_assert_ptr_null(check(fake_gpu(), &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_MISMATCH));
    ck_assert_ptr_nonnull(strstr(error->message, "was measured on Fake core (fake)"));
}
END_TEST

Suite *
check_suite(void)
{
    Suite *suite = suite_create("check");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, make_file, remove_file);
    tcase_set_timeout(all, 60);
    tcase_add_test(all, an_unchanged_machine_holds);
    tcase_add_test(all, a_changed_machine_does_not);
    tcase_add_test(all, another_machine_is_refused);
    suite_add_tcase(suite, all);
    return suite;
}
