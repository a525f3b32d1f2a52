/* SPDX-License-Identifier: MIT */
/* layer.h: a layer as a list of kernels and collectives
 *
 * One layer, one microbatch, one tensor-parallel rank. A transformer block, the embedding, the head
 * with its loss, or an entry of a layer list; each gives the same kind of list, so that costing,
 * FLOP counts, and later the tables of `plansim show`, share it.
 */
#pragma once

#include "spec/plan.h"

G_BEGIN_DECLS

typedef enum {
    PSIM_PASS_FORWARD,
    PSIM_PASS_BACKWARD_INPUT,  /* I: gradient of the input */
    PSIM_PASS_BACKWARD_WEIGHT, /* W: gradient of the weights */
    PSIM_PASS_RECOMPUTE,       /* forward again, at the start of the backward */
} PsimPass;
#define PSIM_N_PASSES 4

typedef enum {
    PSIM_KERNEL_GEMM,
    PSIM_KERNEL_ATTENTION,
    PSIM_KERNEL_MEMORY,
    PSIM_KERNEL_COLLECTIVE, /* of the tensor-parallel group */
    PSIM_KERNEL_CONTEXT,    /* collective of the context-parallel group */
    PSIM_KERNEL_TRANSFER,   /* between neighbours in that group */
} PsimKernelKind;

/* One kernel launch, costed; a sum over kernels counts each `count` times. */
typedef struct {
    const char *name; /* "qkv", "softmax", "tp-all-reduce"; static */
    PsimKernelKind kind;
    PsimPass pass;
    double time_s;   /* [s]    */
    double cut_s;    /* [s]    of a product, in as many pieces of tokens as there are TP ranks;
                      *        0: the plan never cuts it */
    double beside_s; /* [s]    of the context group: the attention that may run beside it; 0: none
                      */
    double flop;     /* [FLOP] 0 for memory-bound */
    double bytes;    /* [B]    moved, or payload of a collective */
    uint32_t count;  /* launches alike                                     [1] */
    bool is_added;   /* by context parallelism, beyond the kernels that host_layer_s is of */
    PsimBasis basis; /* of the time of a GEMM */
} PsimKernel;

typedef enum {
    PSIM_BLOCK_LAYER, /* a transformer block, or entry of a layer list */
    PSIM_BLOCK_EMBEDDING,
    PSIM_BLOCK_HEAD, /* final norm, LM head and loss */
} PsimBlock;

/**
 * psim_layer_kernels:
 * Appends the kernels of one block to @kernels (PsimKernel).
 *
 * @layer    index in the model, for layer lists
 */
void psim_layer_kernels(const PsimPlan *plan, PsimBlock block, uint32_t layer, GArray *kernels);

/* Sums of a block over its kernels: one microbatch, one rank. */
typedef struct {
    double compute_s[PSIM_N_PASSES];  /* all but collectives; a kernel its dispatch at least [s] */
    double dispatch_s[PSIM_N_PASSES]; /* of which the host needs, however few the tokens    [s] */
    double tp_s[PSIM_N_PASSES]; /* collectives of the TP group, as far as exposed             [s] */
    double flop[PSIM_N_PASSES]; /* hardware FLOPs                                          [FLOP] */
    double tp_bytes[PSIM_N_PASSES]; /* payload of the TP collectives                          [B] */
    uint32_t tp_count; /* how many, recomputed ones included                        [1] */
    /* The same of the context-parallel group. */
    double cp_s[PSIM_N_PASSES];
    double cp_whole_s; /* of all passes, hidden or not                               [s] */
    double cp_bytes[PSIM_N_PASSES];
    uint32_t cp_count;
} PsimBlockCost;

/**
 * psim_layer_cost:
 * The block's sums.
 *
 * Formula: a kernel of a transformer block takes at least as long as the host needs to dispatch it:
 * the runtime's host_layer_s over the kernels of a forward, of a backward 1.6 host_layer_s over
 * those of a backward; what is made again is dispatched as in the forward, and kernels that
 * context parallelism adds on top. Gathers of the weight
 * gradient hide behind a product. With overlap_tp a collective hides behind the product it feeds or
 * drains, but for one of tp pieces; without sequence parallelism only in the backward. A product
 * beside a collective has fewer processors, and one cut into pieces takes longer as a whole.
 * Source: kernel by kernel fits the layers of vTrain's 32 shapes, see layer.c. The pieces are those
 * of Transformer Engine's userbuffers (ring exchange and pipeline). Cost: some fifty kernel
 * formulas.
 */
PsimBlockCost psim_layer_cost(const PsimPlan *plan, PsimBlock block, uint32_t layer);

/**
 * psim_layer_model_flop:
 * FLOPs of one token (one sample for a layer list) that the model needs: forward and backward, no
 * recomputation, summed over the whole model; matrix products and attention, causal attention
 * halved where the kernel does so.
 *
 * @convention_full_attention    count causal attention in full, as Megatron's formula does
 *
 * Source: 72 L h^2 (1 + s/6h + V/12Lh), Korthikanti et al. 2022, eq. for model FLOPs, for a GPT.
 */
double psim_layer_model_flop(const PsimModel *model, bool convention_full_attention);

G_END_DECLS
