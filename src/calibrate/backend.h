/* SPDX-License-Identifier: MIT */
/* backend.h: a machine that can be measured, as the suites see it
 *
 * `cpu` is built in and is the reference; `cuda` is a loadable module whose one exported function
 * returns this table, so that nothing else needs CUDA. C and C++ read this header alike.
 *
 * A case is one operation on one shape. The suites decide which cases are run and in what order,
 * the backend knows how; it never decides what is worth measuring.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/* Raised whenever a type of this header changes: a module built against another one is refused. */
#define PSIM_BACKEND_ABI 1u

/* The one function that a backend module exports; returns its PsimBackend. */
#define PSIM_BACKEND_SYMBOL "psim_backend"

typedef enum {
    PSIM_NUMBER_FP32,
    PSIM_NUMBER_TF32, /* fp32 in memory, tensor cores on 19 bits */
    PSIM_NUMBER_FP16,
    PSIM_NUMBER_BF16,
    PSIM_NUMBER_FP8, /* E4M3 */
} PsimNumber;
#define PSIM_N_NUMBERS 5

/** psim_number_bytes: Returns: what an element of that type takes in memory, [B]. */
static inline uint64_t
psim_number_bytes(PsimNumber number)
{
    static const uint64_t bytes[PSIM_N_NUMBERS] = {4, 4, 2, 2, 1};

    return bytes[number];
}

typedef enum {
    PSIM_CASE_LAUNCH,     /* empty kernels back to back               */
    PSIM_CASE_STREAM,     /* copy, scale, triad, sum over big arrays  */
    PSIM_CASE_GEMM,       /* one matrix product                       */
    PSIM_CASE_KERNEL,     /* a memory-bound kernel of a transformer   */
    PSIM_CASE_ATTENTION,  /* fused attention, one pass                */
    PSIM_CASE_MEMCPY,     /* between host and device                  */
    PSIM_CASE_COLLECTIVE, /* between devices, or between processes    */
} PsimCaseKind;
#define PSIM_N_CASE_KINDS 7

typedef enum {
    PSIM_STREAM_COPY,  /* b = a          2 transfers an element */
    PSIM_STREAM_SCALE, /* b = s a        2 */
    PSIM_STREAM_TRIAD, /* c = a + s b    3 */
    PSIM_STREAM_SUM,   /* s = sum(a)     1 */
} PsimStreamKind;
#define PSIM_N_STREAM_KINDS 4

/* In the column-major reading of cuBLAS, as hardware/README.md has it: the first letter is A's.
 * C[m,n] = A[m,k] B[k,n] in the row-major reading of a model: m tokens, n outputs, k inputs. */
typedef enum {
    PSIM_LAYOUT_TN, /* forward:           B stored (n, k)                    */
    PSIM_LAYOUT_NN, /* input gradient:    B stored (k, n)                    */
    PSIM_LAYOUT_NT, /* weight gradient:   A stored (k, m), B stored (k, n)   */
} PsimLayout;
#define PSIM_N_LAYOUTS 3

/* (rows, width): tokens times the width of the kernel's tensor; a softmax has one row a query and
 * head. Adam has rows = 1 and width = parameters. */
typedef enum {
    PSIM_KERNEL_NORM_FORWARD,
    PSIM_KERNEL_NORM_BACKWARD, /* input and weight gradient */
    PSIM_KERNEL_SOFTMAX_FORWARD,
    PSIM_KERNEL_SOFTMAX_BACKWARD,
    PSIM_KERNEL_GELU_FORWARD,
    PSIM_KERNEL_GELU_BACKWARD,
    PSIM_KERNEL_SWIGLU_FORWARD, /* width is that of the output, the input has twice as much */
    PSIM_KERNEL_SWIGLU_BACKWARD,
    PSIM_KERNEL_DROPOUT_ADD_FORWARD, /* residual + mask (x + bias) / keep */
    PSIM_KERNEL_DROPOUT_ADD_BACKWARD,
    PSIM_KERNEL_ADAM,
} PsimKernelKind;
#define PSIM_N_KERNEL_KINDS 11

typedef enum {
    PSIM_MEMCPY_HOST_TO_DEVICE,
    PSIM_MEMCPY_DEVICE_TO_HOST,
    PSIM_MEMCPY_BOTH_WAYS, /* bytes each way */
    PSIM_MEMCPY_DEVICE_TO_DEVICE,
} PsimMemcpyKind;
#define PSIM_N_MEMCPY_KINDS 4

typedef enum {
    PSIM_EXCHANGE_ALL_REDUCE,
    PSIM_EXCHANGE_ALL_GATHER,
    PSIM_EXCHANGE_REDUCE_SCATTER,
    PSIM_EXCHANGE_ALL_TO_ALL,
    PSIM_EXCHANGE_SEND,
} PsimExchangeKind;
#define PSIM_N_EXCHANGE_KINDS 5

