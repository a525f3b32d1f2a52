/* SPDX-License-Identifier: MIT */
/* Schedule `auto` against every fixed schedule on random stages, and the meter that it compares
 * with against the plain replay.
 */
#include "base/rng.h"
#include "replay.h"
#include "schedule/measure.h"
#include "suites.h"

#include <string.h>

#define N_SEEDS    150
#define MAX_STAGES 24

/* A random question. */
typedef struct {
    PsimShape shape;
    PsimShapeTimes times;
    PsimStageTimes plain[MAX_STAGES];
    PsimTime stage[MAX_STAGES][3];
    PsimTime transfer[MAX_STAGES][2];
    int64_t stored_bytes[MAX_STAGES], input_bytes[MAX_STAGES];
    int64_t cap_bytes[MAX_STAGES];
} Question;

static uint32_t
draw(uint64_t seed, uint64_t id, uint32_t bound)
{
    return psim_rng_below(seed, id, bound);
}

static void
connect_times(Question *self)
{
    self->times.stage = (const PsimTime(*)[3])self->stage;
    self->times.transfer = (const PsimTime(*)[2])self->transfer;
    self->times.stored_bytes = self->stored_bytes;
    self->times.input_bytes = self->input_bytes;
    self->times.cap_bytes = self->cap_bytes;
    self->shape.times = &self->times;
}

/* Equal stages of one byte. */
static void
ask_equal(Question *self, PsimShape shape, PsimStageTimes times, int64_t latency, int64_t cap_bytes)
{
    *self = (Question){.shape = shape};
    for (uint32_t s = 0; s < shape.n_ranks * shape.n_chunks; s++) {
        self->plain[s] = times;
        self->stage[s][0] = times.forward;
        self->stage[s][1] = times.backward_input;
        self->stage[s][2] = times.backward_weight;
        self->transfer[s][0] = self->transfer[s][1] = latency;
        self->stored_bytes[s] = 1;
    }
    for (uint32_t rank = 0; rank < shape.n_ranks; rank++)
        self->cap_bytes[rank] = cap_bytes;
    connect_times(self);
}

/* Up to 6 ranks, 12 microbatches, 3 chunks; a cap on every second seed. */
static void
ask_random(Question *self, uint64_t seed)
{
    const uint32_t p = 1 + draw(seed, 0, 6);
    const uint32_t v = 1 + draw(seed, 1, 3);
    const PsimShape shape = {p, 1 + draw(seed, 2, 12), v, p, 1};

    ask_equal(self, shape, (PsimStageTimes){1, 1, 1}, draw(seed, 3, 4), INT64_MAX);
    for (uint32_t s = 0; s < p * v; s++) {
        self->stage[s][0] = 1 + draw(seed, 10 + 5 * s, 9);
        self->stage[s][1] = 1 + draw(seed, 11 + 5 * s, 9);
        self->stage[s][2] = 1 + draw(seed, 12 + 5 * s, 9);
        self->stored_bytes[s] = 2 + draw(seed, 13 + 5 * s, 3);
        self->input_bytes[s] = draw(seed, 14 + 5 * s, 2);
        self->plain[s] = (PsimStageTimes){self->stage[s][0], self->stage[s][1], self->stage[s][2]};
    }
    for (uint32_t rank = 0; rank < p && seed % 2 == 1; rank++)
        self->cap_bytes[rank] = 4 * v + draw(seed, 4, 4 * p);
}

static PsimOrder *
emit(const char *name, const PsimShape *shape, PsimArena *arena)
{
    return psim_schedule_emit(psim_schedule_find(name), shape, arena);
}

static PsimMeasured
measure(const Question *question, const PsimOrder *order, PsimArena *arena)
{
    return psim_meter_run(psim_meter_new(&question->shape, order->rank_of_stage, arena), order);
}

/* Schedules that `auto` can be held against: one chain, whole microbatches, with a flush. */
static bool
is_comparable(const PsimScheduleType *type, uint32_t n_chunks)
{
    return !type->is_made_to_measure && !type->is_asynchronous && type->n_chains <= 1 &&
           type->default_slices <= 1 && n_chunks >= type->min_chunks &&
           n_chunks <= type->max_chunks;
}

