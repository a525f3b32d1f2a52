/* SPDX-License-Identifier: MIT */
/* Schedules of two directions, waves, token slices and without a flush, replayed through the graph:
 * golden rows, closed forms, and published statements that fail. DualPipe has a file of its own.
 */
#include "../main.h"
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

/* -- Golden rows -- */

/* Source: exact replay of each schedule's published rule on unit times. */
static const struct {
    const char *schedule;
    PsimShape shape;
    UnitTimes times;
    PsimTime pair, makespan, busy, span; /* a span of 0: not known */
    uint32_t peaks[8];
} golden[] = {
    {"dualpipe", {8, 20, 1, 8, 1}, {1, 1, 1, 0}, 3, 66, 60, 66, {9, 9, 9, 9, 9, 9, 9, 9}},
    {"dualpipe-v", {4, 10, 2, 4, 1}, {1, 1, 1, 0}, 3, 66, 60, 66, {9, 9, 9, 9}},
    {"chimera", {4, 4, 1, 4, 1}, {1, 1, 0, 0}, 0, 10, 8, 10, {3, 4, 4, 3}},
    {"chimera", {4, 8, 1, 4, 1}, {1, 1, 1, 0}, 0, 30, 24, 30, {3, 4, 4, 3}},
    {"chimera", {4, 16, 1, 4, 1}, {1, 1, 1, 0}, 0, 58, 48, 58, {3, 4, 4, 3}},
    {"gems", {4, 4, 1, 4, 1}, {1, 1, 1, 0}, 0, 39, 12, 36, {1, 1, 1, 1}},
    {"seq1f1b", {4, 4, 1, 4, 2}, {1, 1, 1, 0}, 0, 33, 24, 0, {5, 4, 3, 2}},
    {"terapipe", {4, 4, 1, 4, 2}, {1, 1, 1, 0}, 0, 33, 24, 0, {8, 8, 8, 8}},
    {"bpipe", {4, 8, 1, 4, 1}, {1, 1, 1, 0}, 0, 33, 24, 33, {4, 3, 2, 1}},
    {"pipedream", {4, 8, 1, 4, 1}, {1, 1, 1, 0}, 0, 33, 24, 33, {4, 3, 2, 1}},
    {"pipedream-2bw", {4, 8, 1, 4, 1}, {1, 1, 1, 0}, 0, 33, 24, 33, {4, 3, 2, 1}},
};

START_TEST(golden_rows_hold_in_whole_ticks)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimWorkload work =
        unit_workload(arena, golden[_i].schedule, golden[_i].shape, golden[_i].times);

    work.pair_ps = golden[_i].pair;
    const UnitRun run = unit_run(&work, arena);

    ck_assert(!run.lowered->deadlock);
    ck_assert_int_eq(run.replay->makespan, golden[_i].makespan);
    ck_assert(golden[_i].span == 0 || unit_run_span(&run) == golden[_i].span);
    for (uint32_t r = 0; r < golden[_i].shape.n_ranks; r++) {
        ck_assert_int_eq(run.ranks[r].busy_ps, golden[_i].busy);
        ck_assert_uint_eq(run.ranks[r].peak.in_flight_max, golden[_i].peaks[r]);
        ck_assert_uint_eq(psim_order_peak(work.order, r), golden[_i].peaks[r]);
    }
}
END_TEST

START_TEST(one_wave_takes_36_and_its_worst_rank_holds_8)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const UnitRun run =
        unit_replay("hanayo", (PsimShape){4, 4, 2, 4, 1}, (UnitTimes){1, 1, 1, 0}, arena);
    uint32_t worst = 0;

    for (uint32_t r = 0; r < 4; r++) {
        ck_assert_int_eq(run.ranks[r].busy_ps, 24);
        worst = MAX(worst, run.ranks[r].peak.in_flight_max);
    }
    ck_assert_int_eq(run.replay->makespan, 36);
    ck_assert_uint_eq(worst, 8);
}
END_TEST

/* -- Bubbles the types claim, for backward halves as long as a forward -- */

static const char *const claiming[] = {
    "dualpipe", "dualpipe-v", "chimera",   "gems",          "hanayo",
    "terapipe", "seq1f1b",    "pipedream", "pipedream-2bw", "bpipe",
};

