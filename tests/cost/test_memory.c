/* SPDX-License-Identifier: MIT */
#include "cost/memory.h"

#include <check.h>

#include "fixture.h"

/* The configurations of Korthikanti et al. 2022, table 3, all with t = 8. */
static const struct {
    uint32_t n_layers, hidden, n_heads, micro_batch;
} gpts[] = {
    {48, 6144, 64, 4},
    {96, 12288, 96, 1},
    {105, 20480, 128, 1},
    {128, 25600, 160, 1},
};

static void
init_gpt(Fixture *f, int i, uint32_t tp)
{
    fixture_init(f, fixture_gpt(gpts[i].n_layers, gpts[i].hidden, gpts[i].n_heads), tp,
                 gpts[i].micro_batch);
}

static PsimBlockMemory
find_layer(const Fixture *f)
{
    return psim_memory_block(&f->plan, PSIM_BLOCK_LAYER, /* layer= */ 0);
}

START_TEST(layer_keeps_what_korthikanti_counts)
{
    const double b = gpts[_i].micro_batch, s = 2048.0, h = gpts[_i].hidden, a = gpts[_i].n_heads;
    const double t = 8.0;
    const double sbh = s * b * h, assb = a * s * s * b;
    Fixture f;

    /* Equation 1: one rank */
    init_gpt(&f, _i, /* tp= */ 1);
    ck_assert_double_eq(find_layer(&f).stored_bytes, 34.0 * sbh + 5.0 * assb);
    ck_assert_double_eq(find_layer(&f).working_bytes, 0.0);

    /* Equation 2: tensor parallelism */
    init_gpt(&f, _i, /* tp= */ 8);
    ck_assert_double_eq(find_layer(&f).stored_bytes, 10.0 * sbh + 24.0 * sbh / t + 5.0 * assb / t);

    /* Equation 4: with sequence parallelism */
    f.plan.sequence_parallel = true;
    ck_assert_double_eq(find_layer(&f).stored_bytes, 34.0 * sbh / t + 5.0 * assb / t);

    /* Selective recomputation, with and without */
    f.plan.recompute = PSIM_RECOMPUTE_SELECTIVE;
    ck_assert_double_eq(find_layer(&f).stored_bytes, 34.0 * sbh / t);
    ck_assert_double_eq(find_layer(&f).working_bytes, 5.0 * assb / t);
    f.plan.sequence_parallel = false;
    ck_assert_double_eq(find_layer(&f).stored_bytes, 10.0 * sbh + 24.0 * sbh / t);

    /* Full: the input of each layer, and one layer at work */
    f.plan.recompute = PSIM_RECOMPUTE_FULL;
    ck_assert_double_eq(find_layer(&f).stored_bytes, 2.0 * sbh);
    ck_assert_double_eq(find_layer(&f).working_bytes, 8.0 * sbh + 24.0 * sbh / t + 5.0 * assb / t);
    f.plan.sequence_parallel = true;
    ck_assert_double_eq(find_layer(&f).stored_bytes, 2.0 * sbh / t);
}
END_TEST

START_TEST(layers_of_the_paper_keep_their_share_of_the_baseline)
{
    /* Figure 7, percent of tensor parallelism alone: SP, selective, both, full */
    static const double percents[][4] = {
        {66.84, 49.42, 16.18, 7.64},
        {62.04, 56.53, 18.49, 8.71},
        {58.31, 62.04, 20.27, 9.42},
        {58.31, 62.04, 20.27, 9.42},
    };
    Fixture f;
    init_gpt(&f, _i, /* tp= */ 8);
    const double base = find_layer(&f).stored_bytes;
    double found[4];

    f.plan.sequence_parallel = true;
    found[0] = find_layer(&f).stored_bytes;
    f.plan.recompute = PSIM_RECOMPUTE_SELECTIVE;
    found[2] = find_layer(&f).stored_bytes;
    f.plan.sequence_parallel = false;
    found[1] = find_layer(&f).stored_bytes;
    f.plan.recompute = PSIM_RECOMPUTE_FULL;
    found[3] = find_layer(&f).stored_bytes;
    for (size_t i = 0; i < 4; i++) {
        /* Read off a figure: a point of 0.5. */
        ck_assert_double_eq_tol(found[i] / base * 100.0, percents[_i][i], 0.5);
    }
}
END_TEST

