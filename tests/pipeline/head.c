/* SPDX-License-Identifier: MIT */
#include "head.h"

#include "product.h"

void
tiny_embedding_forward(const TinyConfig *config,
                       const TinyEmbedding *embedding,
                       const uint32_t *tokens,
                       float *output)
{
    const size_t h = config->hidden;
    const size_t n = tiny_config_tokens(config);

    for (size_t t = 0; t < n; t++) {
        const float *token = embedding->tokens + tokens[t] * h;
        const float *position = embedding->positions + (t % config->sequence) * h;

        for (size_t i = 0; i < h; i++)
            output[t * h + i] = token[i] + position[i];
    }
}

void
tiny_embedding_backward(const TinyConfig *config,
                        const TinyEmbedding *gradient,
                        const uint32_t *tokens,
                        const float *d_output)
{
    const size_t h = config->hidden;
    const size_t n = tiny_config_tokens(config);

    for (size_t t = 0; t < n; t++) {
        tiny_add(h, d_output + t * h, gradient->tokens + tokens[t] * h);
        tiny_add(h, d_output + t * h, gradient->positions + (t % config->sequence) * h);
    }
}

/* Floats that the two moments of a row take. */
#define MOMENTS (sizeof(TinyMoments) / sizeof(float))

size_t
tiny_head_kept_floats(const TinyConfig *config)
{
    return tiny_config_tokens(config) * (2 * (size_t)config->hidden + config->vocabulary + MOMENTS);
}

TinyHeadKept
tiny_head_kept_view(const TinyConfig *config, float *floats)
{
    const size_t tokens = tiny_config_tokens(config);
    const size_t stream = tokens * config->hidden;

    return (TinyHeadKept){
        .input = floats,
        .norm = floats + stream,
        .logits = floats + 2 * stream,
        .moments = (TinyMoments *)(void *)(floats + 2 * stream + tokens * config->vocabulary),
    };
}

static TinyNorm
find_norm(const TinyConfig *config, const TinyHeadWeights *weights)
{
    return (TinyNorm){
        .rows = tiny_config_tokens(config),
        .width = config->hidden,
        .gain = weights->norm,
        .bias = weights->norm + config->hidden,
    };
}

static TinyLinear
find_linear(const TinyConfig *config)
{
    return (TinyLinear){
        .m = tiny_config_tokens(config),
        .n = config->vocabulary,
        .k = config->hidden,
    };
}

double
tiny_head_forward(const TinyConfig *config,
                  const TinyHeadWeights *weights,
                  const TinyHeadKept *kept,
                  const uint32_t *targets)
{
    const TinyNorm norm = find_norm(config, weights);
    const TinyLinear head = find_linear(config);

    tiny_norm_forward(&norm, kept->input, kept->norm, kept->moments);
    tiny_linear_forward(&head, kept->norm, weights->head, kept->logits);
    return tiny_loss_forward(head.m, head.n, targets, kept->logits);
}

void
tiny_head_backward(const TinyConfig *config,
                   const TinyHeadWeights *weights,
                   const TinyHeadWeights *gradient,
                   const TinyHeadKept *kept,
                   const uint32_t *targets,
                   float *d_input)
{
    const TinyNorm norm = find_norm(config, weights);
    const TinyLinear head = find_linear(config);
    const double n_tokens = (double)head.m * (double)config->n_microbatches;

    tiny_loss_backward(head.m, head.n, targets, (float)(1.0 / n_tokens), kept->logits);
    tiny_linear_input(&head, kept->logits, weights->head, d_input);
    tiny_linear_weight(&head, kept->logits, kept->norm, gradient->head);
    tiny_norm_backward(&norm, d_input, kept->input, kept->moments, d_input, gradient->norm);
}
