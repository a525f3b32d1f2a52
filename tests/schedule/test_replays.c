/* SPDX-License-Identifier: MIT */
/* What the orders are worth: golden rows and closed forms, replayed. Times are whole numbers, so
 * everything is equality.
 */
#include "base/rng.h"
#include "replay.h"
#include "suites.h"

static const struct {
    const char *name;
    PsimShape shape;
    PsimStageTimes times; /* of a chunk */
    int64_t makespan, busy, span;
    uint32_t peaks[8];
} rows[] = {
    {"naive", {4, 8, 1, 4, 1}, {1, 1, 1}, 96, 24, 96, {1, 1, 1, 1, 1}},
    {"gpipe", {4, 8, 1, 4, 1}, {1, 1, 1}, 33, 24, 33, {8, 8, 8, 8, 1}},
    {"1f1b", {4, 8, 1, 4, 1}, {1, 1, 1}, 33, 24, 33, {4, 3, 2, 1, 1}},
    {"1f1b", {4, 2, 1, 4, 1}, {1, 1, 1}, 15, 6, 15, {2, 2, 2, 1, 1}},
    {"1f1b", {8, 32, 1, 8, 1}, {2, 2, 1}, 195, 160, 195, {8, 7, 6, 5, 4, 3, 2, 1}},
    {"interleaved", {4, 8, 2, 4, 1}, {1, 1, 1}, 57, 48, 57, {11, 9, 7, 5, 1}},
    {"interleaved", {4, 4, 2, 4, 1}, {1, 1, 1}, 33, 24, 33, {8, 8, 7, 5, 1}},
    {"interleaved", {4, 10, 2, 5, 1}, {1, 1, 1}, 69, 60, 69, {12, 10, 8, 6, 1}},
    {"interleaved", {4, 3, 2, 3, 1}, {1, 1, 1}, 30, 18, 30, {6, 6, 6, 4, 1}},
};

static PsimOrder *
emit(const char *name, PsimShape shape, PsimArena *arena)
{
    return psim_schedule_emit(psim_schedule_find(name), &shape, arena);
}

START_TEST(golden_rows_come_out_exactly)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimOrder *order = emit(rows[_i].name, rows[_i].shape, arena);
    const PsimReplayed *replayed =
        psim_replay_equal(order, rows[_i].times, /* latency= */ 0, arena);

    ck_assert(!replayed->deadlock);
    ck_assert_int_eq(replayed->makespan, rows[_i].makespan);
    ck_assert_int_eq(replayed->span_max, rows[_i].span);
    for (uint32_t rank = 0; rank < rows[_i].shape.n_ranks; rank++)
        ck_assert(replayed->busy[rank] == rows[_i].busy &&
                  psim_order_peak(order, rank) == rows[_i].peaks[rank]);
}
END_TEST

START_TEST(a_short_last_group_deadlocks_with_known_heads)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimOrder *order = emit("interleaved", (PsimShape){4, 5, 3, 4, 1}, arena);
    const PsimReplayed *replayed =
        psim_replay_equal(order, (PsimStageTimes){1, 1, 1}, /* latency= */ 0, arena);

    g_autoptr(GString) heads = g_string_new(NULL);

    for (uint32_t rank = 0; rank < 4; rank++) {
        const PsimOp head = order->ops[rank][replayed->n_done[rank]];

        g_string_append_printf(heads, "%u%c%u ", head.stage, psim_op_letter((PsimOpKind)head.kind),
                               head.microbatch);
    }
    ck_assert(replayed->deadlock && g_str_equal(heads->str, "8F4 9F4 10F4 7B0 "));
}
END_TEST

static const struct {
    uint32_t p, m;
    int64_t forward[4], backward[4];
    int64_t makespan;
} uneven[] = {
    {4, 8, {1, 1, 1, 2}, {2, 2, 2, 4}, 57}, /* the last stage twice as heavy  */
    {4, 8, {2, 1, 1, 1}, {4, 2, 2, 2}, 51}, /* the first                      */
    {3, 2, {1, 5, 1}, {4, 1, 1}, 20},       /* more than sum u + (m - 1) max u = 19 */
};

