/* SPDX-License-Identifier: MIT */
#include "cost/transformer.h"

#include "cost/context.h"
#include "cost/kernel_list.h"

/* One block, as a rank of a tensor-parallel group runs it:
 *
 *     norm . qkv . attention . projection . bias+dropout+add . norm . fc1 . activation . fc2 .
 * b+d+a gather                        reduce                  gather                    reduce
 *
 * Bytes are those a kernel must move: e an element, H = tokens x hidden on this rank. With e = 2:
 *
 *     kernel                    forward      backward
 *     norm                      4 H          6 H, and 2 H for its weights' gradient
 *     bias+dropout+add          6 H + mask   5 H through the dropout, 4 H bias and branch
 *     gelu, SwiGLU (F = ffn)    4 F, 6 F     6 F, 10 F
 *     softmax (q = scores)      4 q          6 q
 *     dropout on scores         5 q          5 q
 *     reordering of q, k, v     12 H         12 H
 *     residual gradient         -            6 H
 */

typedef struct {
    const PsimMemoryBoundConstants *fractions;
    const PsimModel *model;
    const PsimRuntime *runtime;
    const PsimWidths *w;
    double e;          /* bytes of an element */
    double stream;     /* elements of the residual stream this rank works on: H */
    double activation; /* F */
    double scores;     /* q */
} Sizes;

static Sizes
find_sizes(const PsimKernelList *list)
{
    const PsimWidths *w = &list->widths;

    return (Sizes){
        .fractions = &list->plan->hardware->device.memory_bound,
        .model = list->plan->model,
        .runtime = &list->plan->runtime,
        .w = w,
        .e = w->element_bytes,
        .stream = w->own_tokens * w->hidden,
        .activation = w->tokens * w->ffn,
        .scores = w->batch * w->heads * w->sequence * w->sequence,
    };
}

/* RMSNorm written out in PyTorch is a chain of elementwise kernels with fp32 between them, counted
 * kernel by kernel, bytes an element for a 16-bit stream:
 *
 *     forward    to fp32 2+4, square 4+4, mean 4, scale 4+4, to 16 bits 4+2, weight 2+2       36
 *     backward   weight 2+2, to fp32 2+4, scale 8+8, its sum 4, mean 4, square 8+4, sum of the two
 *                branches 8+4, to 16 bits 4+2                                                 64
 *     weights    product 4+2, its sum 2, and the sum over rows 4                              12
 */
static void
add_eager_rms_norm(PsimKernelList *list, const Sizes *sizes)
{
    static const double bytes[PSIM_N_PASSES] = {
        [PSIM_PASS_FORWARD] = 36.0,
        [PSIM_PASS_RECOMPUTE] = 36.0,
        [PSIM_PASS_BACKWARD_INPUT] = 64.0,
        [PSIM_PASS_BACKWARD_WEIGHT] = 12.0,
    };

    psim_kernel_list_add_memory(list, "norm", bytes[list->pass] * sizes->stream,
                                sizes->fractions->elementwise);
}

/* LayerNorm is one kernel in PyTorch too, at its own rate. */
static void
add_norm(PsimKernelList *list, const Sizes *sizes)
{
    const PsimMemoryBoundConstants *f = sizes->fractions;
    const bool fused = sizes->runtime->fused_norm;
    const double forward = fused ? f->norm_forward : f->norm_forward_eager;
    const double backward = fused ? f->norm_backward : f->norm_backward_eager;
    const double bytes = sizes->e * sizes->stream;

    if (!fused && sizes->model->norm == PSIM_NORM_RMSNORM) {
        add_eager_rms_norm(list, sizes);
        return;
    }
    switch (list->pass) {
    case PSIM_PASS_FORWARD:
    case PSIM_PASS_RECOMPUTE:
        psim_kernel_list_add_memory(list, "norm", 2.0 * bytes, forward);
        return;
    case PSIM_PASS_BACKWARD_INPUT:
        psim_kernel_list_add_memory(list, "norm", 3.0 * bytes, backward);
        return;
    case PSIM_PASS_BACKWARD_WEIGHT:
        psim_kernel_list_add_memory(list, "norm", bytes, backward);
        return;
    }
}

static void
add_residual(PsimKernelList *list, const Sizes *sizes)
{
    const double mask = sizes->model->dropout ? 1.0 : 0.0;
    const double bytes = (3.0 * sizes->e + mask) * sizes->stream;

    psim_kernel_list_add_memory(list, "residual", bytes, sizes->fractions->elementwise);
}

static void
add_residual_backward(PsimKernelList *list, const Sizes *sizes)
{
    const bool dropout = sizes->model->dropout;
    const double through = dropout ? 2.0 * sizes->e + 1.0 : 0.0;
    const double bias = dropout || sizes->model->biases ? 2.0 * sizes->e : 0.0;

    psim_kernel_list_add_memory(list, "residual", (through + bias) * sizes->stream,
                                sizes->fractions->elementwise);
}

/* Rotary positions read and write queries and keys, in either direction. Written out, half of each
 * is negated and swapped (1 e + 1 e, joined 2 e), both are multiplied (4 e) and added (3 e): 10 e.
 */
