/* SPDX-License-Identifier: MIT */
/* kernel_list.h: kernels of one block, appended one after the other
 *
 * What a block is made of is told in transformer.c and ends.c; here a product or a number of bytes
 * becomes a costed PsimKernel of the current pass.
 */
#pragma once

#include "cost/collective.h"
#include "cost/kernel.h"
#include "cost/layer.h"
#include "cost/widths.h"

G_BEGIN_DECLS

typedef struct {
    const PsimPlan *plan;
    PsimWidths widths;
    PsimGroup tp_group;
    PsimPass pass;           /* of what is added next; set by the caller */
    PsimPrecision precision; /* of products with weights: the plan's; an end takes another */
    GArray *kernels;         /* PsimKernel; borrowed */
} PsimKernelList;

PsimKernelList psim_kernel_list_begin(const PsimPlan *plan, GArray *kernels);

/** psim_kernel_list_wide_precision: of what stays in 16 bits under fp8: attention, logits. */
PsimPrecision psim_kernel_list_wide_precision(const PsimPlan *plan);

/** psim_kernel_list_add_linear: a product with weights; in the pass W it adds to the gradient. */
void
psim_kernel_list_add_linear(PsimKernelList *self, const char *name, double m, double n, double k);

/** psim_kernel_list_add_batched: one product a sample and head, of unfused attention. */
void
psim_kernel_list_add_batched(PsimKernelList *self, const char *name, double m, double n, double k);

/** psim_kernel_list_attention: Returns: attention over a whole sequence, heads of this rank. */
PsimAttention psim_kernel_list_attention(const PsimKernelList *self);

/** psim_kernel_list_attention_s: Returns: one kernel of it, on a device that has it, [s]. */
double psim_kernel_list_attention_s(const PsimKernelList *self,
                                    const PsimAttention *attention,
                                    bool backward);

/** psim_kernel_list_add_attention: fused attention, @count kernels alike, on a device that has it.
 */
void psim_kernel_list_add_attention(PsimKernelList *self,
                                    const char *name,
                                    const PsimAttention *attention,
                                    uint32_t count,
                                    bool backward);

/** psim_kernel_list_add: a kernel that is costed already; of the current pass. */
void psim_kernel_list_add(PsimKernelList *self, const PsimKernel *kernel);

/** psim_kernel_list_add_memory: no kernel where there are no bytes. */
void
psim_kernel_list_add_memory(PsimKernelList *self, const char *name, double bytes, double fraction);

/** psim_kernel_list_add_collective: of the TP group; none with one rank. */
void psim_kernel_list_add_collective(PsimKernelList *self,
                                     const char *name,
                                     PsimCollective what,
                                     double payload_bytes,
                                     uint32_t count);

/* How activations pass between norms, where each rank has its own tokens (sequence parallelism) or
 * all ranks have all, and split matrices, which need all tokens and leave partial sums:
 *
 *                     gather                 reduce
 *     TP alone        -                      all-reduce
 *     with SP         all-gather             reduce-scatter
 */
void psim_kernel_list_add_gather(PsimKernelList *self);
void psim_kernel_list_add_reduce(PsimKernelList *self);

G_END_DECLS
