/* SPDX-License-Identifier: MIT */
/* Attention as cuDNN recognises it, operation by operation; it fuses the whole into one kernel.
 *
 *     S = Q K^T . scale . mask         P = softmax(S)         O = P V
 *
 *     delta = sum(dO O)                P = exp(S - stats)     dV = P^T dO
 *     dS = P (dO V^T - delta) scale    dK = dS^T Q            dQ = dS K
 *
 * Shape, order and number types of the operations are those of NVIDIA's own frontend, which is the
 * documentation of what is recognised: cudnn-frontend, node/scaled_dot_product_flash_attention.h.
 */
#include "calibrate/cuda/cuda_cudnn.h"

#include "calibrate/cuda/cuda_cudnn_graph.h"

#include <float.h>
#include <math.h>

/* Uids of tensors in memory: the arrays of the case, then numbers on the host. */
enum { UID_ARRAYS = 1, UID_SCALARS = 100 };
enum { SCALE, MASKED, ONE, N_SCALARS };

struct PsimCudnn {
    cudnnHandle_t handle;
};

struct PsimCudnnPlan {
    PsimCudnnGraph graph;
    cudnnBackendDescriptor_t plan;
    int64_t workspace_bytes;
    bool uses_array[PSIM_MAX_ARRAYS];
    bool uses_scalar[N_SCALARS];
    float scalars[N_SCALARS];
};

/* -- Shapes ------------------------------------------------------------------------------------ */

/* A case's sizes as cuDNN counts them. */
typedef struct {
    PsimCudnnGraph *graph;
    PsimCudnnPlan *plan;
    int64_t b, h, s, d;
    cudnnDataType_t type;
    bool causal;
    PsimTensor scale;
} Shape;

/* (batch, heads, sequence, head dimension), stored (batch, sequence, heads, head dimension). */
static PsimTensorShape
operand(const Shape *self, cudnnDataType_t type)
{
    return (PsimTensorShape){
        {self->b, self->h, self->s, self->d},
        {self->s * self->h * self->d, self->d, self->h * self->d, 1},
        type,
    };
}

static PsimTensorShape
transposed(PsimTensorShape shape)
{
    return (PsimTensorShape){
        {shape.dims[0], shape.dims[1], shape.dims[3], shape.dims[2]},
        {shape.strides[0], shape.strides[1], shape.strides[3], shape.strides[2]},
        shape.type,
    };
}

static PsimTensorShape
scores(const Shape *self, cudnnDataType_t type)
{
    return (PsimTensorShape){
        {self->b, self->h, self->s, self->s},
        {self->h * self->s * self->s, self->s * self->s, self->s, 1},
        type,
    };
}

static PsimTensorShape
a_row(const Shape *self)
{
    return (PsimTensorShape){
        {self->b, self->h, self->s, 1},
        {self->h * self->s, self->s, 1, 1},
        CUDNN_DATA_FLOAT,
    };
}

static PsimTensor
in_memory(Shape *self, int array, PsimTensorShape shape)
{
    self->plan->uses_array[array] = true;
    return psim_cuda_cudnn_graph_tensor(self->graph, shape, UID_ARRAYS + array);
}

static PsimTensor
scalar(Shape *self, int which)
{
    self->plan->uses_scalar[which] = true;
    return psim_cuda_cudnn_graph_scalar(self->graph, UID_SCALARS + which);
}

/* y = mode(x, b), in fp32 unless it goes to memory. */
static void
apply_to(Shape *self, cudnnPointwiseMode_t mode, PsimTensor x, PsimTensor b, PsimTensor y)
{
    psim_cuda_cudnn_graph_pointwise(
        self->graph,
        (PsimPointwise){
            .mode = mode, .compute = CUDNN_DATA_FLOAT, .axis = -1, .x = x, .b = b, .y = y});
}

static PsimTensor
apply(Shape *self, cudnnPointwiseMode_t mode, PsimTensor x, PsimTensor b, PsimTensorShape shape)
{
    PsimTensor y = psim_cuda_cudnn_graph_between(self->graph, shape);

    apply_to(self, mode, x, b, y);
    return y;
}

