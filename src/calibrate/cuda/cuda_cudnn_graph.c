/* SPDX-License-Identifier: MIT */
#include "calibrate/cuda/cuda_cudnn_graph.h"

#include "calibrate/cuda/cuda_status.h"
#include "plansim.h"

#include <string.h>

/* Plans that are tried, in the order of cuDNN's heuristic. */
#define MAX_CHOICES 16
/* Uids of tensors between operations begin here; those in memory are small. */
#define FIRST_UID 1000
#define ALIGNMENT 16

bool
psim_cuda_cudnn_graph_status(cudnnStatus_t status, const char *call, GError **error)
{
    char reason[512] = "";

    if (status == CUDNN_STATUS_SUCCESS)
        return true;
    cudnnGetLastErrorString(reason, sizeof reason);

    g_autofree char *whole = g_strdup_printf("%s (%s)", cudnnGetErrorString(status), reason);
    const bool unsupported = CUDNN_STATUS_CATEGORY((int)status) == CUDNN_STATUS_NOT_SUPPORTED;

    psim_cuda_status_set(call, whole, "run again with CUDNN_LOGLEVEL_DBG=2 to see the whole story",
                         error);
    if (unsupported && error != NULL && *error != NULL)
        (*error)->code = PSIM_ERROR_UNSUPPORTED;
    return false;
}

static void
destroy(gpointer descriptor)
{
    cudnnBackendDestroyDescriptor(descriptor);
}

void
psim_cuda_cudnn_graph_init(PsimCudnnGraph *self)
{
    *self = (PsimCudnnGraph){
        .descriptors = g_ptr_array_new_with_free_func(destroy),
        .operations = g_ptr_array_new(),
        .next_uid = FIRST_UID,
    };
}

void
psim_cuda_cudnn_graph_clear(PsimCudnnGraph *self)
{
    g_clear_pointer(&self->descriptors, g_ptr_array_unref);
    g_clear_pointer(&self->operations, g_ptr_array_unref);
    g_clear_error(&self->error);
}

/* -- Descriptors ------------------------------------------------------------------------------- */

static cudnnBackendDescriptor_t
create(PsimCudnnGraph *self, cudnnBackendDescriptorType_t type)
{
    cudnnBackendDescriptor_t descriptor = NULL;

    if (self->error != NULL ||
        !TRY_CUDNN(cudnnBackendCreateDescriptor(type, &descriptor), &self->error))
        return NULL;
    g_ptr_array_add(self->descriptors, descriptor);
    return descriptor;
}

static void
set(PsimCudnnGraph *self,
    cudnnBackendDescriptor_t descriptor,
    cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type,
    int64_t n,
    const void *values)
{
    if (self->error == NULL)
        TRY_CUDNN(cudnnBackendSetAttribute(descriptor, name, type, n, values), &self->error);
}

