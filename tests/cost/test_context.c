/* SPDX-License-Identifier: MIT */
/* Attention of one rank of a context-parallel group: FLOPs, bytes and times by hand. */
#include "cost/context.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "cost/memory.h"
#include "cost/stage.h"
#include "fixture.h"

static const PsimContextCommunication kinds[] = {PSIM_CONTEXT_P2P, PSIM_CONTEXT_GATHER,
                                                 PSIM_CONTEXT_GATHER_RING, PSIM_CONTEXT_A2A};
#define N_KINDS 4

/* Llama 3 8B over @cp ranks of one node. */
static void
init(Fixture *f, uint32_t tp, uint32_t cp, PsimContextCommunication kind)
{
    fixture_init(f, fixture_llama(), tp, /* micro_batch= */ 2);
    f->plan.flash_attention = true;
    f->plan.cp = cp;
    f->plan.context_communication = kind;
    f->plan.n_gpus = tp * cp;
}

static double
sum_flop(const PsimBlockCost *cost)
{
    double sum = 0.0;

    for (size_t pass = 0; pass < PSIM_N_PASSES; pass++)
        sum += cost->flop[pass];
    return sum;
}

static double
sum_exposed(const PsimBlockCost *cost)
{
    double sum = 0.0;

    for (size_t pass = 0; pass < PSIM_N_PASSES; pass++)
        sum += cost->cp_s[pass];
    return sum;
}

/* The first kernel of that name in that pass. */
static PsimKernel
find(const PsimPlan *plan, PsimPass pass, const char *name)
{
    g_autoptr(GArray) kernels = g_array_new(FALSE, FALSE, sizeof(PsimKernel));

    psim_layer_kernels(plan, PSIM_BLOCK_LAYER, /* layer= */ 0, kernels);
    for (guint i = 0; i < kernels->len; i++) {
        const PsimKernel *kernel = &g_array_index(kernels, PsimKernel, i);

        if (kernel->pass == pass && strcmp(kernel->name, name) == 0)
            return *kernel;
    }
    ck_abort_msg("no %s", name);
}

/* -- Work -------------------------------------------------------------------------------------- */

START_TEST(ranks_share_the_flop_of_a_layer_equally)
{
    Fixture alone;
    Fixture shared;
    const uint32_t cp = 1u << (1 + _i / N_KINDS);

    init(&alone, /* tp= */ 1, /* cp= */ 1, kinds[_i % N_KINDS]);
    init(&shared, /* tp= */ 1, cp, kinds[_i % N_KINDS]);
    const PsimBlockCost one = psim_layer_cost(&alone.plan, PSIM_BLOCK_LAYER, 0);
    const PsimBlockCost part = psim_layer_cost(&shared.plan, PSIM_BLOCK_LAYER, 0);
    const PsimBlockCost head = psim_layer_cost(&alone.plan, PSIM_BLOCK_HEAD, 0);
    const PsimBlockCost head_part = psim_layer_cost(&shared.plan, PSIM_BLOCK_HEAD, 0);

    ck_assert_double_eq(cp * sum_flop(&part), sum_flop(&one));
    ck_assert_double_eq(cp * sum_flop(&head_part), sum_flop(&head));
}
END_TEST