static bool
is_legal(const PsimScheduleType *type, const PsimShape *shape)
{
    g_autoptr(GString) complaints = g_string_new(NULL);

    if (type->check != NULL)
        type->check(shape, /* pytorch_rule= */ false, complaints);
    return complaints->len == 0;
}

/* -- The meter -- */

static bool
has_pairs(const PsimOrder *order)
{
    for (uint32_t rank = 0; rank < order->n_ranks; rank++) {
        for (uint32_t i = 0; i < order->n_ops[rank]; i++) {
            if (order->ops[rank][i].flags != 0)
                return true;
        }
    }
    return false;
}

START_TEST(the_meter_agrees_with_the_plain_replay)
{
    const uint64_t seed = (uint64_t)_i;
    g_autoptr(PsimArena) arena = psim_arena_new();
    Question question;

    ask_random(&question, seed);
    for (const char *const *name = psim_schedule_words(); *name != NULL; name++) {
        if (!is_comparable(psim_schedule_find(*name), question.shape.n_chunks))
            continue;
        const PsimOrder *order = emit(*name, &question.shape, arena);
        const PsimMeasured measured = measure(&question, order, arena);
        const PsimReplayTimes times = {question.plain, question.transfer[0][0]};

        if (order->serial || has_pairs(order))
            continue;
        const PsimReplayed *replayed = psim_replay_order(order, &times, arena);

        ck_assert_msg(measured.deadlock == replayed->deadlock, "seed %d: %s", _i, *name);
        if (measured.deadlock)
            continue;
        ck_assert_msg(measured.makespan == replayed->makespan, "seed %d: %s", _i, *name);
        ck_assert_msg(measured.span_max == replayed->span_max, "seed %d: %s", _i, *name);
    }
}
END_TEST

START_TEST(the_meter_counts_what_is_held)
{
    const PsimShape shape = {4, 8, 1, 4, 1};
    g_autoptr(PsimArena) arena = psim_arena_new();
    Question question;

    ask_equal(&question, shape, (PsimStageTimes){1, 1, 1}, 0, /* cap_bytes= */ 3);
    const PsimMeasured measured = measure(&question, emit("1f1b", &shape, arena), arena);

    ck_assert_int_eq(measured.fullest_bytes, 1); /* four microbatches on rank 0 */
    ck_assert_int_eq(measured.excess_bytes, 1);
}
END_TEST

START_TEST(transfers_that_queue_arrive_later)
{
    const PsimShape shape = {2, 3, 1, 2, 1};
    g_autoptr(PsimArena) arena = psim_arena_new();
    Question question;

    ask_equal(&question, shape, (PsimStageTimes){1, 1, 1}, /* latency= */ 5, INT64_MAX);
    const PsimOrder *order = emit("gpipe", &shape, arena);
    const PsimMeasured side_by_side = measure(&question, order, arena);

    question.times.channels = true;
    const PsimMeasured queued = measure(&question, order, arena);

    ck_assert_int_eq(side_by_side.makespan, 22);
    ck_assert_int_eq(queued.makespan, 36);
}
END_TEST

/* -- auto -- */

/* Each microbatch of each stage has F, then B or I and W, on the stage's rank, once. */
static void
check_complete(const PsimOrder *order, int seed)
{
    const size_t n_cells = (size_t)order->n_stages * order->n_microbatches;
    g_autofree uint8_t *state = g_new0(uint8_t, n_cells);

    for (uint32_t rank = 0; rank < order->n_ranks; rank++) {
        for (uint32_t i = 0; i < order->n_ops[rank]; i++) {
            const PsimOp *op = &order->ops[rank][i];
            uint8_t *cell = &state[(size_t)op->stage * order->n_microbatches + op->microbatch];
            static const uint8_t before[] = {0, 1, 1, 2};
            static const uint8_t after[] = {1, 3, 2, 3};

            ck_assert_msg(order->rank_of_stage[op->stage] == rank, "seed %d", seed);
            ck_assert_msg(*cell == before[op->kind], "seed %d", seed);
            *cell = after[op->kind];
        }
    }
    for (size_t i = 0; i < n_cells; i++)
        ck_assert_msg(state[i] == 3, "seed %d", seed);
}

