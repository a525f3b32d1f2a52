/* SPDX-License-Identifier: MIT */
/* DualPipe and DualPipeV against their closed forms, and where published ones fail. Bubbles are
 * counted in stage times; half is the number of ranks from the entry to the turn, PP/2.
 */
#include "suites.h"
#include "unit_workload.h"

#define MAX_MICROBATCHES 64u

/* What most tests ask for. */
static PsimTime
find_bubble(const char *schedule, PsimShape shape, UnitTimes times)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const UnitRun run = unit_replay(schedule, shape, times, arena);

    return unit_run_bubble(&run);
}

static const UnitTimes unequal[] = {
    {1, 1, 1, 0}, {3, 2, 1, 0}, {4, 4, 2, 0}, {5, 3, 3, 0}, {2, 2, 1, 0}, {7, 4, 1, 0},
    {1, 1, 2, 0}, {1, 2, 1, 0}, {2, 3, 1, 0}, {1, 3, 2, 0}, {2, 1, 3, 0}, {3, 4, 2, 0},
};

/* A shape of either variant with @half ranks from the entry to the turn and @n microbatches each
 * way. */
static PsimShape
dual_shape(bool is_v, uint32_t half, uint32_t n)
{
    return is_v ? (PsimShape){half, n, 2, half, 1} : (PsimShape){2 * half, 2 * n, 1, 2 * half, 1};
}

static const char *
dual_name(bool is_v)
{
    return is_v ? "dualpipe-v" : "dualpipe";
}

/* Where the closed forms hold: tW <= tI <= tF. */
static bool
is_tame(UnitTimes times)
{
    return times.weight <= times.input && times.input <= times.forward;
}

START_TEST(dualpipe_idles_by_its_closed_form_where_w_is_shortest_and_f_longest)
{
    const uint32_t half = (uint32_t)_i;

    for (size_t k = 0; k < G_N_ELEMENTS(unequal); k++) {
        const UnitTimes t = unequal[k];
        const PsimTime pair = t.forward + t.input + t.weight;
        const PsimTime expected = (half - 1) * (pair + t.forward - 2 * t.weight);

        for (uint32_t n = 2 * half; is_tame(t) && n <= MAX_MICROBATCHES; n += 1 + half) {
            ck_assert_int_eq(find_bubble("dualpipe", dual_shape(false, half, n), t), expected);
            ck_assert_int_eq(find_bubble("dualpipe-v", dual_shape(true, half, n), t), expected);
        }
    }
}
END_TEST

/* The README's (PP/2 - 1)(F&B + B - 3W). */
static PsimTime
readme_bubble(uint32_t half, UnitTimes t, PsimTime pair)
{
    return (half - 1) * (pair + t.input + t.weight - 3 * t.weight);
}

START_TEST(the_readmes_bubble_holds_where_f_equals_i_and_w_is_no_longer)
{
    static const UnitTimes fitting[] = {{1, 1, 1, 0}, {4, 4, 2, 0}, {5, 5, 1, 0}, {3, 3, 3, 0}};
    const uint32_t half = (uint32_t)_i;

    for (size_t k = 0; k < G_N_ELEMENTS(fitting); k++) {
        const UnitTimes t = fitting[k];
        const PsimTime pair = t.forward + t.input + t.weight;

        ck_assert_int_eq(find_bubble("dualpipe", dual_shape(false, half, 2 * half + 3), t),
                         readme_bubble(half, t, pair));
    }
}
END_TEST

START_TEST(the_readmes_bubble_fails_in_both_directions_elsewhere)
{
    unsigned n_longer = 0;
    unsigned n_shorter = 0;

    for (size_t k = 0; k < G_N_ELEMENTS(unequal); k++) {
        const UnitTimes t = unequal[k];
        const PsimTime bubble = find_bubble("dualpipe", dual_shape(false, 4, 10), t);
        const PsimTime claimed = readme_bubble(4, t, t.forward + t.input + t.weight);

        n_longer += bubble > claimed;
        n_shorter += bubble < claimed;
    }
    ck_assert_uint_gt(n_longer, 0);
    ck_assert_uint_gt(n_shorter, 0);
}
END_TEST

/* PP = 4, four microbatches each way, W twice as long as F and I, pairs shorter than F + B. */
START_TEST(the_readmes_bubble_of_0_is_1_with_a_long_w)
{
    const UnitTimes times = {1, 1, 2, 0};
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimWorkload work = unit_workload(arena, "dualpipe", dual_shape(false, 2, 4), times);

    work.pair_ps = 3;
    const UnitRun run = unit_run(&work, arena);

    ck_assert_int_eq(unit_run_bubble(&run), 1);
    ck_assert_int_eq(readme_bubble(2, times, 3), 0);
}
END_TEST

