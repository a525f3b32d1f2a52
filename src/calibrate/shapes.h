/* SPDX-License-Identifier: MIT */
/* shapes.h: which matrix products are worth measuring
 */
#pragma once

#include "calibrate/trial.h"

G_BEGIN_DECLS

/**
 * psim_shapes_of_models:
 * Products of transformers as a device with tiles meets them: forward, input and weight gradient,
 * 1 to 8 tensor-parallel ranks, 2k to 8k tokens. Those of two models are held out. In an order in
 * which any first part covers the space; probes of waves, k and alignment come last.
 *
 * @number    of the operands
 * @trials    PsimTrial *, appended to
 */
void psim_shapes_of_models(PsimNumber number, GPtrArray *trials);

/**
 * psim_shapes_of_core:
 * Products that a core does in milliseconds: a grid from 16 to 4096 to fit, and shapes off that
 * grid held out; fp32.
 */
void psim_shapes_of_core(GPtrArray *trials);

G_END_DECLS
