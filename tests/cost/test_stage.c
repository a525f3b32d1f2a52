/* SPDX-License-Identifier: MIT */
#include "cost/stage.h"

#include <check.h>

#include "fixture.h"

START_TEST(stage_is_the_sum_of_its_layers)
{
    Fixture f;
    fixture_init(&f, fixture_gpt(96, 12288, 96), /* tp= */ 8, /* micro_batch= */ 1);
    f.plan.recompute = PSIM_RECOMPUTE_FULL;
    const PsimStage stage = {.layer_first = 12, .n_layers = 12};
    const PsimStageCost sum = psim_stage_cost(&f.plan, &stage);
    const PsimBlockCost cost = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);
    const PsimBlockMemory memory = psim_memory_block(&f.plan, PSIM_BLOCK_LAYER, 0);

    for (size_t pass = 0; pass < PSIM_N_PASSES; pass++) {
        ck_assert_double_eq(sum.cost.compute_s[pass], 12.0 * cost.compute_s[pass]);
        ck_assert_double_eq(sum.cost.tp_s[pass], 12.0 * cost.tp_s[pass]);
        ck_assert_double_eq(sum.cost.flop[pass], 12.0 * cost.flop[pass]);
    }
    ck_assert_uint_eq(sum.cost.tp_count, 12 * cost.tp_count);
    ck_assert_double_eq(sum.memory.params, 12.0 * memory.params);
    ck_assert_double_eq(sum.memory.stored_bytes, 12.0 * memory.stored_bytes);
    /* Only one layer is recomputed at a time. */
    ck_assert_double_eq(sum.memory.working_bytes, memory.working_bytes);
}
END_TEST

/* Twelve layers of which five are made again, two at once: pairs keep one input, and the odd one.
 */
START_TEST(layers_that_are_not_recomputed_keep_what_they_have)
{
    Fixture f;
    fixture_init(&f, fixture_gpt(96, 12288, 96), /* tp= */ 8, /* micro_batch= */ 1);
    const PsimStage stage = {.layer_first = 12, .n_layers = 12};
    const PsimBlockCost kept = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);
    const double all_bytes = psim_memory_block(&f.plan, PSIM_BLOCK_LAYER, 0).stored_bytes;

    f.plan.recompute = PSIM_RECOMPUTE_FULL;
    f.plan.recompute_layers = 5;
    f.plan.recompute_group = 2;
    const PsimBlockCost again = psim_layer_cost(&f.plan, PSIM_BLOCK_LAYER, 0);
    const double input_bytes = psim_memory_block(&f.plan, PSIM_BLOCK_LAYER, 0).stored_bytes;
    const PsimStageCost sum = psim_stage_cost(&f.plan, &stage);

    for (size_t pass = 0; pass < PSIM_N_PASSES; pass++)
        ck_assert_double_eq(sum.cost.compute_s[pass],
                            5.0 * again.compute_s[pass] + 7.0 * kept.compute_s[pass]);
    ck_assert_double_eq_tol(sum.memory.stored_bytes, 3.0 * input_bytes + 7.0 * all_bytes, 1e-3);
    ck_assert_double_eq_tol(sum.memory.working_bytes, 2.0 * all_bytes - input_bytes, 1e-3);

    f.plan.recompute_layers = 0;
    ck_assert_double_eq(psim_stage_cost(&f.plan, &stage).memory.stored_bytes, 12.0 * all_bytes);
}
END_TEST

