/* SPDX-License-Identifier: MIT */
/* kernels.h: the memory-bound kernels of a transformer, in fp32, on one core
 *
 * Written to be vectorised by the compiler: rows outside, one pass over a row where that suffices.
 * Each moves the bytes that hardware/README.md counts for it, and no scratch beside them.
 */
#pragma once

#include <stddef.h>

#include <glib.h>

G_BEGIN_DECLS

/* (rows, width) each; `out` may not overlap what is read, but for Adam. */

/** psim_cpu_norm_forward: y = (x - mean) / sqrt(variance + 1e-5) * gain + shift. */
void psim_cpu_norm_forward(
    const float *x, const float *gain, const float *shift, float *y, size_t rows, size_t width);

/* Operands of a normalisation's backward. */
typedef struct {
    const float *x;
    const float *gain;
    const float *dy;
    float *dx;
    float *dgain;  /* (width) added to */
    float *dshift; /* (width) added to */
} PsimCpuNormBackward;

void psim_cpu_norm_backward(const PsimCpuNormBackward *operands, size_t rows, size_t width);

void psim_cpu_softmax_forward(const float *x, float *y, size_t rows, size_t width);

/** psim_cpu_softmax_backward: dx = y (dy - sum(y dy)). */
void
psim_cpu_softmax_backward(const float *y, const float *dy, float *dx, size_t rows, size_t width);

/** psim_cpu_gelu_forward: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), n elements. */
void psim_cpu_gelu_forward(const float *x, float *y, size_t n);
void psim_cpu_gelu_backward(const float *x, const float *dy, float *dx, size_t n);

/** psim_cpu_swiglu_forward: x is (rows, 2 width): gate, then up; y = up gate / (1 + exp(-gate)). */
void psim_cpu_swiglu_forward(const float *x, float *y, size_t rows, size_t width);
void
psim_cpu_swiglu_backward(const float *x, const float *dy, float *dx, size_t rows, size_t width);

/* y = residual + mask (x + bias) / keep. */
typedef struct {
    const float *x;
    const float *bias; /* (width) */
    const float *residual;
    const unsigned char *mask; /* 0 or 1 */
    float keep;
    float *y;
} PsimCpuDropoutAdd;

void psim_cpu_dropout_add_forward(const PsimCpuDropoutAdd *operands, size_t rows, size_t width);

/** psim_cpu_dropout_add_backward: dx = mask dy / keep; dbias (width) is added to. */
void psim_cpu_dropout_add_backward(
    const PsimCpuDropoutAdd *operands, const float *dy, float *dbias, size_t rows, size_t width);

/* One step of Adam over n parameters; decays 0.9 and 0.999, no weight decay. */
typedef struct {
    float *weight, *mean, *square; /* (n) */
    const float *gradient;         /* (n) */
    float rate;
    unsigned step; /* >= 1 */
} PsimCpuAdam;

void psim_cpu_adam(const PsimCpuAdam *operands, size_t n);

G_END_DECLS