START_TEST(uneven_stages_of_1f1b_come_out_exactly)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const uint32_t p = uneven[_i].p;
    const uint32_t m = uneven[_i].m;
    const PsimOrder *order = emit("1f1b", (PsimShape){p, m, 1, p, 1}, arena);
    PsimStageTimes stages[4] = {0};

    for (uint32_t s = 0; s < p; s++)
        stages[s] = (PsimStageTimes){uneven[_i].forward[s], uneven[_i].backward[s], 0};

    const PsimReplayed *replayed =
        psim_replay_order(order, &(PsimReplayTimes){.stages = stages}, arena);

    ck_assert_int_eq(replayed->makespan, uneven[_i].makespan);
    for (uint32_t s = 0; s < p; s++)
        ck_assert_int_eq(replayed->busy[s], m * (stages[s].forward + stages[s].backward_input));
}
END_TEST

static const struct {
    const char *name;
    int64_t makespan;
} delayed[] = {{"gpipe", 360}, {"1f1b", 410}};

START_TEST(latency_costs_1f1b_more_than_gpipe)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimOrder *order = emit(delayed[_i].name, (PsimShape){4, 8, 1, 4, 1}, arena);
    const PsimReplayed *replayed =
        psim_replay_equal(order, (PsimStageTimes){10, 10, 10}, /* latency= */ 5, arena);

    ck_assert_int_eq(replayed->makespan, delayed[_i].makespan);
}
END_TEST

/* m = k p; 1F1B pays in every group of p microbatches, GPipe once. */
static void
check_latency(uint32_t p, uint32_t k)
{
    const int64_t c = 2;
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimShape shape = {p, k * p, 1, p, 1};
    const PsimStageTimes times = {3, 2, 1};
    const int64_t ideal = INT64_C(6) * (k * p + p - 1);
    const PsimReplayed *gpipe = psim_replay_equal(emit("gpipe", shape, arena), times, c, arena);
    const PsimReplayed *plain = psim_replay_equal(emit("1f1b", shape, arena), times, c, arena);

    ck_assert_int_eq(gpipe->makespan, ideal + 2 * c * (p - 1));
    ck_assert_int_eq(plain->makespan, ideal + 2 * c * ((p - 1) * k + p - 2));
}

START_TEST(latency_follows_its_closed_forms)
{
    for (uint32_t p = 2; p <= 8; p++) {
        for (uint32_t k = 1; k <= 4; k++)
            check_latency(p, k);
    }
}
END_TEST

/* The bubble a type claims for equal stages against the replay's: bubble = T - m (tF + tB), where
 * a rank's tF + tB is v times a chunk's. Returns whether the type claims anything. */
static bool
check_bubble(const char *name, PsimShape shape, PsimArena *arena)
{
    const PsimStageTimes times = {3, 4, 1};
    const int64_t chunk_work = 8;
    uint64_t numerator = 0;
    uint64_t denominator = 0;

    if (!psim_schedule_find(name)->ideal_bubble(&shape, &numerator, &denominator))
        return false;

    const PsimArenaMark mark = psim_arena_mark(arena);
    const PsimReplayed *replayed =
        psim_replay_equal(emit(name, shape, arena), times, /* latency= */ 0, arena);
    const int64_t rank_work = chunk_work * shape.n_chunks;
    const int64_t bubble = replayed->makespan - rank_work * shape.n_microbatches;

    ck_assert_int_eq(bubble * (int64_t)denominator, rank_work * (int64_t)numerator);
    for (uint32_t rank = 0; rank < shape.n_ranks; rank++)
        ck_assert_int_eq(replayed->busy[rank], rank_work * shape.n_microbatches);
    psim_arena_rewind(arena, mark);
    return true;
}

START_TEST(bubbles_of_one_chunk_follow_their_closed_forms)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const uint32_t p = (uint32_t)_i;

    for (uint32_t m = 1; m <= 64; m++) {
        ck_assert(check_bubble("naive", (PsimShape){p, m, 1, p, 1}, arena));
        ck_assert(check_bubble("gpipe", (PsimShape){p, m, 1, p, 1}, arena));
        ck_assert(check_bubble("1f1b", (PsimShape){p, m, 1, p, 1}, arena));
    }
}
END_TEST

