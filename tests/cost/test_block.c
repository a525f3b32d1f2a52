/* SPDX-License-Identifier: MIT */
/* The kernels of transformer blocks, of both ends and of layer lists. */
#include <check.h>
#include <string.h>

#include "cost/layer.h"
#include "fixture.h"

static PsimModel
make_gpt(void)
{
    return fixture_gpt(/* n_layers= */ 96, /* hidden= */ 12288, /* n_heads= */ 96);
}

static PsimModel
make_small_gpt(void)
{
    return fixture_gpt(/* n_layers= */ 48, /* hidden= */ 6144, /* n_heads= */ 64);
}

/* -- Kernels chosen ---------------------------------------------------------------------------- */

START_TEST(fused_attention_replaces_the_chain)
{
    Fixture f;
    double bytes = 0.0;
    fixture_init(&f, make_gpt(), /* tp= */ 8, /* micro_batch= */ 1);
    f.plan.flash_attention = true;

    ck_assert_uint_eq(
        fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "attention", &bytes), 1);
    ck_assert_uint_eq(
        fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "softmax", &bytes), 0);
    f.hardware.device.n_attention = 0;
    ck_assert_uint_eq(
        fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "attention", &bytes), 0);
    ck_assert_uint_eq(
        fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "softmax", &bytes), 1);
}
END_TEST

START_TEST(measured_rate_of_unfused_attention_replaces_the_formula)
{
    Fixture f;
    fixture_init(&f, make_gpt(), /* tp= */ 8, /* micro_batch= */ 1);
    f.hardware.device.attention_unfused_fraction = 0.1;
    g_autoptr(GArray) kernels = g_array_new(FALSE, FALSE, sizeof(PsimKernel));
    psim_layer_kernels(&f.plan, PSIM_BLOCK_LAYER, /* layer= */ 0, kernels);
    uint32_t n_scores = 0;

    for (size_t i = 0; i < kernels->len; i++) {
        const PsimKernel *kernel = &g_array_index(kernels, PsimKernel, i);
        if (strcmp(kernel->name, "scores") == 0) {
            n_scores++;
            /* The peak comes back from rate over efficiency. */
            ck_assert_double_eq_tol(kernel->time_s, 1.7e-6 + kernel->flop / 31.2e12, 1e-15);
        }
    }
    ck_assert_uint_eq(n_scores, 1);
}
END_TEST

/* Time of the GeLU of a forward, and of everything else in a block. */
static void
find_gelu_s(const PsimPlan *plan, double *ret_gelu_s, double *ret_rest_s)
{
    g_autoptr(GArray) kernels = g_array_new(FALSE, FALSE, sizeof(PsimKernel));

    *ret_gelu_s = *ret_rest_s = 0.0;
    psim_layer_kernels(plan, PSIM_BLOCK_LAYER, /* layer= */ 0, kernels);
    for (size_t i = 0; i < kernels->len; i++) {
        const PsimKernel *kernel = &g_array_index(kernels, PsimKernel, i);

        *(strcmp(kernel->name, "gelu") == 0 ? ret_gelu_s : ret_rest_s) += kernel->time_s;
    }
}

START_TEST(activations_have_a_rate_of_their_own_where_the_device_tells_it)
{
    Fixture f;
    double like_others_s = 0.0;
    double own_s = 0.0;
    double rest_s = 0.0;
    double rest_again_s = 0.0;
    fixture_init(&f, make_small_gpt(), /* tp= */ 1, /* micro_batch= */ 1);
    PsimMemoryBoundConstants *memory = &f.hardware.device.memory_bound;

    find_gelu_s(&f.plan, &like_others_s, &rest_s);
    memory->activation = memory->elementwise / 4.0;
    find_gelu_s(&f.plan, &own_s, &rest_again_s);
    /* Forward and backward, each with its launch. */
    ck_assert_double_eq_tol(own_s - 2.0 * memory->launch_s,
                            4.0 * (like_others_s - 2.0 * memory->launch_s), 1e-12);
    ck_assert_double_eq(rest_again_s, rest_s);
}
END_TEST