START_TEST(first_and_last_stage_have_the_ends)
{
    Fixture f;
    fixture_init(&f, fixture_gpt(96, 12288, 96), /* tp= */ 8, /* micro_batch= */ 1);
    const PsimStage stage = {.n_layers = 2, .has_embedding = true, .has_head = true};
    const PsimStageCost sum = psim_stage_cost(&f.plan, &stage);
    const double embedding = psim_memory_block(&f.plan, PSIM_BLOCK_EMBEDDING, 0).params;
    const double layer = psim_memory_block(&f.plan, PSIM_BLOCK_LAYER, 0).params;
    const PsimBlockMemory head = psim_memory_block(&f.plan, PSIM_BLOCK_HEAD, 0);

    ck_assert_double_eq(sum.memory.params, embedding + 2.0 * layer + head.params);
    ck_assert_double_eq(sum.memory.logits_bytes, head.logits_bytes);
    ck_assert_double_eq(sum.output_bytes, 0.0);
}
END_TEST

START_TEST(stages_of_a_model_do_the_flop_of_the_model)
{
    Fixture f;
    fixture_init(&f, fixture_gpt(96, 12288, 96), /* tp= */ 8, /* micro_batch= */ 1);
    const PsimStage stage = {.n_layers = 96, .has_embedding = true, .has_head = true};
    const PsimStageCost sum = psim_stage_cost(&f.plan, &stage);
    double flop = 0.0;

    for (size_t pass = 0; pass < PSIM_N_PASSES; pass++) {
        flop += sum.cost.flop[pass];
    }
    ck_assert_double_eq(flop * 8.0,
                        2048.0 * psim_layer_model_flop(&f.model,
                                                       /* convention_full_attention= */ true));
}
END_TEST

static const struct {
    uint32_t tp;
    bool sequence_parallel;
    PsimPrecision precision;
    double output_bytes;
} output_cases[] = {
    {1, false, PSIM_PRECISION_BF16, 2.0 * 2048 * 12288},
    {8, false, PSIM_PRECISION_BF16, 2.0 * 2048 * 12288 / 8},
    {8, true, PSIM_PRECISION_BF16, 2.0 * 2048 * 12288 / 8},
    {8, true, PSIM_PRECISION_FP8, 2.0 * 2048 * 12288 / 8},
    {1, false, PSIM_PRECISION_FP32, 4.0 * 2048 * 12288},
};

START_TEST(stage_sends_a_share_of_its_output)
{
    Fixture f;
    fixture_init(&f, fixture_gpt(96, 12288, 96), output_cases[_i].tp, /* micro_batch= */ 1);
    f.plan.sequence_parallel = output_cases[_i].sequence_parallel;
    f.plan.precision = output_cases[_i].precision;
    const PsimStage stage = {.n_layers = 1};

    ck_assert_double_eq(psim_stage_cost(&f.plan, &stage).output_bytes,
                        output_cases[_i].output_bytes);
}
END_TEST

START_TEST(optimizer_moves_its_bytes_for_the_parameters_it_owns)
{
    Fixture f;
    fixture_init(&f, fixture_gpt(96, 12288, 96), /* tp= */ 8, /* micro_batch= */ 1);
    f.hardware.device.memory_bound.launch_s = 0.0;
    f.plan.dp = 16;
    const PsimStage stage = {.n_layers = 1};
    const PsimStageCost whole = psim_stage_cost(&f.plan, &stage);
    f.plan.zero_stage = 1;
    const PsimStageCost shard = psim_stage_cost(&f.plan, &stage);

    ck_assert_double_eq(whole.optimizer_s, 30.0 * whole.memory.params / (2039e9 * 0.8));
    ck_assert_double_eq(shard.optimizer_s, whole.optimizer_s / 16.0);
    ck_assert_double_eq(whole.gradient_bytes, 2.0 * whole.memory.params);
    ck_assert_double_eq(whole.weight_bytes, 2.0 * whole.memory.params);
}
END_TEST