START_TEST(layer_without_dropout_keeps_no_masks)
{
    Fixture f;
    init_gpt(&f, 0, /* tp= */ 1);
    f.model.dropout = false;
    const double sbh = 2048.0 * 4.0 * 6144.0, assb = 64.0 * 2048.0 * 2048.0 * 4.0;

    ck_assert_double_eq(find_layer(&f).stored_bytes, 32.0 * sbh + 2.0 * assb);
}
END_TEST

/* LLaMA's block: kept are the layer's input, queries, values, attention's output and its sums, one
 * half of the MLP's first products, and the last product's output. */
START_TEST(selective_by_operator_keeps_every_other_product)
{
    Fixture f;
    PsimModel model = fixture_gpt(1, 4096, 32);
    model.gated_mlp = true;
    model.dropout = false;
    fixture_init(&f, model, /* tp= */ 1, /* micro_batch= */ 1);
    f.plan.flash_attention = true;
    const double tokens = 2048.0;
    const double all_bytes = find_layer(&f).stored_bytes;

    f.plan.recompute = PSIM_RECOMPUTE_SELECTIVE;
    f.plan.runtime.selective_by_operator = true;
    const PsimBlockMemory memory = find_layer(&f);
    const double output_bytes = 2.0 * tokens * 4096.0;

    ck_assert_double_eq(memory.stored_bytes,
                        2.0 * tokens * (5.0 * 4096.0 + (double)model.ffn_hidden) +
                            4.0 * tokens * 32.0);
    ck_assert_double_eq(memory.stored_bytes + memory.working_bytes, all_bytes + output_bytes);
}
END_TEST

START_TEST(operands_in_fp8_take_a_byte_and_weights_have_copies)
{
    Fixture f;
    fixture_init(&f, fixture_gpt(1, 6144, 48), /* tp= */ 1, /* micro_batch= */ 4);
    const double tokens = 4.0 * 2048.0;
    const double wide_bytes = find_layer(&f).stored_bytes;

    f.plan.precision = PSIM_PRECISION_FP8;
    ck_assert_double_eq(find_layer(&f).stored_bytes, wide_bytes);
    ck_assert_double_eq(psim_memory_states(&f.plan, 1e9).weights_bytes, 2e9);
    f.plan.runtime.keeps_fp8 = true;
    /* Inputs of four products: three times h and once 4 h. */
    ck_assert_double_eq(find_layer(&f).stored_bytes, wide_bytes - 7.0 * tokens * 6144.0);
    ck_assert_double_eq(psim_memory_states(&f.plan, 1e9).weights_bytes, 4e9);
}
END_TEST

START_TEST(gradients_at_once_are_those_of_the_larger_half)
{
    Fixture f;
    fixture_init(&f, fixture_gpt(1, 6144, 48), /* tp= */ 8, /* micro_batch= */ 4);
    const double tokens = 4.0 * 2048.0;
    const double mlp = 2.0 * 2.0 * tokens * 4.0 * 6144.0 / 8.0;
    const double scores = 2.0 * tokens * (48.0 / 8.0) * 2048.0;

    f.plan.runtime.fused_softmax = true;
    ck_assert_double_eq(find_layer(&f).gradient_bytes, 2.0 * scores);
    f.plan.runtime.fused_softmax = false;
    ck_assert_double_eq(find_layer(&f).gradient_bytes, 3.0 * scores);
    f.plan.flash_attention = true;
    ck_assert_double_eq(find_layer(&f).gradient_bytes, mlp);
    f.model.gated_mlp = true;
    ck_assert_double_eq(find_layer(&f).gradient_bytes, 1.5 * mlp);
}
END_TEST

START_TEST(fused_attention_keeps_no_scores)
{
    Fixture f;
    init_gpt(&f, 0, /* tp= */ 8);
    f.plan.flash_attention = true;
    const double sbh = 2048.0 * 4.0 * 6144.0, statistics = 4.0 * 2048.0 * 4.0 * 64.0;

    ck_assert_double_eq(find_layer(&f).stored_bytes,
                        10.0 * sbh + 24.0 * sbh / 8.0 + statistics / 8.0);
    f.plan.recompute = PSIM_RECOMPUTE_SELECTIVE;
    ck_assert_double_eq(find_layer(&f).stored_bytes, 10.0 * sbh + 24.0 * sbh / 8.0);
    ck_assert_double_eq(find_layer(&f).working_bytes, statistics / 8.0);
}
END_TEST

