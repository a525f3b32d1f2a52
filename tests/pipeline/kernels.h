/* SPDX-License-Identifier: MIT */
/* kernels.h: what a transformer computes beside matrix products, forward and backward
 *
 * Matrices are row major: (rows, width) has rows of width floats. A gradient of a parameter is
 * added to what earlier microbatches left; every other output is written.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Of one row each, kept for the backward. */
typedef struct {
    float mean;
    float inverse_deviation;
} TinyMoments;

/* y = (x - mean) / deviation * gain + bias, row by row. */
typedef struct {
    size_t rows, width;
    const float *gain, *bias;
} TinyNorm;

void tiny_norm_forward(const TinyNorm *norm, const float *x, float *y, TinyMoments *moments);

/**
 * tiny_norm_backward:
 * @dy              gradient of the output
 * @x               input of the forward
 * @dx              gradient of the input; may be @dy
 * @d_parameters    (2, width) of gain and bias, added to
 */
void tiny_norm_backward(const TinyNorm *norm,
                        const float *dy,
                        const float *x,
                        const TinyMoments *moments,
                        float *dx,
                        float *d_parameters);

/* y = gelu(x + bias), tanh form; x is kept without its bias. */
void tiny_gelu_forward(size_t rows, size_t width, const float *x, const float *bias, float *y);

/** tiny_gelu_backward: @dy becomes the gradient of @x. */
void tiny_gelu_backward(size_t rows, size_t width, const float *x, const float *bias, float *dy);

/* y += x + bias: the branch's result and the stream it joins. */
void tiny_residual_forward(size_t rows, size_t width, const float *x, const float *bias, float *y);

/* y += x. */
void tiny_add(size_t n, const float *x, float *y);

/* d_bias += sum of the rows of dy. */
void tiny_bias_backward(size_t rows, size_t width, const float *dy, float *d_bias);

/* (s, s) scores of one head become probabilities; a token sees itself and those before it. */
void tiny_softmax_forward(size_t s, float *scores);

/** tiny_softmax_backward: @d becomes the gradient of the scores from that of @probabilities. */
void tiny_softmax_backward(size_t s, const float *probabilities, float *d);

/* (tokens, 3 x hidden) and the heads' own matrices: for each sample queries of all heads, (head,
 * token, dimension), then keys, then values. */
typedef struct {
    size_t samples, sequence, heads, dimension;
} TinyHeads;

/* The bias of the product is added on the way. */
void tiny_heads_split(const TinyHeads *heads, const float *joined, const float *bias, float *split);
void tiny_heads_join(const TinyHeads *heads, const float *split, float *joined);

/**
 * tiny_loss_forward:
 * Logits become probabilities in place.
 *
 * Returns: the sum over rows of -log p(target).
 */
double tiny_loss_forward(size_t rows, size_t vocabulary, const uint32_t *targets, float *logits);

/** tiny_loss_backward: probabilities become @scale times the gradient of the logits. */
void tiny_loss_backward(
    size_t rows, size_t vocabulary, const uint32_t *targets, float scale, float *logits);

/* Adam with the moments of one parameter each; gradients are zero afterwards. */
typedef struct {
    float rate; /* with both corrections for the moments' start at zero */
    float beta_1, beta_2;
    float epsilon;
} TinyAdam;

TinyAdam tiny_adam_at(double learning_rate, uint32_t step);

void
tiny_adam_step(const TinyAdam *adam, size_t n, float *weights, float *gradients, float *moments[2]);