START_TEST(ranks_share_the_flop_of_attention_without_a_mask)
{
    Fixture alone;
    Fixture shared;

    init(&alone, /* tp= */ 2, /* cp= */ 1, kinds[_i]);
    init(&shared, /* tp= */ 2, /* cp= */ 4, kinds[_i]);
    alone.model.causal = shared.model.causal = false;
    const PsimBlockCost one = psim_layer_cost(&alone.plan, PSIM_BLOCK_LAYER, 0);
    const PsimBlockCost part = psim_layer_cost(&shared.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_double_eq(4.0 * sum_flop(&part), sum_flop(&one));
}
END_TEST

START_TEST(one_rank_exchanges_nothing)
{
    Fixture f;

    init(&f, /* tp= */ 1, /* cp= */ 1, kinds[_i]);
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_uint_eq(cost.cp_count, 0);
    ck_assert_double_eq(sum_exposed(&cost), 0.0);
    ck_assert_double_eq(psim_context_buffer_bytes(&f.plan), 0.0);
}
END_TEST

/* The steps of a ring are shorter than the whole, so they reach less. */
START_TEST(attention_in_steps_takes_longer)
{
    Fixture alone;
    Fixture ring;

    init(&alone, /* tp= */ 1, /* cp= */ 1, PSIM_CONTEXT_P2P);
    init(&ring, /* tp= */ 1, /* cp= */ 4, PSIM_CONTEXT_P2P);
    const PsimKernel whole = find(&alone.plan, PSIM_PASS_FORWARD, "attention");
    const PsimKernel own = find(&ring.plan, PSIM_PASS_FORWARD, "attention");
    const PsimKernel step = find(&ring.plan, PSIM_PASS_FORWARD, "attention-step");

    ck_assert_uint_eq(step.count, 3);
    ck_assert_double_eq(own.flop, whole.flop / 16.0);
    ck_assert_double_eq(step.flop, own.flop);
    ck_assert_double_gt(own.time_s + 3.0 * step.time_s, whole.time_s / 4.0);
}
END_TEST

/* -- A ring by hand ---------------------------------------------------------------------------- */

/* n = 2 x 8192 / 4 = 4096 tokens, k = 8 / 2 heads of 128: 2 x 2 x 4096 x 512 B = 2^23 of keys and
 * values, and as much of their gradients. A link of 1 GB/s takes a nanosecond a byte. */
#define KV_BYTES 8388608.0

static void
init_slow(Fixture *f, PsimContextCommunication kind)
{
    init(f, /* tp= */ 2, /* cp= */ 4, kind);
    f->hardware = fixture_ideal();
}

START_TEST(a_ring_of_four_sends_keys_and_values_three_times)
{
    Fixture f;

    init_slow(&f, PSIM_CONTEXT_P2P);
    const PsimKernel forward = find(&f.plan, PSIM_PASS_FORWARD, "cp-send");
    const PsimKernel backward = find(&f.plan, PSIM_PASS_BACKWARD_INPUT, "cp-send");
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_double_eq(forward.bytes, KV_BYTES);
    ck_assert_double_eq(backward.bytes, 2.0 * KV_BYTES);
    ck_assert_double_eq_tol(forward.time_s, KV_BYTES / 1e9, 1e-15);
    ck_assert_double_eq(cost.cp_bytes[PSIM_PASS_FORWARD], 3.0 * KV_BYTES);
    ck_assert_double_eq(cost.cp_bytes[PSIM_PASS_BACKWARD_INPUT], 6.0 * KV_BYTES);
    ck_assert_uint_eq(cost.cp_count, 6);
}
END_TEST

START_TEST(attention_of_a_step_hides_a_transfer)
{
    Fixture f;

    init_slow(&f, PSIM_CONTEXT_P2P);
    const double own_s = find(&f.plan, PSIM_PASS_FORWARD, "attention").time_s;
    const double step_s = find(&f.plan, PSIM_PASS_FORWARD, "attention-step").time_s;
    const double send_s = KV_BYTES / 1e9;
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_double_gt(send_s, own_s);
    ck_assert_double_gt(send_s, step_s);
    /* Of the order in which three numbers are added. */
    ck_assert_double_eq_tol(cost.cp_s[PSIM_PASS_FORWARD],
                            (send_s - own_s) + 2.0 * (send_s - step_s), 1e-15);
    f.hardware.scale_up_bytes_per_s = f.hardware.pair_bytes_per_s = 1e12;
    const PsimBlockCost hidden = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_double_eq(sum_exposed(&hidden), 0.0);
    ck_assert_double_gt(hidden.cp_whole_s, 0.0);
}
END_TEST

/* Attention that waits for its host is so much longer on its way. */
START_TEST(transfers_go_on_while_attention_waits_for_its_host)
{
    Fixture f;

    init_slow(&f, PSIM_CONTEXT_P2P);
    const PsimBlockCost free = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    f.plan.runtime.host_layer_s = 0.03;
    const PsimBlockCost waits = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    f.plan.runtime.host_layer_s = 1.0;
    const PsimBlockCost slow = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_double_lt(sum_exposed(&waits), sum_exposed(&free));
    ck_assert_double_eq(sum_exposed(&slow), 0.0);
}
END_TEST

/* A step is dispatched like any kernel, on top of those of a rank alone. */
START_TEST(what_the_ring_adds_is_dispatched_on_top)
{
    Fixture alone;
    Fixture ring;

    init(&alone, /* tp= */ 1, /* cp= */ 1, PSIM_CONTEXT_P2P);
    init(&ring, /* tp= */ 1, /* cp= */ 2, PSIM_CONTEXT_P2P);
    alone.plan.runtime.host_layer_s = ring.plan.runtime.host_layer_s = 10.0;
    const PsimBlockCost one = psim_layer_cost(&alone.plan, PSIM_BLOCK_LAYER, 0);
    const PsimBlockCost two = psim_layer_cost(&ring.plan, PSIM_BLOCK_LAYER, 0);

    /* Eleven kernels; a second step and two merges. */
    ck_assert_double_eq_tol(two.compute_s[PSIM_PASS_FORWARD],
                            one.compute_s[PSIM_PASS_FORWARD] * 14.0 / 11.0, 1e-9);
}
END_TEST

START_TEST(a_gather_before_attention_is_exposed)
{
    Fixture f;

    init_slow(&f, PSIM_CONTEXT_GATHER);
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);
    const double gather_s = 0.75 * 4.0 * KV_BYTES / 1e9;

    ck_assert_double_eq_tol(cost.cp_s[PSIM_PASS_FORWARD], gather_s, 1e-15);
    ck_assert_double_eq_tol(cost.cp_s[PSIM_PASS_BACKWARD_INPUT], 2.0 * gather_s, 1e-15);
    ck_assert_uint_eq(find(&f.plan, PSIM_PASS_FORWARD, "attention").count, 1);
    ck_assert_uint_eq(find(&f.plan, PSIM_PASS_FORWARD, "attention-step").count, 1);
}
END_TEST