static void
set_descriptor(PsimCudnnGraph *self,
               cudnnBackendDescriptor_t descriptor,
               cudnnBackendAttributeName_t name,
               cudnnBackendDescriptor_t value)
{
    set(self, descriptor, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

static void
finalize(PsimCudnnGraph *self, cudnnBackendDescriptor_t descriptor)
{
    if (self->error == NULL)
        TRY_CUDNN(cudnnBackendFinalize(descriptor), &self->error);
}

/* -- Tensors ----------------------------------------------------------------------------------- */

static PsimTensor
add_tensor(
    PsimCudnnGraph *self, const PsimTensorShape *shape, int64_t uid, bool virtual, bool scalar)
{
    const int64_t alignment = ALIGNMENT;
    PsimTensor tensor = create(self, CUDNN_BACKEND_TENSOR_DESCRIPTOR);

    set(self, tensor, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &shape->type);
    set(self, tensor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, shape->dims);
    set(self, tensor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, shape->strides);
    set(self, tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &uid);
    set(self, tensor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
    set(self, tensor, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &virtual);
    set(self, tensor, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &scalar);
    finalize(self, tensor);
    return tensor;
}

PsimTensor
psim_cuda_cudnn_graph_tensor(PsimCudnnGraph *self, PsimTensorShape shape, int64_t uid)
{
    return add_tensor(self, &shape, uid, /* virtual= */ false, /* scalar= */ false);
}

PsimTensor
psim_cuda_cudnn_graph_between(PsimCudnnGraph *self, PsimTensorShape shape)
{
    return add_tensor(self, &shape, self->next_uid++, /* virtual= */ true, /* scalar= */ false);
}

PsimTensor
psim_cuda_cudnn_graph_scalar(PsimCudnnGraph *self, int64_t uid)
{
    const PsimTensorShape shape = {{1, 1, 1, 1}, {1, 1, 1, 1}, CUDNN_DATA_FLOAT};

    return add_tensor(self, &shape, uid, /* virtual= */ false, /* scalar= */ true);
}

/* -- Operations -------------------------------------------------------------------------------- */

static void
add_operation(PsimCudnnGraph *self, cudnnBackendDescriptor_t operation)
{
    finalize(self, operation);
    if (self->error == NULL)
        g_ptr_array_add(self->operations, operation);
}

void
psim_cuda_cudnn_graph_pointwise(PsimCudnnGraph *self, PsimPointwise what)
{
    cudnnBackendDescriptor_t how = create(self, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);

    set(self, how, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &what.mode);
    set(self, how, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &what.compute);
    if (what.axis >= 0)
        set(self, how, CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, 1, &what.axis);
    finalize(self, how);

    cudnnBackendDescriptor_t operation = create(self, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);

    set_descriptor(self, operation, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
    set_descriptor(self, operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, what.x);
    if (what.b != NULL)
        set_descriptor(self, operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, what.b);
    if (what.t != NULL)
        set_descriptor(self, operation, CUDNN_ATTR_OPERATION_POINTWISE_TDESC, what.t);
    set_descriptor(self, operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, what.y);
    add_operation(self, operation);
}

void
psim_cuda_cudnn_graph_matmul(PsimCudnnGraph *self, PsimTensor a, PsimTensor b, PsimTensor c)
{
    const cudnnDataType_t compute = CUDNN_DATA_FLOAT;
    cudnnBackendDescriptor_t how = create(self, CUDNN_BACKEND_MATMUL_DESCRIPTOR);

    set(self, how, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute);
    finalize(self, how);

    cudnnBackendDescriptor_t operation = create(self, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);

    set_descriptor(self, operation, CUDNN_ATTR_OPERATION_MATMUL_ADESC, a);
    set_descriptor(self, operation, CUDNN_ATTR_OPERATION_MATMUL_BDESC, b);
    set_descriptor(self, operation, CUDNN_ATTR_OPERATION_MATMUL_CDESC, c);
    set_descriptor(self, operation, CUDNN_ATTR_OPERATION_MATMUL_DESC, how);
    add_operation(self, operation);
}

void
psim_cuda_cudnn_graph_reduce(PsimCudnnGraph *self,
                             cudnnReduceTensorOp_t operation,
                             PsimTensor x,
                             PsimTensor y)
{
    const cudnnDataType_t compute = CUDNN_DATA_FLOAT;
    cudnnBackendDescriptor_t how = create(self, CUDNN_BACKEND_REDUCTION_DESCRIPTOR);

    set(self, how, CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1,
        &operation);
    set(self, how, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute);
    finalize(self, how);

    cudnnBackendDescriptor_t reduction = create(self, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);

    set_descriptor(self, reduction, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x);
    set_descriptor(self, reduction, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y);
    set_descriptor(self, reduction, CUDNN_ATTR_OPERATION_REDUCTION_DESC, how);
    add_operation(self, reduction);
}

void
psim_cuda_cudnn_graph_reshape(PsimCudnnGraph *self, PsimTensor x, PsimTensor y)
{
    cudnnBackendDescriptor_t operation = create(self, CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);

    set_descriptor(self, operation, CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x);
    set_descriptor(self, operation, CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y);
    add_operation(self, operation);
}

/* -- Plans ------------------------------------------------------------------------------------- */

/* What a plan is made for: a device that is there, or one that is described. */
typedef struct {
    cudnnHandle_t handle;
    cudnnBackendDescriptor_t device;
} Target;

static cudnnBackendDescriptor_t
describe_device(PsimCudnnGraph *self, const char *json)
{
    cudnnBackendDescriptor_t device = create(self, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);

    set(self, device, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
        (int64_t)strlen(json) + 1, json);
    finalize(self, device);
    return device;
}

static cudnnBackendDescriptor_t
join_operations(PsimCudnnGraph *self, const Target *target)
{
    cudnnBackendDescriptor_t whole = create(self, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);

    set(self, whole, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
        self->operations->len, self->operations->pdata);
    if (target->handle != NULL)
        set(self, whole, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &target->handle);
    finalize(self, whole);
    return whole;
}

/* Returns: how many of cuDNN's choices are in @choices (MAX_CHOICES). */
static int64_t
ask_heuristic(PsimCudnnGraph *self,
              const Target *target,
              cudnnBackendDescriptor_t whole,
              cudnnBackendDescriptor_t *choices)
{
    const cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
    cudnnBackendDescriptor_t heuristic = create(self, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    int64_t n = 0;

    set_descriptor(self, heuristic, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, whole);
    set(self, heuristic, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
    if (target->device != NULL)
        set_descriptor(self, heuristic, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, target->device);
    finalize(self, heuristic);
    for (unsigned i = 0; i < MAX_CHOICES; i++)
        choices[i] = create(self, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    if (self->error != NULL ||
        !TRY_CUDNN(cudnnBackendGetAttribute(heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                            CUDNN_TYPE_BACKEND_DESCRIPTOR, MAX_CHOICES, &n,
                                            choices),
                   &self->error))
        return 0;
    return MIN(n, MAX_CHOICES);
}

static cudnnBackendDescriptor_t
make_plan(PsimCudnnGraph *self, const Target *target, cudnnBackendDescriptor_t choice)
{
    cudnnBackendDescriptor_t plan = create(self, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);

    set_descriptor(self, plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, choice);
    if (target->handle != NULL)
        set(self, plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &target->handle);
    if (target->device != NULL)
        set_descriptor(self, plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, target->device);
    finalize(self, plan);
    return self->error == NULL ? plan : NULL;
}

cudnnBackendDescriptor_t
psim_cuda_cudnn_graph_finish(PsimCudnnGraph *self,
                             cudnnHandle_t handle,
                             const char *device_json,
                             GError **error)
{
    cudnnBackendDescriptor_t choices[MAX_CHOICES] = {NULL};
    cudnnBackendDescriptor_t plan = NULL;
    const Target target = {
        .handle = handle,
        .device = device_json == NULL ? NULL : describe_device(self, device_json),
    };
    cudnnBackendDescriptor_t whole = join_operations(self, &target);
    const int64_t n = ask_heuristic(self, &target, whole, choices);

    for (int64_t i = 0; i < n && plan == NULL; i++) {
        g_clear_error(&self->error);
        plan = make_plan(self, &target, choices[i]);
    }
    if (plan != NULL)
        return plan;
    if (self->error != NULL)
        g_propagate_error(error, g_steal_pointer(&self->error));
    else
        g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED,
                            "cuDNN has no kernel for this attention on this device");
    return NULL;
}
