/* SPDX-License-Identifier: MIT */
#include "block.h"

#include "product.h"

#include <math.h>

/* Hands out parts of one array, one after the other. */
static float *
take(float **next, size_t n)
{
    float *part = *next;

    if (part != NULL)
        *next += n;
    return part;
}

size_t
tiny_block_parameters(const TinyConfig *config)
{
    const size_t h = config->hidden;

    return 12 * h * h + 13 * h;
}

TinyBlock
tiny_block_view(const TinyConfig *config, float *parameters)
{
    const size_t h = config->hidden;
    float *next = parameters;
    TinyBlock block;

    block.norm_1 = take(&next, 2 * h);
    block.qkv = take(&next, 3 * h * h);
    block.qkv_bias = take(&next, 3 * h);
    block.projection = take(&next, h * h);
    block.projection_bias = take(&next, h);
    block.norm_2 = take(&next, 2 * h);
    block.fc1 = take(&next, 4 * h * h);
    block.fc1_bias = take(&next, 4 * h);
    block.fc2 = take(&next, 4 * h * h);
    block.fc2_bias = take(&next, h);
    return block;
}

/* Floats that the two moments of a row take. */
#define MOMENTS (sizeof(TinyMoments) / sizeof(float))

size_t
tiny_kept_floats(const TinyConfig *config)
{
    const size_t tokens = tiny_config_tokens(config);

    return tokens *
           (15 * (size_t)config->hidden + (size_t)config->n_heads * config->sequence + 2 * MOMENTS);
}

TinyKept
tiny_kept_view(const TinyConfig *config, float *floats)
{
    const size_t tokens = tiny_config_tokens(config);
    const size_t stream = tokens * config->hidden;
    float *next = floats;
    TinyKept kept = {.input = NULL};

    kept.norm_1 = take(&next, stream);
    kept.heads = take(&next, 3 * stream);
    kept.probabilities = take(&next, tokens * config->n_heads * config->sequence);
    kept.context = take(&next, stream);
    kept.middle = take(&next, stream);
    kept.norm_2 = take(&next, stream);
    kept.fc1 = take(&next, 4 * stream);
    kept.gelu = take(&next, 4 * stream);
    kept.moments_1 = (TinyMoments *)(void *)take(&next, MOMENTS * tokens);
    kept.moments_2 = (TinyMoments *)(void *)take(&next, MOMENTS * tokens);
    return kept;
}

size_t
tiny_scratch_floats(const TinyConfig *config)
{
    const size_t s = config->sequence;

    return 8 * (size_t)tiny_config_tokens(config) * config->hidden + s * s;
}

TinyScratch
tiny_scratch_view(const TinyConfig *config, float *floats)
{
    const size_t stream = (size_t)tiny_config_tokens(config) * config->hidden;
    float *next = floats;
    TinyScratch scratch;

    scratch.wide = take(&next, 4 * stream);
    scratch.heads = take(&next, 3 * stream);
    scratch.stream = take(&next, stream);
    scratch.scores = take(&next, (size_t)config->sequence * config->sequence);
    return scratch;
}

static TinyHeads
find_heads(const TinyConfig *config)
{
    return (TinyHeads){
        .samples = config->micro_batch,
        .sequence = config->sequence,
        .heads = config->n_heads,
        .dimension = config->hidden / config->n_heads,
    };
}

static TinyHead
find_head(const TinyConfig *config)
{
    const size_t d = config->hidden / config->n_heads;

    return (TinyHead){
        .s = config->sequence,
        .d = d,
        .stride = config->hidden,
        .scale = 1.0F / sqrtf((float)d),
    };
}

static TinyNorm
find_norm(const TinyConfig *config, const float *parameters)
{
    return (TinyNorm){
        .rows = tiny_config_tokens(config),
        .width = config->hidden,
        .gain = parameters,
        .bias = parameters + config->hidden,
    };
}

