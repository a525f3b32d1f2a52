/* SPDX-License-Identifier: MIT */
/* What a calibration says of each rate: measured where it was, a guess where it was not, nothing
 * where a data sheet says it; and no file of a machine of which nothing is known.
 */
#include "test_calibrate.h"

#include "calibrate/calibrate.h"

#include <cjson/cJSON.h>
#include <glib/gstdio.h>
#include <string.h>

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
    (void)g_unlink(path);
    ck_assert_int_eq(g_rmdir(directory), 0);
    g_free(path);
    g_free(directory);
}

static PsimRecord *
calibrate(const PsimBackend *backend, unsigned suites, GError **error)
{
    PsimCalibrateOptions options = {.budget_s = 600, .path = path};

    for (int suite = 0; suite < PSIM_N_SUITES; suite++)
        options.suites[suite] = (suites & (1u << suite)) != 0;
    return psim_calibrate_run(backend, &options, error);
}

/* Returns: "provenance" of a block of the file as the reader has it, or "". */
static char *
find_provenance(const char *outer, const char *inner)
{
    g_autoptr(PsimHardware) hardware = psim_hardware_load(path, NULL, 0, NULL);
    g_autofree char *text = psim_hardware_write(hardware);
    cJSON *json = cJSON_Parse(text);
    const cJSON *block = outer != NULL ? cJSON_GetObjectItemCaseSensitive(json, outer) : json;

    block = cJSON_GetObjectItemCaseSensitive(block, inner);
    const char *word = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(block, "provenance"));
    char *copy = g_strdup(word != NULL ? word : "");

    cJSON_Delete(json);
    return copy;
}

static const struct {
    const char *outer, *inner;
    PsimSuite suite; /* which measures it */
} rates[] = {
    {"device", "peak", PSIM_SUITE_GEMM},
    {"device", "memory", PSIM_SUITE_BANDWIDTH},
    {NULL, "scale_up", PSIM_SUITE_NCCL},
};

/* Launches, and each set of the three suites. */
START_TEST(a_rate_is_measured_or_a_guess)
{
    unsigned suites = 1u << PSIM_SUITE_LAUNCH;

    for (size_t i = 0; i < G_N_ELEMENTS(rates); i++)
        suites |= (_i >> i & 1) != 0 ? 1u << rates[i].suite : 0u;
    g_autoptr(PsimRecord) record = calibrate(fake_bare_core(), suites, NULL);

    ck_assert_ptr_nonnull(record);
    for (size_t i = 0; i < G_N_ELEMENTS(rates); i++) {
        g_autofree char *word = find_provenance(rates[i].outer, rates[i].inner);

        ck_assert_str_eq(word, (_i >> i & 1) != 0 ? "measured" : "guess");
    }
}
END_TEST

START_TEST(nominal_rates_stay_a_data_sheets)
{
    g_autoptr(PsimRecord) record = calibrate(fake_gpu(), 1u << PSIM_SUITE_LAUNCH, NULL);
    g_autofree char *peak = find_provenance("device", "peak");
    g_autofree char *memory = find_provenance("device", "memory");

    ck_assert_ptr_nonnull(record);
    ck_assert_str_eq(peak, "");
    ck_assert_str_eq(memory, "");
}
END_TEST

static const PsimSuite missing[] = {PSIM_SUITE_ATTENTION, PSIM_SUITE_MEMCPY};

/* Alone and beside one that there is. */
START_TEST(a_suite_that_the_unit_has_not_is_refused)
{
    for (unsigned more = 0; more <= 1; more++) {
        g_autoptr(GError) error = NULL;
        const unsigned suites = 1u << missing[_i] | more << PSIM_SUITE_LAUNCH;

        ck_assert_ptr_null(calibrate(fake_core(), suites, &error));
        ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED));
        ck_assert_ptr_nonnull(strstr(error->message, psim_suite_words()[missing[_i]]));
        ck_assert(!g_file_test(path, G_FILE_TEST_EXISTS));
    }
}
END_TEST

START_TEST(of_nothing_measured_there_is_no_file)
{
    g_autoptr(GError) error = NULL;

    ck_assert_ptr_null(calibrate(fake_broken(), 1u << PSIM_SUITE_LAUNCH, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED));
    ck_assert_ptr_nonnull(strstr(error->message, "nothing could be measured"));
    ck_assert(!g_file_test(path, G_FILE_TEST_EXISTS));
}
END_TEST

static bool
always(void *user)
{
    (void)user;
    return true;
}

START_TEST(interrupted_at_once_there_is_no_file_to_go_on_with)
{
    PsimCalibrateOptions options = {.budget_s = 600, .path = path, .cancelled = always};
    g_autoptr(GError) error = NULL;

    memset(options.suites, true, sizeof options.suites);
    ck_assert_ptr_null(psim_calibrate_run(fake_core(), &options, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_CANCELLED));
    ck_assert(!g_file_test(path, G_FILE_TEST_EXISTS));
}
END_TEST

Suite *
hardware_text_suite(void)
{
    Suite *suite = suite_create("hardware_text");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, make_directory, remove_directory);
    tcase_set_timeout(all, 60);
    tcase_add_loop_test(all, a_rate_is_measured_or_a_guess, 0, 1 << G_N_ELEMENTS(rates));
    tcase_add_test(all, nominal_rates_stay_a_data_sheets);
    tcase_add_loop_test(all, a_suite_that_the_unit_has_not_is_refused, 0, G_N_ELEMENTS(missing));
    tcase_add_test(all, of_nothing_measured_there_is_no_file);
    tcase_add_test(all, interrupted_at_once_there_is_no_file_to_go_on_with);
    suite_add_tcase(suite, all);
    return suite;
}