/* Returns: whether the type claims anything of the shape. */
static bool
check_claim(const char *schedule, PsimShape shape)
{
    const UnitTimes times = {2, 2, 2, 0};
    const PsimTime share = (PsimTime)6 * shape.n_chunks * MAX(shape.n_slices, 1);
    uint64_t numerator = 0;
    uint64_t denominator = 0;

    if (!psim_schedule_find(schedule)->ideal_bubble(&shape, &numerator, &denominator))
        return false;
    ck_assert_int_eq(find_bubble(schedule, shape, times) * (PsimTime)denominator,
                     share * (PsimTime)numerator);
    return true;
}

START_TEST(every_type_idles_as_long_as_it_claims)
{
    const PsimScheduleType *type = psim_schedule_find(claiming[_i]);
    const uint32_t max_slices = type->default_slices > 0 ? 3 : 1;
    const uint32_t max_chunks = MIN(type->max_chunks, 4);
    unsigned n_claims = 0;

    for (uint32_t p = 1; p <= 16; p++) {
        for (uint32_t m = 1; m <= MAX_MICROBATCHES; m += m < 12 || m % 16 == 15 ? 1 : 3) {
            for (uint32_t v = type->min_chunks; v <= max_chunks; v++) {
                for (uint32_t k = 1; k <= max_slices; k++)
                    n_claims += check_claim(claiming[_i], (PsimShape){p, m, v, p, k});
            }
        }
    }
    ck_assert_uint_ge(n_claims, 40);
}
END_TEST

/* -- Chimera -- */

/* tB >= tF. */
static const UnitTimes slow_back[] = {
    {1, 1, 0, 0}, {1, 1, 1, 0}, {3, 2, 2, 0}, {2, 3, 2, 0}, {1, 2, 2, 0},
};

START_TEST(chimera_idles_the_longer_the_more_units_it_joins)
{
    const uint32_t p = 2 * (uint32_t)_i;

    for (size_t t = 0; t < G_N_ELEMENTS(slow_back); t++) {
        const PsimTime forward = slow_back[t].forward;
        const PsimTime backward = slow_back[t].input + slow_back[t].weight;

        for (uint32_t k = 1; k * p <= MAX_MICROBATCHES; k++) {
            const PsimTime expected =
                (PsimTime)(p - 2) * (backward + (PsimTime)(k - 1) * (backward - forward));

            ck_assert_int_eq(find_bubble("chimera", (PsimShape){p, k * p, 1, p, 1}, slow_back[t]),
                             expected);
        }
    }
}
END_TEST

START_TEST(chimera_holds_more_towards_the_middle)
{
    const uint32_t p = 2 * (uint32_t)_i;

    for (uint32_t k = 1; k * p <= MAX_MICROBATCHES; k++) {
        g_autoptr(PsimArena) arena = psim_arena_new();
        const UnitRun run =
            unit_replay("chimera", (PsimShape){p, k * p, 1, p, 1}, (UnitTimes){1, 1, 1, 0}, arena);

        for (uint32_t r = 0; r < p; r++)
            ck_assert_uint_eq(run.ranks[r].peak.in_flight_max, p / 2 + 1 + MIN(r, p - 1 - r));
    }
}
END_TEST

/* Published: a fraction (D - 2)/(2N + D - 2) of the total. With tB = tF it is right. */
START_TEST(chimeras_published_bubble_fails_where_a_backward_is_longer)
{
    const PsimShape small = {4, 4, 1, 4, 1};
    const PsimShape large = {4, 16, 1, 4, 1};
    const UnitTimes even = {1, 1, 0, 0};
    const UnitTimes real = {1, 1, 1, 0};

    ck_assert_int_eq(find_bubble("chimera", small, even), 2);  /* 2 of 10, as published */
    ck_assert_int_eq(find_bubble("chimera", large, even), 2);  /* 2 of 34, as published */
    ck_assert_int_eq(find_bubble("chimera", small, real), 4);  /* 4 of 16, not 2 of 10  */
    ck_assert_int_eq(find_bubble("chimera", large, real), 10); /* 10 of 58, not 2 of 34 */
    ck_assert_int_eq(find_bubble("1f1b", large, real), 9);
}
END_TEST

/* -- GEMS -- */

static const UnitTimes unequal[] = {
    {1, 1, 1, 0}, {3, 2, 1, 0}, {4, 4, 2, 0}, {5, 3, 3, 0}, {2, 2, 1, 0}, {7, 4, 1, 0},
    {1, 1, 2, 0}, {1, 2, 1, 0}, {2, 3, 1, 0}, {1, 3, 2, 0}, {2, 1, 3, 0}, {3, 4, 2, 0},
};

/* D tF + N D tB + (N - 1) tF for tB >= tF; a longer forward does not keep up with the backward it
 * follows up the ranks. */
