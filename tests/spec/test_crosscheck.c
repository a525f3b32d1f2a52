/* SPDX-License-Identifier: MIT */
/* Every contradiction and every remark, word for word. */
#include "test_spec.h"

#include "base/limits.h"

/* A device with fused attention, which context parallelism needs. */
#define FUSED "/hardware=dgx-a100-80gb|"

static const struct {
    const char *sets;
    const char *message;
} contradictions[] = {
    /* Degrees. */
    {"/gpus=30",
     "--set /gpus=30: /gpus: is 30; tensor 2 x pipeline 4 = 8 does not divide it; nearest: 24 or "
     "32"},
    {"/gpus=4",
     "--set /gpus=4: /gpus: is 4; tensor 2 x pipeline 4 = 8 does not divide it; nearest: 8"},
    {"/parallel/data=3|/batch/global=96",
     "p.json:5:11: /gpus: is 16; tensor 2 x pipeline 4 x data 3 = 24; nearest: gpus 24, or data 2"},
    {"/gpus=20|/parallel/data=3|/batch/global=96",
     "--set /gpus=20: /gpus: is 20; tensor 2 x pipeline 4 x data 3 = 24; nearest: gpus 24"},
    {"/gpus=64|/batch/global=256",
     "--set /gpus=64: /gpus: is 64; box has at most 4 nodes of 8 GPUs = 32"},
    {"/gpus=null|/parallel/data=65536|/batch/global=null|/hardware/max_nodes=0|/parallel/tensor=16|"
     "/parallel/pipeline=2",
     "--set /parallel/data=65536: /parallel/data: is 65536; tensor 16 x pipeline 2 x data 65536 = "
     "2097152 GPUs; at most 1048576 (PSIM_LIMIT_GPUS)"},
    {"/gpus=1048576|/parallel/tensor=1|/parallel/pipeline=1|/batch/global=1048576|"
     "/hardware/max_nodes=0",
     "--set /gpus=1048576: /gpus: is 1048576; leaves data 1048576; at most 65536 "
     "(PSIM_LIMIT_DEGREE)"},
    /* Batch. */
    {"/batch/global=33",
     "--set /batch/global=33: /batch/global: is 33; 2 replicas x microbatches of 1 = 2 do not "
     "divide it; nearest: 32 or 34"},
    {"/batch/global=1",
     "--set /batch/global=1: /batch/global: is 1; 2 replicas x microbatches of 1 = 2 do not divide "
     "it; nearest: 2"},
    {"/batch/global=67108864",
     "--set /batch/global=67108864: /batch/global: is 67108864; makes 33554432 microbatches; at "
     "most 16777216 (PSIM_LIMIT_MICROBATCHES)"},
    /* Tensor parallelism. */
    {"/parallel/tensor=3|/gpus=24",
     "--set /parallel/tensor=3: /parallel/tensor: is 3; 16 heads do not divide over 3 tensor "
     "ranks; nearest: 2 or 4\n"
     "--set /parallel/tensor=3: /parallel/tensor: is 3; 4 key-value heads neither divide over 3 "
     "tensor ranks nor divide them; nearest: 2 or 4\n"
     "--set /parallel/tensor=3: /parallel/tensor: is 3; ffn_hidden 4096 does not divide over 3 "
     "tensor ranks; nearest: 2 or 4"},
    {"/model/transformer/heads=18|/model/transformer/kv_heads=9|/model/transformer/head_dim=64|"
     "/parallel/tensor=6|/gpus=24|/model/transformer/ffn_hidden=3600",
     "--set /parallel/tensor=6: /parallel/tensor: is 6; 9 key-value heads neither divide over 6 "
     "tensor ranks nor divide them; nearest: 3 or 9"},
    {"/model/transformer/ffn_hidden=4097",
     "p.json:6:26: /parallel/tensor: is 2; ffn_hidden 4097 does not divide over 2 tensor ranks; "
     "nearest: 1"},
    {"/parallel/sequence_parallel=true|/model/transformer/sequence=1023",
     "--set /parallel/sequence_parallel=true: /parallel/sequence_parallel: is true; a sequence of "
     "1023 does not divide over 2 tensor ranks; nearest: 1022 or 1024 tokens"},
    /* Context parallelism. */
    {FUSED "/parallel/context=3|/gpus=40",
     "--set /gpus=40: /gpus: is 40; tensor 2 x context 3 x pipeline 4 = 24 does not divide it; "
     "nearest: 24 or 48\n"
     "--set /parallel/context=3: /parallel/context: is 3; a sequence of 1024 does not divide into "
     "6 chunks, two a rank where attention is causal; nearest: 1020 or 1026 tokens"},
    {FUSED "/parallel/context=2|/parallel/data=2",
     "p.json:5:11: /gpus: is 16; tensor 2 x context 2 x pipeline 4 x data 2 = 32; nearest: gpus "
     "32, or data 1"},
    {"/parallel/context=5000|/gpus=16|/batch/global=32",
     "--set /parallel/context=5000: /parallel/context: is 5000; must be from 1 to 4096"},
    {FUSED "/parallel/context=3|/gpus=24|/model/transformer/causal=false",
     "--set /parallel/context=3: /parallel/context: is 3; a sequence of 1024 does not divide into "
     "3 chunks; nearest: 1023 or 1026 tokens"},
    {"/parallel/context=2",
     "--set /parallel/context=2: /parallel/context: is 2; parts of attention are joined by fused "
     "kernels only, and the device has none; must be 1"},
    {FUSED "/parallel/context=2|/flash_attention=false",
     "--set /parallel/context=2: /parallel/context: is 2; parts of attention are joined by fused "
     "kernels only, and flash_attention is false; must be 1"},
    {FUSED "/parallel/context=4|/gpus=32|/parallel/context_communication=a2a",
     "--set /parallel/context_communication=a2a: /parallel/context_communication: is \"a2a\"; 16 "
     "heads and 4 key-value heads do not both divide over tensor 2 x context 4 = 8 ranks; use p2p"},
    {FUSED "/parallel/sequence_parallel=true|/parallel/context=4|/gpus=32|"
           "/model/transformer/sequence=1020|/model/transformer/causal=false",
     "--set /parallel/sequence_parallel=true: /parallel/sequence_parallel: is true; a sequence of "
     "1020 does not divide over tensor 2 x context 4 = 8 ranks; nearest: 1016 or 1024 tokens"},
    {"/parallel/context=2|/model=alexnet|/hardware=dgx-a100-80gb|/runtime=megatron|"
     "/parallel/pipeline=1|/parallel/tensor=1|/gpus=2",
     "--set /parallel/context=2: /parallel/context: is 2; a layer list has no sequence to split; "
     "must be 1"},
    /* Pipeline. */
    {"/model/transformer/layers=30",
     "p.json:6:41: /parallel/pipeline: is 4; 30 layers do not divide over 4 stages; nearest: 3 or "
     "5 stages, or layers_per_stage \"balanced\", or a list such as 2 x 8, 2 x 7, whose fullest "
     "stage has 7 % more layers than the mean"},
    {"/model/transformer/layers=3",
     "p.json:6:41: /parallel/pipeline: is 4; 3 layers do not divide over 4 stages; nearest: 3 "
     "stages, or give layers_per_stage"},
    {"/model/transformer/layers=30|/schedule/name=interleaved",
     "p.json:6:41: /parallel/pipeline: is 4; 30 layers do not divide over pipeline 4 x chunks "
     "2 = 8 stages; nearest: 3 or 5 ranks, or layers_per_stage \"balanced\", or a list such as "
     "6 x 4, 2 x 3, whose fullest stage has 7 % more layers than the mean"},
    {"/model/transformer/layers=31|/schedule/name=interleaved",
     "p.json:6:41: /parallel/pipeline: is 4; 31 layers do not divide over pipeline 4 x chunks "
     "2 = 8 stages; nearest: none, or layers_per_stage \"balanced\", or a list such as 7 x 4, 3, "
     "whose fullest stage has 3 % more layers than the mean"},
    {"/layers_per_stage=[6,6,6]",
     "--set /layers_per_stage=[6,6,6]: /layers_per_stage: has 3 stages; pipeline 4 x chunks 1 = 4\n"
     "--set /layers_per_stage=[6,6,6]: /layers_per_stage: has 18 layers in all; the model has 24"},
    {"/layers_per_stage=[6,6,6,7]",
     "--set /layers_per_stage=[6,6,6,7]: /layers_per_stage: has 25 layers in all; the model has "
     "24"},
    {"/parallel/pipeline=65536|/gpus=131072|/batch/global=64|/hardware/max_nodes=0|"
     "/parallel/data=1",
     "--set /parallel/pipeline=65536: /parallel/pipeline: is 65536; x chunks 1 = 65536 stages; at "
     "most 65535 (PSIM_LIMIT_STAGES)"},
    /* Schedule. */
    {"/schedule/chunks=3",
     "--set /schedule/chunks=3: /schedule/chunks: is 3; schedule \"1f1b\" has 1 a rank"},
    {"/schedule/slices=3",
     "--set /schedule/slices=3: /schedule/slices: is 3; 1f1b does not slice microbatches"},
    {"/schedule/name=interleaved|/batch/global=12",
     "--set /schedule/name=interleaved: /schedule: interleaved has 6 microbatches, which leaves 2 "
     "after groups of 4, "
     "fewer than 4 pipeline ranks; the nearest that work are 4 and 8"},
    /* Device. */
    {"/precision=bf16",
     "--set /precision=bf16: /precision: is \"bf16\"; chip computes in fp32, fp16"},
    /* All at once, by place. */
    {"/precision=bf16|/model/transformer/layers=30|/batch/global=33",
     "--set /batch/global=33: /batch/global: is 33; 2 replicas x microbatches of 1 = 2 do not "
     "divide it; nearest: 32 or 34\n"
     "--set /precision=bf16: /precision: is \"bf16\"; chip computes in fp32, fp16\n"
     "p.json:6:41: /parallel/pipeline: is 4; 30 layers do not divide over 4 stages; nearest: 3 or "
     "5 stages, or layers_per_stage \"balanced\", or a list such as 2 x 8, 2 x 7, whose fullest "
     "stage has 7 % more layers than the mean"},
};

