/* SPDX-License-Identifier: MIT */
/* head.h: the two ends of the model: the embedding before the blocks, the head and the loss behind
 */
#pragma once

#include "config.h"
#include "kernels.h"

/* Parameters, or their gradients. */
typedef struct {
    float *tokens;    /* (V, h) */
    float *positions; /* (s, h) */
} TinyEmbedding;

/** tiny_embedding_forward: @output (T, h) = rows of both. */
void tiny_embedding_forward(const TinyConfig *config,
                            const TinyEmbedding *embedding,
                            const uint32_t *tokens,
                            float *output);
void tiny_embedding_backward(const TinyConfig *config,
                             const TinyEmbedding *gradient,
                             const uint32_t *tokens,
                             const float *d_output);

/* Parameters, or their gradients. */
typedef struct {
    float *norm; /* (2, h) */
    float *head; /* (V, h) */
} TinyHeadWeights;

/* What the forward of one microbatch keeps for its backward. */
typedef struct {
    float *input;  /* (T, h) of the norm: the last block's output */
    float *norm;   /* (T, h) input of the head */
    float *logits; /* (T, V), then probabilities, then their gradient */
    TinyMoments *moments;
} TinyHeadKept;

size_t tiny_head_kept_floats(const TinyConfig *config);
TinyHeadKept tiny_head_kept_view(const TinyConfig *config, float *floats);

/** tiny_head_forward: Returns: the loss, summed over tokens. */
double tiny_head_forward(const TinyConfig *config,
                         const TinyHeadWeights *weights,
                         const TinyHeadKept *kept,
                         const uint32_t *targets);

/** tiny_head_backward: of the mean over all tokens of a step. @d_input (T, h) is written. */
void tiny_head_backward(const TinyConfig *config,
                        const TinyHeadWeights *weights,
                        const TinyHeadWeights *gradient,
                        const TinyHeadKept *kept,
                        const uint32_t *targets,
                        float *d_input);