START_TEST(fused_attention_the_device_lacks_keeps_scores)
{
    Fixture f;
    init_gpt(&f, 0, /* tp= */ 8);
    const double chain = find_layer(&f).stored_bytes;
    f.plan.flash_attention = true;
    f.hardware.device.n_attention = 0;

    ck_assert_double_eq(find_layer(&f).stored_bytes, chain);
}
END_TEST

START_TEST(grouped_queries_and_a_gate_keep_their_own_widths)
{
    Fixture f;
    fixture_init(&f, fixture_llama(), /* tp= */ 1, /* micro_batch= */ 1);
    f.plan.flash_attention = true;
    const double s = 8192.0, h = 4096.0;
    /* four of hidden, queries and output; keys and values; gate, up and their product */
    const double elements = s * (4.0 * h + 2.0 * h + 2.0 * 1024.0 + 3.0 * 14336.0);

    ck_assert_double_eq(find_layer(&f).stored_bytes, 2.0 * elements + 4.0 * s * 32.0);
    f.plan.runtime.fused_bias_gelu = false;
    ck_assert_double_eq(find_layer(&f).stored_bytes,
                        2.0 * elements + 2.0 * s * 14336.0 + 4.0 * s * 32.0);
}
END_TEST

START_TEST(rms_norm_written_out_keeps_its_fp32_copies)
{
    Fixture f;
    fixture_init(&f, fixture_llama(), /* tp= */ 1, /* micro_batch= */ 1);
    const double fused = psim_memory_block(&f.plan, PSIM_BLOCK_LAYER, 0).stored_bytes;

    f.plan.runtime.fused_norm = false;
    ck_assert_double_eq(psim_memory_block(&f.plan, PSIM_BLOCK_LAYER, 0).stored_bytes - fused,
                        2.0 * 4.0 * f.model.sequence * f.model.hidden);
}
END_TEST

START_TEST(fp32_keeps_four_bytes)
{
    Fixture f;
    init_gpt(&f, 0, /* tp= */ 1);
    f.model.dropout = false;
    const double half = find_layer(&f).stored_bytes;
    f.plan.precision = PSIM_PRECISION_FP32;

    ck_assert_double_eq(find_layer(&f).stored_bytes, 2.0 * half);
}
END_TEST

START_TEST(layer_hands_over_its_stream)
{
    Fixture f;
    init_gpt(&f, 0, /* tp= */ 8);
    ck_assert_double_eq(find_layer(&f).output_bytes, 2.0 * 2048.0 * 4.0 * 6144.0);
    f.plan.sequence_parallel = true;
    ck_assert_double_eq(find_layer(&f).output_bytes, 2.0 * 2048.0 * 4.0 * 6144.0 / 8.0);
}
END_TEST

START_TEST(blocks_hold_their_parameters)
{
    const double h = 6144.0;
    Fixture f;
    init_gpt(&f, 0, /* tp= */ 1);

    /* 12 h^2 + 13 h; two norms of 2 h among them */
    ck_assert_double_eq(find_layer(&f).params, 12.0 * h * h + 13.0 * h);
    ck_assert_double_eq(psim_memory_block(&f.plan, PSIM_BLOCK_EMBEDDING, 0).params,
                        (51200.0 + 2048.0) * h);
    ck_assert_double_eq(psim_memory_block(&f.plan, PSIM_BLOCK_HEAD, 0).params, 2.0 * h);

    init_gpt(&f, 0, /* tp= */ 8);
    f.plan.pp = 2; /* the head is far from the embedding and has a copy */
    ck_assert_double_eq(find_layer(&f).params, (12.0 * h * h + 7.0 * h) / 8.0 + 6.0 * h);
    ck_assert_double_eq(psim_memory_block(&f.plan, PSIM_BLOCK_EMBEDDING, 0).params,
                        (6400.0 + 2048.0) * h);
    ck_assert_double_eq(psim_memory_block(&f.plan, PSIM_BLOCK_HEAD, 0).params,
                        6400.0 * h + 2.0 * h);
}
END_TEST

