/* SPDX-License-Identifier: MIT */
#include "cost/layer.h"

#include <check.h>
#include <math.h>

#include "cost/collective.h"
#include "fixture.h"

static const struct {
    uint32_t n_layers, hidden, n_heads;
} gpts[] = {
    {48, 6144, 64},    /* 22B */
    {96, 12288, 96},   /* 175B */
    {105, 20480, 128}, /* 530B */
    {128, 25600, 160}, /* 1T */
};

static PsimModel
make_gpt(int i)
{
    return fixture_gpt(gpts[i].n_layers, gpts[i].hidden, gpts[i].n_heads);
}

/* -- FLOPs ------------------------------------------------------------------------------------- */

START_TEST(model_flop_of_a_gpt_is_72_l_h_h_and_so_on)
{
    const PsimModel model = make_gpt(_i);
    const double l = model.n_layers, h = model.hidden, s = model.sequence, v = model.vocabulary;

    /* 72 L h^2 (1 + s/6h + V/12Lh), multiplied out so that it is exact */
    ck_assert_double_eq(psim_layer_model_flop(&model, /* convention_full_attention= */ true),
                        72.0 * l * h * h + 12.0 * l * s * h + 6.0 * h * v);
    ck_assert_double_eq(psim_layer_model_flop(&model, /* convention_full_attention= */ false),
                        72.0 * l * h * h + 6.0 * l * s * h + 6.0 * h * v);
}
END_TEST

START_TEST(model_flop_without_a_mask_counts_all_attention)
{
    PsimModel model = make_gpt(0);
    model.causal = false;

    ck_assert_double_eq(psim_layer_model_flop(&model, true), psim_layer_model_flop(&model, false));
}
END_TEST

START_TEST(model_flop_of_grouped_queries_and_a_gate_follows_the_matrices)
{
    const PsimModel model = fixture_llama();
    const double h = 4096.0;
    const double matrices = h * h + 2.0 * h * 1024.0 + h * h + 3.0 * h * 14336.0;

    ck_assert_double_eq(psim_layer_model_flop(&model, /* convention_full_attention= */ true),
                        6.0 * (32.0 * matrices + h * 128256.0) + 12.0 * 32.0 * 8192.0 * h);
}
END_TEST

START_TEST(model_flop_of_a_list_is_its_sum)
{
    PsimLayer layers[] = {{.repeat = 3, .forward_flop = 1.0, .backward_flop = 2.0},
                          {.repeat = 1, .forward_flop = 10.0, .backward_flop = 20.0}};
    const PsimModel model = {.kind = PSIM_MODEL_LAYER_LIST, .layers = layers, .n_listed = 2};

    ck_assert_double_eq(psim_layer_model_flop(&model, false), 39.0);
}
END_TEST

START_TEST(kernels_of_a_layer_do_the_flop_of_the_formula)
{
    static const uint32_t tps[] = {1, 2, 8};
    Fixture f;
    fixture_init(&f, make_gpt(0), tps[_i], /* micro_batch= */ 4);
    f.plan.recompute = PSIM_RECOMPUTE_FULL;
    const double h = 6144.0, s = 2048.0, tokens = 4.0 * s;
    const double forward = tokens * (24.0 * h * h + 4.0 * s * h) / tps[_i];
    const double attention = tokens * 4.0 * s * h / tps[_i];
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_double_eq(cost.flop[PSIM_PASS_FORWARD], forward);
    ck_assert_double_eq(cost.flop[PSIM_PASS_RECOMPUTE], forward);
    ck_assert_double_eq(cost.flop[PSIM_PASS_BACKWARD_WEIGHT], forward - attention);
    ck_assert_double_eq(cost.flop[PSIM_PASS_BACKWARD_INPUT], forward + attention);
}
END_TEST

