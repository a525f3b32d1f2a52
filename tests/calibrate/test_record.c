/* SPDX-License-Identifier: MIT */
/* Whole calibrations of invented devices: the constants they were invented with come out, the file
 * reads back, and nothing else changes.
 */
#include "test_calibrate.h"

#include "calibrate/calibrate.h"
#include "calibrate/record_write.h"
#include "calibrate/tell.h"
#include "calibrate/warnings.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* -- A directory, and a file in it -- */

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
calibrate(const PsimBackend *backend, bool resume, GError **error)
{
    PsimCalibrateOptions options = {.budget_s = 600, .path = path, .resume = resume};

    memset(options.suites, true, sizeof options.suites);
    return psim_calibrate_run(backend, &options, error);
}

/* Products and little else, which is quick. */
static PsimRecord *
calibrate_products(void)
{
    PsimCalibrateOptions options = {.budget_s = 600, .path = path};

    options.suites[PSIM_SUITE_LAUNCH] = options.suites[PSIM_SUITE_GEMM] = true;
    return psim_calibrate_run(fake_core(), &options, NULL);
}

/* -- Constants -- */

static const struct {
    const PsimBackend *(*backend)(void);
    const PsimProductCost *cost;
    PsimNumber number;
} devices[] = {
    {fake_gpu, &fake_gpu_cost, PSIM_NUMBER_BF16},
    {fake_core, &fake_core_cost, PSIM_NUMBER_FP32},
};

START_TEST(constants_of_an_invented_device_come_out)
{
    const PsimProductCost *cost = devices[_i].cost;
    g_autoptr(PsimRecord) record = calibrate(devices[_i].backend(), false, NULL);

    ck_assert_ptr_nonnull(record);
    ck_assert(record->complete);
    g_autoptr(PsimConstants) constants = psim_constants_fit(record);
    const PsimGemmFit *fit = &constants->gemm[devices[_i].number];

    ck_assert(constants->has_gemm[devices[_i].number]);
    ck_assert_double_eq_tol(fit->cost.efficiency, cost->efficiency, 0.005 * cost->efficiency);
    ck_assert_double_eq_tol(fit->cost.launch_s, cost->launch_s, 0.05 * cost->launch_s);
    ck_assert_double_eq_tol(fit->cost.k0, cost->k0, 0.05 * cost->k0);
    ck_assert_double_eq_tol(fit->cost.bandwidth_fraction, cost->bandwidth_fraction, 1e-4);
    if (cost->tiled)
        ck_assert_double_eq_tol(fit->cost.wave_soft, cost->wave_soft, 0.02);
    else
        ck_assert_double_eq_tol(fit->cost.m0, cost->m0, 0.02 * cost->m0);
    ck_assert_double_le(fit->held_out.mape, 0.005);
    ck_assert_double_eq_tol(constants->launch_floor_s, 1e-6, 1e-12);
    ck_assert_double_eq_tol(constants->fractions[PSIM_FRACTION_NORM_FORWARD], fake_norm_fraction,
                            1e-3);
    ck_assert_double_eq_tol(constants->fractions[PSIM_FRACTION_ELEMENTWISE], fake_norm_fraction,
                            1e-3);
    ck_assert_double_eq_tol(constants->memory_launch_s, 3e-6, 1e-7);
}
END_TEST

START_TEST(attention_and_links_come_out)
{
    g_autoptr(PsimRecord) record = calibrate(fake_gpu(), false, NULL);
    g_autoptr(PsimConstants) constants = psim_constants_fit(record);

    ck_assert_uint_eq(constants->attention->len, 4);
    for (guint i = 0; i < constants->attention->len; i++) {
        const PsimAttentionFit *fit = &g_array_index(constants->attention, PsimAttentionFit, i);

        ck_assert_double_eq_tol(fit->efficiency[0], fake_attention_efficiency, 0.01);
        ck_assert_double_eq_tol(fit->s0[1], 600, 30);
        ck_assert_double_le(fit->held_out[0].mape, 0.01);
    }
    ck_assert_uint_eq(constants->links->len, PSIM_N_EXCHANGE_KINDS);
    for (guint i = 0; i < constants->links->len; i++)
        ck_assert_double_le(g_array_index(constants->links, PsimLinkFit, i).held_out.mape, 0.02);
    /* A gibibyte in 10 us and at 25 GB/s. */
    ck_assert_double_eq_tol(constants->host_bytes_per_s, 25e9, 0.01e9);
}
END_TEST