START_TEST(a_contradiction_names_its_place_and_the_nearest_values)
{
    g_autofree char *message = test_spec_complain(TEST_PLAN, contradictions[_i].sets);

    ck_assert_str_eq(message, contradictions[_i].message);
}
END_TEST

START_TEST(a_contradiction_is_a_mismatch)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimPlan) plan = test_spec_parse(TEST_PLAN, "/gpus=30", &error);

    ck_assert_ptr_null(plan);
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_MISMATCH));
}
END_TEST

static const struct {
    const char *sets;
    const char *remarks;
} remarks[] = {
    {"/batch/global=64", ""},
    {"/gpus=24|/parallel/tensor=1|/batch/global=192|/parallel/pipeline=3", ""},
    {"/gpus=12|/parallel/tensor=1|/batch/global=48",
     "warning nodes-not-filled: 12 GPUs leave 4 idle on nodes of 8 -> 16 GPUs\n"},
    {"/gpus=4|/parallel/tensor=1",
     "note nodes-not-filled: 4 GPUs leave 4 idle on nodes of 8 -> 8 GPUs\n"},
    {"/gpus=1|/parallel/tensor=1|/parallel/pipeline=1",
     "note nodes-not-filled: 1 GPU leaves 7 idle on nodes of 8 -> 8 GPUs\n"},
    {"/parallel/tensor=16|/parallel/pipeline=1",
     "warning tp-across-nodes: tensor 16 is more than the 8 GPUs of a scale-up domain: its "
     "collectives cross the fabric in every layer -> tensor 8 or less, the rest to pipeline or "
     "data\n"
     "warning kv-heads-replicated: 4 key-value heads on 16 tensor ranks: each is kept 4 times -> "
     "tensor 4 or less\n"},
    {"/hardware/scale_up/size=24|/hardware/gpus_per_node=24|/parallel/tensor=16|"
     "/parallel/pipeline=3|/gpus=48|/hardware/fabric/nics=24",
     "warning tp-across-nodes: tensor 16 does not divide the 24 GPUs of a scale-up domain: some "
     "groups cross the fabric in every layer -> tensor 12 or 24\n"
     "warning kv-heads-replicated: 4 key-value heads on 16 tensor ranks: each is kept 4 times -> "
     "tensor 4 or less\n"},
    {"/parallel/tensor=8|/parallel/pipeline=1",
     "warning kv-heads-replicated: 4 key-value heads on 8 tensor ranks: each is kept 2 times -> "
     "tensor 4 or less\n"},
    {"/model/transformer/vocabulary=50257",
     "note vocabulary-padded: vocabulary 50257 is padded to 50432, a multiple of 128 x tensor 2\n"},
    {"/model/transformer/vocabulary=51200|/runtime/kernels={\"vocabulary_multiple\": 1}", ""},
    {"/model/transformer/vocabulary=50257|/runtime/kernels={\"vocabulary_multiple\": 1}|"
     "/hardware/device/gemm={\"odd\": 2.65}",
     "note vocabulary-padded: vocabulary 50257 is padded to 50258, a multiple of 1 x tensor 2\n"
     "warning vocabulary-unaligned: a tensor rank has 25129 rows of vocabulary 50257, an odd "
     "number: the products of the logits take 2.65 times as long on chip -> pad it to 50304, a "
     "multiple of 64 x tensor 2\n"},
    {"/model/transformer/vocabulary=51212|/runtime/kernels={\"vocabulary_multiple\": 2}",
     "warning vocabulary-unaligned: a tensor rank has 25606 rows of vocabulary 51212, no multiple "
     "of 16 bytes: the products of the logits take 1.45 times as long on chip -> pad it to 51328, "
     "a multiple of 64 x tensor 2\n"},
    {"/model/transformer/vocabulary=51202|/runtime/kernels={\"vocabulary_multiple\": 1}|"
     "/hardware/device/gemm={\"misaligned\": 1}",
     ""},
    {"/model/transformer/vocabulary=51224|/runtime/kernels={\"vocabulary_multiple\": 1}|"
     "/precision=fp32|/hardware/device/peak/fp16=null",
     ""}, /* 25612 rows of 4 bytes */
    {"/batch/global=16",
     "note few-microbatches: 8 microbatches on 4 pipeline ranks: much of the step fills and drains "
     "the pipeline -> 16 microbatches or more: a global batch of 32\n"},
    {"/batch/global=2",
     "note fewer-microbatches-than-stages: 3 of 4 pipeline ranks wait at any time for want of "
     "microbatches -> 16 microbatches or more: a global batch of 32\n"},
    {"/zero_stage=2",
     "warning zero-with-pipeline: ZeRO 2 with a pipeline: most runtimes refuse it, for gradients "
     "are needed across microbatches -> zero_stage 1\n"},
    {"/zero_stage=1|/gpus=8",
     "note zero-alone: ZeRO 1 shards nothing with data 1 -> data 2 or more: what it shards is "
     "divided by the replicas\n"},
    {"/precision=fp32",
     "warning slow-precision: fp32 products reach 10.0 TFLOP/s at most on chip; fp16 products 100 "
     "-> precision fp16\n"},
    {"/precision=fp32|/hardware/device/peak/fp16=null", ""},
    {"/parallel/sequence_parallel=true|/parallel/tensor=1|/gpus=8",
     "note sequence-parallel-alone: sequence parallelism does nothing with tensor 1\n"},
    {"/recompute=selective",
     "note selective-with-flash: selective recomputation saves little with flash attention, which "
     "keeps no scores -> recompute none\n"},
    {"/model/transformer/sequence=2048",
     "note learned-positions: a sequence of 2048 changes the model: its learned positions are "
     "2048 x 1024 parameters\n"},
    {"/model={\"name\": \"list\", \"layer_list\": {\"layers\": [{\"repeat\": 4, \"forward_flop\": "
     "\"1 GFLOP\", \"params\": 1000, \"activation\": \"1 MB\", \"output\": \"1 MB\"}]}}",
     "warning no-exchange: tensor 2, but no layer of list has an \"exchange\": its communication "
     "counts as free\n"},
};

START_TEST(a_remark_says_what_and_what_instead)
{
    g_autofree char *lines = test_spec_remarks(TEST_PLAN, remarks[_i].sets);

    ck_assert_str_eq(lines, remarks[_i].remarks);
}
END_TEST

Suite *
crosscheck_suite(void)
{
    Suite *suite = suite_create("crosscheck");
    TCase *tcase = tcase_create("crosscheck");

    tcase_add_loop_test(tcase, a_contradiction_names_its_place_and_the_nearest_values, 0,
                        G_N_ELEMENTS(contradictions));
    tcase_add_test(tcase, a_contradiction_is_a_mismatch);
    tcase_add_loop_test(tcase, a_remark_says_what_and_what_instead, 0, G_N_ELEMENTS(remarks));
    suite_add_tcase(suite, tcase);
    return suite;
}