START_TEST(fused_attention_skips_the_masked_half)
{
    Fixture f;
    fixture_init(&f, make_gpt(1), /* tp= */ 8, /* micro_batch= */ 1);
    f.plan.flash_attention = true;
    const double h = 12288.0, s = 2048.0;
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_double_eq(cost.flop[PSIM_PASS_FORWARD], s * (24.0 * h * h + 2.0 * s * h) / 8.0);
}
END_TEST

START_TEST(grouped_queries_and_a_gate_narrow_and_widen_the_products)
{
    Fixture f;
    fixture_init(&f, fixture_llama(), /* tp= */ 4, /* micro_batch= */ 1);
    f.plan.flash_attention = true;
    const double h = 4096.0, s = 8192.0;
    const double matrices = h * (h + 2.0 * 1024.0) + h * h + 3.0 * h * 14336.0;
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_double_eq(cost.flop[PSIM_PASS_FORWARD], s * (2.0 * matrices + 2.0 * s * h) / 4.0);
}
END_TEST

/* -- Recomputation ----------------------------------------------------------------------------- */

START_TEST(full_recomputation_is_another_forward)
{
    Fixture f;
    fixture_init(&f, make_gpt(0), /* tp= */ 8, /* micro_batch= */ 4);
    f.plan.recompute = PSIM_RECOMPUTE_FULL;
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_double_eq(cost.compute_s[PSIM_PASS_RECOMPUTE], cost.compute_s[PSIM_PASS_FORWARD]);
    ck_assert_double_eq(cost.tp_s[PSIM_PASS_RECOMPUTE], cost.tp_s[PSIM_PASS_FORWARD]);
}
END_TEST

START_TEST(selective_recomputation_repeats_the_attention_core)
{
    Fixture f;
    double bytes = 0.0;
    fixture_init(&f, make_gpt(0), /* tp= */ 8, /* micro_batch= */ 4);
    f.plan.recompute = PSIM_RECOMPUTE_SELECTIVE;
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_double_eq(cost.flop[PSIM_PASS_RECOMPUTE], 4.0 * 2048.0 * 4.0 * 2048.0 * 6144.0 / 8.0);
    ck_assert_double_eq(cost.tp_s[PSIM_PASS_RECOMPUTE], 0.0);
    ck_assert_uint_eq(
        fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_RECOMPUTE, "softmax", &bytes), 1);
    ck_assert_double_eq(bytes, 4.0 * 4.0 * 8.0 * 2048.0 * 2048.0);
}
END_TEST

START_TEST(no_recomputation_takes_none)
{
    Fixture f;
    fixture_init(&f, make_gpt(0), /* tp= */ 1, /* micro_batch= */ 1);
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_double_eq(cost.compute_s[PSIM_PASS_RECOMPUTE], 0.0);
    ck_assert_double_eq(cost.flop[PSIM_PASS_RECOMPUTE], 0.0);
}
END_TEST

/* -- Tensor parallelism ------------------------------------------------------------------------ */

static const struct {
    uint32_t tp;
    bool sequence_parallel;
    PsimRecompute recompute;
    uint32_t forward, input, weight, recomputed;
} tp_cases[] = {
    {1, false, PSIM_RECOMPUTE_FULL, 0, 0, 0, 0},      {8, false, PSIM_RECOMPUTE_NONE, 2, 2, 0, 0},
    {8, false, PSIM_RECOMPUTE_SELECTIVE, 2, 2, 0, 0}, {8, false, PSIM_RECOMPUTE_FULL, 2, 2, 0, 2},
    {8, true, PSIM_RECOMPUTE_NONE, 4, 4, 2, 0},       {8, true, PSIM_RECOMPUTE_FULL, 4, 4, 2, 4},
};