static PsimTensor
multiply(Shape *self, PsimTensor a, PsimTensor b, PsimTensorShape shape)
{
    PsimTensor c = psim_cuda_cudnn_graph_between(self->graph, shape);

    psim_cuda_cudnn_graph_matmul(self->graph, a, b, c);
    return c;
}

static PsimTensor
reduce(Shape *self, cudnnReduceTensorOp_t operation, PsimTensor x)
{
    PsimTensor y = psim_cuda_cudnn_graph_between(self->graph, a_row(self));

    psim_cuda_cudnn_graph_reduce(self->graph, operation, x, y);
    return y;
}

static PsimTensor
reshape(Shape *self, PsimTensor x, PsimTensorShape shape)
{
    PsimTensor y = psim_cuda_cudnn_graph_between(self->graph, shape);

    psim_cuda_cudnn_graph_reshape(self->graph, x, y);
    return y;
}

/* -- Masks ------------------------------------------------------------------------------------- */

static PsimTensor
index_of(Shape *self, PsimTensor like, int64_t axis)
{
    PsimTensor index = psim_cuda_cudnn_graph_between(self->graph, scores(self, CUDNN_DATA_INT32));

    psim_cuda_cudnn_graph_pointwise(self->graph, (PsimPointwise){.mode = CUDNN_POINTWISE_GEN_INDEX,
                                                                 .compute = CUDNN_DATA_INT32,
                                                                 .axis = axis,
                                                                 .x = like,
                                                                 .y = index});
    return index;
}

/* A query sees keys up to its own position. */
static PsimTensor
mask_scores(Shape *self, PsimTensor values)
{
    if (!self->causal)
        return values;

    PsimTensor row = index_of(self, values, 2);
    PsimTensor column = index_of(self, values, 3);
    PsimTensor seen = psim_cuda_cudnn_graph_between(self->graph, scores(self, CUDNN_DATA_BOOLEAN));
    PsimTensor masked = psim_cuda_cudnn_graph_between(self->graph, scores(self, CUDNN_DATA_FLOAT));

    psim_cuda_cudnn_graph_pointwise(self->graph, (PsimPointwise){.mode = CUDNN_POINTWISE_CMP_GE,
                                                                 .compute = CUDNN_DATA_BOOLEAN,
                                                                 .axis = -1,
                                                                 .x = row,
                                                                 .b = column,
                                                                 .y = seen});
    psim_cuda_cudnn_graph_pointwise(self->graph,
                                    (PsimPointwise){.mode = CUDNN_POINTWISE_BINARY_SELECT,
                                                    .compute = CUDNN_DATA_FLOAT,
                                                    .axis = -1,
                                                    .x = values,
                                                    .b = scalar(self, MASKED),
                                                    .t = seen,
                                                    .y = masked});
    return masked;
}

/* -- Passes ------------------------------------------------------------------------------------ */

static void
build_forward(Shape *self)
{
    const PsimTensorShape like = operand(self, self->type);
    const PsimTensorShape wide = scores(self, CUDNN_DATA_FLOAT);
    PsimTensor q = in_memory(self, PSIM_ATTENTION_Q, like);
    PsimTensor kt = in_memory(self, PSIM_ATTENTION_K, transposed(like));
    PsimTensor v = in_memory(self, PSIM_ATTENTION_V, like);
    PsimTensor o = in_memory(self, PSIM_ATTENTION_O, like);
    PsimTensor stats = in_memory(self, PSIM_ATTENTION_STATS, a_row(self));

    self->scale = scalar(self, SCALE);

    PsimTensor s = multiply(self, q, kt, wide);

    s = apply(self, CUDNN_POINTWISE_MUL, s, self->scale, wide);
    s = mask_scores(self, s);

    PsimTensor highest = reduce(self, CUDNN_REDUCE_TENSOR_MAX, s);
    PsimTensor shifted = apply(self, CUDNN_POINTWISE_SUB, s, highest, wide);
    PsimTensor e = apply(self, CUDNN_POINTWISE_EXP, shifted, NULL, wide);
    PsimTensor sum = reduce(self, CUDNN_REDUCE_TENSOR_ADD, e);
    PsimTensor log_sum = apply(self, CUDNN_POINTWISE_LOG, sum, NULL, a_row(self));

    apply_to(self, CUDNN_POINTWISE_ADD, highest, log_sum, stats);

    PsimTensor p = apply(self, CUDNN_POINTWISE_DIV, e, sum, scores(self, self->type));

    psim_cuda_cudnn_graph_matmul(self->graph, p, v, o);
}