static TinyLinear
find_linear(const TinyConfig *config, size_t n, size_t k)
{
    return (TinyLinear){.m = tiny_config_tokens(config), .n = n, .k = k};
}

/* Where a head's own parts lie. */
typedef struct {
    size_t q, k, v;       /* in what was split into heads */
    size_t probabilities; /* and in those */
    size_t context;       /* and in the context, whose rows are a whole hidden wide */
} Offsets;

static Offsets
find_offsets(const TinyHeads *heads, size_t sample, size_t head)
{
    const size_t matrix = heads->sequence * heads->dimension;
    const size_t hidden = heads->heads * heads->dimension;
    const size_t first = (sample * 3 * heads->heads + head) * matrix;

    return (Offsets){
        .q = first,
        .k = first + heads->heads * matrix,
        .v = first + 2 * heads->heads * matrix,
        .probabilities = (sample * heads->heads + head) * heads->sequence * heads->sequence,
        .context = sample * heads->sequence * hidden + head * heads->dimension,
    };
}

static void
attend(const TinyConfig *config, TinyKept *kept)
{
    const TinyHeads heads = find_heads(config);
    const TinyHead head = find_head(config);

    for (size_t b = 0; b < heads.samples; b++) {
        for (size_t i = 0; i < heads.heads; i++) {
            const Offsets at = find_offsets(&heads, b, i);
            float *probabilities = kept->probabilities + at.probabilities;

            tiny_head_scores(&head, kept->heads + at.q, kept->heads + at.k, probabilities);
            tiny_softmax_forward(heads.sequence, probabilities);
            tiny_head_context(&head, probabilities, kept->heads + at.v, kept->context + at.context);
        }
    }
}

static void
attend_backward(const TinyConfig *config,
                const TinyScratch *scratch,
                const TinyKept *kept,
                const float *d_context)
{
    const TinyHeads heads = find_heads(config);
    const TinyHead head = find_head(config);

    for (size_t b = 0; b < heads.samples; b++) {
        for (size_t i = 0; i < heads.heads; i++) {
            const Offsets at = find_offsets(&heads, b, i);
            const float *probabilities = kept->probabilities + at.probabilities;
            const float *d = d_context + at.context;

            tiny_head_probabilities(&head, d, kept->heads + at.v, scratch->scores);
            tiny_head_values(&head, probabilities, d, scratch->heads + at.v);
            tiny_softmax_backward(heads.sequence, probabilities, scratch->scores);
            tiny_head_queries(&head, scratch->scores, kept->heads + at.k, scratch->heads + at.q);
            tiny_head_keys(&head, scratch->scores, kept->heads + at.q, scratch->heads + at.k);
        }
    }
}

void
tiny_block_forward(const TinyConfig *config,
                   const TinyBlock *block,
                   const TinyScratch *scratch,
                   TinyKept *kept,
                   float *output)
{
    const size_t tokens = tiny_config_tokens(config);
    const size_t h = config->hidden;
    const TinyHeads heads = find_heads(config);
    const TinyNorm norm_1 = find_norm(config, block->norm_1);
    const TinyNorm norm_2 = find_norm(config, block->norm_2);
    const TinyLinear qkv = find_linear(config, 3 * h, h);
    const TinyLinear projection = find_linear(config, h, h);
    const TinyLinear fc1 = find_linear(config, 4 * h, h);
    const TinyLinear fc2 = find_linear(config, h, 4 * h);

    tiny_norm_forward(&norm_1, kept->input, kept->norm_1, kept->moments_1);
    tiny_linear_forward(&qkv, kept->norm_1, block->qkv, scratch->heads);
    tiny_heads_split(&heads, scratch->heads, block->qkv_bias, kept->heads);
    attend(config, kept);
    tiny_linear_forward(&projection, kept->context, block->projection, kept->middle);
    tiny_residual_forward(tokens, h, kept->input, block->projection_bias, kept->middle);

    tiny_norm_forward(&norm_2, kept->middle, kept->norm_2, kept->moments_2);
    tiny_linear_forward(&fc1, kept->norm_2, block->fc1, kept->fc1);
    tiny_gelu_forward(tokens, 4 * h, kept->fc1, block->fc1_bias, kept->gelu);
    tiny_linear_forward(&fc2, kept->gelu, block->fc2, output);
    tiny_residual_forward(tokens, h, kept->middle, block->fc2_bias, output);
}

