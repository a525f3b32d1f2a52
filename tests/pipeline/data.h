/* SPDX-License-Identifier: MIT */
/* data.h: what is learned, and from which weights
 *
 * Everything is drawn by counter, so that it does not depend on who asks for it and when.
 */
#pragma once

#include "config.h"

#include <stddef.h>

/** tiny_data_unit: Returns: number @index of stream @seed, in [0, 1). */
double tiny_data_unit(uint64_t seed, uint64_t index);

/**
 * tiny_data_draw:
 * A microbatch: few tokens are frequent, and half of all tokens follow from the one before.
 *
 * @ret_tokens     (b s)
 * @ret_targets    (b s) the token after each
 */
void tiny_data_draw(const TinyConfig *config,
                    uint32_t step,
                    uint32_t microbatch,
                    uint32_t *ret_tokens,
                    uint32_t *ret_targets);

/* The parameters of the whole model in one array, as offsets:
 *
 *     token embedding (V, h)   positions (s, h)   blocks   norm (2, h)   head (V, h)
 */
typedef struct {
    size_t positions, blocks, norm, head, end;
} TinyLayout;

TinyLayout tiny_data_layout(const TinyConfig *config);

/** tiny_data_weights: weights of standard deviation 0.02, gains 1, biases 0, as in GPT-2. */
void tiny_data_weights(const TinyConfig *config, float *parameters);