/* delta = sum(dO O), which the kernel keeps in memory between its two halves. */
static PsimTensor
build_delta(Shape *self, PsimTensor slope)
{
    const PsimTensorShape like = operand(self, self->type);
    PsimTensor one = scalar(self, ONE);
    PsimTensor o = in_memory(self, PSIM_ATTENTION_O, like);
    PsimTensor delta = in_memory(self, PSIM_ATTENTION_DELTA, a_row(self));
    PsimTensor product =
        apply(self, CUDNN_POINTWISE_MUL, slope, o, operand(self, CUDNN_DATA_FLOAT));
    PsimTensor sum = reduce(self, CUDNN_REDUCE_TENSOR_ADD, product);

    apply_to(self, CUDNN_POINTWISE_MUL, sum, one, delta);
    return delta;
}

static void
build_backward(Shape *self)
{
    const PsimTensorShape like = operand(self, self->type);
    const PsimTensorShape wide = scores(self, CUDNN_DATA_FLOAT);
    const PsimTensorShape turned = transposed(scores(self, self->type));
    PsimTensor q = in_memory(self, PSIM_ATTENTION_Q, like);
    PsimTensor kt = in_memory(self, PSIM_ATTENTION_K, transposed(like));
    PsimTensor vt = in_memory(self, PSIM_ATTENTION_V, transposed(like));
    PsimTensor slope = in_memory(self, PSIM_ATTENTION_DO, like);
    PsimTensor stats = in_memory(self, PSIM_ATTENTION_STATS, a_row(self));
    PsimTensor dq = in_memory(self, PSIM_ATTENTION_DQ, like);
    PsimTensor dk = in_memory(self, PSIM_ATTENTION_DK, like);
    PsimTensor dv = in_memory(self, PSIM_ATTENTION_DV, like);
    PsimTensor dq_sum = in_memory(self, PSIM_ATTENTION_DQ_SUM, operand(self, CUDNN_DATA_FLOAT));

    self->scale = scalar(self, SCALE);

    PsimTensor delta = build_delta(self, slope);
    PsimTensor s = multiply(self, q, kt, wide);

    s = apply(self, CUDNN_POINTWISE_MUL, s, self->scale, wide);
    s = apply(self, CUDNN_POINTWISE_SUB, s, stats, wide);
    s = mask_scores(self, s);

    PsimTensor p = apply(self, CUDNN_POINTWISE_EXP, s, NULL, wide);

    psim_cuda_cudnn_graph_matmul(self->graph, reshape(self, p, turned), slope, dv);

    PsimTensor ds = multiply(self, slope, vt, wide);

    ds = apply(self, CUDNN_POINTWISE_SUB, ds, delta, wide);
    ds = apply(self, CUDNN_POINTWISE_MUL, ds, p, wide);
    ds = apply(self, CUDNN_POINTWISE_MUL, ds, self->scale, scores(self, self->type));
    psim_cuda_cudnn_graph_matmul(self->graph, reshape(self, ds, turned), q, dk);
    psim_cuda_cudnn_graph_matmul(self->graph, ds, reshape(self, kt, like), dq_sum);
    apply_to(self, CUDNN_POINTWISE_IDENTITY, dq_sum, NULL, dq);
}

/* -- Plans ------------------------------------------------------------------------------------- */

bool
psim_cuda_cudnn_is_built_in(void)
{
    return true;
}

PsimCudnn *
psim_cuda_cudnn_new(cudaStream_t stream, GError **error)
{
    g_autoptr(PsimCudnn) self = g_new0(PsimCudnn, 1);

    if (!TRY_CUDNN(cudnnCreate(&self->handle), error) ||
        !TRY_CUDNN(cudnnSetStream(self->handle, stream), error))
        return NULL;
    return g_steal_pointer(&self);
}

void
psim_cuda_cudnn_free(PsimCudnn *self)
{
    if (self == NULL)
        return;
    if (self->handle != NULL)
        cudnnDestroy(self->handle);
    g_free(self);
}

char *
psim_cuda_cudnn_version(void)
{
    const size_t version = cudnnGetVersion();

    return g_strdup_printf(", cuDNN %zu.%zu.%zu", version / 10000, version / 100 % 100,
                           version % 100);
}

