/* SPDX-License-Identifier: MIT */
/* widths.h: the sizes of a transformer's tensors on one rank of its tensor and context groups
 *
 * Kernels and activations are counted from the same widths, so that time and memory agree on what a
 * rank holds.
 */
#pragma once

#include "spec/plan.h"

G_BEGIN_DECLS

/* Of one microbatch on one rank; all [1] but element_bytes. */
typedef struct {
    double tp;
    double batch;      /* samples */
    double sequence;   /* the whole */
    double tokens;     /* batch x sequence / cp: those of this context-parallel rank */
    double own_tokens; /* those whose norms and dropouts this rank does: 1/tp with sequence
                        * parallelism, else all */
    double hidden;
    double heads, kv_heads; /* a rank has one KV head at least: they are copied beyond that */
    double head_dim;
    double query, key; /* heads x head_dim, kv_heads x head_dim */
    double ffn;
    double vocabulary;    /* rows of the embedding, padded, see psim_plan_padded_vocabulary() */
    double element_bytes; /* of an activation                                       [B] */
} PsimWidths;

PsimWidths psim_widths_of_plan(const PsimPlan *plan);

/** psim_widths_element_bytes: of an activation: 4 in fp32 and tf32, else 2, also with fp8 [B]. */
double psim_widths_element_bytes(const PsimPlan *plan);

/* Parameters on one rank.                                                               [1] */

double psim_widths_layer_params(const PsimPlan *plan);
double psim_widths_embedding_params(const PsimPlan *plan);

/** psim_widths_head_params: with the copy of a tied matrix where the head is on a rank of its own.
 */
double psim_widths_head_params(const PsimPlan *plan);

/** psim_widths_loss_vocabulary: Returns: logits of a token the loss of one rank works on. */
double psim_widths_loss_vocabulary(const PsimPlan *plan);

G_END_DECLS
