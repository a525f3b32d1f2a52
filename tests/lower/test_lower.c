/* SPDX-License-Identifier: MIT */
/* Schedules replayed through the graph: golden rows, closed forms, deadlock. */
#include "../main.h"
#include "suites.h"
#include "unit_workload.h"

#include <string.h>

/* -- Golden rows: zero communication unless a latency is given -- */

typedef struct {
    const char *schedule;
    PsimShape shape;
    UnitTimes times;
    PsimTime makespan, busy, span;
    uint32_t peaks[8];
} Golden;

/* Source: exact replay of each schedule's published rule on unit times. */
static const Golden golden[] = {
    {"naive", {4, 8, 1, 4, 1}, {1, 1, 1, 0}, 96, 24, 96, {1, 1, 1, 1}},
    {"gpipe", {4, 8, 1, 4, 1}, {1, 1, 1, 0}, 33, 24, 33, {8, 8, 8, 8}},
    {"1f1b", {4, 8, 1, 4, 1}, {1, 1, 1, 0}, 33, 24, 33, {4, 3, 2, 1}},
    {"1f1b", {4, 2, 1, 4, 1}, {1, 1, 1, 0}, 15, 6, 15, {2, 2, 2, 1}},
    {"1f1b", {8, 32, 1, 8, 1}, {2, 2, 1, 0}, 195, 160, 195, {8, 7, 6, 5, 4, 3, 2, 1}},
    {"interleaved", {4, 8, 2, 4, 1}, {1, 1, 1, 0}, 57, 48, 57, {11, 9, 7, 5}},
    {"interleaved", {4, 4, 2, 4, 1}, {1, 1, 1, 0}, 33, 24, 33, {8, 8, 7, 5}},
    {"interleaved", {4, 10, 2, 5, 1}, {1, 1, 1, 0}, 69, 60, 69, {12, 10, 8, 6}},
    {"interleaved", {4, 3, 2, 3, 1}, {1, 1, 1, 0}, 30, 18, 30, {6, 6, 6, 4}},
    {"gpipe", {4, 8, 1, 4, 1}, {10, 10, 10, 5}, 360, 240, 360, {8, 8, 8, 8}},
    {"1f1b", {4, 8, 1, 4, 1}, {10, 10, 10, 5}, 410, 240, 410, {4, 3, 2, 1}},
};

START_TEST(golden_rows_hold_in_whole_ticks)
{
    const Golden *row = &golden[_i];
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimWorkload work = unit_workload(arena, row->schedule, row->shape, row->times);
    const UnitRun run = unit_run(&work, arena);

    ck_assert(!run.lowered->deadlock);
    ck_assert_int_eq(run.replay->makespan, row->makespan);
    ck_assert_int_eq(unit_run_span(&run), row->span);
    for (uint32_t r = 0; r < row->shape.n_ranks; r++) {
        ck_assert_int_eq(run.ranks[r].busy_ps, row->busy);
        ck_assert_uint_eq(run.ranks[r].peak.in_flight_max, row->peaks[r]);
    }
}
END_TEST

/* -- Closed forms -- */

START_TEST(gpipe_and_1f1b_idle_p_minus_1_of_m_plus_p_minus_1)
{
    const uint32_t p = (uint32_t)_i;
    static const uint32_t microbatches[] = {1, 2, 3, 5, 8, 16, 33, 64, 128, 511, 512};
    static const char *const schedules[] = {"gpipe", "1f1b"};

    for (size_t i = 0; i < G_N_ELEMENTS(microbatches); i++) {
        for (size_t k = 0; k < G_N_ELEMENTS(schedules); k++) {
            g_autoptr(PsimArena) arena = psim_arena_new();
            const uint32_t m = microbatches[i];
            const PsimWorkload work = unit_workload(arena, schedules[k], (PsimShape){p, m, 1, p, 1},
                                                    (UnitTimes){3, 4, 1, 0});
            const UnitRun run = unit_run(&work, arena);

            ck_assert_int_eq(run.replay->makespan, (PsimTime)(m + p - 1) * 8);
            for (uint32_t r = 0; r < p; r++)
                ck_assert_int_eq(run.ranks[r].breakdown.bubble_ps, (PsimTime)(p - 1) * 8);
        }
    }
}
END_TEST

START_TEST(interleaving_makes_the_bubble_v_times_shorter)
{
    const uint32_t p = (uint32_t)_i;

    for (uint32_t v = 2; v <= 4; v++) {
        for (uint32_t groups = 1; groups <= 4; groups++) {
            g_autoptr(PsimArena) arena = psim_arena_new();
            const uint32_t m = groups * p;
            const PsimWorkload work = unit_workload(
                arena, "interleaved", (PsimShape){p, m, v, p, 1}, (UnitTimes){2, 2, 1, 0});
            const UnitRun run = unit_run(&work, arena);

            ck_assert_int_eq(run.replay->makespan, (PsimTime)(m * v + p - 1) * 5);
        }
    }
}
END_TEST

