/* SPDX-License-Identifier: MIT */
#include "validate/stack.h"

#include <string.h>

/* The first row that fits is taken: the file's name begins with `file`, and the row's id, source,
 * framework or notes contain `word`. The comment is what the source states. */
static const struct {
    const char *file; /* "": any file */
    const char *word; /* NULL: any row */
    const char *runtime;
    bool nearest;
} stacks[] = {
    /* Megatron-DeepSpeed, fp16 */
    {"vtrain", NULL, "deepspeed-2021", false},
    {"hagemann2023", NULL, "aleph-alpha-2023", false},
    /* NeMo */
    {"nvidia_dgxc", NULL, "nemo", false},
    {"nvidia_megatron_bridge", NULL, "nemo", false},
    {"nvidia_nemo_docs", NULL, "nemo", false},
    {"nvidia_automodel", NULL, "torchtitan", true},
    {"mlperf_training", NULL, "nemo", false},
    /* Table 2's ZeRO-3 is DeepSpeed */
    {"narayanan2021", "zero3", "deepspeed", false},
    {"narayanan2021", NULL, "megatron-2021", false},
    {"korthikanti2022", NULL, "megatron-2022", false},
    {"megascale2024", NULL, "megatron", true},
    {"megatron2019", NULL, "megatron-2021", false},
    {"megatron_h100", NULL, "megatron", false},
    {"megatron_core", NULL, "megatron", false},
    {"bloom_prequel", NULL, "deepspeed", false},
    /* Megatron-DeepSpeed of 2021, fp16 */
    {"bigscience_v100", NULL, "deepspeed-2021", false},
    {"kwai", NULL, "megatron", false},
    {"flagperf", "paddle", "megatron-2022", true},
    {"flagperf", "deepspeed", "deepspeed", false},
    {"flagperf", NULL, "megatron", false},
    {"nanotron", NULL, "nanotron", false},
    {"internevo", NULL, "megatron", true},
    {"oneflow", "oneflow-gpt", "megatron-2021", true},
    {"oneflow", "deepspeed", "deepspeed-2021", false},
    {"oneflow", NULL, "megatron-2021", false},
    {"libai", NULL, "megatron-2022", true},
    {"amp", NULL, "deepspeed", false},
    {"terapipe", NULL, "megatron-2021", true},
    {"moe_qwen3", NULL, "megatron", false},
    {"simumax", NULL, "megatron", false},
    {"colossalai", NULL, "pytorch-fsdp", true},
    {"torchtitan", NULL, "torchtitan", false},
    {"mosaicml", NULL, "llm-foundry-2023", false},
    {"fms_fsdp", NULL, "torchtitan", true},
    {"bmtrain", NULL, "deepspeed", true},
    {"ms_swift", "megatron", "megatron", false},
    {"ms_swift", NULL, "deepspeed", false},
    {"finetune_singlegpu", NULL, "pytorch-fsdp", false},
    {"aws_lambda", NULL, "torchtitan", false},
    {"ml_engineering", "bloom", "deepspeed", false},
    {"ml_engineering", NULL, "deepspeed", true},
    /* Megatron-LM of 2023 */
    {"zero_bubble", NULL, "megatron-2022", false},
    {"vocabulary_parallelism", NULL, "megatron", false},
    {"controllable_memory", NULL, "megatron-2022", false},
    {"gpipe", NULL, "gpipe", false},
    {"galvatron", NULL, "pytorch-fsdp", true},
    {"training_runs", "mt-nlg", "deepspeed-2021", false},
    {"training_runs", "bloom", "deepspeed", false},
    {"misc_frameworks", "flashattention-2", "megatron-2022", true},
    {"misc_frameworks", "nemo", "megatron-2022", false},
    /* Anybody's rows */
    {"", "megatron-deepspeed", "deepspeed", false},
    {"", "torchtitan", "torchtitan", false},
    {"", "nanotron", "nanotron", false},
    {"", "fsdp", "pytorch-fsdp", false},
    {"", "nemo", "megatron", false},
    {"", "megatron", "megatron", false},
    {"", "deepspeed", "deepspeed", false},
};