START_TEST(kv_heads_beyond_the_ranks_are_copied)
{
    Fixture f;
    fixture_init(&f, fixture_llama(), /* tp= */ 16, /* micro_batch= */ 1);
    const double h = 4096.0;

    ck_assert_double_eq(find_layer(&f).params,
                        h * (256.0 + 2.0 * 128.0) + 256.0 * h + 3.0 * h * 896.0 + 2.0 * h);
}
END_TEST

START_TEST(head_keeps_its_inputs_and_holds_logits)
{
    Fixture f;
    init_gpt(&f, 0, /* tp= */ 8);
    const PsimBlockMemory head = psim_memory_block(&f.plan, PSIM_BLOCK_HEAD, 0);

    ck_assert_double_eq(head.stored_bytes, 4.0 * 2048.0 * 4.0 * 6144.0);
    ck_assert_double_eq(head.logits_bytes, 4.0 * 2048.0 * 4.0 * 6400.0);
    ck_assert_double_eq(head.output_bytes, 0.0);
}
END_TEST

START_TEST(embedding_keeps_a_mask)
{
    Fixture f;
    init_gpt(&f, 0, /* tp= */ 8);

    ck_assert_double_eq(psim_memory_block(&f.plan, PSIM_BLOCK_EMBEDDING, 0).stored_bytes,
                        2048.0 * 4.0 * 6144.0);
    f.model.dropout = false;
    ck_assert_double_eq(psim_memory_block(&f.plan, PSIM_BLOCK_EMBEDDING, 0).stored_bytes, 0.0);
}
END_TEST

START_TEST(listed_layer_keeps_what_it_says_or_its_input)
{
    PsimLayer layers[] = {
        {.repeat = 1, .params = 8.0, .activation_bytes = 100.0, .output_bytes = 40.0},
        {.repeat = 2, .params = 16.0, .activation_bytes = 60.0, .output_bytes = 20.0},
    };
    const PsimModel model = {
        .kind = PSIM_MODEL_LAYER_LIST, .layers = layers, .n_listed = G_N_ELEMENTS(layers)};
    Fixture f;
    fixture_init(&f, model, /* tp= */ 2, /* micro_batch= */ 4);
    PsimBlockMemory second = psim_memory_block(&f.plan, PSIM_BLOCK_LAYER, 1);

    ck_assert_double_eq(second.params, 8.0);
    ck_assert_double_eq(second.stored_bytes, 120.0);
    ck_assert_double_eq(second.output_bytes, 40.0);

    f.plan.recompute = PSIM_RECOMPUTE_FULL;
    second = psim_memory_block(&f.plan, PSIM_BLOCK_LAYER, 1);
    ck_assert_double_eq(second.stored_bytes, 80.0);
    ck_assert_double_eq(second.working_bytes, 40.0);
    const PsimBlockMemory third = psim_memory_block(&f.plan, PSIM_BLOCK_LAYER, 2);
    ck_assert_double_eq(third.stored_bytes, 40.0);
    ck_assert_double_eq(third.working_bytes, 80.0);
}
END_TEST

/* -- Model states ------------------------------------------------------------------------------ */

static const struct {
    uint32_t zero_stage;
    double gradient_bytes;
    double weights, gradients, optimizer; /* of 1000 parameters and 4 replicas */
} states_cases[] = {
    {0, 2.0, 2000, 2000, 12000}, /* 16 bytes */
    {0, 4.0, 2000, 4000, 12000}, /* 18 bytes */
    {1, 2.0, 2000, 2000, 3000},  {2, 2.0, 2000, 500, 3000},
    {3, 2.0, 500, 500, 3000},    {3, 4.0, 500, 1000, 3000},
};

START_TEST(states_are_sharded_as_zero_does)
{
    Fixture f;
    init_gpt(&f, 0, /* tp= */ 1);
    f.plan.dp = 4;
    f.plan.zero_stage = states_cases[_i].zero_stage;
    f.plan.runtime.gradient_bytes_bf16 = states_cases[_i].gradient_bytes;
    const PsimModelStates states = psim_memory_states(&f.plan, 1000.0);

    ck_assert_double_eq(states.weights_bytes, states_cases[_i].weights);
    ck_assert_double_eq(states.gradients_bytes, states_cases[_i].gradients);
    ck_assert_double_eq(states.optimizer_bytes, states_cases[_i].optimizer);
}
END_TEST

