/* SPDX-License-Identifier: MIT */
/* Schedules beyond 1F1B on one chain: eager, breadth first, zero bubble, V-shaped; replayed against
 * their golden rows and closed forms.
 *
 *     u = tF + tI + tW of a chunk; idle: a rank's own span less its work; bubble: T less the work
 */
#include "../main.h"
#include "suites.h"
#include "unit_workload.h"

static const uint32_t microbatches[] = {1, 2, 3, 5, 7, 8, 12, 16, 21, 31, 32, 33, 48, 64};

static const UnitTimes equal = {1, 1, 1, 0};

static const UnitTimes times_of[] = {
    {1, 1, 1, 0}, {3, 4, 2, 0}, {2, 2, 1, 0}, {1, 2, 3, 0},
    {5, 1, 2, 0}, {4, 5, 5, 0}, {7, 3, 3, 0}, {2, 9, 4, 0},
};

static PsimTime
work_of(UnitTimes times)
{
    return times.forward + times.input + times.weight;
}

static void
check_peaks(const UnitRun *run, uint32_t expected)
{
    for (uint32_t r = 0; r < run->lowered->graph->n_ranks; r++)
        ck_assert_uint_eq(run->ranks[r].peak.in_flight_max, expected);
}

/* -- Golden rows -- */

/* Source: exact replay of each schedule's published rule on unit times. */
static const struct {
    const char *schedule;
    PsimShape shape;
    UnitTimes times;
    PsimTime makespan, busy, span;
    uint32_t peaks[4];
} golden[] = {
    {"eager-1f1b", {4, 8, 1, 4, 1}, {1, 1, 1, 0}, 33, 24, 33, {7, 5, 3, 1}},
    {"eager-1f1b", {4, 8, 1, 4, 1}, {10, 10, 10, 5}, 360, 240, 360, {7, 5, 3, 1}},
    {"looped-bfs", {4, 8, 2, 4, 1}, {1, 1, 1, 0}, 57, 48, 57, {16, 16, 16, 16}},
    {"zb-h1", {4, 8, 1, 4, 1}, {1, 1, 1, 0}, 27, 24, 27, {4, 4, 4, 4}},
    {"zb-h1", {4, 8, 1, 4, 1}, {3, 4, 2, 0}, 87, 72, 87, {4, 4, 4, 4}},
    {"zb-h2", {4, 8, 1, 4, 1}, {1, 1, 1, 0}, 27, 24, 24, {7, 7, 7, 7}},
    {"zb-h2", {4, 8, 1, 4, 1}, {3, 4, 2, 0}, 81, 72, 81, {7, 7, 7, 7}},
    {"interleaved-zb", {4, 8, 2, 4, 1}, {1, 1, 1, 0}, 51, 48, 51, {8, 8, 8, 8}},
    {"interleaved-zb", {2, 8, 2, 2, 1}, {1, 1, 1, 0}, 49, 48, 49, {4, 4}},
    {"zb-v", {4, 8, 2, 4, 1}, {1, 1, 1, 0}, 51, 48, 48, {8, 8, 8, 8}},
    {"zb-v", {4, 8, 2, 4, 1}, {3, 4, 2, 0}, 156, 144, 156, {8, 8, 8, 8}},
    {"v-half", {4, 8, 2, 4, 1}, {1, 1, 1, 0}, 60, 48, 60, {6, 6, 6, 6}},
    {"v-min", {4, 8, 2, 4, 1}, {1, 1, 1, 0}, 59, 48, 59, {4, 4, 4, 4}},
};

START_TEST(golden_rows_hold_in_whole_ticks)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const UnitRun run = unit_replay(golden[_i].schedule, golden[_i].shape, golden[_i].times, arena);

    ck_assert_int_eq(run.replay->makespan, golden[_i].makespan);
    ck_assert_int_eq(unit_run_span(&run), golden[_i].span);
    for (uint32_t r = 0; r < golden[_i].shape.n_ranks; r++) {
        ck_assert_int_eq(run.ranks[r].busy_ps, golden[_i].busy);
        ck_assert_uint_eq(run.ranks[r].peak.in_flight_max, golden[_i].peaks[r]);
    }
}
END_TEST

