/* SPDX-License-Identifier: MIT */
/* Files to answers, by way of the simulator. */
#include "test_validate.h"

#include "plansim.h"
#include "validate/validation.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static PsimValidation *
run(guint n_threads, const char *only)
{
    const char *const files[] = {ROWS, NULL};
    const PsimValidationOptions options = {.only = only, .n_threads = n_threads};
    g_autoptr(GError) error = NULL;
    PsimValidation *validation = psim_validation_run(files, &options, &error);

    ck_assert_msg(validation != NULL, "%s", error != NULL ? error->message : "");
    return validation;
}

/* Of the invented rows: why each is left out; NULL: it is predicted. */
static const char *const outcomes[] = {
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    "mixture of experts",
    "refused: /parallel/context: is 2; parts of attention are joined by fused kernels only, and "
    "flash_attention is false; must be 1",
    "unknown GPU: T4",
    "no step time, memory or verdict of a training step; expected numbers such as step_time_s "
    "under measured",
    "tensor 1 x pipeline 1 x data 4 x context 1 = 4 GPUs, but it says 8",
    "refused: /parallel/tensor: is 3; 16 heads do not divide over 3 tensor ranks; nearest: 2 or 4",
};

START_TEST(every_row_is_predicted_or_explained)
{
    g_autoptr(PsimValidation) validation = run(1, NULL);

    ck_assert_uint_eq(validation->rows->len, G_N_ELEMENTS(outcomes));
    for (guint i = 0; i < validation->rows->len; i++) {
        const PsimPrediction *prediction = g_ptr_array_index(validation->predictions, i);

        ck_assert_pstr_eq(prediction->detail, outcomes[i]);
        ck_assert(isfinite(prediction->step_s) == (outcomes[i] == NULL));
    }
}
END_TEST

START_TEST(parts_add_up_to_the_step)
{
    g_autoptr(PsimValidation) validation = run(1, NULL);
    const PsimPrediction *prediction = g_ptr_array_index(validation->predictions, 2);
    double sum = 0;

    for (size_t i = 0; i < PSIM_PREDICT_PARTS; i++)
        sum += prediction->parts_s[i];
    /* Whole picoseconds, added as doubles. */
    ck_assert_double_eq_tol(sum, prediction->step_s, 1e-12);
    ck_assert_double_gt(prediction->bubble_fraction, 0);
}
END_TEST

START_TEST(memory_is_compared_in_kind)
{
    g_autoptr(PsimValidation) validation = run(1, NULL);
    const PsimPrediction *allocated = g_ptr_array_index(validation->predictions, 0);
    const PsimPrediction *none = g_ptr_array_index(validation->predictions, 1);
    const PsimPrediction *device = g_ptr_array_index(validation->predictions, 2);
    const PsimPrediction *last = g_ptr_array_index(validation->predictions, 5);

    ck_assert_double_lt(allocated->compared_bytes, allocated->peak_bytes);
    ck_assert(isnan(none->compared_bytes));
    ck_assert_double_gt(device->compared_bytes, device->peak_bytes);
    ck_assert_double_le(last->compared_bytes, last->peak_bytes);
}
END_TEST

START_TEST(what_was_assumed_is_listed)
{
    g_autoptr(PsimValidation) validation = run(1, NULL);
    const PsimPrediction *silent = g_ptr_array_index(validation->predictions, 4);
    g_autofree char *assumed = g_strjoinv("; ", silent->assumed);

    ck_assert_str_eq(assumed, "runtime megatron; heads of 128; vocabulary of GPT-2, 50257; "
                              "sequence_parallel false; micro 1; recompute \"none\"; zero_stage 0");
}
END_TEST

START_TEST(threads_do_not_show)
{
    g_autoptr(PsimValidation) one = run(1, NULL);
    g_autoptr(PsimValidation) three = run(3, NULL);
    g_autofree char *first = psim_validation_json(one);
    g_autofree char *second = psim_validation_json(three);

    ck_assert_str_eq(first, second);
}
END_TEST

