/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <check.h>

Suite *csv_suite(void);

START_TEST(rows_of_a_run_are_exact_seconds_by_rank_and_stream)
{
    g_autoptr(PsimResult) result = fixture_run(/* fits= */ true);
    g_autofree char *text = fixture_tell(result, "csv");

    ck_assert_str_eq(text, "rank,stage,chunk,microbatch,op,stream,start_s,dur_s\n"
                           "0,0,0,0,F,compute,0,1\n"
                           "0,0,0,1,F,compute,1,1\n"
                           "0,0,0,0,B,compute,4.0000000002,2\n"
                           "0,0,0,1,B,compute,7.0000000002,2\n"
                           "0,0,0,0,send-F,send-next,1,0.0000000001\n"
                           "0,0,0,1,send-F,send-next,2,0.0000000001\n"
                           "1,1,0,0,F,compute,1.0000000001,1\n"
                           "1,1,0,0,B,compute,2.0000000001,2\n"
                           "1,1,0,1,F,compute,4.0000000001,1\n"
                           "1,1,0,1,B,compute,5.0000000001,2\n"
                           "1,1,0,0,send-B,send-previous,4.0000000001,0.0000000001\n"
                           "1,1,0,1,send-B,send-previous,7.0000000001,0.0000000001\n");
}
END_TEST

START_TEST(rows_of_a_schedule_are_ticks)
{
    g_autoptr(PsimResult) result = fixture_schedule(/* latency= */ 0);
    g_autofree char *text = fixture_tell(result, "csv");

    ck_assert(g_str_has_prefix(text, "rank,stage,chunk,microbatch,op,stream,start_ticks,dur_ticks\n"
                                     "0,0,0,0,F,compute,0,1\n"
                                     "0,0,0,1,F,compute,1,1\n"
                                     "0,0,0,2,F,compute,2,1\n"
                                     "0,0,0,0,B,compute,7,2\n"));
    ck_assert(g_str_has_suffix(text, "2,2,0,3,F,compute,11,1\n"
                                     "2,2,0,3,B,compute,12,2\n"));
}
END_TEST

Suite *
csv_suite(void)
{
    Suite *suite = suite_create("csv");
    TCase *rows = tcase_create("rows");

    tcase_add_test(rows, rows_of_a_run_are_exact_seconds_by_rank_and_stream);
    tcase_add_test(rows, rows_of_a_schedule_are_ticks);
    suite_add_tcase(suite, rows);
    return suite;
}