/* The first step hides as much as it takes; gradients still go round. */
START_TEST(a_gather_beside_the_first_step_is_exposed_in_part)
{
    Fixture f;

    init_slow(&f, PSIM_CONTEXT_GATHER_RING);
    const double own_s = find(&f.plan, PSIM_PASS_FORWARD, "attention").time_s;
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_double_eq_tol(cost.cp_s[PSIM_PASS_FORWARD], 3.0 * KV_BYTES / 1e9 - own_s, 1e-15);
    ck_assert_double_eq(cost.cp_bytes[PSIM_PASS_BACKWARD_INPUT], 7.0 * KV_BYTES);
    ck_assert_uint_eq(cost.cp_count, 5);
}
END_TEST

/* Queries are 16 heads of 128 wide, twice keys and values together: 2^24 B more. */
START_TEST(an_all_to_all_moves_queries_and_results_too)
{
    Fixture f;

    init_slow(&f, PSIM_CONTEXT_A2A);
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);
    const double queries = 2.0 * KV_BYTES;

    ck_assert_double_eq(cost.cp_bytes[PSIM_PASS_FORWARD], 2.0 * queries + KV_BYTES);
    ck_assert_double_eq(cost.cp_bytes[PSIM_PASS_BACKWARD_INPUT], 2.0 * queries + KV_BYTES);
    ck_assert_double_eq_tol(cost.cp_s[PSIM_PASS_FORWARD], 0.75 * (2.0 * queries + KV_BYTES) / 1e9,
                            1e-15);
}
END_TEST

START_TEST(a_faster_link_is_never_slower)
{
    Fixture f;
    double before_s = (double)INFINITY;

    init_slow(&f, kinds[_i]);
    for (double rate = 1e9; rate < 1e13; rate *= 3.0) {
        f.hardware.scale_up_bytes_per_s = f.hardware.pair_bytes_per_s = rate;
        const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

        ck_assert_double_le(sum_exposed(&cost), before_s);
        before_s = sum_exposed(&cost);
    }
}
END_TEST

/* Two ranks of a node of eight are in it as far as tensor ranks leave room. */
START_TEST(neighbours_of_a_ring_are_tensor_ranks_apart)
{
    Fixture f;

    init(&f, /* tp= */ 4, /* cp= */ 4, PSIM_CONTEXT_P2P);
    const PsimGroup group = psim_context_group(&f.plan);

    ck_assert_uint_eq(group.n_ranks, 4);
    ck_assert_uint_eq(group.n_per_node, 2);
    ck_assert_uint_eq(group.n_groups_per_node, 4);
}
END_TEST

/* -- Memory ------------------------------------------------------------------------------------ */