START_TEST(eager_kernels_move_more_or_slower)
{
    Fixture f;
    fixture_init(&f, make_small_gpt(), /* tp= */ 1, /* micro_batch= */ 1);
    double last = 0.0;
    bool *const flags[] = {&f.plan.runtime.fused_norm, &f.plan.runtime.fused_softmax,
                           &f.plan.runtime.fused_bias_gelu};

    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
        const PsimBlockCost fused = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);
        *flags[i] = false;
        const PsimBlockCost eager = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);
        ck_assert_double_gt(fixture_compute_s(&eager), fixture_compute_s(&fused));
        ck_assert_double_gt(fixture_compute_s(&eager), last);
        last = fixture_compute_s(&eager);
    }
}
END_TEST

START_TEST(score_dropout_goes_with_dropout)
{
    Fixture f;
    double bytes = 0.0;
    fixture_init(&f, make_small_gpt(), /* tp= */ 8, /* micro_batch= */ 4);
    ck_assert_uint_eq(
        fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "score-dropout", &bytes), 1);
    ck_assert_double_eq(bytes, 5.0 * 4.0 * 8.0 * 2048.0 * 2048.0);
    f.model.dropout = false;
    ck_assert_uint_eq(
        fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "score-dropout", &bytes), 0);
}
END_TEST

START_TEST(rotary_positions_are_turned_in_both_directions)
{
    Fixture f;
    double bytes = 0.0;
    fixture_init(&f, fixture_llama(), /* tp= */ 1, /* micro_batch= */ 1);

    ck_assert_uint_eq(fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "rotary", &bytes),
                      1);
    ck_assert_double_eq(bytes, 4.0 * 8192.0 * (4096.0 + 1024.0));
    ck_assert_uint_eq(
        fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_BACKWARD_INPUT, "rotary", &bytes), 1);
}
END_TEST

START_TEST(fp8_speeds_up_products_and_leaves_attention)
{
    Fixture f;
    fixture_init(&f, make_gpt(), /* tp= */ 1, /* micro_batch= */ 1);
    f.hardware.device.peak_flop_per_s[PSIM_PRECISION_FP8] = 624e12;
    f.hardware.device.gemm.efficiency_fp8 = 0.755;
    const PsimBlockCost half = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);
    const PsimBlockCost half_head = psim_layer_cost(&f.plan, PSIM_BLOCK_HEAD, 0);
    f.plan.precision = PSIM_PRECISION_FP8;
    const PsimBlockCost quarter = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);
    const PsimBlockCost quarter_head = psim_layer_cost(&f.plan, PSIM_BLOCK_HEAD, 0);

    ck_assert_double_lt(fixture_compute_s(&quarter), fixture_compute_s(&half));
    ck_assert_double_gt(fixture_compute_s(&quarter), fixture_compute_s(&half) / 2.0);
    /* The logits stay in 16 bits. */
    ck_assert_double_eq(fixture_compute_s(&quarter_head), fixture_compute_s(&half_head));
}
END_TEST

/* -- Embedding and head ------------------------------------------------------------------------ */

START_TEST(head_works_on_its_share_of_a_padded_vocabulary)
{
    Fixture f;
    fixture_init(&f, make_small_gpt(), /* tp= */ 8, /* micro_batch= */ 4);
    f.model.vocabulary = 50257; /* 51200 is the next multiple of 1024 */
    const double product = 2.0 * 4.0 * 2048.0 * 6144.0 * 51200.0 / 8.0;
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_HEAD, 0);

    ck_assert_double_eq(cost.flop[PSIM_PASS_FORWARD], product);
    ck_assert_double_eq(cost.flop[PSIM_PASS_BACKWARD_INPUT], product);
    ck_assert_double_eq(cost.flop[PSIM_PASS_BACKWARD_WEIGHT], product);
    /* Three for the loss and one for the input's gradient. */
    ck_assert_uint_eq(cost.tp_count, 4);
}
END_TEST

static const struct {
    uint32_t tp, multiple;
    double rows; /* of a rank, of 50257 */
} paddings[] = {
    {1, 1, 50257.0}, {1, 128, 50304.0}, {2, 1, 25129.0}, {2, 128, 25216.0}, {8, 64, 6336.0},
};

