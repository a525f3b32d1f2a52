/* SPDX-License-Identifier: MIT */
/* Schedules of two directions, waves, token slices and without a flush: what they refuse, and what
 * their lists are.
 */
#include "base/rng.h"
#include "schedule/schedule.h"
#include "suites.h"

/* -- What they refuse -- */

static const struct {
    const char *name;
    PsimShape shape;
    const char *complaint;
} rules[] = {
    {"dualpipe", {8, 20, 1, 8, 1}, ""},
    {"dualpipe", {8, 16, 1, 8, 1}, ""},
    {"dualpipe", {1, 8, 1, 1, 1}, "dualpipe has 1 pipeline rank; must be even, the nearest is 2"},
    {"dualpipe",
     {7, 20, 1, 7, 1},
     "dualpipe has 7 pipeline ranks; must be even, the nearest are 6 and 8"},
    {"dualpipe",
     {8, 15, 1, 8, 1},
     "dualpipe has 15 microbatches for 8 pipeline ranks; must be even and 16 or more, the nearest "
     "is 16"},
    {"dualpipe",
     {8, 21, 1, 8, 1},
     "dualpipe has 21 microbatches, which do not divide into two directions; must be even, the "
     "nearest are 20 and 22"},
    {"dualpipe-v", {4, 9, 2, 4, 1}, ""},
    {"dualpipe-v",
     {4, 7, 2, 4, 1},
     "dualpipe-v has 7 microbatches for 4 pipeline ranks; must be 8 or more"},
    {"chimera", {4, 8, 1, 4, 1}, ""},
    {"chimera", {1, 8, 1, 1, 1}, "chimera has 1 pipeline rank; must be even, the nearest is 2"},
    {"chimera",
     {5, 10, 1, 5, 1},
     "chimera has 5 pipeline ranks; must be even, the nearest are 4 and 6"},
    {"chimera",
     {4, 3, 1, 4, 1},
     "chimera has 3 microbatches for 4 pipeline ranks; must be a multiple of 4, the nearest is 4"},
    {"chimera",
     {4, 10, 1, 4, 1},
     "chimera has 10 microbatches for 4 pipeline ranks; must be a multiple of 4, the nearest are "
     "8 and 12"},
    {"hanayo", {4, 5, 4, 4, 1}, ""},
    {"hanayo",
     {4, 8, 1, 4, 1},
     "hanayo has 1 chunk a rank; must be even, two for each wave, the nearest is 2"},
    {"hanayo",
     {4, 8, 3, 4, 1},
     "hanayo has 3 chunks a rank; must be even, two for each wave, the nearest are 2 and 4"},
    {"pipedream-2bw", {4, 3, 1, 4, 1}, ""},
    {"pipedream-2bw",
     {4, 2, 1, 4, 1},
     "pipedream-2bw has 2 microbatches an update for 4 pipeline ranks; must be 3 or more, since a "
     "forward needs weights not made yet"},
};

START_TEST(rules_name_the_nearest_shapes_that_work)
{
    for (int pytorch_rule = 0; pytorch_rule < 2; pytorch_rule++) {
        g_autoptr(GString) complaints = g_string_new(NULL);

        psim_schedule_find(rules[_i].name)->check(&rules[_i].shape, pytorch_rule == 1, complaints);
        ck_assert_str_eq(complaints->str, rules[_i].complaint);
    }
}
END_TEST

START_TEST(the_others_take_any_shape)
{
    ck_assert(psim_schedule_find("gems")->check == NULL);
    ck_assert(psim_schedule_find("terapipe")->check == NULL);
    ck_assert(psim_schedule_find("seq1f1b")->check == NULL);
    ck_assert(psim_schedule_find("pipedream")->check == NULL);
    ck_assert(psim_schedule_find("bpipe")->check == NULL);
}
END_TEST

/* -- What they are -- */

