/* SPDX-License-Identifier: MIT */
/* operands.h: the arrays of a case on the CPU, and one run of it
 */
#pragma once

#include "calibrate/backend.h"

G_BEGIN_DECLS

#define PSIM_CPU_MAX_ARRAYS 6

typedef struct {
    PsimCase what;
    float *arrays[PSIM_CPU_MAX_ARRAYS]; /* (n[i]) in the order of operands.c */
    size_t n[PSIM_CPU_MAX_ARRAYS];
    unsigned char *mask; /* (n[0]) of dropout */
    float sum;           /* what PSIM_STREAM_SUM found, so that it is not left out */
} PsimCpuOperands;

/**
 * psim_cpu_operands_fill:
 * Allocates the arrays of @what and fills them with normal random numbers.
 *
 * @max_bytes    in all                [B]
 * @seed         of the numbers
 *
 * Returns: RIGHT; TOO_LARGE beyond @max_bytes; UNSUPPORTED for what a core does not do alone.
 * Ownership: the caller clears @self in each case.
 */
PsimVerdict psim_cpu_operands_fill(PsimCpuOperands *self,
                                   const PsimCase *what,
                                   uint64_t max_bytes,
                                   uint64_t seed);
void psim_cpu_operands_clear(PsimCpuOperands *self);

/** psim_cpu_operands_run: the case once. */
void psim_cpu_operands_run(PsimCpuOperands *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PsimCpuOperands, psim_cpu_operands_clear)

G_END_DECLS