START_TEST(stage_of_a_list_sums_entries_and_their_repeats)
{
    PsimLayer layers[] = {
        {.repeat = 3,
         .forward_flop = 1e12,
         .backward_flop = 2e12,
         .params = 1.0,
         .activation_bytes = 7.0,
         .output_bytes = 4.0},
        {.repeat = 2,
         .forward_flop = 3e12,
         .backward_flop = 6e12,
         .params = 10.0,
         .activation_bytes = 11.0,
         .output_bytes = 2.0},
    };
    const PsimModel model = {
        .kind = PSIM_MODEL_LAYER_LIST, .layers = layers, .n_listed = G_N_ELEMENTS(layers)};
    Fixture f;
    fixture_init(&f, model, /* tp= */ 1, /* micro_batch= */ 2);
    const PsimStage stage = {.layer_first = 1, .n_layers = 4, .has_embedding = true};
    PsimStageCost sum = psim_stage_cost(&f.plan, &stage);

    ck_assert_double_eq(sum.cost.flop[PSIM_PASS_FORWARD], 2.0 * (2e12 + 6e12));
    ck_assert_double_eq(sum.memory.params, 22.0);
    ck_assert_double_eq(sum.memory.stored_bytes, 2.0 * (2 * 7.0 + 2 * 11.0));
    ck_assert_double_eq(sum.output_bytes, 4.0);

    /* Recomputed from inputs: 4, 4, 4 and 2 bytes a sample */
    f.plan.recompute = PSIM_RECOMPUTE_FULL;
    sum = psim_stage_cost(&f.plan, &stage);
    ck_assert_double_eq(sum.memory.stored_bytes, 2.0 * (4.0 + 4.0 + 4.0 + 2.0));
    ck_assert_double_eq(sum.memory.working_bytes, 2.0 * 9.0);
}
END_TEST

/* More stages than layers: those that are left over hand on what they receive. */
START_TEST(empty_stage_of_a_list_sends_what_it_receives)
{
    PsimLayer layers[] = {{.repeat = 2, .output_bytes = 4.0}, {.repeat = 1, .output_bytes = 7.0}};
    const PsimModel model = {
        .kind = PSIM_MODEL_LAYER_LIST, .layers = layers, .n_listed = G_N_ELEMENTS(layers)};
    Fixture f;
    fixture_init(&f, model, /* tp= */ 1, /* micro_batch= */ 2);

    for (uint32_t first = 0; first <= 3; first++) {
        const PsimStage stage = {.layer_first = first};

        ck_assert_double_eq(psim_stage_cost(&f.plan, &stage).output_bytes, first == 3 ? 14.0 : 8.0);
    }
}
END_TEST

START_TEST(empty_stage_costs_nothing)
{
    Fixture f;
    fixture_init(&f, fixture_gpt(96, 12288, 96), /* tp= */ 8, /* micro_batch= */ 1);
    const PsimStage stage = {.layer_first = 5};
    const PsimStageCost sum = psim_stage_cost(&f.plan, &stage);

    ck_assert_double_eq(sum.cost.compute_s[PSIM_PASS_FORWARD], 0.0);
    ck_assert_double_eq(sum.optimizer_s, 0.0);
    ck_assert_double_eq(sum.gradient_bytes, 0.0);
}
END_TEST

Suite *stage_suite(void);

Suite *
stage_suite(void)
{
    Suite *suite = suite_create("stage");
    TCase *sums = tcase_create("sums");

    tcase_add_test(sums, stage_is_the_sum_of_its_layers);
    tcase_add_test(sums, layers_that_are_not_recomputed_keep_what_they_have);
    tcase_add_test(sums, first_and_last_stage_have_the_ends);
    tcase_add_test(sums, stages_of_a_model_do_the_flop_of_the_model);
    tcase_add_loop_test(sums, stage_sends_a_share_of_its_output, 0, G_N_ELEMENTS(output_cases));
    tcase_add_test(sums, optimizer_moves_its_bytes_for_the_parameters_it_owns);
    tcase_add_test(sums, stage_of_a_list_sums_entries_and_their_repeats);
    tcase_add_test(sums, empty_stage_costs_nothing);
    tcase_add_test(sums, empty_stage_of_a_list_sends_what_it_receives);
    suite_add_tcase(suite, sums);
    return suite;
}