START_TEST(auto_is_never_worse_than_a_fixed_schedule_that_fits)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    Question question;

    ask_random(&question, (uint64_t)_i);
    const PsimOrder *order = emit("auto", &question.shape, arena);
    const PsimMeasured best = measure(&question, order, arena);

    check_complete(order, _i);
    ck_assert(!best.deadlock);
    for (const char *const *name = psim_schedule_words(); *name != NULL; name++) {
        const PsimScheduleType *type = psim_schedule_find(*name);

        if (!is_comparable(type, question.shape.n_chunks) || !is_legal(type, &question.shape))
            continue;
        const PsimMeasured fixed = measure(&question, emit(*name, &question.shape, arena), arena);

        if (!fixed.deadlock && fixed.excess_bytes == 0)
            ck_assert_msg(best.excess_bytes == 0 && best.makespan <= fixed.makespan,
                          "seed %d: %s takes %" G_GINT64_FORMAT ", auto %" G_GINT64_FORMAT, _i,
                          *name, fixed.makespan, best.makespan);
    }
}
END_TEST

START_TEST(auto_keeps_within_its_caps)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    Question question;

    ask_random(&question, (uint64_t)_i);
    for (uint32_t rank = 0; rank < question.shape.n_ranks; rank++)
        question.cap_bytes[rank] = 4 * question.shape.n_chunks; /* one microbatch at least */
    const PsimMeasured measured = measure(&question, emit("auto", &question.shape, arena), arena);

    ck_assert_msg(measured.excess_bytes == 0, "seed %d", _i);
}
END_TEST

START_TEST(auto_without_room_holds_as_little_as_it_can)
{
    const PsimShape shape = {3, 6, 1, 3, 1};
    g_autoptr(PsimArena) arena = psim_arena_new();
    Question question;

    ask_equal(&question, shape, (PsimStageTimes){1, 1, 1}, 0, /* cap_bytes= */ -10);
    ck_assert_int_eq(measure(&question, emit("auto", &question.shape, arena), arena).excess_bytes,
                     11);
}
END_TEST

START_TEST(auto_gives_the_same_order_again)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    Question question;

    ask_random(&question, (uint64_t)_i);
    const PsimOrder *once = emit("auto", &question.shape, arena);
    const PsimOrder *again = emit("auto", &question.shape, arena);

    for (uint32_t rank = 0; rank < question.shape.n_ranks; rank++) {
        ck_assert_uint_eq(once->n_ops[rank], again->n_ops[rank]);
        ck_assert_mem_eq(once->ops[rank], again->ops[rank],
                         once->n_ops[rank] * sizeof *once->ops[rank]);
    }
}
END_TEST

/* T and the longest own span where optima are known. */
static const struct {
    PsimShape shape;
    PsimStageTimes times;
    int64_t latency, cap_bytes;
    int64_t makespan, span;
} optima[] = {
    /* zb-h2: no idle time inside a rank's span */
    {{4, 8, 1, 4, 1}, {1, 1, 1}, 0, INT64_MAX, 27, 24},
    {{6, 24, 1, 6, 1}, {1, 1, 1}, 0, 11, 77, 72},
    /* zb-h1, with the memory of 1f1b */
    {{4, 8, 1, 4, 1}, {1, 1, 1}, 0, 4, 27, 27},
    /* zb-v in the memory of 1f1b, p microbatches of two chunks */
    {{4, 8, 2, 4, 1}, {1, 1, 1}, 0, 8, 51, 48},
    /* better than zb-v's 156 and span 156 */
    {{4, 8, 2, 4, 1}, {3, 4, 2}, 0, INT64_MAX, 153, 144},
    /* better than zb-h2's span of 81 at its 81 */
    {{4, 8, 1, 4, 1}, {3, 4, 2}, 0, INT64_MAX, 81, 79},
    /* better than zb-h2 and eager-1f1b where wires are slow */
    {{4, 8, 1, 4, 1}, {10, 10, 10}, 5, INT64_MAX, 285, 260},
    {{1, 3, 1, 1, 1}, {2, 3, 4}, 0, 1, 27, 27},
};

START_TEST(auto_reaches_known_optima)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    Question question;

    ask_equal(&question, optima[_i].shape, optima[_i].times, optima[_i].latency,
              optima[_i].cap_bytes);
    const PsimMeasured measured = measure(&question, emit("auto", &question.shape, arena), arena);

    ck_assert_int_eq(measured.excess_bytes, 0);
    ck_assert_int_eq(measured.makespan, optima[_i].makespan);
    ck_assert_int_eq(measured.span_max, optima[_i].span);
}
END_TEST