/* -- What each type says of its bubble -- */

/* Every closed form a type claims, against the replay; where halves are split it claims them for
 * equal times only. Returns: whether it claims one. */
static bool
check_claim(const char *name, PsimShape shape, UnitTimes times, PsimArena *arena)
{
    const PsimScheduleType *type = psim_schedule_find(name);
    uint64_t numerator = 0;
    uint64_t denominator = 0;

    if (!type->ideal_bubble(&shape, &numerator, &denominator))
        return false;
    const PsimArenaMark mark = psim_arena_mark(arena);
    const UnitRun run = unit_replay(name, shape, type->splits_backward ? equal : times, arena);
    const PsimTime share = run.ranks[0].busy_ps / shape.n_microbatches;

    ck_assert_msg(unit_run_bubble(&run) * (PsimTime)denominator == share * (PsimTime)numerator,
                  "%s does not hold for p=%u m=%u v=%u", name, shape.n_ranks, shape.n_microbatches,
                  shape.n_chunks);
    psim_arena_rewind(arena, mark);
    return true;
}

START_TEST(closed_forms_hold_wherever_they_are_claimed)
{
    const uint32_t p = (uint32_t)_i;
    const UnitTimes times = {3, 4, 1, 0};
    g_autoptr(PsimArena) arena = psim_arena_new();

    for (uint32_t m = 1; m <= 64; m += m < 2 * p + 2 ? 1 : 7) {
        ck_assert(check_claim("eager-1f1b", unit_shape(p, m, 1), times, arena));
        ck_assert(check_claim("zb-h1", unit_shape(p, m, 1), times, arena) == (m >= p));
        ck_assert(check_claim("zb-h2", unit_shape(p, m, 1), times, arena) == (m >= 2 * (p - 1)));
        ck_assert(check_claim("zb-v", unit_shape(p, m, 2), times, arena) == (m >= 3 * p / 2));
        ck_assert(check_claim("v-half", unit_shape(p, m, 2), times, arena) == (m > p / 2));
        ck_assert(check_claim("v-min", unit_shape(p, m, 2), times, arena) == (m > 1 || p % 3 != 0));
        for (uint32_t v = 1; v <= 4; v++)
            ck_assert(check_claim("looped-bfs", unit_shape(p, m, v), times, arena));
    }
}
END_TEST

START_TEST(interleaved_zero_bubble_leaves_p_minus_1_chunk_times)
{
    const uint32_t p = (uint32_t)_i;
    g_autoptr(PsimArena) arena = psim_arena_new();

    for (uint32_t v = 1; v <= 4; v++) {
        for (uint32_t m = p; m <= MAX(64, 2 * p); m += p) {
            const PsimArenaMark mark = psim_arena_mark(arena);
            const UnitRun run = unit_replay("interleaved-zb", unit_shape(p, m, v), equal, arena);

            ck_assert_int_eq(run.replay->makespan, (PsimTime)3 * m * v + p - 1);
            ck_assert(check_claim("interleaved-zb", unit_shape(p, m, v), equal, arena));
            if (m >= 2 * p)
                check_peaks(&run, v * p);
            psim_arena_rewind(arena, mark);
        }
    }
}
END_TEST

START_TEST(groups_of_p_or_more_make_no_difference_to_interleaved_zero_bubble)
{
    const uint32_t p = (uint32_t)_i;
    g_autoptr(PsimArena) arena = psim_arena_new();

    for (uint32_t v = 1; v <= 4; v++) {
        for (uint32_t group = p; group <= 2 * p; group++)
            ck_assert(check_claim("interleaved-zb", (PsimShape){p, 3 * group, v, group, 1}, equal,
                                  arena));
        for (uint32_t m = 1; m <= 64; m++)
            (void)check_claim("interleaved-zb", unit_shape(p, m, v), equal, arena);
    }
}
END_TEST

/* -- Eager and breadth first -- */

