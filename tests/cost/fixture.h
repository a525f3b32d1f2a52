/* SPDX-License-Identifier: MIT */
/* fixture.h: plans made by hand, for tests of src/cost
 */
#pragma once

#include "cost/layer.h"

/* A plan that owns what it points to; all on the stack. */
typedef struct {
    PsimModel model;
    PsimHardware hardware;
    PsimPlan plan;
} Fixture;

/* DGX A100 80 GB with the constants of hardware/, by hand. */
PsimHardware fixture_dgx_a100(void);

/* As fixture_dgx_a100(), but links of 1 GB/s, NICs of 0.5 GB/s, no latencies and no measured rows.
 */
PsimHardware fixture_ideal(void);

/* A GPT with ffn = 4 h, vocabulary 51200, sequence 2048, full heads and dropout. */
PsimModel fixture_gpt(uint32_t n_layers, uint32_t hidden, uint32_t n_heads);

/* Llama 3 8B: grouped queries, SwiGLU, rotary positions, no dropout, no biases. */
PsimModel fixture_llama(void);

/* 16-bit Adam without host costs, fused kernels; shards as ZeRO does. */
PsimRuntime fixture_runtime(void);

/* A plan over @model on one A100 node: no recomputation, no ZeRO, unfused attention. */
void fixture_init(Fixture *self, PsimModel model, uint32_t tp, uint32_t micro_batch);

/* All passes of a block but for collectives. */
double fixture_compute_s(const PsimBlockCost *cost);

/* Launches of a kernel in a pass; the bytes of the last one go to @ret_bytes. */
uint32_t fixture_count(
    const PsimPlan *plan, PsimBlock block, PsimPass pass, const char *name, double *ret_bytes);