PsimCudnnPlan *
psim_cuda_cudnn_plan(
    PsimCudnn *self, const PsimCase *what, bool backward, const char *device_json, GError **error)
{
    g_autoptr(PsimCudnnPlan) plan = g_new0(PsimCudnnPlan, 1);
    Shape shape = {
        .graph = &plan->graph,
        .plan = plan,
        .b = (int64_t)what->attention.batch,
        .h = (int64_t)what->attention.n_heads,
        .s = (int64_t)what->attention.sequence,
        .d = (int64_t)what->attention.head_dim,
        .type = what->number == PSIM_NUMBER_FP16 ? CUDNN_DATA_HALF : CUDNN_DATA_BFLOAT16,
        .causal = what->attention.causal,
    };
    int64_t n = 0;

    plan->scalars[SCALE] = 1.0F / sqrtf((float)what->attention.head_dim);
    /* The lowest float, as the frontend has it: a difference of two of them is no NaN. */
    plan->scalars[MASKED] = -FLT_MAX;
    plan->scalars[ONE] = 1.0F;
    psim_cuda_cudnn_graph_init(&plan->graph);
    if (backward)
        build_backward(&shape);
    else
        build_forward(&shape);
    plan->plan = psim_cuda_cudnn_graph_finish(&plan->graph, self == NULL ? NULL : self->handle,
                                              device_json, error);
    if (plan->plan == NULL ||
        !TRY_CUDNN(cudnnBackendGetAttribute(plan->plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                            CUDNN_TYPE_INT64, 1, &n, &plan->workspace_bytes),
                   error))
        return NULL;
    return g_steal_pointer(&plan);
}

void
psim_cuda_cudnn_plan_free(PsimCudnnPlan *plan)
{
    if (plan == NULL)
        return;
    psim_cuda_cudnn_graph_clear(&plan->graph);
    g_free(plan);
}

uint64_t
psim_cuda_cudnn_workspace(const PsimCudnnPlan *plan)
{
    return (uint64_t)plan->workspace_bytes;
}

/* Which address each tensor in memory has. Returns: how many there are. */
static int64_t
bind_tensors(PsimCudnnPlan *plan, void *const *arrays, int64_t *uids, void **pointers)
{
    int64_t n = 0;

    for (int i = 0; i < PSIM_MAX_ARRAYS; i++)
        if (plan->uses_array[i]) {
            uids[n] = UID_ARRAYS + i;
            pointers[n++] = arrays[i];
        }
    for (int i = 0; i < N_SCALARS; i++)
        if (plan->uses_scalar[i]) {
            uids[n] = UID_SCALARS + i;
            pointers[n++] = &plan->scalars[i];
        }
    return n;
}

static bool
fill_pack(cudnnBackendDescriptor_t pack,
          PsimCudnnPlan *plan,
          void *const *arrays,
          void *workspace,
          GError **error)
{
    int64_t uids[PSIM_MAX_ARRAYS + N_SCALARS] = {0};
    void *pointers[PSIM_MAX_ARRAYS + N_SCALARS] = {NULL};
    const int64_t n = bind_tensors(plan, arrays, uids, pointers);

    return TRY_CUDNN(cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS,
                                              CUDNN_TYPE_INT64, n, uids),
                     error) &&
           TRY_CUDNN(cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
                                              CUDNN_TYPE_VOID_PTR, n, pointers),
                     error) &&
           TRY_CUDNN(cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE,
                                              CUDNN_TYPE_VOID_PTR, 1, &workspace),
                     error) &&
           TRY_CUDNN(cudnnBackendFinalize(pack), error);
}

bool
psim_cuda_cudnn_run(
    PsimCudnn *self, PsimCudnnPlan *plan, void *const *arrays, void *workspace, GError **error)
{
    cudnnBackendDescriptor_t pack = NULL;

    if (!TRY_CUDNN(cudnnBackendCreateDescriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &pack),
                   error))
        return false;

    const bool done = fill_pack(pack, plan, arrays, workspace, error) &&
                      TRY_CUDNN(cudnnBackendExecute(self->handle, plan->plan, pack), error);

    cudnnBackendDestroyDescriptor(pack);
    return done;
}