START_TEST(layer_has_the_collectives_of_megatron)
{
    static const char *const names[] = {"tp-all-reduce", "tp-all-gather", "tp-reduce-scatter"};
    Fixture f;
    fixture_init(&f, make_gpt(0), tp_cases[_i].tp, /* micro_batch= */ 4);
    f.plan.sequence_parallel = tp_cases[_i].sequence_parallel;
    f.plan.recompute = tp_cases[_i].recompute;
    uint32_t counts[PSIM_N_PASSES] = {0};
    double bytes = 0.0;

    for (size_t name = 0; name < G_N_ELEMENTS(names); name++) {
        for (size_t pass = 0; pass < PSIM_N_PASSES; pass++) {
            counts[pass] +=
                fixture_count(&f.plan, PSIM_BLOCK_LAYER, (PsimPass)pass, names[name], &bytes);
        }
    }
    ck_assert_uint_eq(counts[PSIM_PASS_FORWARD], tp_cases[_i].forward);
    ck_assert_uint_eq(counts[PSIM_PASS_BACKWARD_INPUT], tp_cases[_i].input);
    ck_assert_uint_eq(counts[PSIM_PASS_BACKWARD_WEIGHT], tp_cases[_i].weight);
    ck_assert_uint_eq(counts[PSIM_PASS_RECOMPUTE], tp_cases[_i].recomputed);

    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);
    const uint32_t sum =
        tp_cases[_i].forward + tp_cases[_i].input + tp_cases[_i].weight + tp_cases[_i].recomputed;
    ck_assert_uint_eq(cost.tp_count, sum);
    for (size_t pass = 0; pass < PSIM_N_PASSES; pass++)
        ck_assert_double_eq(cost.tp_bytes[pass], counts[pass] * 4.0 * 2048.0 * 6144.0 * 2.0);
}
END_TEST

/* Twice the payload, and 12 bytes an element of the stream for the casts, two sums a pass. */
START_TEST(sums_in_fp32_are_cast_before_and_after)
{
    Fixture f;
    double plain = 0.0, wide = 0.0, to = 0.0, back = 0.0;

    fixture_init(&f, make_gpt(0), /* tp= */ 8, /* micro_batch= */ 4);
    f.plan.precision = PSIM_PRECISION_BF16;
    (void)fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "tp-all-reduce", &plain);
    f.plan.runtime.reduces_in_fp32 = true;
    ck_assert_uint_eq(
        fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "tp-all-reduce", &wide), 2);
    ck_assert_uint_eq(fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "to-fp32", &to),
                      2);
    ck_assert_uint_eq(
        fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_BACKWARD_INPUT, "to-16-bits", &back), 2);
    ck_assert_double_eq(wide, 2.0 * plain);
    ck_assert_double_eq(to, 3.0 * plain);
    ck_assert_double_eq(back, 3.0 * plain);

    /* fp16 goes as it is, and so do the scattered sums of sequence parallelism. */
    f.plan.precision = PSIM_PRECISION_FP16;
    ck_assert_uint_eq(fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "to-fp32", &to),
                      0);
    f.plan.precision = PSIM_PRECISION_BF16;
    f.plan.sequence_parallel = true;
    ck_assert_uint_eq(fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "to-fp32", &to),
                      0);
}
END_TEST

START_TEST(tp_time_is_that_of_its_collectives_and_their_dispatch)
{
    Fixture f;
    fixture_init(&f, make_gpt(0), /* tp= */ 8, /* micro_batch= */ 4);
    f.plan.runtime.host_collective_s = 1e-3;
    const PsimGroup group = {.n_ranks = 8, .n_per_node = 8, .n_groups_per_node = 1};
    const double one_s = 1e-3 + psim_collective_s(&f.hardware, PSIM_COLLECTIVE_ALL_REDUCE, group,
                                                  4.0 * 2048.0 * 6144.0 * 2.0);

    ck_assert_double_eq(psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0).tp_s[PSIM_PASS_FORWARD],
                        2.0 * one_s);
}
END_TEST