START_TEST(only_keeps_sources_by_name)
{
    g_autoptr(PsimValidation) some = run(1, "row");
    g_autoptr(PsimValidation) none = run(1, "other");

    ck_assert_uint_eq(some->rows->len, G_N_ELEMENTS(outcomes));
    ck_assert_uint_eq(none->rows->len, 0);

    g_autofree char *text = psim_validation_text(none, 3);

    ck_assert(g_str_has_prefix(text, "0 rows of 0 sources: 0 predicted, 0 left out\n"));
}
END_TEST

static const struct {
    const char *text; /* NULL: no such file */
    PsimError code;
    const char *message; /* after the file's name */
} faults[] = {
    {NULL, PSIM_ERROR_IO, ": cannot read: No such file or directory"},
    {"[\n  {\"id\": 1,\n", PSIM_ERROR_SYNTAX, ":3:1: not JSON from here on"},
    {"[] []", PSIM_ERROR_SYNTAX, ":1:4: not JSON from here on"},
    {"{\"schema\": 1}", PSIM_ERROR_SCHEMA,
     ": must be an array of rows, or an object whose \"rows\" is one"},
    {"[{\"id\": \"a\"}, {\"id\": 2}]", PSIM_ERROR_SCHEMA,
     ": /1: must be an object with an \"id\", a string"},
    {"[{\"id\": \"a\"}, {\"id\": \"b\"}, {\"id\": \"a\"}]", PSIM_ERROR_SCHEMA,
     ": /2/id: \"a\" is the id of a row before it"},
    {"[3]", PSIM_ERROR_SCHEMA, ": /0: must be an object with an \"id\", a string"},
};

START_TEST(a_file_that_is_not_rows_is_refused)
{
    g_autofree char *path = NULL;
    const int descriptor = g_file_open_tmp("rows-XXXXXX.json", &path, NULL);
    const char *const files[] = {path, NULL};
    const PsimValidationOptions options = {0};
    g_autoptr(GError) error = NULL;

    ck_assert_int_ge(descriptor, 0);
    (void)close(descriptor);
    if (faults[_i].text != NULL)
        ck_assert(g_file_set_contents(path, faults[_i].text, -1, NULL));
    else
        (void)g_unlink(path);
    ck_assert_ptr_null(psim_validation_run(files, &options, &error));
    (void)g_unlink(path);

    g_autofree char *expected = g_strconcat(path, faults[_i].message, NULL);

    ck_assert(g_error_matches(error, PSIM_ERROR, (int)faults[_i].code));
    ck_assert_str_eq(error->message, expected);
}
END_TEST

static bool
stop(void *user)
{
    (void)user;
    return true;
}

START_TEST(it_stops_when_asked)
{
    const char *const files[] = {ROWS, NULL};
    const PsimValidationOptions options = {.n_threads = 2, .cancelled = stop};
    g_autoptr(GError) error = NULL;

    ck_assert_ptr_null(psim_validation_run(files, &options, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_CANCELLED));
    ck_assert_str_eq(error->message, "interrupted");
}
END_TEST

Suite *
validation_suite(void)
{
    Suite *suite = suite_create("validation");
    TCase *tcase = tcase_create("validation");

    tcase_set_timeout(tcase, 30);
    tcase_add_test(tcase, every_row_is_predicted_or_explained);
    tcase_add_test(tcase, parts_add_up_to_the_step);
    tcase_add_test(tcase, memory_is_compared_in_kind);
    tcase_add_test(tcase, what_was_assumed_is_listed);
    tcase_add_test(tcase, threads_do_not_show);
    tcase_add_test(tcase, only_keeps_sources_by_name);
    tcase_add_loop_test(tcase, a_file_that_is_not_rows_is_refused, 0, G_N_ELEMENTS(faults));
    tcase_add_test(tcase, it_stops_when_asked);
    suite_add_tcase(suite, tcase);
    return suite;
}
