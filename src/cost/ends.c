/* SPDX-License-Identifier: MIT */
#include "cost/ends.h"

#include "cost/kernel_list.h"

/* Both ends split the vocabulary among the tensor-parallel ranks. Neither is recomputed.
 *
 * The loss over split logits exchanges three numbers a token: the greatest logit, the target's
 * logit and the sum of exponentials (Megatron-LM's vocab-parallel cross entropy).
 */
#define LOSS_COLLECTIVES 3
#define LOSS_BYTES       4.0

/* Bytes a logit moves. Fused kernels read it twice and write its gradient over it. Otherwise it
 * goes through a chain of kernels in fp32, Megatron-LM's vocab-parallel cross entropy:
 *
 *     forward     to fp32 2+4, greatest 4, difference 4+4, exponential 4+4, sum 4, quotient 4+4
 *     backward    times the gradient 4+4, to 16 bits 4+2
 *
 * Measured, without the conversions: 32 and 8 bytes at 0.91 and 0.7 of an A100's bandwidth.
 */
#define FUSED_LOSS_FORWARD    4.0
#define FUSED_LOSS_BACKWARD   4.0
#define UNFUSED_LOSS_FORWARD  38.0
#define UNFUSED_LOSS_BACKWARD 14.0

void
psim_ends_embedding_kernels(const PsimPlan *plan, GArray *kernels)
{
    PsimKernelList list = psim_kernel_list_begin(plan, kernels);
    const PsimMemoryBoundConstants *fractions = &plan->hardware->device.memory_bound;
    const PsimWidths *w = &list.widths;
    const double e = w->element_bytes;
    const double all = w->tokens * w->hidden;
    const double own = w->own_tokens * w->hidden;
    const bool learned = plan->model->positions == PSIM_POSITIONS_LEARNED;
    const double dropout_bytes = plan->model->dropout ? (2.0 * e + 1.0) * own : 0.0;

    list.pass = PSIM_PASS_FORWARD;
    psim_kernel_list_add_memory(&list, "embedding", 2.0 * e * all, fractions->embedding);
    psim_kernel_list_add_reduce(&list);
    psim_kernel_list_add_memory(&list, "positions", learned ? 3.0 * e * own : 0.0,
                                fractions->elementwise);
    psim_kernel_list_add_memory(&list, "dropout", dropout_bytes, fractions->elementwise);

    list.pass = PSIM_PASS_BACKWARD_INPUT;
    psim_kernel_list_add_memory(&list, "dropout", dropout_bytes, fractions->elementwise);

    list.pass = PSIM_PASS_BACKWARD_WEIGHT;
    psim_kernel_list_add_gather(&list);
    psim_kernel_list_add_memory(&list, "embedding", 3.0 * e * all, fractions->embedding);
    psim_kernel_list_add_memory(&list, "positions", learned ? e * own : 0.0,
                                fractions->elementwise);
    /* The scattered gradient is dense in PyTorch: cleared, then added to what is there, rows that
     * no token named included. */
    psim_kernel_list_add_memory(&list, "embedding-gradient",
                                w->vocabulary * w->hidden *
                                    (2.0 * e + 2.0 * psim_plan_gradient_bytes(plan)),
                                fractions->elementwise);
}

static void
add_loss(PsimKernelList *list, double bytes_per_logit)
{
    const PsimWidths *w = &list->widths;

    psim_kernel_list_add_memory(list, "cross-entropy",
                                bytes_per_logit * w->tokens *
                                    psim_widths_loss_vocabulary(list->plan),
                                list->plan->hardware->device.memory_bound.cross_entropy);
}

/* Three numbers a token, or all logits. */
static void
add_loss_exchange(PsimKernelList *list)
{
    const PsimWidths *w = &list->widths;

    if (list->plan->runtime.vocabulary_parallel_loss)
        psim_kernel_list_add_collective(list, "loss-all-reduce", PSIM_COLLECTIVE_ALL_REDUCE,
                                        LOSS_BYTES * w->tokens, LOSS_COLLECTIVES);
    else
        psim_kernel_list_add_collective(
            list, "logits-all-gather", PSIM_COLLECTIVE_ALL_GATHER,
            w->element_bytes * w->tokens * psim_widths_loss_vocabulary(list->plan), 1);
}

void
psim_ends_head_kernels(const PsimPlan *plan, GArray *kernels)
{
    PsimKernelList list = psim_kernel_list_begin(plan, kernels);
    const PsimMemoryBoundConstants *fractions = &plan->hardware->device.memory_bound;
    const PsimWidths *w = &list.widths;
    const double own_bytes = w->element_bytes * w->own_tokens * w->hidden;
    const bool fused_norm = plan->runtime.fused_norm;
    const bool fused_loss = plan->runtime.fused_cross_entropy;
    const double backward_fraction =
        fused_norm ? fractions->norm_backward : fractions->norm_backward_eager;

    list.precision = psim_kernel_list_wide_precision(plan);
    list.pass = PSIM_PASS_FORWARD;
    psim_kernel_list_add_memory(&list, "norm", 2.0 * own_bytes,
                                fused_norm ? fractions->norm_forward
                                           : fractions->norm_forward_eager);
    psim_kernel_list_add_gather(&list);
    psim_kernel_list_add_linear(&list, "logits", w->tokens, w->vocabulary, w->hidden);
    add_loss(&list, fused_loss ? FUSED_LOSS_FORWARD : UNFUSED_LOSS_FORWARD);
    add_loss_exchange(&list);

    list.pass = PSIM_PASS_BACKWARD_INPUT;
    add_loss(&list, fused_loss ? FUSED_LOSS_BACKWARD : UNFUSED_LOSS_BACKWARD);
    psim_kernel_list_add_linear(&list, "logits", w->tokens, w->hidden, w->vocabulary);
    psim_kernel_list_add_reduce(&list);
    psim_kernel_list_add_memory(&list, "norm", 3.0 * own_bytes, backward_fraction);

    list.pass = PSIM_PASS_BACKWARD_WEIGHT;
    psim_kernel_list_add_gather(&list);
    psim_kernel_list_add_linear(&list, "logits", w->hidden, w->vocabulary, w->tokens);
    psim_kernel_list_add_memory(&list, "norm", own_bytes, backward_fraction);
}
