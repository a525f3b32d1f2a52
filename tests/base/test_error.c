/* SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/limits.h"

#include <check.h>

Suite *error_suite(void);

START_TEST(no_complaint_is_no_error)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();

    ck_assert(psim_complaints_finish(complaints, &error));
    ck_assert_ptr_null(error);
    ck_assert_uint_eq(psim_complaints_n(complaints), 0);
}
END_TEST

START_TEST(complaints_come_sorted_by_file_and_place_with_the_code_of_the_first)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();

    psim_complaints_add(complaints, PSIM_ERROR_SCHEMA, "b.json", 1, 1, "", "is %s", "a list");
    psim_complaints_add(complaints, PSIM_ERROR_VALUE, "a.json", 3, 15, "/parallel/tensor",
                        "is 0; must be from 1 to 65536");
    psim_complaints_add(complaints, PSIM_ERROR_SCHEMA, "a.json", 3, 4, "/x", "first of two");
    psim_complaints_add(complaints, PSIM_ERROR_SCHEMA, "a.json", 3, 4, "/x", "second of two");
    psim_complaints_add(complaints, PSIM_ERROR_MISMATCH, "a.json", 0, 0, NULL, "no place");
    psim_complaints_add(complaints, PSIM_ERROR_IO, "a.json", 10, 1, NULL, "no pointer");

    ck_assert_uint_eq(psim_complaints_n(complaints), 6);
    ck_assert(!psim_complaints_finish(complaints, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_MISMATCH));
    ck_assert_str_eq(error->message,
                     "a.json: no place\n"
                     "a.json:3:4: /x: first of two\n"
                     "a.json:3:4: /x: second of two\n"
                     "a.json:3:15: /parallel/tensor: is 0; must be from 1 to 65536\n"
                     "a.json:10:1: no pointer\n"
                     "b.json:1:1: /: is a list");
}
END_TEST

START_TEST(beyond_twenty_complaints_are_counted)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();

    for (unsigned i = 0; i < PSIM_LIMIT_COMPLAINTS + 5; i++)
        psim_complaints_add(complaints, PSIM_ERROR_VALUE, "a", i + 1, 1, NULL, "x");
    ck_assert(!psim_complaints_finish(complaints, &error));

    g_auto(GStrv) lines = g_strsplit(error->message, "\n", -1);

    ck_assert_uint_eq(g_strv_length(lines), PSIM_LIMIT_COMPLAINTS + 1);
    ck_assert_str_eq(lines[PSIM_LIMIT_COMPLAINTS - 1], "a:20:1: x");
    ck_assert_str_eq(lines[PSIM_LIMIT_COMPLAINTS], "and 5 more");
}
END_TEST

START_TEST(finish_takes_no_error_place_and_may_be_asked_again)
{
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();

    psim_complaints_add(complaints, PSIM_ERROR_VALUE, "a", 0, 0, NULL, "x");
    ck_assert(!psim_complaints_finish(complaints, NULL));
    ck_assert(!psim_complaints_finish(complaints, NULL));
}
END_TEST

START_TEST(the_domain_is_named)
{
    ck_assert_str_eq(g_quark_to_string(PSIM_ERROR), "psim_error");
    psim_complaints_free(NULL);
}
END_TEST

Suite *
error_suite(void)
{
    Suite *suite = suite_create("error");
    TCase *tests = tcase_create("error");

    tcase_add_test(tests, no_complaint_is_no_error);
    tcase_add_test(tests, complaints_come_sorted_by_file_and_place_with_the_code_of_the_first);
    tcase_add_test(tests, beyond_twenty_complaints_are_counted);
    tcase_add_test(tests, finish_takes_no_error_place_and_may_be_asked_again);
    tcase_add_test(tests, the_domain_is_named);
    suite_add_tcase(suite, tests);
    return suite;
}
