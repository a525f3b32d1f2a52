/* SPDX-License-Identifier: MIT */
#include "data.h"

#include "block.h"

#include <math.h>

#define DEVIATION 0.02

/* SplitMix64, by Steele, Lea and Flood 2014. */
static uint64_t
mix(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30U)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27U)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31U);
}

double
tiny_data_unit(uint64_t seed, uint64_t index)
{
    return (double)(mix(mix(seed) ^ index) >> 11U) * 0x1p-53;
}

/* Box and Muller 1958. */
static double
draw_normal(uint64_t seed, uint64_t index)
{
    const double radius = sqrt(-2.0 * log(1.0 - tiny_data_unit(seed, 2 * index)));

    return radius * cos(2.0 * acos(-1.0) * tiny_data_unit(seed, 2 * index + 1));
}

static uint32_t
draw_token(const TinyConfig *config, uint64_t seed, uint64_t index, uint32_t before)
{
    const double u = tiny_data_unit(seed, 2 * index + 1);

    if (tiny_data_unit(seed, 2 * index) < 0.5)
        return (before + 1) % config->vocabulary;
    return (uint32_t)(u * u * u * (double)config->vocabulary);
}

void
tiny_data_draw(const TinyConfig *config,
               uint32_t step,
               uint32_t microbatch,
               uint32_t *ret_tokens,
               uint32_t *ret_targets)
{
    const uint64_t number = (uint64_t)step * config->n_microbatches + microbatch;
    const uint64_t seed = mix(config->seed) ^ (number + 1);

    for (uint32_t b = 0; b < config->micro_batch; b++) {
        uint32_t token = 0;

        for (uint32_t t = 0; t <= config->sequence; t++) {
            const uint32_t at = b * config->sequence + t;

            token = draw_token(config, seed, (uint64_t)b * (config->sequence + 1) + t, token);
            if (t < config->sequence)
                ret_tokens[at] = token;
            if (t > 0)
                ret_targets[at - 1] = token;
        }
    }
}

TinyLayout
tiny_data_layout(const TinyConfig *config)
{
    const size_t h = config->hidden;
    TinyLayout layout;

    layout.positions = config->vocabulary * h;
    layout.blocks = layout.positions + config->sequence * h;
    layout.norm = layout.blocks + config->n_layers * tiny_block_parameters(config);
    layout.head = layout.norm + 2 * h;
    layout.end = layout.head + config->vocabulary * h;
    return layout;
}

static void
set(float *parameters, size_t n, float value)
{
    for (size_t i = 0; i < n; i++)
        parameters[i] = value;
}

/* Gain 1, bias 0. */
static void
begin_norm(const TinyConfig *config, float *norm)
{
    set(norm, config->hidden, 1.0F);
    set(norm + config->hidden, config->hidden, 0.0F);
}

void
tiny_data_weights(const TinyConfig *config, float *parameters)
{
    const TinyLayout layout = tiny_data_layout(config);
    const size_t h = config->hidden;

    for (size_t i = 0; i < layout.end; i++)
        parameters[i] = (float)(DEVIATION * draw_normal(config->seed, i));
    for (uint32_t layer = 0; layer < config->n_layers; layer++) {
        const TinyBlock block = tiny_block_view(config, parameters + layout.blocks +
                                                            layer * tiny_block_parameters(config));

        begin_norm(config, block.norm_1);
        begin_norm(config, block.norm_2);
        set(block.qkv_bias, 3 * h, 0.0F);
        set(block.projection_bias, h, 0.0F);
        set(block.fc1_bias, 4 * h, 0.0F);
        set(block.fc2_bias, h, 0.0F);
    }
    begin_norm(config, parameters + layout.norm);
}
