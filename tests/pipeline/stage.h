/* SPDX-License-Identifier: MIT */
/* stage.h: some layers of the model, in one process: forward, backward, optimizer
 *
 * The first stage has the embedding, the last one the final norm, the head and the loss.
 */
#pragma once

#include "config.h"

#include <stddef.h>

typedef struct TinyStage TinyStage;

/**
 * tiny_stage_new:
 * @parameters    of the whole model, borrowed; the stage reads and writes its own part
 */
TinyStage *tiny_stage_new(const TinyConfig *config, uint32_t stage, float *parameters);
void tiny_stage_free(TinyStage *self);

/**
 * tiny_stage_forward:
 * @input    (T, h) from the stage before, which must stay until the backward; NULL on the first
 *
 * Returns: (T, h) for the next stage, valid until the next call; NULL on the last. What the
 * backward needs is held.
 */
const float *
tiny_stage_forward(TinyStage *self, uint32_t step, uint32_t microbatch, const float *input);

/**
 * tiny_stage_backward:
 * Frees what the forward of @microbatch held.
 *
 * @gradient    (T, h) from the stage behind, overwritten; NULL on the last
 *
 * Returns: the gradient of the input, valid until the next call; NULL on the first.
 */
const float *tiny_stage_backward(TinyStage *self, uint32_t microbatch, float *gradient);

/** tiny_stage_optimize: Adam over the stage's parameters; gradients begin at zero again. */
void tiny_stage_optimize(TinyStage *self, uint32_t step);

/** tiny_stage_take_loss: Returns: mean loss of a token since the last call, all microbatches; 0 but
 * on the last stage. */
double tiny_stage_take_loss(TinyStage *self);

/** tiny_stage_gradients: Returns: of @ret_n parameters from @ret_first of the whole model on. */
const float *tiny_stage_gradients(const TinyStage *self, size_t *ret_first, size_t *ret_n);

/** tiny_stage_peak_held: Returns: microbatches whose activations were held at once. */
uint32_t tiny_stage_peak_held(const TinyStage *self);

/** tiny_stage_held_bytes: Returns: what one of them holds, its input included [B]. */
size_t tiny_stage_held_bytes(const TinyStage *self);