static PsimTime
gems_makespan(uint32_t p, uint32_t m, UnitTimes times)
{
    const PsimTime forward = times.forward;
    const PsimTime backward = times.input + times.weight;

    return p * forward + m * p * backward + (m - 1) * forward +
           (PsimTime)(m - 1) * (p - 1) * MAX(forward - backward, 0);
}

START_TEST(gems_takes_its_closed_form_and_holds_one)
{
    const uint32_t p = (uint32_t)_i;

    for (size_t t = 0; t < G_N_ELEMENTS(unequal); t++) {
        for (uint32_t m = 1; m <= MAX_MICROBATCHES; m += 1 + m / 4) {
            g_autoptr(PsimArena) arena = psim_arena_new();
            const PsimShape shape = {p, m, 1, p, 1};
            const UnitRun run = unit_replay("gems", shape, unequal[t], arena);

            ck_assert_int_eq(run.replay->makespan, gems_makespan(p, m, unequal[t]));
            for (uint32_t r = 0; r < p; r++)
                ck_assert_uint_eq(run.ranks[r].peak.in_flight_max, 1);
        }
    }
}
END_TEST

/* The idle fraction tends to (D - 1)/(D + 1/2): 0.667 at D = 4, and is 0.673 at N = 16. */
START_TEST(gems_tends_to_its_published_idle_fraction_without_reaching_it)
{
    const UnitTimes times = {1, 1, 1, 0};
    const PsimTime bubble = find_bubble("gems", (PsimShape){4, 16, 1, 4, 1}, times);

    ck_assert_int_eq(bubble, 99);
    ck_assert_int_eq(bubble + 16 * 3, 147); /* 99/147 = 0.673 */
}
END_TEST

/* -- Hanayo -- */

START_TEST(waves_idle_independent_of_their_number)
{
    const uint32_t p = (uint32_t)_i;

    for (size_t t = 0; t < G_N_ELEMENTS(slow_back); t++) {
        const PsimTime forward = slow_back[t].forward;
        const PsimTime backward = slow_back[t].input + slow_back[t].weight;

        for (uint32_t k = 1; k * p <= MAX_MICROBATCHES; k += 1 + k / 3) {
            const PsimTime expected =
                2 * (PsimTime)(p - 1) * (backward + (PsimTime)(k - 1) * (backward - forward));

            for (uint32_t waves = 1; waves <= 3; waves++)
                ck_assert_int_eq(
                    find_bubble("hanayo", (PsimShape){p, k * p, 2 * waves, p, 1}, slow_back[t]),
                    expected);
        }
    }
}
END_TEST

START_TEST(the_worst_rank_of_waves_holds_p_shares)
{
    const uint32_t p = (uint32_t)_i;

    for (uint32_t k = 1; k <= 3; k++) {
        for (uint32_t waves = 1; waves <= 3; waves++) {
            g_autoptr(PsimArena) arena = psim_arena_new();
            const UnitRun run = unit_replay("hanayo", (PsimShape){p, k * p, 2 * waves, p, 1},
                                            (UnitTimes){1, 1, 1, 0}, arena);
            uint32_t worst = 0;

            for (uint32_t r = 0; r < p; r++)
                worst = MAX(worst, run.ranks[r].peak.in_flight_max);
            ck_assert_uint_eq(worst, 2 * waves * p);
        }
    }
}
END_TEST

/* -- Token slices -- */

START_TEST(token_slices_fill_the_pipeline_k_times_faster)
{
    const uint32_t p = (uint32_t)_i;
    const UnitTimes times = {3, 4, 1, 0};

    for (uint32_t k = 1; k <= 5; k++) {
        for (uint32_t m = 1; m <= MAX_MICROBATCHES / 2; m += 1 + m / 2) {
            g_autoptr(PsimArena) arena = psim_arena_new();
            const PsimShape shape = {p, m, 1, p, k};
            const UnitRun tera = unit_replay("terapipe", shape, times, arena);
            const UnitRun seq = unit_replay("seq1f1b", shape, times, arena);

            ck_assert_int_eq(tera.replay->makespan, (PsimTime)(m * k + p - 1) * 8);
            ck_assert_int_eq(seq.replay->makespan, (PsimTime)(m * k + p - 1) * 8);
            for (uint32_t r = 0; r < p; r++) {
                ck_assert_uint_eq(tera.ranks[r].peak.in_flight_max, m * k);
                ck_assert_uint_eq(seq.ranks[r].peak.in_flight_max, MIN(m * k, p - r - 1 + k));
            }
        }
    }
}
END_TEST