static const struct {
    uint32_t tp, pp, dp, cp;
    uint32_t n_groups; /* beside that of all ranks */
} groups[] = {
    {1, 1, 1, 1, 0}, {1, 1, 64, 1, 0}, /* the data group is all there is */
    {8, 1, 1, 1, 2},                   /* tensor, and a model's shards */
    {2, 1, 4, 1, 3},                   /* tensor, data, and a model's shards */
    {1, 4, 2, 1, 3},                   /* pipeline, data, shards */
    {2, 4, 8, 1, 4}, {2, 4, 1, 1, 3},  /* tensor, pipeline, shards */
    {1, 1, 4, 2, 1},                   /* context; gradients are summed over all ranks */
    {2, 1, 4, 2, 4},                   /* tensor, context, shards, gradients */
};

/* On A100: 24 channels, 3 connections each, of 4 MiB, 4.6875 MiB and 0.5 MiB. */
START_TEST(every_group_has_its_communicator)
{
    Fixture f;
    init_gpt(&f, 0, groups[_i].tp);
    f.plan.pp = groups[_i].pp;
    f.plan.dp = groups[_i].dp;
    f.plan.cp = groups[_i].cp;
    f.plan.n_gpus = groups[_i].tp * groups[_i].pp * groups[_i].dp * groups[_i].cp;
    f.hardware.device.sms_taken_by_collective = 24.0;

    ck_assert_double_eq(psim_memory_communicators(&f.plan),
                        groups[_i].n_groups * 24.0 * 3.0 * 9.1875 * 1048576.0);
    f.hardware.device.sms_taken_by_collective = 0.0;
    ck_assert_double_eq(psim_memory_communicators(&f.plan), 0.0);
}
END_TEST

Suite *memory_suite(void);

Suite *
memory_suite(void)
{
    Suite *suite = suite_create("memory");

    TCase *layer = tcase_create("layer");
    tcase_add_loop_test(layer, layer_keeps_what_korthikanti_counts, 0, G_N_ELEMENTS(gpts));
    tcase_add_loop_test(layer, layers_of_the_paper_keep_their_share_of_the_baseline, 0,
                        G_N_ELEMENTS(gpts));
    tcase_add_test(layer, layer_without_dropout_keeps_no_masks);
    tcase_add_test(layer, selective_by_operator_keeps_every_other_product);
    tcase_add_test(layer, operands_in_fp8_take_a_byte_and_weights_have_copies);
    tcase_add_test(layer, gradients_at_once_are_those_of_the_larger_half);
    tcase_add_test(layer, fused_attention_keeps_no_scores);
    tcase_add_test(layer, fused_attention_the_device_lacks_keeps_scores);
    tcase_add_test(layer, grouped_queries_and_a_gate_keep_their_own_widths);
    tcase_add_test(layer, rms_norm_written_out_keeps_its_fp32_copies);
    tcase_add_test(layer, fp32_keeps_four_bytes);
    tcase_add_test(layer, layer_hands_over_its_stream);
    suite_add_tcase(suite, layer);

    TCase *blocks = tcase_create("blocks");
    tcase_add_test(blocks, blocks_hold_their_parameters);
    tcase_add_test(blocks, kv_heads_beyond_the_ranks_are_copied);
    tcase_add_test(blocks, head_keeps_its_inputs_and_holds_logits);
    tcase_add_test(blocks, embedding_keeps_a_mask);
    tcase_add_test(blocks, listed_layer_keeps_what_it_says_or_its_input);
    suite_add_tcase(suite, blocks);

    TCase *states = tcase_create("states");
    tcase_add_loop_test(states, states_are_sharded_as_zero_does, 0, G_N_ELEMENTS(states_cases));
    tcase_add_loop_test(states, every_group_has_its_communicator, 0, G_N_ELEMENTS(groups));
    suite_add_tcase(suite, states);
    return suite;
}