/* PIPE(p, m): tF = 10, tB = 20, c = 1, one channel a neighbour and direction. */
START_TEST(transfers_cost_what_the_closed_forms_say)
{
    const uint32_t p = (uint32_t)_i;

    for (uint32_t m = 1; m < 5 * p; m += 1 + p / 4) {
        g_autoptr(PsimArena) arena = psim_arena_new();
        const UnitTimes times = {10, 10, 10, 1};
        const PsimShape shape = {p, m, 1, p, 1};
        PsimWorkload gpipe = unit_workload(arena, "gpipe", shape, times);
        PsimWorkload one = unit_workload(arena, "1f1b", shape, times);
        const int64_t base = (int64_t)(m + p - 1) * 30;
        const int64_t rest = MAX((int64_t)((m - 1) % p) - 1, 0);

        gpipe.channels = one.channels = true;
        ck_assert_int_eq(unit_run(&gpipe, arena).replay->makespan, base + 2 * (p - 1));
        ck_assert_int_eq(unit_run(&one, arena).replay->makespan,
                         base + 2 * ((int64_t)(p - 1) * (1 + (m - 1) / p) + rest));
    }
}
END_TEST

/* -- Unequal stages -- */

static UnitRun
run_unequal(PsimArena *arena, const int64_t forward[4], const int64_t backward[4])
{
    PsimWorkload work =
        unit_workload(arena, "1f1b", (PsimShape){4, 8, 1, 4, 1}, (UnitTimes){1, 1, 1, 0});
    PsimStageWork *stages = psim_arena_array(arena, PsimStageWork, 4);

    for (uint32_t s = 0; s < 4; s++) {
        stages[s] = work.stages[s];
        stages[s].op[PSIM_OP_FORWARD].compute_ps = forward[s];
        stages[s].op[PSIM_OP_BACKWARD].compute_ps = backward[s];
    }
    work.stages = stages;
    return unit_run(&work, arena);
}

START_TEST(a_heavy_stage_delays_everyone_m_times)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const UnitRun last = run_unequal(arena, (int64_t[]){1, 1, 1, 2}, (int64_t[]){2, 2, 2, 4});
    const UnitRun first = run_unequal(arena, (int64_t[]){2, 1, 1, 1}, (int64_t[]){4, 2, 2, 2});

    ck_assert_int_eq(last.replay->makespan, 57);
    ck_assert_int_eq(last.ranks[0].busy_ps, 24);
    ck_assert_int_eq(last.ranks[3].busy_ps, 48);
    ck_assert_int_eq(first.replay->makespan, 51);
}
END_TEST

/* -- Deadlock -- */

START_TEST(interleaving_with_a_short_last_group_deadlocks_and_names_each_head)
{
    static const char *const heads[] = {"8F4", "9F4", "10F4", "7B0"};
    static const char *const missing[] = {
        "the forward of stage 7, microbatch 4, on rank 3",
        "the forward of stage 8, microbatch 4, on rank 0",
        "the forward of stage 9, microbatch 4, on rank 1",
        "the backward of stage 8, microbatch 0, on rank 0",
    };
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimWorkload work =
        unit_workload(arena, "interleaved", (PsimShape){4, 5, 3, 4, 1}, (UnitTimes){1, 1, 1, 0});
    const PsimLowered *lowered = psim_lower(&work, arena, NULL);

    ck_assert(lowered->deadlock);
    for (uint32_t r = 0; r < 4; r++) {
        ck_assert_str_eq(psim_lower_head(work.order, lowered, r, arena), heads[r]);
        ck_assert_str_eq(psim_lower_missing(work.order, lowered, r, arena), missing[r]);
    }
}
END_TEST

START_TEST(too_many_tasks_are_refused_before_any_is_made)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(GError) error = NULL;
    PsimWorkload work =
        unit_workload(arena, "1f1b", (PsimShape){64, 4096, 1, 64, 1}, (UnitTimes){1, 1, 1, 0});

    work.unfold = true;
    work.tp = 64;
    work.dp = 4096;
    ck_assert_ptr_null(psim_lower(&work, arena, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_LIMIT));
    ck_assert_ptr_nonnull(strstr(error->message, "PSIM_LIMIT_TASKS (4000000000)"));
}
END_TEST

Suite *
lower_suite(void)
{
    Suite *suite = suite_create("lower");
    TCase *tests = tcase_create("lower");

    tcase_add_loop_test(tests, golden_rows_hold_in_whole_ticks, 0, G_N_ELEMENTS(golden));
    tcase_add_loop_test(tests, gpipe_and_1f1b_idle_p_minus_1_of_m_plus_p_minus_1, 1, 65);
    tcase_add_loop_test(tests, interleaving_makes_the_bubble_v_times_shorter, 2, 17);
    tcase_add_loop_test(tests, transfers_cost_what_the_closed_forms_say, 2, 17);
    tcase_add_test(tests, a_heavy_stage_delays_everyone_m_times);
    tcase_add_test(tests, interleaving_with_a_short_last_group_deadlocks_and_names_each_head);
    tcase_add_test(tests, too_many_tasks_are_refused_before_any_is_made);
    suite_add_tcase(suite, tests);
    return suite;
}