START_TEST(sequence_parallelism_splits_norms_and_dropouts)
{
    Fixture whole, split;
    double whole_bytes = 0.0, split_bytes = 0.0;
    fixture_init(&whole, make_gpt(0), /* tp= */ 8, /* micro_batch= */ 4);
    fixture_init(&split, make_gpt(0), /* tp= */ 8, /* micro_batch= */ 4);
    split.plan.sequence_parallel = true;

    ck_assert_uint_eq(
        fixture_count(&whole.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "norm", &whole_bytes), 2);
    ck_assert_uint_eq(
        fixture_count(&split.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "norm", &split_bytes), 2);
    ck_assert_double_eq(whole_bytes, 4.0 * 4.0 * 2048.0 * 6144.0);
    ck_assert_double_eq(split_bytes, whole_bytes / 8.0);
    ck_assert_uint_eq(
        fixture_count(&whole.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "residual", &whole_bytes),
        2);
    ck_assert_double_eq(whole_bytes, 7.0 * 4.0 * 2048.0 * 6144.0);
}
END_TEST

START_TEST(overlap_hides_collectives_behind_products_but_for_a_piece)
{
    Fixture f;
    fixture_init(&f, make_gpt(1), /* tp= */ 8, /* micro_batch= */ 1);
    f.plan.sequence_parallel = true;
    const PsimBlockCost exposed = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);
    f.plan.overlap_tp = true;
    const PsimBlockCost hidden = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    for (size_t pass = 0; pass <= PSIM_PASS_BACKWARD_WEIGHT; pass++) {
        ck_assert_double_eq(hidden.compute_s[pass], exposed.compute_s[pass]);
        if (pass == PSIM_PASS_BACKWARD_WEIGHT)
            continue;
        ck_assert_double_lt(hidden.tp_s[pass], exposed.tp_s[pass]);
        ck_assert_double_ge(hidden.tp_s[pass], exposed.tp_s[pass] / 8.0);
    }
    /* Its gathers start before the product of the input gradient, whatever the stack overlaps. */
    ck_assert_double_eq(hidden.tp_s[PSIM_PASS_BACKWARD_WEIGHT],
                        exposed.tp_s[PSIM_PASS_BACKWARD_WEIGHT]);
}
END_TEST

START_TEST(what_hides_takes_processors_from_the_product_meanwhile)
{
    Fixture f;
    fixture_init(&f, make_gpt(1), /* tp= */ 8, /* micro_batch= */ 4);
    f.plan.sequence_parallel = true;
    f.hardware.device.sms_taken_by_collective = 0.0;
    const double none_s =
        psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0).tp_s[PSIM_PASS_BACKWARD_WEIGHT];
    f.hardware.device.sms_taken_by_collective = 27.0; /* of 108 */
    const double quarter_s =
        psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0).tp_s[PSIM_PASS_BACKWARD_WEIGHT];
    const PsimGroup group = {.n_ranks = 8, .n_per_node = 8, .n_groups_per_node = 1};
    const double gather_s = psim_collective_s(&f.hardware, PSIM_COLLECTIVE_ALL_GATHER, group,
                                              4.0 * 2048.0 * f.model.hidden * 2.0) +
                            f.plan.runtime.host_collective_s;

    ck_assert_double_eq(none_s, 0.0);
    ck_assert_double_eq_tol(quarter_s, 2.0 * gather_s / 4.0, 1e-15);
}
END_TEST

START_TEST(a_product_in_pieces_takes_longer_as_a_whole)
{
    Fixture f;
    fixture_init(&f, make_gpt(1), /* tp= */ 8, /* micro_batch= */ 1);
    f.plan.sequence_parallel = true;
    f.plan.overlap_tp = true;
    f.hardware.device.sms_taken_by_collective = 0.0;
    const double smooth_s = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0).tp_s[PSIM_PASS_FORWARD];
    f.hardware.device.gemm.launch_s += 1e-6;
    const double launched_s = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0).tp_s[PSIM_PASS_FORWARD];

    /* Four products of a forward, each in eight pieces: seven more launches. */
    ck_assert_double_eq_tol(launched_s - smooth_s, 4.0 * 7.0 * 1e-6, 1e-12);
}
END_TEST

