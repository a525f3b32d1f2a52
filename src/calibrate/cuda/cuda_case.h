/* SPDX-License-Identifier: MIT */
/* cuda_case.h: what a case needs on a device, before any device is asked
 *
 * Pure functions of a case: which arrays it reads and writes, whether they fit, whether the
 * device's generation has such an operation, and the small case of the same kind that the host can
 * check.
 */
#pragma once

#include "calibrate/backend.h"

G_BEGIN_DECLS

typedef enum {
    PSIM_ELEMENT_FP32,
    PSIM_ELEMENT_FP16,
    PSIM_ELEMENT_BF16,
    PSIM_ELEMENT_FP8,  /* E4M3 */
    PSIM_ELEMENT_BYTE, /* a mask */
} PsimElement;
#define PSIM_N_ELEMENTS 5

typedef enum {
    PSIM_FILL_NONE,   /* written by the case        */
    PSIM_FILL_NORMAL, /* normal, times scale        */
    PSIM_FILL_SQUARE, /* square of that             */
    PSIM_FILL_ZERO,
    PSIM_FILL_BIT, /* bytes of 0 and 1           */
} PsimFill;

/* One array of a case. */
typedef struct {
    PsimElement element;
    PsimFill fill;
    float scale;
    uint64_t n;   /* elements                                              */
    bool scratch; /* one for all repetitions: nothing of it is read again  */
} PsimArraySpec;

#define PSIM_MAX_ARRAYS 12

typedef struct {
    uint32_t n;
    PsimArraySpec array[PSIM_MAX_ARRAYS];
} PsimArrayList;

/* Where in the list of a case an array is. */
enum { PSIM_STREAM_A, PSIM_STREAM_B, PSIM_STREAM_C, PSIM_STREAM_SUMS };
enum { PSIM_GEMM_A, PSIM_GEMM_B, PSIM_GEMM_C };
enum { PSIM_MEMCPY_FROM, PSIM_MEMCPY_TO };
/* The kernels of a transformer, in the order of cuda_case.c. */
enum { PSIM_NORM_X, PSIM_NORM_GAMMA, PSIM_NORM_BETA, PSIM_NORM_Y, PSIM_NORM_MEAN, PSIM_NORM_RSTD };
enum {
    PSIM_NORM_BACK_X,
    PSIM_NORM_BACK_GAMMA,
    PSIM_NORM_BACK_DY,
    PSIM_NORM_BACK_MEAN,
    PSIM_NORM_BACK_RSTD,
    PSIM_NORM_BACK_DX,
    PSIM_NORM_BACK_DGAMMA,
    PSIM_NORM_BACK_DBETA,
    PSIM_NORM_BACK_PARTIAL,
};
enum { PSIM_MAP_X, PSIM_MAP_Y };                              /* softmax, GeLU, SwiGLU forward */
enum { PSIM_MAP_BACK_X, PSIM_MAP_BACK_DY, PSIM_MAP_BACK_DX }; /* softmax: the output for X */
enum { PSIM_DROP_X, PSIM_DROP_BIAS, PSIM_DROP_RESIDUAL, PSIM_DROP_Y, PSIM_DROP_MASK };
enum { PSIM_DROP_BACK_DY, PSIM_DROP_BACK_MASK, PSIM_DROP_BACK_DX };
enum { PSIM_ADAM_GRADIENT, PSIM_ADAM_MASTER, PSIM_ADAM_M, PSIM_ADAM_V, PSIM_ADAM_WEIGHT };
enum {
    PSIM_ATTENTION_Q,
    PSIM_ATTENTION_K,
    PSIM_ATTENTION_V,
    PSIM_ATTENTION_O,
    PSIM_ATTENTION_STATS, /* log of the sum of exponentials of each row */
    PSIM_ATTENTION_DO,
    PSIM_ATTENTION_DQ,
    PSIM_ATTENTION_DK,
    PSIM_ATTENTION_DV,
    PSIM_ATTENTION_DQ_SUM, /* fp32 */
    PSIM_ATTENTION_DELTA,  /* the sum of O dO of each row */
};