static const char *const names[] = {
    "dualpipe", "dualpipe-v", "chimera",   "gems",          "hanayo",
    "terapipe", "seq1f1b",    "pipedream", "pipedream-2bw", "bpipe",
};

static PsimShape
random_shape(const PsimScheduleType *type, uint64_t n)
{
    const uint64_t seed = 2206;

    return (PsimShape){
        .n_ranks = 1 + psim_rng_below(seed, 4 * n, 9),
        .n_microbatches = 1 + psim_rng_below(seed, 4 * n + 1, 25),
        .n_chunks = MIN(type->min_chunks + psim_rng_below(seed, 4 * n + 2, 4), type->max_chunks),
        .group = 1,
        .n_slices = type->default_slices > 0 ? psim_rng_below(seed, 4 * n + 3, 4) : 0,
    };
}

/* Adds an op to the tally of its (stage, microbatch): F 1, I 2, W 4, B 6, in that order only. */
static bool
tick_off(const PsimOrder *order, uint32_t rank, PsimOp op, uint8_t *tally)
{
    static const uint8_t needs[PSIM_N_OP_KINDS] = {0, 1, 1, 3};
    static const uint8_t gives[PSIM_N_OP_KINDS] = {1, 6, 2, 4};

    if (op.stage >= order->n_stages || op.microbatch >= order->n_microbatches ||
        order->rank_of_stage[op.stage] != rank)
        return false;
    uint8_t *cell = &tally[(size_t)op.stage * order->n_microbatches + op.microbatch];

    if (*cell != needs[op.kind])
        return false;
    *cell = (uint8_t)(*cell + gives[op.kind]);
    return true;
}

/* A pair is an F and a B after it. */
static bool
is_pair_or_single(const PsimOrder *order, uint32_t rank, uint32_t i)
{
    const PsimOp *op = &order->ops[rank][i];

    return op->flags == 0 ||
           (op->flags == PSIM_OP_WITH_NEXT && op->kind == PSIM_OP_FORWARD &&
            i + 1 < order->n_ops[rank] && op[1].kind == PSIM_OP_BACKWARD && op[1].flags == 0);
}

/* Returns: microbatches of the whole model that are complete, or UINT32_MAX for a bad list. */
static uint32_t
count_complete(const PsimOrder *order)
{
    const size_t n_cells = (size_t)order->n_stages * order->n_microbatches;
    g_autofree uint8_t *tally = g_new0(uint8_t, n_cells);
    uint32_t n_complete = 0;

    for (uint32_t rank = 0; rank < order->n_ranks; rank++) {
        for (uint32_t i = 0; i < order->n_ops[rank]; i++) {
            if (!tick_off(order, rank, order->ops[rank][i], tally) ||
                !is_pair_or_single(order, rank, i))
                return UINT32_MAX;
        }
    }
    for (size_t i = 0; i < n_cells; i++)
        n_complete += tally[i] == 7;
    return n_complete / psim_order_chain_stages(order);
}

START_TEST(lists_of_any_shape_are_complete_even_where_the_rules_forbid_it)
{
    const PsimScheduleType *type = psim_schedule_find(names[_i]);
    g_autoptr(PsimArena) arena = psim_arena_new();

    for (uint64_t n = 0; n < 400; n++) {
        const PsimArenaMark mark = psim_arena_mark(arena);
        const PsimShape shape = random_shape(type, n);
        const PsimOrder *order = psim_schedule_emit(type, &shape, arena);

        ck_assert_uint_eq(order->n_chains, MAX(type->n_chains, 1));
        ck_assert_uint_eq(order->n_slices, MAX(shape.n_slices, 1));
        ck_assert_uint_eq(count_complete(order), shape.n_microbatches * MAX(shape.n_slices, 1));
        psim_arena_rewind(arena, mark);
    }
}
END_TEST