static bool
says(const char *text, const char *word)
{
    return text != NULL && strstr(text, word) != NULL;
}

/* Of the gradients on the wire. FSDP's policies: DEFAULT reduces in fp32, PURE in 16 bits. */
static void
change_reduction(const PsimRow *row, PsimChanges *changes)
{
    static const char pointer[] = "/runtime/bytes_per_parameter/gradient_reduce";

    if (says(row->precision, "reduced in fp32") || says(row->precision, "precision DEFAULT"))
        psim_changes_add(changes, pointer, "4");
    else if (says(row->precision, "precision PURE"))
        psim_changes_add(changes, pointer, "2");
}

/* vTrain's own times say so: against its runs with two tensor ranks those with one take 2.65 times
 * as long for the products of the logits, at hidden 1024 as at 2048: the vocabulary of 50257 was
 * left an odd number. */
static void
change_vocabulary(const PsimRow *row, PsimChanges *changes)
{
    if (g_str_has_prefix(row->source_file, "vtrain") && row->tp == 1)
        psim_changes_add(changes, "/runtime/kernels/vocabulary_multiple", "1");
}

/* A row that names its attention kernel says with it which of the others are fused. */
static void
change_kernels(const PsimRow *row, PsimChanges *changes)
{
    if (row->attention_kernel == NULL)
        return;
    psim_changes_add(changes, "/runtime/kernels/fused_norm", "%s",
                     says(row->attention_kernel, "RMS") ? "true" : "false");
    if (says(row->attention_kernel, "v1"))
        psim_changes_add(changes, "/runtime/kernels/attention", "flash-attention-1");
    if (says(row->attention_kernel, "torch"))
        psim_changes_add(changes, "/runtime/kernels/fused_softmax", "false");
}

/* OneFlow compiles the step into one graph, in which gradients are reduced beside the backward. */
static void
change_overlap(const PsimRow *row, PsimChanges *changes)
{
    if (g_str_has_prefix(row->source_file, "oneflow") && psim_row_mentions(row, "oneflow-gpt"))
        psim_changes_add(changes, "/overlap/data", "true");
}

/* Megatron-Core's default is cuDNN's kernel by way of Transformer Engine; a row that says
 * FlashAttention in so many words means that package, of version 2 since 2023. */
static void
change_flash_attention(const PsimRow *row, const char *runtime, PsimChanges *changes)
{
    const char *said = row->flash_attention;
    const bool by_name =
        g_strcmp0(said, "true") == 0 || g_strcmp0(said, "flash") == 0 || g_strcmp0(said, "v2") == 0;

    if (by_name && strcmp(runtime, "megatron") == 0)
        psim_changes_add(changes, "/runtime/kernels/attention", "flash-attention-2");
}

/* The runtime of the table; NULL: none fits. */
static const char *
find_runtime(const PsimRow *row, bool *ret_nearest)
{
    for (size_t i = 0; i < G_N_ELEMENTS(stacks); i++) {
        if (!g_str_has_prefix(row->source_file, stacks[i].file) ||
            (stacks[i].word != NULL && !psim_row_mentions(row, stacks[i].word)))
            continue;
        *ret_nearest = stacks[i].nearest;
        return stacks[i].runtime;
    }
    return NULL;
}

const char *
psim_stack_resolve(const PsimRow *row, PsimChanges *ret_changes, bool *ret_nearest)
{
    *ret_nearest = false;
    change_reduction(row, ret_changes);
    change_kernels(row, ret_changes);
    change_vocabulary(row, ret_changes);
    change_overlap(row, ret_changes);
    if (row->runtime != NULL)
        return row->runtime;
    const char *runtime = find_runtime(row, ret_nearest);

    if (runtime != NULL)
        change_flash_attention(row, runtime, ret_changes);
    return runtime;
}