/* -- The file -- */

START_TEST(a_record_reads_back_as_it_was)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimRecord) record = calibrate(devices[_i].backend(), false, NULL);
    g_autoptr(PsimRecord) again = psim_record_load(path, &error);

    ck_assert_msg(again != NULL, "%s", error != NULL ? error->message : "");
    ck_assert_uint_eq(again->trials->len, record->trials->len);
    ck_assert(again->complete);
    for (guint i = 0; i < record->trials->len; i++) {
        const PsimTrial *a = g_ptr_array_index(record->trials, i);
        const PsimTrial *b = g_ptr_array_index(again->trials, i);

        ck_assert(psim_trial_is_same(a, b) && a->role == b->role && a->verdict == b->verdict);
        ck_assert_uint_eq(a->samples.n, b->samples.n);
        ck_assert_uint_eq(a->samples.flags, b->samples.flags);
        /* Six digits are kept. */
        if (a->samples.n > 0)
            ck_assert_double_eq_tol(psim_record_time_s(again, b), psim_record_time_s(record, a),
                                    1e-5 * psim_record_time_s(record, a));
    }
}
END_TEST

START_TEST(the_file_is_hardware_that_keeps_its_calibration)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimRecord) record = calibrate(devices[_i].backend(), false, NULL);
    g_autoptr(PsimHardware) hardware = psim_hardware_load(path, NULL, 0, &error);

    ck_assert_msg(hardware != NULL, "%s", error != NULL ? error->message : "");
    g_autofree char *text = psim_hardware_write(hardware);

    ck_assert_ptr_nonnull(strstr(text, "\"calibration\""));
    ck_assert_ptr_nonnull(strstr(text, "\"provenance\": \"measured\""));
    ck_assert(g_file_set_contents(path, text, -1, NULL));
    g_autoptr(PsimHardware) again = psim_hardware_load(path, NULL, 0, &error);

    ck_assert_msg(again != NULL, "%s", error != NULL ? error->message : "");
    g_autofree char *text_again = psim_hardware_write(again);

    ck_assert_str_eq(text_again, text);
    ck_assert_ptr_nonnull(record);
}
END_TEST

/* The rows of the file are what a simulation takes, where it has the very shape. */
START_TEST(measured_products_are_predicted_as_measured)
{
    static const char *const words[] = {"bf16", "fp32"};
    g_autoptr(PsimRecord) record = calibrate(devices[_i].backend(), false, NULL);
    g_autoptr(PsimHardware) hardware = psim_hardware_load(path, NULL, 0, NULL);
    guint n_products = 0;

    for (guint i = 0; i < record->trials->len; i++) {
        const PsimTrial *trial = g_ptr_array_index(record->trials, i);
        PsimBasis basis = PSIM_BASIS_FORMULA;

        if (trial->what.kind != PSIM_CASE_GEMM)
            continue;
        const PsimProduct product = psim_constants_product(&trial->what);
        const double time_s = psim_hardware_product_s(hardware, words[_i], &product, &basis);

        ck_assert_int_eq(basis, PSIM_BASIS_MEASURED);
        ck_assert_double_eq_tol(time_s, psim_record_time_s(record, trial), 1e-5 * time_s);
        n_products++;
    }
    ck_assert_uint_ge(n_products, 150);
}
END_TEST

START_TEST(no_host_user_or_path_is_in_the_file)
{
    g_autoptr(PsimRecord) record = calibrate(fake_core(), false, NULL);
    g_autofree char *text = NULL;

    ck_assert_ptr_nonnull(record);
    ck_assert(g_file_get_contents(path, &text, NULL, NULL));
    ck_assert_ptr_null(strstr(text, g_get_host_name()));
    ck_assert_ptr_null(strstr(text, directory));
    ck_assert_ptr_null(strstr(text, g_get_home_dir()));
}
END_TEST