START_TEST(eager_1f1b_takes_as_long_as_1f1b_and_holds_nearly_twice_as_much)
{
    const uint32_t p = (uint32_t)_i;

    for (size_t i = 0; i < G_N_ELEMENTS(microbatches); i++) {
        g_autoptr(PsimArena) arena = psim_arena_new();
        const uint32_t m = microbatches[i];
        const UnitRun run = unit_replay("eager-1f1b", unit_shape(p, m, 1), times_of[i % 8], arena);

        ck_assert_int_eq(run.replay->makespan, (m + p - 1) * work_of(times_of[i % 8]));
        for (uint32_t r = 0; r < p; r++)
            ck_assert_uint_eq(run.ranks[r].peak.in_flight_max, MIN(m, 2 * (p - r) - 1));
    }
}
END_TEST

START_TEST(eager_1f1b_pays_for_transfers_only_while_it_fills_and_drains)
{
    const uint32_t p = (uint32_t)_i;

    for (size_t i = 0; i < G_N_ELEMENTS(microbatches); i++) {
        g_autoptr(PsimArena) arena = psim_arena_new();
        const uint32_t m = microbatches[i];
        const UnitRun run =
            unit_replay("eager-1f1b", unit_shape(p, m, 1), (UnitTimes){10, 10, 10, 5}, arena);

        ck_assert_int_eq(run.replay->makespan, (PsimTime)(m + p - 1) * 30 + (p - 1) * 10);
    }
}
END_TEST

START_TEST(breadth_first_holds_every_chunk_of_every_microbatch)
{
    const uint32_t p = (uint32_t)_i;

    for (uint32_t v = 1; v <= 4; v++) {
        for (size_t i = 0; i < G_N_ELEMENTS(microbatches); i++) {
            g_autoptr(PsimArena) arena = psim_arena_new();
            const uint32_t m = microbatches[i];
            const UnitTimes times = times_of[(i + v) % 8];
            const UnitRun run = unit_replay("looped-bfs", unit_shape(p, m, v), times, arena);
            const PsimTime slots = m >= p ? m * v + p - 1 : (v - 1) * p + m + p - 1;

            ck_assert_int_eq(run.replay->makespan, slots * work_of(times));
            check_peaks(&run, m * v);
        }
    }
}
END_TEST

/* -- ZB-H1 and ZB-H2 -- */

/* Usually written without tI in the first and without tI - tF in the second, which is short where
 * W and I both take longer than F. */
static void
check_h1(uint32_t p, uint32_t m, UnitTimes times, PsimArena *arena)
{
    const UnitRun run = unit_replay("zb-h1", unit_shape(p, m, 1), times, arena);
    const PsimTime lag = times.forward + times.input - times.weight;
    const PsimTime longest = MAX(times.forward, times.input);

    if (m >= p)
        check_peaks(&run, p);
    if (m >= p && times.weight <= MIN(times.forward, times.input))
        ck_assert_int_eq(unit_run_bubble(&run), (p - 1) * lag);
    if (m >= 2 * p)
        ck_assert_int_eq(unit_run_bubble(&run), (p - 1) * MAX(lag, longest));
}

static void
check_h2(uint32_t p, uint32_t m, UnitTimes times, PsimArena *arena)
{
    const UnitRun run = unit_replay("zb-h2", unit_shape(p, m, 1), times, arena);
    const PsimTime lag = times.forward + times.input - 2 * times.weight;
    const PsimTime excess = MAX(0, times.input - times.forward);

    check_peaks(&run, MIN(m, 2 * p - 1));
    if (m >= 2 * p)
        ck_assert_int_eq(unit_run_idle(&run), (p - 1) * MAX(lag, excess));
}

START_TEST(zero_bubble_by_hand_follows_its_closed_forms)
{
    const uint32_t p = (uint32_t)_i;

    for (size_t k = 0; k < G_N_ELEMENTS(times_of); k++) {
        for (size_t i = 0; i < G_N_ELEMENTS(microbatches); i++) {
            g_autoptr(PsimArena) arena = psim_arena_new();

            check_h1(p, microbatches[i], times_of[k], arena);
            check_h2(p, microbatches[i], times_of[k], arena);
        }
    }
}
END_TEST