START_TEST(overlap_hides_no_more_than_the_product_takes)
{
    Fixture f;
    fixture_init(&f, make_gpt(1), /* tp= */ 8, /* micro_batch= */ 1);
    f.plan.overlap_tp = true;
    f.plan.runtime.host_collective_s = 1.0; /* far longer than any product */
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_double_gt(cost.tp_s[PSIM_PASS_BACKWARD_INPUT], 1.9);
    ck_assert_double_lt(cost.tp_s[PSIM_PASS_BACKWARD_INPUT], 2.1);
}
END_TEST

START_TEST(overlap_leaves_the_all_reduces_of_the_forward)
{
    Fixture f;
    fixture_init(&f, make_gpt(1), /* tp= */ 8, /* micro_batch= */ 1);
    f.plan.recompute = PSIM_RECOMPUTE_FULL;
    const PsimBlockCost exposed = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);
    f.plan.overlap_tp = true;
    const PsimBlockCost hidden = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);

    ck_assert_double_eq(hidden.tp_s[PSIM_PASS_FORWARD], exposed.tp_s[PSIM_PASS_FORWARD]);
    ck_assert_double_eq(hidden.tp_s[PSIM_PASS_RECOMPUTE], exposed.tp_s[PSIM_PASS_RECOMPUTE]);
    ck_assert_double_lt(hidden.tp_s[PSIM_PASS_BACKWARD_INPUT],
                        exposed.tp_s[PSIM_PASS_BACKWARD_INPUT]);
}
END_TEST

START_TEST(selective_by_operator_makes_every_other_product_again)
{
    Fixture f;
    PsimModel model = make_gpt(0);
    model.gated_mlp = true;
    fixture_init(&f, model, /* tp= */ 1, /* micro_batch= */ 1);
    f.plan.flash_attention = true;
    f.plan.recompute = PSIM_RECOMPUTE_SELECTIVE;
    f.plan.runtime.selective_by_operator = true;
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);
    const double h = model.hidden;

    /* Keys, projection and one of the gated MLP's two first products. */
    ck_assert_double_eq(cost.flop[PSIM_PASS_RECOMPUTE],
                        2.0 * model.sequence * h * (h + h + (double)model.ffn_hidden));
}
END_TEST

/* -- What a stack does not fuse ---------------------------------------------------------------- */

START_TEST(rms_norm_written_out_moves_its_fp32_copies)
{
    static const struct {
        PsimPass pass;
        double bytes; /* an element */
    } passes[] = {{PSIM_PASS_FORWARD, 36.0},
                  {PSIM_PASS_BACKWARD_INPUT, 64.0},
                  {PSIM_PASS_BACKWARD_WEIGHT, 12.0}};
    Fixture f;
    fixture_init(&f, fixture_llama(), /* tp= */ 1, /* micro_batch= */ 1);
    const double elements = (double)f.model.sequence * f.model.hidden;

    f.plan.runtime.fused_norm = false;
    for (size_t i = 0; i < G_N_ELEMENTS(passes); i++) {
        double bytes = 0.0;

        ck_assert_uint_ge(fixture_count(&f.plan, PSIM_BLOCK_LAYER, passes[i].pass, "norm", &bytes),
                          2);
        ck_assert_double_eq(bytes, passes[i].bytes * elements);
    }
}
END_TEST

START_TEST(rotary_positions_written_out_move_five_times_the_bytes)
{
    Fixture f;
    fixture_init(&f, fixture_llama(), /* tp= */ 1, /* micro_batch= */ 1);
    double fused = 0.0, loose = 0.0;

    (void)fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "rotary", &fused);
    f.plan.runtime.fused_rotary = false;
    (void)fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_FORWARD, "rotary", &loose);
    ck_assert_double_eq(loose, 5.0 * fused);
}
END_TEST