typedef struct {
    PsimCaseKind kind;
    PsimNumber number; /* of the operands */
    bool graphed;      /* launches replayed as one graph, where the machine has graphs */
    union {
        struct {
            uint64_t n_launches;
        } launch;
        struct {
            PsimStreamKind what;
            uint64_t bytes; /* of one array */
        } stream;
        struct {
            uint64_t m, n, k;
            PsimLayout layout;
            bool accumulate_fp32; /* C is fp32 and added to: the weight gradient */
        } gemm;
        struct {
            PsimKernelKind what;
            uint64_t rows, width;
        } kernel;
        struct {
            uint64_t batch, n_heads, sequence, head_dim;
            bool causal;
            bool backward;
        } attention;
        struct {
            PsimMemcpyKind what;
            uint64_t bytes;
        } memcpy;
        struct {
            PsimExchangeKind what;
            uint32_t n_ranks;
            uint64_t bytes; /* the whole buffer of a rank, as S in hardware/README.md */
        } collective;
    };
} PsimCase;

/* How a case is timed. */
typedef struct {
    uint32_t n_warm_up;    /* batches thrown away first                                 */
    uint32_t n_batches;    /* samples kept, at most                                     */
    double batch_s;        /* a batch repeats the case until it is at least so long [s] */
    double budget_s;       /* for the whole case; what was reached by then counts   [s] */
    uint64_t memory_bytes; /* at most for operands and scratch                      [B] */
    bool cold;             /* what the case reads is driven out of the caches first     */
    uint64_t seed;         /* of the operands: normal random, never zeros               */
} PsimPolicy;

typedef enum {
    PSIM_FLAG_SCATTERED = 1 << 0,   /* MAD above 3 % of the median, also when repeated  */
    PSIM_FLAG_CLOCK_MOVED = 1 << 1, /* clock moved by more than 5 % within the case     */
    PSIM_FLAG_THROTTLED = 1 << 2,   /* the device slowed itself down                    */
    PSIM_FLAG_SHORT = 1 << 3,       /* the budget ended it before n_batches             */
} PsimFlags;

/* What measuring a case gave. */
typedef struct {
    uint32_t n;      /* samples */
    double *seconds; /* (n) one run of the case, a batch's mean; g_free() [s] */
    uint64_t n_a_batch;
    unsigned flags;                         /* PsimFlags */
    double clock_before_hz, clock_after_hz; /* 0: unknown */
    double power_watt;                      /* 0: unknown */
    double best_s; /* of several algorithms where the library offers them; 0: not tried. Never
                      fitted */
} PsimSamples;

/** psim_samples_clear: frees what a backend filled in. */
static inline void
psim_samples_clear(PsimSamples *self)
{
    g_clear_pointer(&self->seconds, g_free);
}

/* What is measured: one device, or one core. Strings are the backend's and live until close(). */
typedef struct {
    const char *name;         /* "NVIDIA H200", "AMD EPYC ..."; never a host's name */
    const char *identifier;   /* a hash that tells two devices of one name apart, or "" */
    const char *driver;       /* "580.159" or "" */
    const char *libraries;    /* "cuBLAS 13.0, cuDNN 9.1, NCCL 2.30" or "OpenBLAS 0.3.21 Haswell" */
    const char *architecture; /* "sm_90", "x86_64" */
    uint32_t n_units;         /* devices, or cores, on this machine */
    uint32_t n_sms;           /* 0: no tiles */
    uint64_t memory_bytes;
    uint64_t memory_usable_bytes;
    uint64_t cache_bytes;                      /* last level */
    double clock_hz, memory_clock_hz;          /* maximum; 0: unknown */
    double power_limit_watt;                   /* 0: unknown */
    double nominal_flop_per_s[PSIM_N_NUMBERS]; /* dense peak; 0: cannot */
    double nominal_bytes_per_s;                /* of the memory */
    double nominal_link_bytes_per_s;           /* each way between two units; 0: unknown */
    double nominal_host_bytes_per_s;           /* each way to the host; 0: no host apart */
} PsimUnitFacts;

typedef struct PsimUnit PsimUnit;

typedef enum {
    PSIM_VERDICT_RIGHT, /* within the bound for its number type */
    PSIM_VERDICT_WRONG,
    PSIM_VERDICT_UNSUPPORTED, /* this machine has no such operation: skip the case */
    PSIM_VERDICT_TOO_LARGE,   /* does not fit into policy->memory_bytes: skip the case */
    PSIM_VERDICT_FAILED,      /* the library or the driver reported an error; see GError */
} PsimVerdict;

typedef struct {
    uint32_t abi;     /* PSIM_BACKEND_ABI */
    const char *name; /* "cpu", "cuda" */

    /* Takes unit @number, from 0. Errors: PSIM_ERROR_IO, with what to do, where there is none. */
    PsimUnit *(*open)(uint32_t number, GError **error);
    void (*close)(PsimUnit *self);
    void (*describe)(PsimUnit *self, PsimUnitFacts *ret_facts);

    /* Runs @what on random data, at a size of its kind that the reference can afford, and compares
     * with a plain reference on the host. @ret_error gets the largest error over its bound [1]. */
    PsimVerdict (*check)(PsimUnit *self,
                         const PsimCase *what,
                         const PsimPolicy *policy,
                         double *ret_error,
                         GError **error);

    /* Times @what. Only called after check() said right. The samples are the caller's to clear. */
    PsimVerdict (*measure)(PsimUnit *self,
                           const PsimCase *what,
                           const PsimPolicy *policy,
                           PsimSamples *ret_samples,
                           GError **error);
} PsimBackend;

/* What PSIM_BACKEND_SYMBOL names. */
typedef const PsimBackend *(*PsimBackendFunc)(void);

G_END_DECLS