/* -- Refusals -- */

static const struct {
    const char *from, *to; /* the first of these in the file */
    const char *message;   /* what the refusal has, behind file and line */
} corruptions[] = {
    {"\"verdict\": \"right\"", "\"verdict\": \"rihgt\"",
     "/calibration/rows/0/verdict: is \"rihgt\"; must be one of right, wrong, unsupported, "
     "too-large, failed; did you mean \"right\"?"},
    {"\"role\": \"fit\"", "\"roll\": \"fit\"", "/calibration/rows/0/role: missing"},
    {"\"samples_us\": [", "\"samples_us\": [-1, ", "/calibration/rows/0/samples_us/0: is -1"},
    {"\"samples_us\": [", "\"samples_us\": [\"fast\", ",
     "/calibration/rows/0/samples_us/0: must be"},
    {"\"backend\": \"fake\"", "\"backend\": 7", "/calibration/backend: must be a string"},
    {"plansim.calibration/1", "plansim.calibration/9", "/calibration/schema: is"},
    {"\"m\": ", "\"m\": 0, \"x\": ", "/m: is 0; must be from 1"},
    {"\"efficiency\": 0", "\"efficiency\": 70", "/device/gemm/efficiency: is 70"},
    {"\"calibration\": {", "\"calibration\": {{", "expected a key in double quotes"},
};

START_TEST(a_corrupted_file_is_refused_with_its_line)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimRecord) record = calibrate_products();
    g_autofree char *text = NULL;

    ck_assert_ptr_nonnull(record);
    ck_assert(g_file_get_contents(path, &text, NULL, NULL));
    const char *place = strstr(text, corruptions[_i].from);

    ck_assert_ptr_nonnull(place);
    g_autofree char *before = g_strndup(text, (gsize)(place - text));
    g_autofree char *broken =
        g_strconcat(before, corruptions[_i].to, place + strlen(corruptions[_i].from), NULL);
    unsigned line = 1;

    for (const char *c = before; *c != '\0'; c++)
        line += *c == '\n';
    g_autofree char *prefix = g_strdup_printf("%s:%u:", path, line);

    ck_assert(g_file_set_contents(path, broken, -1, NULL));
    ck_assert_ptr_null(psim_record_load(path, &error));
    ck_assert_msg(strstr(error->message, prefix) != NULL, "%s\nlacks %s", error->message, prefix);
    ck_assert_msg(strstr(error->message, corruptions[_i].message) != NULL, "%s", error->message);
}
END_TEST

START_TEST(half_a_file_is_refused_with_its_line)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimRecord) record = calibrate_products();
    g_autofree char *text = NULL;

    ck_assert_ptr_nonnull(record);
    ck_assert(g_file_get_contents(path, &text, NULL, NULL));
    ck_assert(g_file_set_contents(path, text, (gssize)(strlen(text) * (gsize)(_i + 1) / 6), NULL));
    ck_assert_ptr_null(psim_record_load(path, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_SYNTAX));
    g_autofree char *prefix = g_strconcat(path, ":", NULL);

    ck_assert(g_str_has_prefix(error->message, prefix));
    ck_assert(g_ascii_isdigit(error->message[strlen(prefix)]));
}
END_TEST

START_TEST(plain_hardware_is_no_calibration)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimHardware) hardware = psim_hardware_load("dgx-h100", NULL, 0, NULL);
    g_autofree char *text = psim_hardware_write(hardware);

    ck_assert_ptr_null(strstr(text, "calibration"));
    ck_assert(g_file_set_contents(path, text, -1, NULL));
    ck_assert_ptr_null(psim_record_load(path, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_SCHEMA));
}
END_TEST

START_TEST(another_device_does_not_go_on)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimRecord) record = calibrate(fake_gpu(), false, NULL);

    ck_assert_ptr_nonnull(record);
    ck_assert_ptr_null(calibrate(fake_other(), true, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_MISMATCH));
    ck_assert_ptr_nonnull(strstr(error->message, "Fake GPU"));
    ck_assert_ptr_nonnull(strstr(error->message, "Another GPU"));
}
END_TEST

/* -- Nothing else changes -- */

