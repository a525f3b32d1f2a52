/* SPDX-License-Identifier: MIT */
/* memory.h: bytes a rank needs
 *
 * Weights, gradients and optimizer state by the runtime's bytes a parameter and the ZeRO stage;
 * activations by tensor from what each layer keeps between forward and backward.
 */
#pragma once

#include "cost/layer.h"

G_BEGIN_DECLS

/* What one block keeps and needs, one microbatch, one rank.                      [B] */
typedef struct {
    double params;         /* on this TP rank                                    [1] */
    double stored_bytes;   /* from the end of F to the end of B */
    double working_bytes;  /* on top of that while B runs: recomputed activations of one layer */
    double gradient_bytes; /* and of activations' gradients that live at once */
    double output_bytes;   /* handed to the next block (one rank's share, and its gradient) */
    double logits_bytes;   /* head only: logits and their copies while F and B of it run */
} PsimBlockMemory;

/**
 * psim_memory_block:
 * Source: Korthikanti et al. 2022 (arXiv 2205.05198) eq. 1-4: s b h (34 + 5 a s/h) per layer
 * without tensor parallelism, and its TP, SP, selective and full variants; extended to gated MLP,
 * GQA and fused attention by the tensors each kernel saves.
 *
 * Exact for: the paper's table of 22B-1T, tests/cost/test_memory.c.
 */
PsimBlockMemory psim_memory_block(const PsimPlan *plan, PsimBlock block, uint32_t layer);

/* One tensor that autograd keeps of a transformer block, one microbatch, one rank. */
typedef struct {
    const char *name; /* static */
    double bytes;     /* [B] */
    bool again;       /* selective recomputation drops it and makes it again */
} PsimTensor;

/**
 * psim_memory_tensors:
 * Appends what a transformer block keeps without recomputation to @list (PsimTensor); they sum
 * to stored and working bytes of psim_memory_block(). Nothing for a layer list.
 */
void psim_memory_tensors(const PsimPlan *plan, GArray *list);

/* Model states of one rank holding @params parameters.                           [B] */
typedef struct {
    double weights_bytes;
    double gradients_bytes;
    double optimizer_bytes;
} PsimModelStates;

/**
 * psim_memory_states:
 * @params    on this TP rank, all chunks of the rank
 *
 * Formula: params * bytes of the runtime, each divided by the owners of a weight, dp x cp, where
 * the ZeRO stage shards it.
 */
PsimModelStates psim_memory_states(const PsimPlan *plan, double params);

/* Of one channel of a communicator: bytes to receive into, by the simple, the LL128 and the LL
 * protocol, from the neighbour in the ring, from a child and from the parent in a tree. */
#define PSIM_MEMORY_CHANNEL_BYTES (3.0 * (4194304.0 + 4915200.0 + 524288.0))

/**
 * psim_memory_communicators:
 * Buffers of the communicators of a rank's groups, outside of the framework's allocator: tensor,
 * pipeline and context group, that of all shards of a model, over which norms are summed, and that
 * over which gradients are, where it is not all ranks: those of all ranks together are in what
 * usable memory leaves out.
 *
 * Returns: [B].
 * Formula: groups x channels x 3 connections to receive from (one of the ring, two of the trees) x
 * 9.6 MB (4 MiB of the simple protocol, 4.8 MB of LL128, 0.5 MiB of LL); a channel is an SM that a
 * collective takes. 660 MiB a group on A100.
 * Source: NCCL's buffer sizes and defaults (github.com/NVIDIA/nccl, src/init.cc).
 * Wrong when: NCCL connects as it needs them (from 2.22 on), or NCCL_BUFFSIZE is set.
 */
double psim_memory_communicators(const PsimPlan *plan);

G_END_DECLS
