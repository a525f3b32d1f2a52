/* SPDX-License-Identifier: MIT */
/* stage.h: what one virtual stage costs: its blocks, summed; and the step's tail
 */
#pragma once

#include "cost/layer.h"
#include "cost/memory.h"

G_BEGIN_DECLS

/* A run of layers, with the embedding before or the head behind it. */
typedef struct {
    uint32_t layer_first;
    uint32_t n_layers;
    bool has_embedding;
    bool has_head;
} PsimStage;

typedef struct {
    PsimBlockCost cost; /* one microbatch, one rank */
    PsimBlockMemory memory;
    double output_bytes; /* sent to the next stage by one rank: tokens x hidden x 2, of its part of
                          * the sequence, over TP with scatter-gather or sequence parallelism [B] */
    double optimizer_s;  /* the optimizer's kernels over the rank's share of this stage   [s]   */
    double gradient_bytes; /* payload of the DP gradient reduction                          [B]   */
    double weight_bytes;   /* payload of a DP all-gather of the weights (ZeRO 1-3)          [B]   */
} PsimStageCost;

/**
 * psim_stage_cost:
 * Equal layers are costed once: O(1) in the number of layers of a transformer.
 */
PsimStageCost psim_stage_cost(const PsimPlan *plan, const PsimStage *stage);

G_END_DECLS
