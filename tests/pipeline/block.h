/* SPDX-License-Identifier: MIT */
/* block.h: one transformer block, as GPT-2 has it, without dropout
 *
 *     x . norm . qkv . causal attention . projection . + x . norm . fc1 . gelu . fc2 . +
 *
 * T = tokens of a microbatch, h = hidden, a = heads, s = sequence, b = samples.
 */
#pragma once

#include "config.h"
#include "kernels.h"

/* The parameters of a block, or their gradients: views into one array. Weights are (outputs,
 * inputs); a norm is its gain, then its bias. */
typedef struct {
    float *norm_1;                       /* (2, h)  */
    float *qkv, *qkv_bias;               /* (3h, h) */
    float *projection, *projection_bias; /* (h, h)  */
    float *norm_2;
    float *fc1, *fc1_bias; /* (4h, h) */
    float *fc2, *fc2_bias; /* (h, 4h) */
} TinyBlock;

/** tiny_block_parameters: Returns: floats of a block: 12 h^2 + 13 h. */
size_t tiny_block_parameters(const TinyConfig *config);

/** tiny_block_view: Returns: views into @parameters of a block; NULL is all right. */
TinyBlock tiny_block_view(const TinyConfig *config, float *parameters);

/* What the forward of one microbatch keeps for its backward. */
typedef struct {
    const float *input;     /* (T, h): the output of the block before, not its own */
    float *norm_1;          /* (T, h)  input of qkv */
    float *heads;           /* (3 T, h) queries, keys, values by head */
    float *probabilities;   /* (b a s, s) */
    float *context;         /* (T, h)  input of projection */
    float *middle;          /* (T, h)  input of the second norm */
    float *norm_2;          /* (T, h)  input of fc1 */
    float *fc1;             /* (T, 4h) input of gelu, without bias */
    float *gelu;            /* (T, 4h) input of fc2 */
    TinyMoments *moments_1; /* (T) */
    TinyMoments *moments_2; /* (T) */
} TinyKept;

/** tiny_kept_floats: Returns: of one microbatch and block, without the input. */
size_t tiny_kept_floats(const TinyConfig *config);

/** tiny_kept_view: Returns: views into @floats of that many. */
TinyKept tiny_kept_view(const TinyConfig *config, float *floats);

/* Room that any block of a stage works in. */
typedef struct {
    float *wide;   /* (T, 4h) */
    float *heads;  /* (3 T, h) */
    float *scores; /* (s, s) */
    float *stream; /* (T, h) */
} TinyScratch;

size_t tiny_scratch_floats(const TinyConfig *config);
TinyScratch tiny_scratch_view(const TinyConfig *config, float *floats);

/** tiny_block_forward: @kept->input is given; everything else of it and @output are written. */
void tiny_block_forward(const TinyConfig *config,
                        const TinyBlock *block,
                        const TinyScratch *scratch,
                        TinyKept *kept,
                        float *output);

/**
 * tiny_block_backward:
 * @gradient    of the parameters, added to
 * @d_stream    gradient of the output; becomes that of the input
 */
void tiny_block_backward(const TinyConfig *config,
                         const TinyBlock *block,
                         const TinyBlock *gradient,
                         const TinyScratch *scratch,
                         const TinyKept *kept,
                         float *d_stream);