/* The second half of a block: @d_stream becomes the gradient of the middle. */
static void
go_back_through_mlp(const TinyConfig *config,
                    const TinyBlock *block,
                    const TinyBlock *gradient,
                    const TinyScratch *scratch,
                    const TinyKept *kept,
                    float *d_stream)
{
    const size_t tokens = tiny_config_tokens(config);
    const size_t h = config->hidden;
    const TinyNorm norm = find_norm(config, block->norm_2);
    const TinyLinear fc1 = find_linear(config, 4 * h, h);
    const TinyLinear fc2 = find_linear(config, h, 4 * h);

    tiny_bias_backward(tokens, h, d_stream, gradient->fc2_bias);
    tiny_linear_input(&fc2, d_stream, block->fc2, scratch->wide);
    tiny_linear_weight(&fc2, d_stream, kept->gelu, gradient->fc2);
    tiny_gelu_backward(tokens, 4 * h, kept->fc1, block->fc1_bias, scratch->wide);
    tiny_bias_backward(tokens, 4 * h, scratch->wide, gradient->fc1_bias);
    tiny_linear_input(&fc1, scratch->wide, block->fc1, scratch->stream);
    tiny_linear_weight(&fc1, scratch->wide, kept->norm_2, gradient->fc1);
    tiny_norm_backward(&norm, scratch->stream, kept->middle, kept->moments_2, scratch->stream,
                       gradient->norm_2);
    tiny_add(tokens * h, scratch->stream, d_stream);
}

/* The first half: from the gradient of the middle to that of the input. */
static void
go_back_through_attention(const TinyConfig *config,
                          const TinyBlock *block,
                          const TinyBlock *gradient,
                          const TinyScratch *scratch,
                          const TinyKept *kept,
                          float *d_stream)
{
    const size_t tokens = tiny_config_tokens(config);
    const size_t h = config->hidden;
    const TinyHeads heads = find_heads(config);
    const TinyNorm norm = find_norm(config, block->norm_1);
    const TinyLinear qkv = find_linear(config, 3 * h, h);
    const TinyLinear projection = find_linear(config, h, h);

    tiny_bias_backward(tokens, h, d_stream, gradient->projection_bias);
    tiny_linear_input(&projection, d_stream, block->projection, scratch->stream);
    tiny_linear_weight(&projection, d_stream, kept->context, gradient->projection);
    attend_backward(config, scratch, kept, scratch->stream);
    tiny_heads_join(&heads, scratch->heads, scratch->wide);
    tiny_bias_backward(tokens, 3 * h, scratch->wide, gradient->qkv_bias);
    tiny_linear_input(&qkv, scratch->wide, block->qkv, scratch->stream);
    tiny_linear_weight(&qkv, scratch->wide, kept->norm_1, gradient->qkv);
    tiny_norm_backward(&norm, scratch->stream, kept->input, kept->moments_1, scratch->stream,
                       gradient->norm_1);
    tiny_add(tokens * h, scratch->stream, d_stream);
}

void
tiny_block_backward(const TinyConfig *config,
                    const TinyBlock *block,
                    const TinyBlock *gradient,
                    const TinyScratch *scratch,
                    const TinyKept *kept,
                    float *d_stream)
{
    go_back_through_mlp(config, block, gradient, scratch, kept, d_stream);
    go_back_through_attention(config, block, gradient, scratch, kept, d_stream);
}