/* The text PyTorch writes such an order as. */
static GString *
write_csv(const PsimOrder *order)
{
    GString *text = g_string_new(NULL);

    for (uint32_t rank = 0; rank < order->n_ranks; rank++) {
        for (uint32_t i = 0; i < order->n_ops[rank]; i++) {
            const PsimOp op = order->ops[rank][i];
            const bool ends_pair = i > 0 && order->ops[rank][i - 1].flags != 0;

            g_string_append(text, ends_pair ? ";" : i > 0 ? "," : "");
            g_string_append(text, op.flags != 0 ? "(" : "");
            g_string_append_printf(text, "%u%c%u", op.stage, psim_op_letter((PsimOpKind)op.kind),
                                   op.microbatch);
            g_string_append(text, ends_pair ? ")OVERLAP_F_B" : "");
        }
        g_string_append_c(text, '\n');
    }
    return text;
}

/* The hash is that of PyTorch's file of this order, dualpipev_4rank_10mb.csv. */
START_TEST(dualpipe_v_is_pytorchs_order_byte_for_byte)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimShape shape = {4, 10, 2, 4, 1};
    g_autoptr(GString) text =
        write_csv(psim_schedule_emit(psim_schedule_find("dualpipe-v"), &shape, arena));
    g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text->str, -1);

    ck_assert_str_eq(hash, "16ce4a29936e4c5ad774098add32489b4937942e3f5ab0108f17d2826b184529");
}
END_TEST

START_TEST(one_slice_makes_gpipes_forwards_and_1f1b)
{
    g_autoptr(PsimArena) arena = psim_arena_new();

    for (uint32_t p = 1; p <= 9; p++) {
        for (uint32_t m = 1; m <= 20; m++) {
            const PsimShape shape = {p, m, 1, p, 1};
            const PsimOrder *sliced =
                psim_schedule_emit(psim_schedule_find("seq1f1b"), &shape, arena);
            const PsimOrder *plain = psim_schedule_emit(psim_schedule_find("1f1b"), &shape, arena);

            for (uint32_t rank = 0; rank < p; rank++)
                ck_assert_mem_eq(sliced->ops[rank], plain->ops[rank], 2 * m * sizeof(PsimOp));
        }
    }
}
END_TEST

/* -- Versions of the weights -- */

/* Walks a rank whose weights are updated after every @per_update backwards, and counts the versions
 * alive at once: from that of the oldest microbatch under way to the newest. @delay: a forward
 * takes the version of that many batches before its own; 0: the newest. Returns 0 if one is not
 * made yet.
 */
static uint32_t
count_versions(const PsimOrder *order, uint32_t rank, uint32_t per_update, uint32_t delay)
{
    g_autofree uint32_t *version = g_new0(uint32_t, order->n_microbatches);
    uint32_t n_forwards = 0;
    uint32_t n_backwards = 0;
    uint32_t most = 1;

    for (uint32_t i = 0; i < order->n_ops[rank]; i++) {
        const PsimOp op = order->ops[rank][i];
        const uint32_t batch = op.microbatch / per_update;

        if (op.kind == PSIM_OP_FORWARD) {
            n_forwards++;
            version[op.microbatch] =
                delay == 0 ? n_backwards / per_update : batch - MIN(batch, delay);
        } else {
            n_backwards++;
        }

        const uint32_t newest = n_backwards / per_update;

        if (version[op.microbatch] > newest)
            return 0;
        if (n_forwards > n_backwards)
            most = MAX(most, newest - version[n_backwards] + 1);
    }
    return most;
}

/* Whether the forward of i comes after max(0, i - @lag) updates, one a backward. */
static bool
is_stale_by(const PsimOrder *order, uint32_t rank, uint32_t lag)
{
    uint32_t n_updates = 0;
    bool good = true;

    for (uint32_t i = 0; i < order->n_ops[rank]; i++) {
        const PsimOp op = order->ops[rank][i];

        if (op.kind == PSIM_OP_FORWARD)
            good = good && n_updates == op.microbatch - MIN(op.microbatch, lag);
        else
            n_updates++;
    }
    return good;
}