START_TEST(zb_h2_never_idles_inside_a_span_if_all_times_are_equal)
{
    const uint32_t p = (uint32_t)_i;

    for (uint32_t m = 2 * p - 1; m <= 2 * p + 3; m++) {
        g_autoptr(PsimArena) arena = psim_arena_new();
        const UnitRun run = unit_replay("zb-h2", unit_shape(p, m, 1), equal, arena);

        ck_assert_int_eq(unit_run_idle(&run), 0);
        ck_assert_int_eq(run.replay->makespan, (PsimTime)3 * m + p - 1);
    }
}
END_TEST

/* A forward holds 7 bytes until I, of which 3 wait for W. */
static UnitRun
replay_bytes(const char *name, uint32_t p, uint32_t m, PsimArena *arena)
{
    PsimWorkload work = unit_workload(arena, name, unit_shape(p, m, 1), equal);

    unit_workload_hold(&work, arena, 7, 3);
    return unit_run(&work, arena);
}

START_TEST(what_w_still_needs_is_held_longer_the_later_the_rank)
{
    const uint32_t p = (uint32_t)_i;

    for (uint32_t m = 2 * p; m <= 2 * p + 9; m += 3) {
        g_autoptr(PsimArena) arena = psim_arena_new();
        const UnitRun h1 = replay_bytes("zb-h1", p, m, arena);
        const UnitRun h2 = replay_bytes("zb-h2", p, m, arena);

        for (uint32_t r = 0; r < p; r++) {
            ck_assert_int_eq(h1.ranks[r].peak.peak_bytes, 7 * (p - r) + 3 * r);
            ck_assert_int_eq(h2.ranks[r].peak.peak_bytes, 7 * (2 * (p - r) - 1) + 3 * 2 * r);
        }
    }
}
END_TEST

/* -- Interleaved zero bubble -- */

START_TEST(with_one_chunk_interleaved_zero_bubble_is_zb_h1)
{
    const uint32_t p = (uint32_t)_i;

    for (size_t i = 0; i < G_N_ELEMENTS(microbatches); i++) {
        g_autoptr(PsimArena) arena = psim_arena_new();
        const PsimShape shape = unit_shape(p, microbatches[i], 1);
        const PsimOrder *one =
            psim_schedule_emit(psim_schedule_find("interleaved-zb"), &shape, arena);
        const PsimOrder *h1 = psim_schedule_emit(psim_schedule_find("zb-h1"), &shape, arena);

        for (uint32_t r = 0; r < p; r++) {
            ck_assert_uint_eq(one->n_ops[r], h1->n_ops[r]);
            ck_assert_mem_eq(one->ops[r], h1->ops[r], h1->n_ops[r] * sizeof(PsimOp));
        }
    }
}
END_TEST

/* Facts: PyTorch's zb1p_2rank_2stagep_compute.csv without its idle cells. */
START_TEST(interleaved_zero_bubble_is_pytorchs_golden_file)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(GString) text = g_string_new(NULL);
    const PsimShape shape = unit_shape(2, 8, 2);
    const PsimOrder *order =
        psim_schedule_emit(psim_schedule_find("interleaved-zb"), &shape, arena);

    for (uint32_t r = 0; r < 2; r++) {
        for (uint32_t i = 0; i < order->n_ops[r]; i++) {
            const PsimOp op = order->ops[r][i];

            g_string_append_printf(text, "%s%u%c%u", i > 0 ? "," : "", op.stage,
                                   psim_op_letter((PsimOpKind)op.kind), op.microbatch);
        }
        g_string_append_c(text, '\n');
    }
    g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text->str, -1);

    ck_assert_str_eq(sum, "e23abc599807f59a5e1c8fea9db58245f2231e6fcd5c85dcdaffe0bea179c00c");
}
END_TEST

/* -- V-shaped -- */

START_TEST(zb_v_idles_twice_the_difference_of_i_and_w_for_each_other_rank)
{
    const uint32_t p = (uint32_t)_i;

    for (size_t k = 0; k < G_N_ELEMENTS(times_of); k++) {
        const UnitTimes times = times_of[k];

        for (uint32_t m = 2 * p; m <= 2 * p + 20; m += 4) {
            g_autoptr(PsimArena) arena = psim_arena_new();
            const UnitRun run = unit_replay("zb-v", unit_shape(p, m, 2), times, arena);

            check_peaks(&run, 2 * p);
            if (times.weight <= times.forward && times.forward <= times.input)
                ck_assert_int_eq(unit_run_idle(&run), 2 * (p - 1) * (times.input - times.weight));
        }
    }
}
END_TEST