/* When the last forward ends, with slice q of every microbatch taking times[q]. */
static PsimTime
end_of_forwards(PsimShape shape, const PsimTime *times)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimWorkload work = unit_workload(arena, "terapipe", shape, (UnitTimes){1, 1, 1, 0});
    PsimGraph graph = *psim_lower(&work, arena, NULL)->graph;
    PsimTime *duration = psim_arena_array(arena, PsimTime, graph.n_tasks);
    PsimTime end = 0;

    for (uint32_t i = 0; i < graph.n_tasks; i++)
        duration[i] = times[graph.microbatch[i] % shape.n_slices];
    graph.duration = duration;
    const PsimReplay *replay = psim_sweep_run(&graph, arena, NULL);

    for (uint32_t i = 0; i < graph.n_tasks; i++) {
        if (psim_graph_class(&graph, i)->op[0] == 'F')
            end = MAX(end, replay->end[i]);
    }
    return end;
}

START_TEST(unequal_slices_wait_for_the_longest_p_minus_1_times)
{
    static const PsimTime times[4] = {2, 5, 3, 7};
    const uint32_t p = (uint32_t)_i;

    for (uint32_t m = 1; m <= 16; m++) {
        ck_assert_int_eq(end_of_forwards((PsimShape){p, m, 1, p, 4}, times),
                         (PsimTime)m * 17 + (PsimTime)(p - 1) * 7);
        ck_assert_int_eq(end_of_forwards((PsimShape){p, m, 1, p, 2}, times),
                         (PsimTime)m * 7 + (PsimTime)(p - 1) * 5);
    }
}
END_TEST

/* -- Without a flush -- */

static PsimTime
uneven_makespan(const char *schedule, uint32_t m)
{
    static const PsimTime forward[4] = {3, 1, 4, 2};
    static const PsimTime backward[4] = {5, 9, 4, 3};
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimWorkload work =
        unit_workload(arena, schedule, (PsimShape){4, m, 1, 4, 1}, (UnitTimes){1, 1, 1, 0});
    PsimStageWork stages[4];

    for (uint32_t s = 0; s < 4; s++) {
        stages[s] = work.stages[s];
        stages[s].op[PSIM_OP_FORWARD].compute_ps = forward[s];
        stages[s].op[PSIM_OP_BACKWARD].compute_ps = backward[s];
    }
    work.stages = stages;
    return unit_run(&work, arena).replay->makespan;
}

START_TEST(without_a_flush_a_microbatch_takes_as_long_as_the_slowest_stage)
{
    for (uint32_t m = 16; m < 48; m++) {
        ck_assert_int_eq(uneven_makespan("pipedream", m + 1) - uneven_makespan("pipedream", m), 10);
        ck_assert_int_eq(
            uneven_makespan("pipedream-2bw", m + 1) - uneven_makespan("pipedream-2bw", m), 10);
    }
}
END_TEST

Suite *
bidirectional_suite(void)
{
    Suite *suite = suite_create("bidirectional");
    TCase *rows = tcase_create("rows");
    TCase *forms = tcase_create("forms");

    tcase_add_loop_test(rows, golden_rows_hold_in_whole_ticks, 0, G_N_ELEMENTS(golden));
    tcase_add_test(rows, one_wave_takes_36_and_its_worst_rank_holds_8);
    tcase_add_test(rows, chimeras_published_bubble_fails_where_a_backward_is_longer);
    tcase_add_test(rows, gems_tends_to_its_published_idle_fraction_without_reaching_it);
    tcase_add_test(rows, without_a_flush_a_microbatch_takes_as_long_as_the_slowest_stage);
    suite_add_tcase(suite, rows);

    tcase_add_loop_test(forms, every_type_idles_as_long_as_it_claims, 0, G_N_ELEMENTS(claiming));
    tcase_add_loop_test(forms, chimera_idles_the_longer_the_more_units_it_joins, 1, 9);
    tcase_add_loop_test(forms, chimera_holds_more_towards_the_middle, 1, 9);
    tcase_add_loop_test(forms, gems_takes_its_closed_form_and_holds_one, 1, 17);
    tcase_add_loop_test(forms, waves_idle_independent_of_their_number, 1, 17);
    tcase_add_loop_test(forms, the_worst_rank_of_waves_holds_p_shares, 1, 17);
    tcase_add_loop_test(forms, token_slices_fill_the_pipeline_k_times_faster, 1, 17);
    tcase_add_loop_test(forms, unequal_slices_wait_for_the_longest_p_minus_1_times, 1, 17);
    suite_add_tcase(suite, forms);
    return suite;
}