START_TEST(pipedream_keeps_a_version_for_each_rank_from_here_on)
{
    const PsimScheduleType *type = psim_schedule_find("pipedream");
    const uint32_t p = (uint32_t)_i;
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimShape shape = {p, 64, 1, p, 1};
    const PsimOrder *order = psim_schedule_emit(type, &shape, arena);

    ck_assert(type->is_asynchronous);
    for (uint32_t rank = 0; rank < p; rank++) {
        ck_assert(is_stale_by(order, rank, p - 1 - rank));
        ck_assert_uint_eq(count_versions(order, rank, 1, 0), p - rank);
        ck_assert_uint_eq(type->weight_versions(&shape, rank), p - rank);
    }
}
END_TEST

/* Published: m >= p. One less is enough, two less are not. */
START_TEST(two_versions_are_enough_from_p_minus_1_microbatches_on)
{
    const PsimScheduleType *type = psim_schedule_find("pipedream-2bw");
    const uint32_t p = (uint32_t)_i;
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimShape run = {p, 256, 1, p, 1};
    const PsimOrder *order = psim_schedule_emit(type, &run, arena);

    ck_assert(type->is_asynchronous);
    for (uint32_t m = 1; m <= 64; m++) {
        const PsimShape update = {p, m, 1, p, 1};
        g_autoptr(GString) complaints = g_string_new(NULL);
        bool is_made = true;

        for (uint32_t rank = 0; rank < p; rank++) {
            const uint32_t n_versions = count_versions(order, rank, m, 1);

            is_made = is_made && n_versions > 0;
            ck_assert_uint_le(n_versions, 2);
            ck_assert_uint_eq(type->weight_versions(&update, rank), 2);
        }
        type->check(&update, /* pytorch_rule= */ false, complaints);
        ck_assert(is_made == (m + 1 >= p));
        ck_assert(is_made == (complaints->len == 0));
    }
}
END_TEST

/* -- BPipe -- */

START_TEST(partners_of_bpipe_hold_half_of_p_plus_1_each)
{
    const PsimScheduleType *type = psim_schedule_find("bpipe");
    const uint32_t p = (uint32_t)_i;
    g_autoptr(PsimArena) arena = psim_arena_new();

    for (uint32_t m = 1; m <= 64; m++) {
        const PsimShape shape = {p, m, 1, p, 1};
        const PsimOrder *order = psim_schedule_emit(type, &shape, arena);

        for (uint32_t rank = 0; rank < p; rank++) {
            const uint32_t both =
                psim_order_peak(order, rank) + psim_order_peak(order, p - 1 - rank);

            ck_assert(m < p || both == p + 1);
            ck_assert_uint_eq(type->balanced_peak(&shape, rank), (both + 1) / 2);
        }
    }
}
END_TEST

Suite *
rules_suite(void)
{
    Suite *suite = suite_create("rules");
    TCase *tcase = tcase_create("rules");

    tcase_add_loop_test(tcase, rules_name_the_nearest_shapes_that_work, 0, G_N_ELEMENTS(rules));
    tcase_add_test(tcase, the_others_take_any_shape);
    tcase_add_loop_test(tcase, lists_of_any_shape_are_complete_even_where_the_rules_forbid_it, 0,
                        G_N_ELEMENTS(names));
    tcase_add_test(tcase, dualpipe_v_is_pytorchs_order_byte_for_byte);
    tcase_add_test(tcase, one_slice_makes_gpipes_forwards_and_1f1b);
    tcase_add_loop_test(tcase, pipedream_keeps_a_version_for_each_rank_from_here_on, 1, 17);
    tcase_add_loop_test(tcase, two_versions_are_enough_from_p_minus_1_microbatches_on, 1, 17);
    tcase_add_loop_test(tcase, partners_of_bpipe_hold_half_of_p_plus_1_each, 1, 17);
    suite_add_tcase(suite, tcase);
    return suite;
}