START_TEST(activations_and_logits_halve_with_two_ranks)
{
    static const PsimBlock blocks[] = {PSIM_BLOCK_LAYER, PSIM_BLOCK_EMBEDDING, PSIM_BLOCK_HEAD};
    Fixture alone;
    Fixture half;

    init(&alone, /* tp= */ 2, /* cp= */ 1, PSIM_CONTEXT_P2P);
    init(&half, /* tp= */ 2, /* cp= */ 2, PSIM_CONTEXT_P2P);
    const PsimBlockMemory all = psim_memory_block(&alone.plan, blocks[_i], 0);
    const PsimBlockMemory part = psim_memory_block(&half.plan, blocks[_i], 0);

    ck_assert_double_eq(2.0 * part.stored_bytes, all.stored_bytes);
    ck_assert_double_eq(2.0 * part.output_bytes, all.output_bytes);
    ck_assert_double_eq(2.0 * part.logits_bytes, all.logits_bytes);
    ck_assert_double_eq(part.params, all.params);
}
END_TEST

START_TEST(buffers_hold_what_is_under_way)
{
    static const double units[N_KINDS] = {4.0, 8.0, 6.0, 3.0};
    Fixture f;

    init_slow(&f, kinds[_i]);
    ck_assert_double_eq(psim_context_buffer_bytes(&f.plan), units[_i] * KV_BYTES);
}
END_TEST

START_TEST(a_stage_hands_over_its_part_of_the_sequence)
{
    Fixture f;
    const PsimStage stage = {.n_layers = 4};

    init(&f, /* tp= */ 2, /* cp= */ 4, PSIM_CONTEXT_P2P);
    ck_assert_double_eq(psim_stage_cost(&f.plan, &stage).output_bytes,
                        2.0 * 2.0 * 8192.0 * 4096.0 / 8.0);
}
END_TEST

START_TEST(states_are_sharded_over_replicas_and_context_ranks)
{
    Fixture f;

    init(&f, /* tp= */ 1, /* cp= */ 4, PSIM_CONTEXT_P2P);
    f.plan.dp = 2;
    f.plan.zero_stage = 3;
    const PsimModelStates states = psim_memory_states(&f.plan, /* params= */ 800.0);

    ck_assert_double_eq(states.weights_bytes, 200.0);
    ck_assert_double_eq(states.gradients_bytes, 200.0);
    ck_assert_double_eq(states.optimizer_bytes, 1200.0);
}
END_TEST

Suite *context_suite(void);

Suite *
context_suite(void)
{
    Suite *suite = suite_create("context");
    TCase *work = tcase_create("work");
    TCase *ring = tcase_create("ring");
    TCase *memory = tcase_create("memory");

    tcase_add_loop_test(work, ranks_share_the_flop_of_a_layer_equally, 0, 3 * N_KINDS);
    tcase_add_loop_test(work, ranks_share_the_flop_of_attention_without_a_mask, 0, N_KINDS);
    tcase_add_loop_test(work, one_rank_exchanges_nothing, 0, N_KINDS);
    tcase_add_test(work, attention_in_steps_takes_longer);
    suite_add_tcase(suite, work);
    tcase_add_test(ring, a_ring_of_four_sends_keys_and_values_three_times);
    tcase_add_test(ring, attention_of_a_step_hides_a_transfer);
    tcase_add_test(ring, transfers_go_on_while_attention_waits_for_its_host);
    tcase_add_test(ring, what_the_ring_adds_is_dispatched_on_top);
    tcase_add_test(ring, a_gather_before_attention_is_exposed);
    tcase_add_test(ring, a_gather_beside_the_first_step_is_exposed_in_part);
    tcase_add_test(ring, an_all_to_all_moves_queries_and_results_too);
    tcase_add_loop_test(ring, a_faster_link_is_never_slower, 0, N_KINDS);
    tcase_add_test(ring, neighbours_of_a_ring_are_tensor_ranks_apart);
    suite_add_tcase(suite, ring);
    tcase_add_loop_test(memory, activations_and_logits_halve_with_two_ranks, 0, 3);
    tcase_add_loop_test(memory, buffers_hold_what_is_under_way, 0, N_KINDS);
    tcase_add_test(memory, a_stage_hands_over_its_part_of_the_sequence);
    tcase_add_test(memory, states_are_sharded_over_replicas_and_context_ranks);
    suite_add_tcase(suite, memory);
    return suite;
}
