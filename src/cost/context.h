/* SPDX-License-Identifier: MIT */
/* context.h: fused attention of one rank of a context-parallel group
 *
 * All else of a block treats tokens alone, and a rank has sequence / cp of them; attention needs
 * the keys and values of the others. How they come is the plan's context_communication.
 */
#pragma once

#include "cost/kernel_list.h"

G_BEGIN_DECLS

/**
 * psim_context_add_attention:
 * Appends the attention of one rank, and what it exchanges with the others of its group; without
 * context parallelism one kernel. e bytes an element, n = batch x sequence / cp tokens, q and k the
 * widths of queries and of keys on this rank:
 *
 *     p2p               cp - 1 exchanges of 2 e n k in the forward, of 4 e n k in the backward
 *                       (gradients travel along), each beside the attention of one step
 *     all-gather        2 e n k cp before attention; in the backward again, and its gradients
 *                       scattered behind it; nothing hides them
 *     all-gather-ring   2 e n k cp beside the first step; in the backward also cp - 1 exchanges of
 *                       2 e n k of gradients
 *     a2a               all-to-all of e n (q + 2 k) before and of e n q behind; the backward the
 *                       other way round
 *
 * Returns: false if the device has no fused attention.
 * Formula: of an exchange t beside the attention a of a step max(t - a, 0) is exposed.
 * Source: Transformer Engine's attention with context parallelism, four kinds; PyTorch's ring
 * attention (all-gather-ring, torchtitan's default); Llama 3 (arXiv 2407.21783) section 3.3.2
 * (all-gather); DeepSpeed-Ulysses (arXiv 2309.14509) (a2a).
 * Exact for: FLOPs, which are those of one rank over cp; tests/cost/test_context.c.
 * Wrong when: ranks of a group start apart; attention in steps runs on two streams.
 */
bool psim_context_add_attention(PsimKernelList *self, bool backward);

/**
 * psim_context_group:
 * Returns: how a context-parallel group lies: neighbours are tp ranks apart.
 */
PsimGroup psim_context_group(const PsimPlan *plan);

/**
 * psim_context_buffer_bytes:
 * Keys, values and their gradients, not this rank's own, that live at once in the backward of
 * attention.
 *
 * Returns: [B]; 0 without context parallelism.
 * Formula: two of the ring's buffers, 2 x 4 e n k; all of the sequence, 4 e n k cp; both in part,
 * 2 e n k cp + 4 e n k; what an all-to-all sends, e n (q + 2 k).
 */
double psim_context_buffer_bytes(const PsimPlan *plan);

G_END_DECLS
