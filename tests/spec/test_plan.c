/* SPDX-License-Identifier: MIT */
#include "test_spec.h"

#include "spec/plan.h"

#include <string.h>

static PsimPlan *
accept(const char *sets)
{
    g_autoptr(GError) error = NULL;
    PsimPlan *plan = test_spec_parse(TEST_PLAN, sets, &error);

    ck_assert_msg(plan != NULL, "%s", error != NULL ? error->message : "");
    return plan;
}

#define SAME "/gpus=16"

START_TEST(a_plan_is_resolved_completely)
{
    g_autoptr(PsimPlan) plan = accept(SAME);

    ck_assert_str_eq(plan->name, "p");
    ck_assert_uint_eq(plan->n_gpus, 16);
    ck_assert_uint_eq(plan->tp, 2);
    ck_assert_uint_eq(plan->pp, 4);
    ck_assert_uint_eq(plan->dp, 2);
    ck_assert_uint_eq(plan->n_microbatches, 32);
    ck_assert_str_eq(plan->schedule->name, "1f1b");
    ck_assert_uint_eq(psim_plan_stage_count(plan), 4);
    for (uint32_t stage = 0; stage < 4; stage++)
        ck_assert_uint_eq(plan->layers_per_stage[stage], 6);
    ck_assert_int_eq(plan->precision, PSIM_PRECISION_FP16);
    ck_assert_uint_eq(psim_plan_padded_vocabulary(plan), 51200);

    const PsimShape shape = psim_plan_shape(plan);

    ck_assert_uint_eq(shape.n_ranks, 4);
    ck_assert_uint_eq(shape.n_microbatches, 32);
    ck_assert_uint_eq(shape.n_chunks, 1);
    ck_assert_uint_eq(shape.group, 4);
}
END_TEST

static const struct {
    const char *sets;
    const char *pointer;
    const char *taken;
} defaults[] = {
    {SAME, "/parallel/data", "2, gpus / (tensor x pipeline)"},
    {SAME, "/parallel/sequence_parallel", "false, default"},
    {"/parallel/tensor=null|/gpus=8", "/parallel/tensor", "1, default"},
    {"/parallel/pipeline=null|/gpus=8", "/parallel/pipeline", "1, default"},
    {"/gpus=null|/parallel/data=2", "/gpus", "16, tensor x pipeline x data"},
    {SAME, "/parallel/context", NULL},
    {SAME, "/parallel/context_communication", NULL},
    {"/hardware=dgx-a100-80gb|/parallel/context=2", "/parallel/context_communication",
     "\"p2p\", as the runtime has it"},
    {"/hardware=dgx-a100-80gb|/parallel/context=2|/runtime/context_communication=all-gather",
     "/parallel/context_communication", "\"all-gather\", as the runtime has it"},
    {"/hardware=dgx-a100-80gb|/parallel/context=2", "/parallel/data",
     "1, gpus / (tensor x context x pipeline)"},
    {"/hardware=dgx-a100-80gb|/parallel/context=2|/gpus=null|/parallel/data=2", "/gpus",
     "32, tensor x context x pipeline x data"},
    {"/batch/micro=null", "/batch/micro", "1, default"},
    {"/batch/global=null", "/batch/global", "64, 8 microbatches a stage"},
    {"/batch/global=null|/parallel/pipeline=1", "/batch/global", "8, 1 microbatch a replica"},
    {SAME, "/schedule/name", "\"1f1b\", default"},
    {SAME, "/schedule/chunks", "1, as the schedule has it"},
    {"/schedule/name=interleaved|/model/transformer/layers=8", "/schedule/chunks",
     "2, as the schedule has it"},
    {SAME, "/schedule/group", "4, as many as pipeline ranks"},
    {"/schedule/name=interleaved|/batch/global=36|/runtime/interleave_rule=pytorch|"
     "/parallel/pipeline=8|/gpus=48|/parallel/tensor=2|/model/transformer/layers=16|"
     "/hardware/max_nodes=0",
     "/schedule/group", "12, microbatches in equal rounds"},
    {SAME, "/layers_per_stage", "\"even\", default"},
    {SAME, "/recompute", "\"none\", default"},
    {SAME, "/zero_stage", "0, default"},
    {SAME, "/precision", "\"fp16\", the device has it"},
    {"/hardware/device/peak/bf16=100 TFLOP/s", "/precision", "\"bf16\", the device has it"},
    {"/hardware/device/peak/fp16=null", "/precision", "\"fp32\", the device has it"},
    {SAME, "/flash_attention", "true, as the runtime has it"},
    {"/runtime/overlap/data=true", "/overlap/data", "true, as the runtime has it"},
    {SAME, "/overlap/pipeline", "false, as the runtime has it"},
    {SAME, "/overlap/tensor", "false, as the runtime has it"},
    {"/hardware/device/price={\"usd_per_gpu_hour\": 2.5, \"date\": \"2026-03\"}",
     "/run/usd_per_gpu_hour", "2.5, the device's price of 2026-03"},
    {SAME, "/run/usd_per_gpu_hour", NULL},
    {SAME, "/model/transformer/head_dim", "64, hidden / heads"},
    {SAME, "/hardware/scale_up/fraction", "0.78, default"},
    {SAME, "/runtime/global_grad_norm", "true, default"},
};

