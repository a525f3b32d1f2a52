/* SPDX-License-Identifier: MIT */
#include "calibrate/trial.h"

void
psim_trial_free(PsimTrial *self)
{
    if (self == NULL)
        return;
    psim_samples_clear(&self->samples);
    g_free(self->line);
    g_free(self);
}

PsimSuite
psim_trial_suite(const PsimTrial *self)
{
    static const PsimSuite suites[PSIM_N_CASE_KINDS] = {
        [PSIM_CASE_LAUNCH] = PSIM_SUITE_LAUNCH,       [PSIM_CASE_STREAM] = PSIM_SUITE_BANDWIDTH,
        [PSIM_CASE_GEMM] = PSIM_SUITE_GEMM,           [PSIM_CASE_KERNEL] = PSIM_SUITE_MEMORY,
        [PSIM_CASE_ATTENTION] = PSIM_SUITE_ATTENTION, [PSIM_CASE_MEMCPY] = PSIM_SUITE_MEMCPY,
        [PSIM_CASE_COLLECTIVE] = PSIM_SUITE_NCCL,
    };

    return suites[self->what.kind];
}

/* -- The same case -- */

static bool
is_same_gemm(const PsimCase *a, const PsimCase *b)
{
    return a->gemm.m == b->gemm.m && a->gemm.n == b->gemm.n && a->gemm.k == b->gemm.k &&
           a->gemm.layout == b->gemm.layout && a->gemm.accumulate_fp32 == b->gemm.accumulate_fp32;
}

static bool
is_same_attention(const PsimCase *a, const PsimCase *b)
{
    return a->attention.batch == b->attention.batch &&
           a->attention.n_heads == b->attention.n_heads &&
           a->attention.sequence == b->attention.sequence &&
           a->attention.head_dim == b->attention.head_dim &&
           a->attention.causal == b->attention.causal &&
           a->attention.backward == b->attention.backward;
}

static bool
is_same_shape(const PsimCase *a, const PsimCase *b)
{
    switch (a->kind) {
    case PSIM_CASE_LAUNCH:
        return a->launch.n_launches == b->launch.n_launches;
    case PSIM_CASE_STREAM:
        return a->stream.what == b->stream.what && a->stream.bytes == b->stream.bytes;
    case PSIM_CASE_GEMM:
        return is_same_gemm(a, b);
    case PSIM_CASE_KERNEL:
        return a->kernel.what == b->kernel.what && a->kernel.rows == b->kernel.rows &&
               a->kernel.width == b->kernel.width;
    case PSIM_CASE_ATTENTION:
        return is_same_attention(a, b);
    case PSIM_CASE_MEMCPY:
        return a->memcpy.what == b->memcpy.what && a->memcpy.bytes == b->memcpy.bytes;
    case PSIM_CASE_COLLECTIVE:
        return a->collective.what == b->collective.what &&
               a->collective.n_ranks == b->collective.n_ranks &&
               a->collective.bytes == b->collective.bytes;
    }
    g_assert_not_reached();
}

bool
psim_trial_is_same(const PsimTrial *a, const PsimTrial *b)
{
    return a->what.kind == b->what.kind && a->what.number == b->what.number &&
           a->what.graphed == b->what.graphed && is_same_shape(&a->what, &b->what);
}

/* -- Words -- */

#define WORDS(function, count, ...)                                                                \
    const char *const *function(void)                                                              \
    {                                                                                              \
        static const char *const words[] = {__VA_ARGS__, NULL};                                    \
        G_STATIC_ASSERT(G_N_ELEMENTS(words) == (count) + 1);                                       \
        return words;                                                                              \
    }

WORDS(psim_suite_words,
      PSIM_N_SUITES,
      "launch",
      "bandwidth",
      "gemm",
      "memory",
      "attention",
      "memcpy",
      "nccl")
WORDS(psim_role_words, PSIM_N_ROLES, "fit", "held-out", "probe")
WORDS(psim_verdict_words, 5, "right", "wrong", "unsupported", "too-large", "failed")
WORDS(psim_flag_words, 4, "scattered", "clock-moved", "throttled", "short")
WORDS(psim_number_words, PSIM_N_NUMBERS, "fp32", "tf32", "fp16", "bf16", "fp8")
WORDS(psim_case_words,
      PSIM_N_CASE_KINDS,
      "launch",
      "stream",
      "gemm",
      "kernel",
      "attention",
      "memcpy",
      "collective")
WORDS(psim_stream_words, PSIM_N_STREAM_KINDS, "copy", "scale", "triad", "sum")
WORDS(psim_layout_words, PSIM_N_LAYOUTS, "TN", "NN", "NT")
WORDS(psim_kernel_words,
      PSIM_N_KERNEL_KINDS,
      "norm-forward",
      "norm-backward",
      "softmax-forward",
      "softmax-backward",
      "gelu-forward",
      "gelu-backward",
      "swiglu-forward",
      "swiglu-backward",
      "dropout-add-forward",
      "dropout-add-backward",
      "adam")
WORDS(psim_memcpy_words,
      PSIM_N_MEMCPY_KINDS,
      "host-to-device",
      "device-to-host",
      "both-ways",
      "device-to-device")
WORDS(psim_exchange_words,
      PSIM_N_EXCHANGE_KINDS,
      "all-reduce",
      "all-gather",
      "reduce-scatter",
      "all-to-all",
      "send")

int
psim_word_index(const char *word, const char *const *words)
{
    for (int i = 0; words[i] != NULL; i++) {
        if (g_strcmp0(words[i], word) == 0)
            return i;
    }
    return -1;
}