static bool
append(const char *bytes, size_t n_bytes, void *user)
{
    g_string_append_len(user, bytes, (gssize)n_bytes);
    return true;
}

static char *
predict(const char *plan_name)
{
    g_autoptr(PsimPlan) plan = psim_plan_load(plan_name, NULL, 0, NULL);
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);
    GString *text = g_string_new(NULL);

    ck_assert(psim_result_write(result, "json", append, text, NULL));
    return g_string_free(text, FALSE);
}

START_TEST(a_calibration_of_one_device_changes_no_other)
{
    static const char *const plans[] = {"mt-nlg-530b", "alexnet-two-gtx-580"};
    g_autofree char *before = predict(plans[_i]);
    g_autoptr(PsimRecord) record = calibrate(fake_gpu(), false, NULL);
    g_autoptr(PsimHardware) hardware = psim_hardware_load(path, NULL, 0, NULL);
    g_autofree char *after = predict(plans[_i]);

    ck_assert_ptr_nonnull(record);
    ck_assert_ptr_nonnull(hardware);
    ck_assert_str_eq(before, after);
}
END_TEST

/* -- Words -- */

static PsimRecord *
make_doubtful(void)
{
    PsimRecord *record = calibrate(fake_core(), false, NULL);
    static const unsigned flags[] = {PSIM_FLAG_THROTTLED, PSIM_FLAG_CLOCK_MOVED};

    for (guint i = 0; i < record->trials->len; i++) {
        PsimTrial *trial = g_ptr_array_index(record->trials, i);

        if (i < G_N_ELEMENTS(flags))
            trial->samples.flags |= flags[i];
        if (i % 2 == 0)
            trial->samples.flags |= PSIM_FLAG_SCATTERED;
    }
    record->complete = false;
    return record;
}

START_TEST(doubts_are_said_in_words)
{
    static const char *const expected[] = {
        "the device slowed itself down in 1 of",
        "the clock moved by more than 5 % within 1 of",
        "something else uses the machine",
        "continue with --resume",
    };
    g_autoptr(PsimRecord) record = make_doubtful();
    g_autoptr(PsimConstants) constants = psim_constants_fit(record);
    g_autofree char *text = psim_calibration_text(record, constants);

    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
        ck_assert_msg(strstr(text, expected[i]) != NULL, "%s\nlacks %s", text, expected[i]);
}
END_TEST

START_TEST(without_doubts_there_are_no_words)
{
    g_autoptr(PsimRecord) record = calibrate(fake_core(), false, NULL);
    g_autoptr(PsimConstants) constants = psim_constants_fit(record);
    g_autoptr(GPtrArray) warnings = psim_warnings_of(record, constants);

    ck_assert_msg(warnings->len == 0, "%s", (const char *)g_ptr_array_index(warnings, 0));
}
END_TEST

Suite *
record_suite(void)
{
    Suite *suite = suite_create("record");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, make_directory, remove_directory);
    tcase_set_timeout(all, 60);
    tcase_add_loop_test(all, constants_of_an_invented_device_come_out, 0, 2);
    tcase_add_test(all, attention_and_links_come_out);
    tcase_add_loop_test(all, a_record_reads_back_as_it_was, 0, 2);
    tcase_add_loop_test(all, the_file_is_hardware_that_keeps_its_calibration, 0, 2);
    tcase_add_loop_test(all, measured_products_are_predicted_as_measured, 0, 2);
    tcase_add_test(all, no_host_user_or_path_is_in_the_file);
    tcase_add_loop_test(all, a_corrupted_file_is_refused_with_its_line, 0,
                        G_N_ELEMENTS(corruptions));
    tcase_add_loop_test(all, half_a_file_is_refused_with_its_line, 0, 5);
    tcase_add_test(all, plain_hardware_is_no_calibration);
    tcase_add_test(all, another_device_does_not_go_on);
    tcase_add_loop_test(all, a_calibration_of_one_device_changes_no_other, 0, 2);
    tcase_add_test(all, doubts_are_said_in_words);
    tcase_add_test(all, without_doubts_there_are_no_words);
    suite_add_tcase(suite, all);
    return suite;
}