/* A pair whose halves run one after the other, as PyTorch's runtime does by default. */
static UnitRun
run_in_turn(PsimArena *arena, bool is_v, uint32_t half, uint32_t n, UnitTimes times)
{
    const PsimWorkload work =
        unit_workload(arena, dual_name(is_v), dual_shape(is_v, half, n), times);

    for (uint32_t r = 0; r < work.order->n_ranks; r++) {
        for (uint32_t i = 0; i < work.order->n_ops[r]; i++)
            work.order->ops[r][i].flags = 0;
    }
    return unit_run(&work, arena);
}

START_TEST(pairs_in_turn_take_63_instead_of_66)
{
    g_autoptr(PsimArena) arena = psim_arena_new();

    ck_assert_int_eq(
        run_in_turn(arena, /* is_v= */ true, 4, 10, (UnitTimes){1, 1, 1, 0}).replay->makespan, 63);
}
END_TEST

START_TEST(pairs_in_turn_have_a_closed_form_where_w_is_shortest_and_f_longest)
{
    const uint32_t half = (uint32_t)_i;

    for (size_t k = 0; k < G_N_ELEMENTS(unequal); k++) {
        const UnitTimes t = unequal[k];
        const PsimTime expected =
            (half - 1) * MAX(t.forward + t.input - t.weight, 2 * (t.forward - t.weight));

        for (uint32_t n = 2 * half; is_tame(t) && n <= MAX_MICROBATCHES; n += 2 + half) {
            g_autoptr(PsimArena) arena = psim_arena_new();
            const UnitRun two = run_in_turn(arena, /* is_v= */ false, half, n, t);
            const UnitRun v = run_in_turn(arena, /* is_v= */ true, half, n, t);

            ck_assert_int_eq(unit_run_bubble(&two), expected);
            ck_assert_int_eq(unit_run_bubble(&v), expected);
        }
    }
}
END_TEST

/* A long W: the form says 0, and one forward a rank is idle. */
START_TEST(pairs_in_turn_break_their_closed_form_with_a_long_w)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const UnitRun run = run_in_turn(arena, /* is_v= */ true, 4, 10, (UnitTimes){1, 1, 2, 0});

    ck_assert_int_eq(unit_run_bubble(&run), 3);
}
END_TEST

START_TEST(both_variants_of_dualpipe_take_the_same_time_and_hold_one_more_than_stages)
{
    const uint32_t half = (uint32_t)_i;

    for (size_t k = 0; k < G_N_ELEMENTS(unequal); k++) {
        for (uint32_t n = 2 * half; n <= MAX_MICROBATCHES; n += 3 + half) {
            g_autoptr(PsimArena) arena = psim_arena_new();
            const UnitRun two =
                unit_replay("dualpipe", dual_shape(false, half, n), unequal[k], arena);
            const UnitRun v =
                unit_replay("dualpipe-v", dual_shape(true, half, n), unequal[k], arena);

            ck_assert_int_eq(two.replay->makespan, v.replay->makespan);
            for (uint32_t r = 0; r < 2 * half; r++)
                ck_assert_uint_eq(two.ranks[r].peak.in_flight_max, 2 * half + 1);
            for (uint32_t r = 0; r < half; r++)
                ck_assert_uint_eq(v.ranks[r].peak.in_flight_max, 2 * half + 1);
        }
    }
}
END_TEST

Suite *
dualpipe_suite(void)
{
    Suite *suite = suite_create("dualpipe");
    TCase *tests = tcase_create("dualpipe");

    tcase_add_test(tests, the_readmes_bubble_fails_in_both_directions_elsewhere);
    tcase_add_test(tests, the_readmes_bubble_of_0_is_1_with_a_long_w);
    tcase_add_test(tests, pairs_in_turn_break_their_closed_form_with_a_long_w);
    tcase_add_test(tests, pairs_in_turn_take_63_instead_of_66);
    tcase_add_loop_test(tests, dualpipe_idles_by_its_closed_form_where_w_is_shortest_and_f_longest,
                        1, 17);
    tcase_add_loop_test(tests, the_readmes_bubble_holds_where_f_equals_i_and_w_is_no_longer, 1, 17);
    tcase_add_loop_test(tests, pairs_in_turn_have_a_closed_form_where_w_is_shortest_and_f_longest,
                        1, 17);
    tcase_add_loop_test(
        tests, both_variants_of_dualpipe_take_the_same_time_and_hold_one_more_than_stages, 1, 17);
    suite_add_tcase(suite, tests);
    return suite;
}