START_TEST(unfused_accumulation_is_a_kernel_for_each_weight_gradient)
{
    Fixture f;
    fixture_init(&f, fixture_gpt(1, 1024, 16), /* tp= */ 1, /* micro_batch= */ 1);
    const double fc2 = 4.0 * 1024.0 * 1024.0;
    double bytes = 0.0;

    ck_assert_uint_eq(fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_BACKWARD_WEIGHT,
                                    "gradient-accumulate", &bytes),
                      0);
    f.plan.runtime.fused_gradient_accumulation = false;
    f.plan.runtime.gradient_bytes_bf16 = 4.0;
    ck_assert_uint_eq(fixture_count(&f.plan, PSIM_BLOCK_LAYER, PSIM_PASS_BACKWARD_WEIGHT,
                                    "gradient-accumulate", &bytes),
                      4);
    /* Of qkv, projection, fc1 and fc2 one is last: read 2 B, read and write 4 B. */
    ck_assert(bytes == 10.0 * fc2 || bytes == 10.0 * fc2 * 3.0 / 4.0);
}
END_TEST

Suite *layer_suite(void);

Suite *
layer_suite(void)
{
    Suite *suite = suite_create("layer");

    TCase *loose = tcase_create("loose");
    tcase_add_test(loose, rms_norm_written_out_moves_its_fp32_copies);
    tcase_add_test(loose, rotary_positions_written_out_move_five_times_the_bytes);
    tcase_add_test(loose, unfused_accumulation_is_a_kernel_for_each_weight_gradient);
    suite_add_tcase(suite, loose);

    TCase *flop = tcase_create("flop");
    tcase_add_loop_test(flop, model_flop_of_a_gpt_is_72_l_h_h_and_so_on, 0, G_N_ELEMENTS(gpts));
    tcase_add_test(flop, model_flop_without_a_mask_counts_all_attention);
    tcase_add_test(flop, model_flop_of_grouped_queries_and_a_gate_follows_the_matrices);
    tcase_add_test(flop, model_flop_of_a_list_is_its_sum);
    tcase_add_loop_test(flop, kernels_of_a_layer_do_the_flop_of_the_formula, 0, 3);
    tcase_add_test(flop, fused_attention_skips_the_masked_half);
    tcase_add_test(flop, grouped_queries_and_a_gate_narrow_and_widen_the_products);
    suite_add_tcase(suite, flop);

    TCase *recompute = tcase_create("recompute");
    tcase_add_test(recompute, full_recomputation_is_another_forward);
    tcase_add_test(recompute, selective_recomputation_repeats_the_attention_core);
    tcase_add_test(recompute, no_recomputation_takes_none);
    suite_add_tcase(suite, recompute);

    TCase *tp = tcase_create("tp");
    tcase_add_loop_test(tp, layer_has_the_collectives_of_megatron, 0, G_N_ELEMENTS(tp_cases));
    tcase_add_test(tp, sums_in_fp32_are_cast_before_and_after);
    tcase_add_test(tp, tp_time_is_that_of_its_collectives_and_their_dispatch);
    tcase_add_test(tp, sequence_parallelism_splits_norms_and_dropouts);
    tcase_add_test(tp, overlap_hides_collectives_behind_products_but_for_a_piece);
    tcase_add_test(tp, what_hides_takes_processors_from_the_product_meanwhile);
    tcase_add_test(tp, a_product_in_pieces_takes_longer_as_a_whole);
    tcase_add_test(tp, overlap_hides_no_more_than_the_product_takes);
    tcase_add_test(tp, overlap_leaves_the_all_reduces_of_the_forward);
    tcase_add_test(tp, selective_by_operator_makes_every_other_product_again);
    suite_add_tcase(suite, tp);

    return suite;
}
