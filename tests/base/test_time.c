/* SPDX-License-Identifier: MIT */
#include "base/time.h"

#include <check.h>
#include <math.h>

Suite *time_suite(void);

static const struct {
    double seconds_s;
    bool ok;
    PsimTime time;
} cases[] = {
    {0.0, true, 0},
    {1.0, true, PSIM_TIME_PER_S},
    {0.5e-12, true, 0}, /* half to even */
    {1.5e-12, true, 2},
    {2.5e-12, true, 2},
    {1e-12, true, 1},
    {3.7e-3, true, INT64_C(3700000000)},
    {9e6, true, INT64_C(9000000) * PSIM_TIME_PER_S},
    {1e9, false, 0}, /* beyond 106 days */
    {-1e-13, false, 0},
    {-1.0, false, 0},
    {HUGE_VAL, false, 0},
    {-HUGE_VAL, false, 0},
    {(double)NAN, false, 0},
    {9223372.036854776, false, 0}, /* 2^63 ps exactly */
};

START_TEST(from_s_rounds_half_to_even_and_refuses_overflow)
{
    PsimTime time = 0;

    ck_assert(psim_time_from_s(cases[_i].seconds_s, &time) == cases[_i].ok);
    ck_assert_int_eq(time, cases[_i].time);
}
END_TEST

START_TEST(to_s_gives_the_nearest_double)
{
    ck_assert(psim_time_to_s(PSIM_TIME_PER_S / 10) == 0.1);
    ck_assert(psim_time_to_s(1) == 1e-12);
    ck_assert(psim_time_to_s(0) == 0.0);
}
END_TEST

START_TEST(add_saturates)
{
    ck_assert_int_eq(psim_time_add(2, 3), 5);
    ck_assert_int_eq(psim_time_add(PSIM_TIME_MAX, 1), PSIM_TIME_MAX);
    ck_assert_int_eq(psim_time_add(PSIM_TIME_MAX - 1, 1), PSIM_TIME_MAX);
}
END_TEST

Suite *
time_suite(void)
{
    Suite *suite = suite_create("time");
    TCase *tests = tcase_create("time");

    tcase_add_loop_test(tests, from_s_rounds_half_to_even_and_refuses_overflow, 0,
                        (int)(sizeof cases / sizeof cases[0]));
    tcase_add_test(tests, to_s_gives_the_nearest_double);
    tcase_add_test(tests, add_saturates);
    suite_add_tcase(suite, tests);
    return suite;
}
