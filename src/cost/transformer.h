/* SPDX-License-Identifier: MIT */
/* transformer.h: the kernels of one transformer block
 */
#pragma once

#include "cost/layer.h"

G_BEGIN_DECLS

/**
 * psim_transformer_kernels:
 * Appends the kernels of all passes, recomputation as the plan wants it; a collective stands next
 * to the product it feeds or drains.
 *
 * Source: bytes of hardware/README.md, "Memory-bound kernels"; order of Megatron-LM's layer.
 */
void psim_transformer_kernels(const PsimPlan *plan, GArray *kernels);

G_END_DECLS