static void
add_rotary(PsimKernelList *list, const Sizes *sizes)
{
    const double elements = sizes->w->tokens * (sizes->w->query + sizes->w->key);
    const double units = sizes->runtime->fused_rotary ? 2.0 : 10.0;

    if (sizes->model->positions == PSIM_POSITIONS_ROTARY)
        psim_kernel_list_add_memory(list, "rotary", units * sizes->e * elements,
                                    sizes->fractions->elementwise);
}

/* -- Attention core: what selective recomputation repeats -------------------------------------- */

static void
add_reordering(PsimKernelList *list, const Sizes *sizes)
{
    const double elements = sizes->w->tokens * (sizes->w->query + 2.0 * sizes->w->key);

    psim_kernel_list_add_memory(list, "reorder", 2.0 * sizes->e * elements,
                                sizes->fractions->elementwise);
}

/* Scale and mask are kernels of their own unless fused with the softmax. */
static void
add_scale_and_mask(PsimKernelList *list, const Sizes *sizes)
{
    if (!sizes->runtime->fused_softmax) {
        psim_kernel_list_add_memory(list, "scale", 2.0 * sizes->e * sizes->scores,
                                    sizes->fractions->elementwise);
        psim_kernel_list_add_memory(list, "mask", 2.0 * sizes->e * sizes->scores,
                                    sizes->fractions->elementwise);
    }
}

static void
add_score_dropout(PsimKernelList *list, const Sizes *sizes)
{
    if (sizes->model->dropout) {
        psim_kernel_list_add_memory(list, "score-dropout", (2.0 * sizes->e + 1.0) * sizes->scores,
                                    sizes->fractions->elementwise);
    }
}

static void
add_core(PsimKernelList *list, const Sizes *sizes)
{
    const double s = sizes->w->sequence;
    const double d = sizes->w->head_dim;

    if (list->plan->flash_attention && psim_context_add_attention(list, /* backward= */ false)) {
        return;
    }
    psim_kernel_list_add_batched(list, "scores", s, s, d);
    add_scale_and_mask(list, sizes);
    psim_kernel_list_add_memory(list, "softmax", 2.0 * sizes->e * sizes->scores,
                                sizes->fractions->softmax);
    add_score_dropout(list, sizes);
    psim_kernel_list_add_batched(list, "context", s, d, s);
    add_reordering(list, sizes);
}

/* Both factors of a product of activations have an input gradient; there are no weights here. */
static void
add_core_backward(PsimKernelList *list, const Sizes *sizes)
{
    const double s = sizes->w->sequence;
    const double d = sizes->w->head_dim;

    if (list->plan->flash_attention && psim_context_add_attention(list, /* backward= */ true)) {
        return;
    }
    psim_kernel_list_add_batched(list, "context-values", s, d, s);
    psim_kernel_list_add_batched(list, "context-scores", s, s, d);
    add_score_dropout(list, sizes);
    psim_kernel_list_add_memory(list, "softmax", 3.0 * sizes->e * sizes->scores,
                                sizes->fractions->softmax);
    add_scale_and_mask(list, sizes);
    psim_kernel_list_add_batched(list, "scores-queries", s, d, s);
    psim_kernel_list_add_batched(list, "scores-keys", s, d, s);
    add_reordering(list, sizes);
}

/* -- Activation of the MLP --------------------------------------------------------------------- */

static void
add_activation(PsimKernelList *list, const Sizes *sizes, bool backward)
{
    const bool gated = sizes->model->gated_mlp;
    const double unit = sizes->e * sizes->activation;
    const double forward_units = gated ? 3.0 : 2.0;
    const double backward_units = gated ? 5.0 : 3.0;
    const double fraction = sizes->fractions->activation > 0.0 ? sizes->fractions->activation
                                                               : sizes->fractions->elementwise;

    psim_kernel_list_add_memory(list, gated ? "swiglu" : "gelu",
                                (backward ? backward_units : forward_units) * unit, fraction);
    if (sizes->runtime->fused_bias_gelu) {
        return;
    }
    /* Unfused: the SiLU of a gated MLP writes what the product reads back; a bias is added apart.
     */
    if (gated) {
        psim_kernel_list_add_memory(list, "silu", (backward ? 3.0 : 2.0) * unit, fraction);
    } else if (sizes->model->biases && !backward) {
        psim_kernel_list_add_memory(list, "bias", 2.0 * unit, sizes->fractions->elementwise);
    }
}

/* -- Passes ------------------------------------------------------------------------------------ */

static double
count_qkv(const PsimWidths *w)
{
    return w->query + 2.0 * w->key;
}

static double
count_fc1(const Sizes *sizes)
{
    return sizes->model->gated_mlp ? 2.0 * sizes->w->ffn : sizes->w->ffn;
}