START_TEST(bubbles_of_interleaving_follow_their_closed_forms)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const uint32_t p = (uint32_t)_i;

    for (uint32_t m = 1; m <= 64; m++) {
        for (uint32_t v = 1; v <= 4; v++) {
            const bool claims = check_bubble("interleaved", (PsimShape){p, m, v, p, 1}, arena);

            ck_assert(claims == (m % p == 0));
            if (m < p)
                ck_assert(check_bubble("interleaved", (PsimShape){p, m, v, m, 1}, arena));
            if (m >= p + 1)
                (void)check_bubble("interleaved", (PsimShape){p, m, v, p + 1, 1}, arena);
        }
    }
}
END_TEST

/* Sums and maxima over the stages. */
typedef struct {
    int64_t sum, max_f, max_b, max_u;
    int64_t bound; /* of 1F1B: max over s of (sum of u before s) + m u(s) */
} Totals;

static Totals
draw_stages(uint64_t seed, uint32_t p, uint32_t m, PsimStageTimes *ret_stages)
{
    Totals totals = {0};

    for (uint32_t s = 0; s < p; s++) {
        const int64_t f = 1 + psim_rng_below(seed, 2 * (uint64_t)s, 9);
        const int64_t b = 1 + psim_rng_below(seed, 2 * (uint64_t)s + 1, 9);

        ret_stages[s] = (PsimStageTimes){f, b, 0};
        totals.bound = MAX(totals.bound, totals.sum + m * (f + b));
        totals.sum += f + b;
        totals.max_f = MAX(totals.max_f, f);
        totals.max_b = MAX(totals.max_b, b);
        totals.max_u = MAX(totals.max_u, f + b);
    }
    return totals;
}

/* GPipe is exact; 1F1B has a lower bound, and is exact if the last stage is the slowest. */
static void
check_uneven(uint64_t seed, uint32_t p, uint32_t m, PsimArena *arena)
{
    PsimStageTimes stages[8] = {0};
    const Totals totals = draw_stages(seed, p, m, stages);
    const PsimShape shape = {p, m, 1, p, 1};
    const PsimReplayTimes times = {.stages = stages};
    const PsimReplayed *gpipe = psim_replay_order(emit("gpipe", shape, arena), &times, arena);
    const PsimReplayed *plain = psim_replay_order(emit("1f1b", shape, arena), &times, arena);
    const int64_t last_u = stages[p - 1].forward + stages[p - 1].backward_input;

    ck_assert_int_eq(gpipe->makespan, totals.sum + (m - 1) * (totals.max_f + totals.max_b));
    ck_assert_int_ge(plain->makespan, totals.bound);
    ck_assert(last_u < totals.max_u || plain->makespan == totals.sum + (m - 1) * totals.max_u);
}

START_TEST(random_uneven_stages_keep_their_bounds)
{
    g_autoptr(PsimArena) arena = psim_arena_new();

    for (uint64_t seed = 0; seed < 500; seed++) {
        const PsimArenaMark mark = psim_arena_mark(arena);

        check_uneven(seed, 1 + psim_rng_below(seed, 100, 8), 1 + psim_rng_below(seed, 101, 20),
                     arena);
        psim_arena_rewind(arena, mark);
    }
}
END_TEST

Suite *
replays_suite(void)
{
    Suite *suite = suite_create("replays");
    TCase *tcase = tcase_create("replays");

    tcase_add_loop_test(tcase, golden_rows_come_out_exactly, 0, G_N_ELEMENTS(rows));
    tcase_add_test(tcase, a_short_last_group_deadlocks_with_known_heads);
    tcase_add_loop_test(tcase, uneven_stages_of_1f1b_come_out_exactly, 0, G_N_ELEMENTS(uneven));
    tcase_add_loop_test(tcase, latency_costs_1f1b_more_than_gpipe, 0, G_N_ELEMENTS(delayed));
    tcase_add_test(tcase, latency_follows_its_closed_forms);
    tcase_add_loop_test(tcase, bubbles_of_one_chunk_follow_their_closed_forms, 1, 17);
    tcase_add_loop_test(tcase, bubbles_of_interleaving_follow_their_closed_forms, 1, 17);
    tcase_add_test(tcase, random_uneven_stages_keep_their_bounds);
    suite_add_tcase(suite, tcase);
    return suite;
}
