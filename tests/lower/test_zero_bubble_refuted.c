/* SPDX-License-Identifier: MIT */
/* What is published about zero-bubble schedules and does not hold, each with a counter-example.
 */
#include "../main.h"
#include "suites.h"
#include "unit_workload.h"

static const UnitTimes equal = {1, 1, 1, 0};

/* "ZB-H2 beats ZB-H1": only for each rank alone, not from the first start to the last end. */
START_TEST(zb_h2_is_no_faster_than_zb_h1_if_all_times_are_equal)
{
    const uint32_t p = (uint32_t)_i;
    g_autoptr(PsimArena) arena = psim_arena_new();
    const UnitRun h1 = unit_replay("zb-h1", unit_shape(p, 32, 1), equal, arena);
    const UnitRun h2 = unit_replay("zb-h2", unit_shape(p, 32, 1), equal, arena);

    ck_assert_int_eq(h1.replay->makespan, h2.replay->makespan);
    ck_assert_int_eq(unit_run_idle(&h1), p - 1);
    ck_assert_int_eq(unit_run_idle(&h2), 0);
}
END_TEST

/* "ZB1P = B/3" with B = (p-1)/(m+p-1) of 1F1B: 3 of 33 ticks in 11 parts, 1/11; in fact 1/9. */
START_TEST(a_third_of_the_bubble_is_of_the_ideal_time_not_of_the_step)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const UnitRun plain = unit_replay("1f1b", unit_shape(4, 8, 1), equal, arena);
    const UnitRun h1 = unit_replay("zb-h1", unit_shape(4, 8, 1), equal, arena);

    ck_assert_int_eq(unit_run_bubble(&plain) * 11, plain.replay->makespan * 3);
    ck_assert_int_eq(unit_run_bubble(&h1) * 9, h1.replay->makespan);
    ck_assert_int_ne(unit_run_bubble(&h1) * 11, h1.replay->makespan);
    /* Against the ideal time, which both share, it is a third. */
    ck_assert_int_eq(h1.ranks[0].busy_ps, plain.ranks[0].busy_ps);
    ck_assert_int_eq(unit_run_bubble(&h1) * 3, unit_run_bubble(&plain));
}
END_TEST

/* "ZB-V has no bubble": only with tF = tI = tW, or on two ranks, where a long W may cover all. */
START_TEST(zb_v_idles_whenever_times_differ)
{
    const uint32_t p = (uint32_t)_i;

    for (int64_t code = 0; code < 64; code++) {
        g_autoptr(PsimArena) arena = psim_arena_new();
        const UnitTimes times = {1 + code % 4, 1 + code / 4 % 4, 1 + code / 16, 0};
        const bool are_equal = times.forward == times.input && times.input == times.weight;
        const UnitRun run = unit_replay("zb-v", unit_shape(p, 2 * p, 2), times, arena);

        ck_assert((unit_run_idle(&run) == 0) == are_equal);
    }
}
END_TEST

START_TEST(zb_v_on_two_ranks_hides_a_long_w)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const UnitRun run = unit_replay("zb-v", unit_shape(2, 4, 2), (UnitTimes){1, 1, 2, 0}, arena);

    ck_assert_int_eq(unit_run_idle(&run), 0);
}
END_TEST

/* "V-Half has half of 1F1B's bubble, V-Min two thirds": 6 (p - 1) chunk times in 1F1B. */
START_TEST(v_half_and_v_min_are_not_quite_half_and_two_thirds)
{
    const uint32_t p = (uint32_t)_i;
    g_autoptr(PsimArena) arena = psim_arena_new();
    const UnitRun plain = unit_replay("1f1b", unit_shape(p, 32, 1), (UnitTimes){2, 2, 2, 0}, arena);
    const UnitRun half = unit_replay("v-half", unit_shape(p, 32, 2), equal, arena);
    const UnitRun least = unit_replay("v-min", unit_shape(p, 32, 2), equal, arena);

    ck_assert_int_eq(unit_run_bubble(&plain), 6 * (p - 1));
    ck_assert_int_gt(unit_run_bubble(&half) * 2, unit_run_bubble(&plain));
    ck_assert_int_ne(unit_run_bubble(&least) * 3, unit_run_bubble(&plain) * 2);
}
END_TEST

START_TEST(v_min_suffers_most_where_times_differ)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const UnitRun even = unit_replay("v-min", unit_shape(8, 32, 2), equal, arena);
    const UnitRun uneven =
        unit_replay("v-min", unit_shape(8, 32, 2), (UnitTimes){10, 12, 8, 0}, arena);

    /* In whole percent of the ideal time. */
    ck_assert_int_eq((unit_run_bubble(&even) * 200 / even.ranks[0].busy_ps + 1) / 2, 14);
    ck_assert_int_eq((unit_run_bubble(&uneven) * 200 / uneven.ranks[0].busy_ps + 1) / 2, 35);
}
END_TEST

Suite *
zero_bubble_refuted_suite(void)
{
    Suite *suite = suite_create("zero_bubble_refuted");
    TCase *tests = tcase_create("zero_bubble_refuted");

    tcase_add_loop_test(tests, zb_h2_is_no_faster_than_zb_h1_if_all_times_are_equal, 2, 17);
    tcase_add_test(tests, a_third_of_the_bubble_is_of_the_ideal_time_not_of_the_step);
    tcase_add_loop_test(tests, zb_v_idles_whenever_times_differ, 3, 9);
    tcase_add_test(tests, zb_v_on_two_ranks_hides_a_long_w);
    tcase_add_loop_test(tests, v_half_and_v_min_are_not_quite_half_and_two_thirds, 3, 17);
    tcase_add_test(tests, v_min_suffers_most_where_times_differ);
    suite_add_tcase(suite, tests);
    return suite;
}