static void
add_forward(PsimKernelList *list, const Sizes *sizes)
{
    const PsimWidths *w = sizes->w;

    add_norm(list, sizes);
    psim_kernel_list_add_gather(list);
    psim_kernel_list_add_linear(list, "qkv", w->tokens, count_qkv(w), w->hidden);
    add_rotary(list, sizes);
    add_core(list, sizes);
    psim_kernel_list_add_linear(list, "projection", w->tokens, w->hidden, w->query);
    psim_kernel_list_add_reduce(list);
    add_residual(list, sizes);

    add_norm(list, sizes);
    psim_kernel_list_add_gather(list);
    psim_kernel_list_add_linear(list, "fc1", w->tokens, count_fc1(sizes), w->hidden);
    add_activation(list, sizes, /* backward= */ false);
    psim_kernel_list_add_linear(list, "fc2", w->tokens, w->hidden, w->ffn);
    psim_kernel_list_add_reduce(list);
    add_residual(list, sizes);
}

static void
add_backward_input(PsimKernelList *list, const Sizes *sizes)
{
    const PsimWidths *w = sizes->w;

    add_residual_backward(list, sizes);
    psim_kernel_list_add_gather(list);
    psim_kernel_list_add_linear(list, "fc2", w->tokens, w->ffn, w->hidden);
    add_activation(list, sizes, /* backward= */ true);
    psim_kernel_list_add_linear(list, "fc1", w->tokens, w->hidden, count_fc1(sizes));
    psim_kernel_list_add_reduce(list);
    add_norm(list, sizes);

    add_residual_backward(list, sizes);
    psim_kernel_list_add_gather(list);
    psim_kernel_list_add_linear(list, "projection", w->tokens, w->query, w->hidden);
    add_core_backward(list, sizes);
    add_rotary(list, sizes);
    psim_kernel_list_add_linear(list, "qkv", w->tokens, w->hidden, count_qkv(w));
    psim_kernel_list_add_reduce(list);
    add_norm(list, sizes);
    psim_kernel_list_add_memory(list, "residual-gradient", 3.0 * sizes->e * sizes->stream,
                                sizes->fractions->elementwise);
}

/* Sequence parallelism keeps a rank's own tokens of an input only, and gathers them again here. */
static void
add_backward_weight(PsimKernelList *list, const Sizes *sizes)
{
    const PsimWidths *w = sizes->w;

    psim_kernel_list_add_linear(list, "fc2", w->ffn, w->hidden, w->tokens);
    psim_kernel_list_add_gather(list);
    psim_kernel_list_add_linear(list, "fc1", w->hidden, count_fc1(sizes), w->tokens);
    add_norm(list, sizes);
    psim_kernel_list_add_linear(list, "projection", w->query, w->hidden, w->tokens);
    psim_kernel_list_add_gather(list);
    psim_kernel_list_add_linear(list, "qkv", w->hidden, count_qkv(w), w->tokens);
    add_norm(list, sizes);
    if (sizes->model->biases) {
        /* The gradient of a bias is a column sum over the gradient of its layer's output. */
        psim_kernel_list_add_memory(list, "bias",
                                    sizes->e * w->tokens * (count_fc1(sizes) + count_qkv(w)),
                                    sizes->fractions->elementwise);
    }
}

/* Attention's output and every other product are kept: of queries, keys, values, projection, gate,
 * up and down the first, third, fifth and last; without a gate down is the sixth, and made again.
 */
static void
add_operators(PsimKernelList *list, const Sizes *sizes)
{
    const PsimWidths *w = sizes->w;
    const bool gated = sizes->model->gated_mlp;

    add_norm(list, sizes);
    psim_kernel_list_add_linear(list, "keys", w->tokens, w->key, w->hidden);
    add_rotary(list, sizes);
    psim_kernel_list_add_linear(list, "projection", w->tokens, w->hidden, w->query);
    add_residual(list, sizes);
    add_norm(list, sizes);
    if (gated)
        psim_kernel_list_add_linear(list, "up", w->tokens, w->ffn, w->hidden);
    add_activation(list, sizes, /* backward= */ false);
    if (!gated)
        psim_kernel_list_add_linear(list, "fc2", w->tokens, w->hidden, w->ffn);
}

static void
add_recompute(PsimKernelList *list, const Sizes *sizes)
{
    switch (list->plan->recompute) {
    case PSIM_RECOMPUTE_NONE:
        return;
    case PSIM_RECOMPUTE_SELECTIVE:
        if (list->plan->runtime.selective_by_operator)
            add_operators(list, sizes);
        else
            add_core(list, sizes);
        return;
    case PSIM_RECOMPUTE_FULL:
        add_forward(list, sizes);
        return;
    }
}

void
psim_transformer_kernels(const PsimPlan *plan, GArray *kernels)
{
    PsimKernelList list = psim_kernel_list_begin(plan, kernels);
    const Sizes sizes = find_sizes(&list);

    list.pass = PSIM_PASS_FORWARD;
    add_forward(&list, &sizes);
    list.pass = PSIM_PASS_RECOMPUTE;
    add_recompute(&list, &sizes);
    list.pass = PSIM_PASS_BACKWARD_INPUT;
    add_backward_input(&list, &sizes);
    list.pass = PSIM_PASS_BACKWARD_WEIGHT;
    add_backward_weight(&list, &sizes);
}
