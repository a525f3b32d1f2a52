/* SPDX-License-Identifier: MIT */
/* What every order must be, whatever the shape. */
#include "base/rng.h"
#include "schedule/schedule.h"
#include "suites.h"

static PsimOrder *
emit(const char *name, const PsimShape *shape, PsimArena *arena)
{
    return psim_schedule_emit(psim_schedule_find(name), shape, arena);
}

static bool
is_in_place(const PsimOrder *order, uint32_t rank, PsimOp op)
{
    return op.stage < order->n_stages && op.microbatch < order->n_microbatches &&
           order->rank_of_stage[op.stage] == rank && op.flags == 0;
}

enum { NOTHING, FORWARD, HALF, DONE };

/* What is done after an op; NOTHING if it may not come now. */
static uint8_t
advance(uint8_t done, PsimOpKind kind)
{
    switch (kind) {
    case PSIM_OP_FORWARD:
        return done == NOTHING ? FORWARD : NOTHING;
    case PSIM_OP_BACKWARD:
        return done == FORWARD ? DONE : NOTHING;
    case PSIM_OP_BACKWARD_INPUT:
        return done == FORWARD ? HALF : NOTHING;
    case PSIM_OP_BACKWARD_WEIGHT:
        return done == HALF ? DONE : NOTHING;
    }
    return NOTHING;
}

/* Ticks off a rank's ops: every forward of its stages, then the backward, whole or in halves. */
static bool
tick_off(const PsimOrder *order, uint32_t rank, uint8_t *done)
{
    for (uint32_t i = 0; i < order->n_ops[rank]; i++) {
        const PsimOp op = order->ops[rank][i];
        const size_t cell = (size_t)op.stage * order->n_microbatches + op.microbatch;

        if (!is_in_place(order, rank, op))
            return false;
        done[cell] = advance(done[cell], (PsimOpKind)op.kind);
        if (done[cell] == NOTHING)
            return false;
    }
    return true;
}

/* Every op once, on its stage's rank, and no backward before its forward. */
static bool
is_complete(const PsimOrder *order)
{
    const size_t n_cells = (size_t)order->n_stages * order->n_microbatches;
    g_autofree uint8_t *done = g_new0(uint8_t, n_cells);
    bool good = true;

    for (uint32_t rank = 0; rank < order->n_ranks; rank++)
        good = good && tick_off(order, rank, done);
    for (size_t i = 0; i < n_cells; i++)
        good = good && done[i] == DONE;
    return good;
}

START_TEST(orders_of_random_shapes_are_complete)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const uint64_t seed = 20260;

    for (uint64_t n = 0; n < 400; n++) {
        const PsimArenaMark mark = psim_arena_mark(arena);
        const PsimShape shape = {
            .n_ranks = 1 + psim_rng_below(seed, 4 * n, 9),
            .n_microbatches = 1 + psim_rng_below(seed, 4 * n + 1, 25),
            .n_chunks = 1 + psim_rng_below(seed, 4 * n + 2, 4),
            .group = 1 + psim_rng_below(seed, 4 * n + 3, 30),
        };
        PsimShape plain = shape;
        PsimShape folded = shape;

        plain.n_chunks = 1;
        folded.n_chunks = 2;
        ck_assert(is_complete(emit("naive", &plain, arena)));
        ck_assert(is_complete(emit("gpipe", &plain, arena)));
        ck_assert(is_complete(emit("1f1b", &plain, arena)));
        ck_assert(is_complete(emit("eager-1f1b", &plain, arena)));
        ck_assert(is_complete(emit("zb-h1", &plain, arena)));
        ck_assert(is_complete(emit("zb-h2", &plain, arena)));
        ck_assert(is_complete(emit("interleaved", &shape, arena)));
        ck_assert(is_complete(emit("looped-bfs", &shape, arena)));
        ck_assert(is_complete(emit("interleaved-zb", &shape, arena)));
        ck_assert(is_complete(emit("zb-v", &folded, arena)));
        ck_assert(is_complete(emit("v-half", &folded, arena)));
        ck_assert(is_complete(emit("v-min", &folded, arena)));
        psim_arena_rewind(arena, mark);
    }
}
END_TEST

