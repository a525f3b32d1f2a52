/* SPDX-License-Identifier: MIT */
/* kernel.h: how long one kernel takes, alone on an idle device
 *
 * Formulas and constants: hardware/README.md. Everything in seconds, bytes and FLOP as doubles.
 */
#pragma once

#include "spec/hardware.h"

G_BEGIN_DECLS

/* C[m,n] += A[m,k] B[k,n], batch copies. */
typedef struct {
    double m, n, k;
    double batch;         /* copies                                       [1] >= 1 */
    double element_bytes; /* of A and B                                   [B]      */
    double output_bytes;  /* cb: 2 bf16 out, 4 fp32, 8 fp32 accumulate    [B]      */
    PsimProductLayout layout;
} PsimGemm;

/**
 * psim_kernel_gemm_s:
 * From the measured rows of the device where they have the shape, see cost/gemm_table.h; else from
 * the formula.
 *
 * Returns: [s].
 * Formula: t0 + min over tiles and split-k of smax(waves * tile work, traffic); the smooth form on
 * machines without tiles. See kernel.c.
 * Source: fitted to vidur, SimuMax and DeepBench rows; hardware/README.md.
 * Wrong when: library heuristics pick an odd tile (H100, n = k = 8192, m = 544: 2x).
 */
double psim_kernel_gemm_s(const PsimDevice *device, PsimPrecision precision, const PsimGemm *gemm);

/** psim_kernel_gemm_basis: Returns: what psim_kernel_gemm_s() takes that time from. */
PsimBasis
psim_kernel_gemm_basis(const PsimDevice *device, PsimPrecision precision, const PsimGemm *gemm);

/** psim_kernel_gemm_rate: Returns: what large products reach, peak times efficiency, [FLOP/s]. */
double psim_kernel_gemm_rate(const PsimDevice *device, PsimPrecision precision);

typedef struct {
    double batch;   /* samples                                      [1] */
    double n_heads; /* query heads on this rank                     [1] */
    double n_kv_heads;
    double queries; /* [tokens] */
    double keys;    /* [tokens] as many as queries, but for a part of a sequence; of causal
                     * attention half of the pairs count */
    double head_dim;
    bool causal;
    const char *kernel; /* the one wanted, if the device has it; NULL: its first */
} PsimAttention;

/** psim_kernel_attention_flop: forward FLOPs, halved if causal. The backward has 2.5 times
 * that. */
double psim_kernel_attention_flop(const PsimAttention *attention);

/**
 * psim_kernel_attention_s:
 * Fused attention (FlashAttention and kin).
 *
 * @backward    the backward pass instead of the forward
 *
 * Returns: [s]; negative if the device has no such kernel (use the unfused chain then).
 * Formula: 5 us + F / (P eff s/(s+s0) w/sqrt(w^2+occ^2)) with s keys, and
 * w = b h ceil(queries/tile)/SMs.
 */
double psim_kernel_attention_s(const PsimDevice *device,
                               PsimPrecision precision,
                               const PsimAttention *attention,
                               bool backward);

/**
 * psim_kernel_contention:
 * Returns: the share of the device's processors that a collective takes while it runs, [1] in
 * [0, 1/2]; 0 without SMs or with copy engines.
 * Formula: SMs of a collective over all SMs. hardware/README.md.
 * Source: one channel of NCCL takes one SM, 24 at most on a ring and 16 with in-switch reduction;
 * a survey measures compute 18.9% slower on average beside collectives (arXiv 2507.03114), a ring's
 * 24 of an A100's 108 SMs are 22%.
 * Wrong when: a kernel's last wave has SMs to spare, or they decide between one wave and two.
 */
double psim_kernel_contention(const PsimDevice *device);

/**
 * psim_kernel_memory_s:
 * A memory-bound kernel.
 *
 * @bytes       compulsory traffic                [B]
 * @fraction    of the nominal bandwidth          [1]
 *
 * Returns: launch + bytes / (bandwidth * fraction), [s]; 0 for no bytes.
 */
double psim_kernel_memory_s(const PsimDevice *device, double bytes, double fraction);

G_END_DECLS