START_TEST(vocabulary_is_padded_to_the_multiple_of_the_runtime_on_each_rank)
{
    Fixture f;
    fixture_init(&f, make_small_gpt(), paddings[_i].tp, /* micro_batch= */ 4);
    f.model.vocabulary = 50257;
    f.plan.runtime.vocabulary_multiple = paddings[_i].multiple;

    ck_assert_double_eq(psim_layer_cost(&f.plan, PSIM_BLOCK_HEAD, 0).flop[PSIM_PASS_FORWARD],
                        2.0 * 4.0 * 2048.0 * 6144.0 * paddings[_i].rows);
}
END_TEST

/* Padding by 47 rows is work for nothing, and yet the head is done sooner. */
START_TEST(an_odd_vocabulary_takes_longer_than_a_padded_one)
{
    Fixture f;
    fixture_init(&f, make_small_gpt(), /* tp= */ 1, /* micro_batch= */ 4);
    f.model.vocabulary = 50257;
    const PsimBlockCost padded = psim_layer_cost(&f.plan, PSIM_BLOCK_HEAD, 0);
    f.plan.runtime.vocabulary_multiple = 1;
    const PsimBlockCost odd = psim_layer_cost(&f.plan, PSIM_BLOCK_HEAD, 0);

    ck_assert_double_gt(odd.compute_s[PSIM_PASS_BACKWARD_WEIGHT],
                        2.6 * padded.compute_s[PSIM_PASS_BACKWARD_WEIGHT]);
}
END_TEST

START_TEST(unfused_loss_moves_52_bytes_a_logit)
{
    Fixture f;
    double forward = 0.0, backward = 0.0;
    fixture_init(&f, make_small_gpt(), /* tp= */ 8, /* micro_batch= */ 4);
    f.plan.runtime.fused_cross_entropy = false;

    fixture_count(&f.plan, PSIM_BLOCK_HEAD, PSIM_PASS_FORWARD, "cross-entropy", &forward);
    fixture_count(&f.plan, PSIM_BLOCK_HEAD, PSIM_PASS_BACKWARD_INPUT, "cross-entropy", &backward);
    ck_assert_double_eq(forward + backward, 52.0 * 4.0 * 2048.0 * 6400.0);
    f.plan.runtime.fused_cross_entropy = true;
    fixture_count(&f.plan, PSIM_BLOCK_HEAD, PSIM_PASS_FORWARD, "cross-entropy", &forward);
    fixture_count(&f.plan, PSIM_BLOCK_HEAD, PSIM_PASS_BACKWARD_INPUT, "cross-entropy", &backward);
    ck_assert_double_eq(forward + backward, 8.0 * 4.0 * 2048.0 * 6400.0);
}
END_TEST

START_TEST(embedding_gathers_scatters_and_sums_over_ranks)
{
    Fixture f;
    double forward = 0.0, backward = 0.0;
    fixture_init(&f, make_small_gpt(), /* tp= */ 8, /* micro_batch= */ 4);
    const double all = 4.0 * 2048.0 * 6144.0;

    fixture_count(&f.plan, PSIM_BLOCK_EMBEDDING, PSIM_PASS_FORWARD, "embedding", &forward);
    fixture_count(&f.plan, PSIM_BLOCK_EMBEDDING, PSIM_PASS_BACKWARD_WEIGHT, "embedding", &backward);
    ck_assert_double_eq(forward, 4.0 * all);
    ck_assert_double_eq(backward, 6.0 * all);
    ck_assert_uint_eq(psim_layer_cost(&f.plan, PSIM_BLOCK_EMBEDDING, 0).tp_count, 1);
}
END_TEST

/* -- Layer lists ------------------------------------------------------------------------------- */

static PsimLayer listed[] = {
    {.repeat = 2,
     .forward_flop = 755e9,
     .backward_flop = 1510e9,
     .params = 1e6,
     .activation_bytes = 6e6,
     .output_bytes = 2e6,
     .exchange_bytes = 1e6},
    {.repeat = 1, .forward_flop = 1.0, .backward_flop = 2.0, .memory_bytes = 2039e6 * 0.8},
};

static void
init_listed(Fixture *f, uint32_t tp)
{
    const PsimModel model = {
        .kind = PSIM_MODEL_LAYER_LIST, .layers = listed, .n_listed = G_N_ELEMENTS(listed)};

    fixture_init(f, model, tp, /* micro_batch= */ 4);
    f->hardware.device.gemm.launch_s = 0.0;
}