/* Constants of the kernels, so that the host reference has the same. */
#define PSIM_NORM_EPSILON  1e-5F
#define PSIM_DROPOUT_KEEP  0.9F
#define PSIM_STREAM_FACTOR 0.75F
#define PSIM_ADAM_RATE     1e-3F
#define PSIM_ADAM_BETA1    0.9F
#define PSIM_ADAM_BETA2    0.95F
#define PSIM_ADAM_EPSILON  1e-8F
#define PSIM_ADAM_DECAY    0.1F
/* 1 - beta^step at step 10. */
#define PSIM_ADAM_CORRECTION1 0.6513215599F
#define PSIM_ADAM_CORRECTION2 0.4012630608F

/* Rows of partial sums of a norm's weight gradient: the strips a device works on at once. */
#define PSIM_NORM_MAX_STRIPS 512
/* Bytes that a block of the kernel that sums an array reads at once, and blocks at most. */
#define PSIM_STREAM_SUM_BYTES  4096u
#define PSIM_STREAM_SUM_BLOCKS 2048u

/** psim_stream_sum_blocks: Returns: blocks that sum an array, a partial sum each. */
static inline uint32_t
psim_stream_sum_blocks(uint64_t bytes)
{
    const uint64_t blocks = (bytes + PSIM_STREAM_SUM_BYTES - 1) / PSIM_STREAM_SUM_BYTES;

    return blocks < PSIM_STREAM_SUM_BLOCKS ? (uint32_t)blocks : PSIM_STREAM_SUM_BLOCKS;
}

/** psim_row_threads: Returns: threads of a block that works on a row, whole warps up to @most. */
static inline uint32_t
psim_row_threads(uint64_t width, uint32_t elements_a_thread, uint32_t most)
{
    const uint64_t busy = (width + elements_a_thread - 1) / elements_a_thread;
    const uint64_t whole_warps = (busy + 31) / 32 * 32;

    return whole_warps < most ? (uint32_t)whole_warps : most;
}

/* Threads of a norm's backward kernel, at most. */
#define PSIM_NORM_BACK_THREADS 512u

/** psim_norm_back_floats: Returns: sums of one kind that a block keeps of its strip, padded. */
static inline uint64_t
psim_norm_back_floats(uint64_t width, uint32_t elements_a_thread)
{
    const uint64_t step =
        (uint64_t)psim_row_threads(width, elements_a_thread, PSIM_NORM_BACK_THREADS) *
        elements_a_thread;

    return (width + step - 1) / step * step;
}

/** psim_elements_a_load: Returns: elements of a 16-byte access, 1 where rows are not aligned. */
static inline uint32_t
psim_elements_a_load(uint64_t width, uint64_t element_bytes)
{
    const uint32_t n = (uint32_t)(16 / element_bytes);

    return width % n == 0 ? n : 1;
}

/* What of a device decides whether it has an operation. */
typedef struct {
    int major, minor; /* compute capability */
    uint32_t n_units;
    uint64_t shared_bytes; /* of a block, when asked for */
    bool has_cudnn;
    bool has_nccl;
} PsimDeviceTraits;

/** psim_element_bytes: Returns: of one element, [B]. */
uint64_t psim_element_bytes(PsimElement element);

/** psim_element_of: Returns: how a number type lies in memory. */
PsimElement psim_element_of(PsimNumber number);

/**
 * psim_cuda_case_arrays:
 * Lists the arrays of @what, in the order of the enums above.
 * Exact for: cases that psim_cuda_case_judge() calls right; collectives have none here.
 */
void psim_cuda_case_arrays(const PsimCase *what, PsimArrayList *ret_list);

/** psim_cuda_case_bytes: Returns: of one set of arrays, UINT64_MAX if beyond 2^63, [B]. */
uint64_t psim_cuda_case_bytes(const PsimCase *what);

/**
 * psim_cuda_case_judge:
 * Returns: right if the case can be run; else why not, with @error saying what is missing.
 * Errors: VALUE for sizes of zero or beyond what a kernel can index (verdict FAILED),
 *         UNSUPPORTED, LIMIT (verdict TOO_LARGE).
 */
PsimVerdict psim_cuda_case_judge(const PsimCase *what,
                                 const PsimPolicy *policy,
                                 const PsimDeviceTraits *traits,
                                 GError **error);

/* How many small cases psim_cuda_case_shrink() makes of one. */
#define PSIM_N_CHECKS 2

/**
 * psim_cuda_case_shrink:
 * @round  0: alignment as in @what. 1: odd sizes, where the operation takes them
 * Returns: a case of the same kind that a plain loop on the host can afford.
 */
PsimCase psim_cuda_case_shrink(const PsimCase *what, unsigned round);

G_END_DECLS