START_TEST(zb_v_never_idles_inside_a_span_if_all_times_are_equal)
{
    const uint32_t p = (uint32_t)_i;

    for (uint32_t m = 2 * p - 1; m <= 2 * p + 3; m++) {
        g_autoptr(PsimArena) arena = psim_arena_new();
        const UnitRun run = unit_replay("zb-v", unit_shape(p, m, 2), equal, arena);

        ck_assert_int_eq(unit_run_idle(&run), 0);
        ck_assert_int_eq(run.replay->makespan, (PsimTime)6 * m + p - 1);
    }
}
END_TEST

static uint32_t
highest_peak(const UnitRun *run)
{
    uint32_t peak = 0;

    for (uint32_t r = 0; r < run->lowered->graph->n_ranks; r++)
        peak = MAX(peak, run->ranks[r].peak.in_flight_max);
    return peak;
}

START_TEST(controllable_memory_holds_what_its_building_block_says)
{
    static const uint32_t of_v_min[] = {[4] = 4, [6] = 6, [8] = 8, [12] = 10, [16] = 12};
    const uint32_t p = (uint32_t)_i;

    for (uint32_t m = 2 * p; m <= 2 * p + 9; m += 3) {
        g_autoptr(PsimArena) arena = psim_arena_new();
        const UnitRun half = unit_replay("v-half", unit_shape(p, m, 2), equal, arena);
        const UnitRun least = unit_replay("v-min", unit_shape(p, m, 2), equal, arena);

        ck_assert_uint_eq(highest_peak(&half), p % 2 == 0 ? p + 2 : p + 1);
        if (of_v_min[p] > 0)
            ck_assert_uint_eq(highest_peak(&least), of_v_min[p]);
    }
}
END_TEST

static void
add_shapes(TCase *tests)
{
    const int end = 17;

    tcase_add_loop_test(tests, closed_forms_hold_wherever_they_are_claimed, 1, end);
    tcase_add_loop_test(tests, interleaved_zero_bubble_leaves_p_minus_1_chunk_times, 1, end);
    tcase_add_loop_test(tests, groups_of_p_or_more_make_no_difference_to_interleaved_zero_bubble, 1,
                        end);
    tcase_add_loop_test(tests, eager_1f1b_takes_as_long_as_1f1b_and_holds_nearly_twice_as_much, 1,
                        end);
    tcase_add_loop_test(tests, eager_1f1b_pays_for_transfers_only_while_it_fills_and_drains, 1,
                        end);
    tcase_add_loop_test(tests, breadth_first_holds_every_chunk_of_every_microbatch, 1, end);
    tcase_add_loop_test(tests, zero_bubble_by_hand_follows_its_closed_forms, 1, end);
    tcase_add_loop_test(tests, zb_h2_never_idles_inside_a_span_if_all_times_are_equal, 1, end);
    tcase_add_loop_test(tests, what_w_still_needs_is_held_longer_the_later_the_rank, 1, end);
    tcase_add_loop_test(tests, with_one_chunk_interleaved_zero_bubble_is_zb_h1, 1, end);
    tcase_add_loop_test(tests, zb_v_idles_twice_the_difference_of_i_and_w_for_each_other_rank, 1,
                        end);
    tcase_add_loop_test(tests, zb_v_never_idles_inside_a_span_if_all_times_are_equal, 1, end);
    tcase_add_loop_test(tests, controllable_memory_holds_what_its_building_block_says, 2, end);
}

Suite *
zero_bubble_suite(void)
{
    Suite *suite = suite_create("zero_bubble");
    TCase *tests = tcase_create("zero_bubble");

    tcase_add_loop_test(tests, golden_rows_hold_in_whole_ticks, 0, G_N_ELEMENTS(golden));
    add_shapes(tests);
    tcase_add_test(tests, interleaved_zero_bubble_is_pytorchs_golden_file);
    suite_add_tcase(suite, tests);
    return suite;
}