/* Returns: the shortest step of a fixed schedule that fits. */
static int64_t
best_fixed(const Question *question, PsimArena *arena)
{
    int64_t best = INT64_MAX;

    for (const char *const *name = psim_schedule_words(); *name != NULL; name++) {
        if (!is_comparable(psim_schedule_find(*name), question->shape.n_chunks))
            continue;
        const PsimMeasured fixed = measure(question, emit(*name, &question->shape, arena), arena);

        if (!fixed.deadlock && fixed.excess_bytes == 0)
            best = MIN(best, fixed.makespan);
    }
    return best;
}

START_TEST(auto_beats_every_fixed_schedule_on_uneven_stages)
{
    static const PsimTime uneven[4][3] = {{5, 5, 5}, {4, 6, 3}, {7, 5, 4}, {6, 6, 9}};
    const PsimShape shape = {4, 16, 1, 4, 1};
    g_autoptr(PsimArena) arena = psim_arena_new();
    Question question;

    ask_equal(&question, shape, (PsimStageTimes){1, 1, 1}, /* latency= */ 2, /* cap_bytes= */ 4);
    memcpy(question.stage, uneven, sizeof uneven);
    ck_assert_int_eq(best_fixed(&question, arena), 364);
    ck_assert_int_eq(measure(&question, emit("auto", &question.shape, arena), arena).makespan, 358);
}
END_TEST

START_TEST(auto_stays_where_the_times_are_for)
{
    const PsimShape shape = {3, 6, 2, 3, 1};
    static const uint32_t placements[2][6] = {{0, 1, 2, 0, 1, 2}, {0, 1, 2, 2, 1, 0}};
    g_autoptr(PsimArena) arena = psim_arena_new();
    Question question;

    ask_equal(&question, shape, (PsimStageTimes){3, 4, 2}, /* latency= */ 1, INT64_MAX);
    question.times.rank_of_stage = placements[_i];
    ck_assert_mem_eq(emit("auto", &question.shape, arena)->rank_of_stage, placements[_i],
                     sizeof placements[_i]);
}
END_TEST

START_TEST(auto_takes_unit_times_where_none_are_given)
{
    const PsimShape shape = {4, 8, 1, 4, 1};
    g_autoptr(PsimArena) arena = psim_arena_new();
    Question question;

    ask_equal(&question, shape, (PsimStageTimes){1, 1, 1}, 0, INT64_MAX);
    ck_assert_int_eq(measure(&question, emit("auto", &shape, arena), arena).makespan, 27);
}
END_TEST

START_TEST(auto_refuses_token_slices)
{
    const PsimShape shape = {4, 8, 1, 4, 2};
    g_autoptr(GString) complaints = g_string_new(NULL);

    psim_schedule_find("auto")->check(&shape, /* pytorch_rule= */ false, complaints);
    ck_assert_str_eq(complaints->str, "auto has 2 token slices a microbatch; must be 1");
}
END_TEST

Suite *
auto_suite(void)
{
    Suite *suite = suite_create("auto");
    TCase *tcase = tcase_create("auto");

    tcase_add_loop_test(tcase, the_meter_agrees_with_the_plain_replay, 0, N_SEEDS);
    tcase_add_test(tcase, the_meter_counts_what_is_held);
    tcase_add_test(tcase, transfers_that_queue_arrive_later);
    tcase_add_loop_test(tcase, auto_is_never_worse_than_a_fixed_schedule_that_fits, 0, N_SEEDS);
    tcase_add_loop_test(tcase, auto_keeps_within_its_caps, 0, N_SEEDS / 5);
    tcase_add_test(tcase, auto_without_room_holds_as_little_as_it_can);
    tcase_add_loop_test(tcase, auto_gives_the_same_order_again, 0, N_SEEDS / 10);
    tcase_add_loop_test(tcase, auto_reaches_known_optima, 0, G_N_ELEMENTS(optima));
    tcase_add_test(tcase, auto_beats_every_fixed_schedule_on_uneven_stages);
    tcase_add_loop_test(tcase, auto_stays_where_the_times_are_for, 0, 2);
    tcase_add_test(tcase, auto_takes_unit_times_where_none_are_given);
    tcase_add_test(tcase, auto_refuses_token_slices);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