START_TEST(listed_layer_takes_its_flop_at_the_rate_of_large_products)
{
    Fixture f;
    init_listed(&f, /* tp= */ 2);
    const double forward = 755e9 * 2.0 / (312e12 * 0.755);
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, /* layer= */ 1);

    ck_assert_double_eq(cost.compute_s[PSIM_PASS_FORWARD], forward);
    ck_assert_double_eq(cost.compute_s[PSIM_PASS_BACKWARD_INPUT], forward);
    ck_assert_double_eq(cost.compute_s[PSIM_PASS_BACKWARD_WEIGHT], forward);
    ck_assert_double_eq(cost.compute_s[PSIM_PASS_RECOMPUTE], 0.0);
    ck_assert_double_eq(cost.flop[PSIM_PASS_FORWARD], 1510e9);
    ck_assert_uint_eq(cost.tp_count, 2);
    ck_assert_double_eq(cost.tp_bytes[PSIM_PASS_FORWARD], 4e6);
    ck_assert_double_eq(cost.tp_bytes[PSIM_PASS_BACKWARD_INPUT], 4e6);
}
END_TEST

START_TEST(listed_layer_bound_by_memory_takes_its_traffic)
{
    Fixture f;
    init_listed(&f, /* tp= */ 1);
    f.plan.recompute = PSIM_RECOMPUTE_FULL;
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, /* layer= */ 2);

    /* Four samples of a millisecond each; no weights, so no W. */
    ck_assert_double_eq_tol(cost.compute_s[PSIM_PASS_FORWARD], 4e-3, 1e-17);
    ck_assert_double_eq(cost.compute_s[PSIM_PASS_RECOMPUTE], cost.compute_s[PSIM_PASS_FORWARD]);
    ck_assert_double_eq(cost.compute_s[PSIM_PASS_BACKWARD_WEIGHT], 0.0);
    ck_assert_double_eq(cost.flop[PSIM_PASS_BACKWARD_INPUT], 8.0);
}
END_TEST

START_TEST(layer_list_has_no_embedding_and_no_head)
{
    Fixture f;
    init_listed(&f, /* tp= */ 1);
    const PsimBlockCost none = {.tp_count = 0};
    const PsimBlockCost embedding = psim_layer_cost(&f.plan, PSIM_BLOCK_EMBEDDING, 0);
    const PsimBlockCost head = psim_layer_cost(&f.plan, PSIM_BLOCK_HEAD, 0);

    ck_assert_mem_eq(&embedding, &none, sizeof none);
    ck_assert_mem_eq(&head, &none, sizeof none);
}
END_TEST

Suite *block_suite(void);

Suite *
block_suite(void)
{
    Suite *suite = suite_create("block");

    TCase *kernels = tcase_create("kernels");
    tcase_add_test(kernels, fused_attention_replaces_the_chain);
    tcase_add_test(kernels, measured_rate_of_unfused_attention_replaces_the_formula);
    tcase_add_test(kernels, activations_have_a_rate_of_their_own_where_the_device_tells_it);
    tcase_add_test(kernels, eager_kernels_move_more_or_slower);
    tcase_add_test(kernels, score_dropout_goes_with_dropout);
    tcase_add_test(kernels, rotary_positions_are_turned_in_both_directions);
    tcase_add_test(kernels, fp8_speeds_up_products_and_leaves_attention);
    suite_add_tcase(suite, kernels);

    TCase *ends = tcase_create("ends");
    tcase_add_test(ends, head_works_on_its_share_of_a_padded_vocabulary);
    tcase_add_loop_test(ends, vocabulary_is_padded_to_the_multiple_of_the_runtime_on_each_rank, 0,
                        G_N_ELEMENTS(paddings));
    tcase_add_test(ends, an_odd_vocabulary_takes_longer_than_a_padded_one);
    tcase_add_test(ends, unfused_loss_moves_52_bytes_a_logit);
    tcase_add_test(ends, embedding_gathers_scatters_and_sums_over_ranks);
    suite_add_tcase(suite, ends);

    TCase *list = tcase_create("list");
    tcase_add_test(list, listed_layer_takes_its_flop_at_the_rate_of_large_products);
    tcase_add_test(list, listed_layer_bound_by_memory_takes_its_traffic);
    tcase_add_test(list, layer_list_has_no_embedding_and_no_head);
    suite_add_tcase(suite, list);
    return suite;
}
