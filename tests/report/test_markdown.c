/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <check.h>
#include <string.h>

Suite *markdown_suite(void);

START_TEST(a_run_is_a_row_and_a_line_of_a_log)
{
    g_autoptr(PsimResult) result = fixture_run(/* fits= */ true);
    g_autofree char *text = fixture_tell(result, "markdown");

    ck_assert_str_eq(text, "| GPUs | size | DP | TP | PP | MBS | GBS | Mem | sec/it | TFLOPs |\n"
                           "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
                           "| 16 | 8.00 B | 2 | 4 | 2 | 1 | 4 | 30.0 GB | 9.00 | 156 |\n"
                           "\n"
                           "```\n"
                           " iteration        1/       1 | consumed samples:            4 | "
                           "elapsed time per iteration (ms): 9000.0 | "
                           "throughput per GPU (TFLOP/s/GPU): 156.0 | global batch size:     4 |\n"
                           "```\n");
}
END_TEST

START_TEST(a_time_of_a_plan_that_does_not_fit_says_so)
{
    g_autoptr(PsimResult) result = fixture_run(/* fits= */ false);
    g_autofree char *text = fixture_tell(result, "markdown");

    ck_assert_ptr_nonnull(strstr(text, "| 30.0 GB | 9.00 (does not fit) | 156 |\n"));
    ck_assert_ptr_nonnull(strstr(text, "| global batch size:     4 | does not fit |\n"));
}
END_TEST

START_TEST(a_schedule_is_a_row)
{
    g_autoptr(PsimResult) result = fixture_schedule(/* latency= */ 0);
    g_autoptr(PsimResult) stuck = fixture_deadlock();
    g_autofree char *text = fixture_tell(result, "markdown");
    g_autofree char *stuck_text = fixture_tell(stuck, "markdown");

    ck_assert_ptr_nonnull(strstr(text, "\n| 1f1b | 3 | 4 | 1 | 18 | 6 | 33.3% | 50.0% | 3 |\n"));
    ck_assert_ptr_nonnull(
        strstr(stuck_text, "\n| by-hand | 3 | 1 | 1 | deadlock | - | - | - | - |\n"));
}
END_TEST

Suite *
markdown_suite(void)
{
    Suite *suite = suite_create("markdown");
    TCase *rows = tcase_create("rows");

    tcase_add_test(rows, a_run_is_a_row_and_a_line_of_a_log);
    tcase_add_test(rows, a_time_of_a_plan_that_does_not_fit_says_so);
    tcase_add_test(rows, a_schedule_is_a_row);
    suite_add_tcase(suite, rows);
    return suite;
}