START_TEST(only_naive_is_serial_and_stages_go_round_the_ranks)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimShape plain = {.n_ranks = 3, .n_microbatches = 3, .n_chunks = 1, .group = 3};
    const PsimShape looped = {.n_ranks = 3, .n_microbatches = 3, .n_chunks = 2, .group = 3};

    ck_assert(emit("naive", &plain, arena)->serial);
    ck_assert(!emit("gpipe", &plain, arena)->serial);
    ck_assert(!emit("1f1b", &plain, arena)->serial);

    const PsimOrder *order = emit("interleaved", &looped, arena);

    ck_assert(!order->serial);
    ck_assert_uint_eq(order->n_stages, 6);
    for (uint32_t stage = 0; stage < 6; stage++)
        ck_assert_uint_eq(order->rank_of_stage[stage], stage % 3);
}
END_TEST

static void
check_peaks(uint32_t p, uint32_t m, uint32_t v, PsimArena *arena)
{
    const PsimArenaMark mark = psim_arena_mark(arena);
    const PsimShape plain = {.n_ranks = p, .n_microbatches = m, .n_chunks = 1, .group = p};
    const PsimShape looped = {.n_ranks = p, .n_microbatches = m, .n_chunks = v, .group = p};
    const PsimOrder *naive = emit("naive", &plain, arena);
    const PsimOrder *gpipe = emit("gpipe", &plain, arena);
    const PsimOrder *one_f_one_b = emit("1f1b", &plain, arena);
    const PsimOrder *interleaved = emit("interleaved", &looped, arena);

    bool good = true;

    for (uint32_t r = 0; r < p; r++) {
        good = good && psim_order_peak(naive, r) == 1 && psim_order_peak(gpipe, r) == m &&
               psim_order_peak(one_f_one_b, r) == MIN(m, p - r) &&
               psim_order_peak(interleaved, r) == MIN(m * v, 2 * (p - 1 - r) + (v - 1) * p + 1);
    }
    ck_assert_msg(good, "a peak differs for p=%u m=%u v=%u", p, m, v);
    psim_arena_rewind(arena, mark);
}

START_TEST(peaks_follow_their_closed_forms)
{
    g_autoptr(PsimArena) arena = psim_arena_new();

    for (uint32_t p = 1; p <= 16; p++) {
        for (uint32_t m = 1; m <= 64; m += m < 20 ? 1 : 11) {
            for (uint32_t v = 1; v <= 4; v++)
                check_peaks(p, m, v, arena);
        }
    }
}
END_TEST

START_TEST(a_split_backward_releases_at_its_weight_half)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimShape shape = {.n_ranks = 1, .n_microbatches = 2, .n_chunks = 1, .group = 1};
    PsimOrder order = {0};

    psim_order_begin(&order, &shape, arena, 6);
    psim_order_add(&order, 0, PSIM_OP_FORWARD, 0, 0);
    psim_order_add(&order, 0, PSIM_OP_BACKWARD_INPUT, 0, 0);
    psim_order_add(&order, 0, PSIM_OP_FORWARD, 0, 1);
    psim_order_add(&order, 0, PSIM_OP_BACKWARD_INPUT, 0, 1);
    psim_order_add(&order, 0, PSIM_OP_BACKWARD_WEIGHT, 0, 0);
    psim_order_add(&order, 0, PSIM_OP_BACKWARD_WEIGHT, 0, 1);
    ck_assert_uint_eq(psim_order_peak(&order, 0), 2);

    /* With W in its place only one is ever held. */
    order.n_ops[0] = 2;
    psim_order_add(&order, 0, PSIM_OP_BACKWARD_WEIGHT, 0, 0);
    psim_order_add(&order, 0, PSIM_OP_FORWARD, 0, 1);
    ck_assert_uint_eq(psim_order_peak(&order, 0), 1);
}
END_TEST

Suite *
orders_suite(void)
{
    Suite *suite = suite_create("orders");
    TCase *tcase = tcase_create("orders");

    tcase_add_test(tcase, orders_of_random_shapes_are_complete);
    tcase_add_test(tcase, only_naive_is_serial_and_stages_go_round_the_ranks);
    tcase_add_test(tcase, peaks_follow_their_closed_forms);
    tcase_add_test(tcase, a_split_backward_releases_at_its_weight_half);
    suite_add_tcase(suite, tcase);
    return suite;
}