START_TEST(a_default_is_recorded_with_its_reason)
{
    g_autoptr(PsimPlan) plan = accept(defaults[_i].sets);
    g_autofree char *taken = test_spec_default(plan->defaults, defaults[_i].pointer);

    ck_assert_pstr_eq(taken, defaults[_i].taken);
}
END_TEST

START_TEST(no_default_is_recorded_twice)
{
    g_autoptr(PsimPlan) plan = accept(SAME);

    for (guint i = 0; i < plan->defaults->len; i++) {
        const PsimDefault *entry = g_ptr_array_index(plan->defaults, i);

        for (guint k = 0; k < i; k++) {
            const PsimDefault *other = g_ptr_array_index(plan->defaults, k);

            ck_assert_str_ne(entry->pointer, other->pointer);
        }
    }
}
END_TEST

static const char *const round_trips[] = {
    SAME,
    "/layers_per_stage=[5,6,6,7]|/recompute=selective|/zero_stage=1|/overlap/data=true",
    "/schedule/name=interleaved|/schedule/chunks=3|/schedule/group=8",
    "/hardware=dgx-a100-80gb|/parallel/context=2|/parallel/context_communication=all-gather-ring",
    "/runtime/context_communication=a2a",
    "/run/tokens=270e9|/run/usd_per_gpu_hour=1.75|/about=text|/source=paper|/name=other",
    "/run/usd_per_gpu_hour=0|/hardware/device/price={\"usd_per_gpu_hour\": 2.5}",
    "/model=alexnet|/hardware=dgx-a100-80gb|/runtime=megatron|/parallel/pipeline=1|/gpus=2",
};

START_TEST(what_is_written_reads_back_equal)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimPlan) plan = accept(round_trips[_i]);
    g_autofree char *text = psim_plan_write(plan);
    g_autoptr(PsimPlan) again = psim_plan_parse(text, strlen(text), "again.json", NULL, 0, &error);

    ck_assert_msg(again != NULL, "%s", error != NULL ? error->message : "");

    g_autofree char *text_again = psim_plan_write(again);
    g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);

    ck_assert_str_eq(text, text_again);
    ck_assert_str_eq(plan->digest, again->digest);
    ck_assert_str_eq(plan->digest, sum);
    ck_assert(plan->split == again->split);
}
END_TEST

START_TEST(the_digest_depends_on_every_part)
{
    g_autoptr(PsimPlan) plan = accept(SAME);
    g_autoptr(PsimPlan) model = accept("/model/transformer/layers=8");
    g_autoptr(PsimPlan) hardware = accept("/hardware/device/sms=8");
    g_autoptr(PsimPlan) runtime = accept("/runtime/memory/fragmentation=0.1");
    g_autoptr(PsimPlan) same = accept("/zero_stage=0");

    ck_assert_str_ne(plan->digest, model->digest);
    ck_assert_str_ne(plan->digest, hardware->digest);
    ck_assert_str_ne(plan->digest, runtime->digest);
    ck_assert_str_eq(plan->digest, same->digest);
    ck_assert_str_eq(plan->model->digest, same->model->digest);
}
END_TEST

START_TEST(tokens_and_price_are_plain_numbers)
{
    g_autoptr(PsimPlan) plan = accept("/run/tokens=270e9|/run/usd_per_gpu_hour=1.75");

    ck_assert(plan->tokens == 270e9);
    ck_assert(plan->usd_per_gpu_hour == 1.75);
}
END_TEST

START_TEST(handles_are_counted)
{
    g_autoptr(PsimPlan) plan = accept(SAME);
    PsimPlan *other = psim_plan_ref(plan);
    PsimModel *model = psim_model_ref(plan->model);
    PsimHardware *hardware = psim_hardware_ref(plan->hardware);

    psim_plan_unref(other);
    g_clear_pointer(&plan, psim_plan_unref);
    ck_assert_uint_eq(model->n_layers, 24);
    ck_assert_uint_eq(hardware->gpus_per_node, 8);
    psim_model_unref(model);
    psim_hardware_unref(hardware);
}
END_TEST

Suite *
plan_suite(void)
{
    Suite *suite = suite_create("plan");
    TCase *tcase = tcase_create("plan");

    tcase_add_test(tcase, a_plan_is_resolved_completely);
    tcase_add_loop_test(tcase, a_default_is_recorded_with_its_reason, 0, G_N_ELEMENTS(defaults));
    tcase_add_test(tcase, no_default_is_recorded_twice);
    tcase_add_loop_test(tcase, what_is_written_reads_back_equal, 0, G_N_ELEMENTS(round_trips));
    tcase_add_test(tcase, the_digest_depends_on_every_part);
    tcase_add_test(tcase, tokens_and_price_are_plain_numbers);
    tcase_add_test(tcase, handles_are_counted);
    suite_add_tcase(suite, tcase);
    return suite;
}
