/* SPDX-License-Identifier: MIT */
/* cuda_cudnn_graph.h: a graph of cuDNN operations, one call an operation
 *
 * The first error sticks and every later call does nothing, so that a graph is written as straight
 * lines; psim_cuda_cudnn_graph_finish() is the only place that fails. Descriptors belong to the
 * graph.
 */
#pragma once

#include <cudnn.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

#define TRY_CUDNN(call, error) psim_cuda_cudnn_graph_status((call), #call, error)

/** psim_cuda_cudnn_graph_status: as psim_cuda_status_runtime(); UNSUPPORTED where cuDNN says so. */
bool psim_cuda_cudnn_graph_status(cudnnStatus_t status, const char *call, GError **error);

typedef cudnnBackendDescriptor_t PsimTensor;

/* How a tensor of (batch, heads, rows, columns) lies. */
typedef struct {
    int64_t dims[4], strides[4];
    cudnnDataType_t type;
} PsimTensorShape;

typedef struct {
    GPtrArray *descriptors; /* all of them, to be destroyed */
    GPtrArray *operations;  /* in order */
    int64_t next_uid;       /* of tensors that are never in memory */
    GError *error;
} PsimCudnnGraph;

void psim_cuda_cudnn_graph_init(PsimCudnnGraph *self);
void psim_cuda_cudnn_graph_clear(PsimCudnnGraph *self);

/** psim_cuda_cudnn_graph_tensor: a tensor in memory, at the address that a run gives for @uid. */
PsimTensor psim_cuda_cudnn_graph_tensor(PsimCudnnGraph *self, PsimTensorShape shape, int64_t uid);

/** psim_cuda_cudnn_graph_between: what passes from one operation to the next. */
PsimTensor psim_cuda_cudnn_graph_between(PsimCudnnGraph *self, PsimTensorShape shape);

/** psim_cuda_cudnn_graph_scalar: a float on the host, at the address that a run gives for @uid. */
PsimTensor psim_cuda_cudnn_graph_scalar(PsimCudnnGraph *self, int64_t uid);

/* An operation on each element. */
typedef struct {
    cudnnPointwiseMode_t mode;
    cudnnDataType_t compute;
    int64_t axis;          /* of an index, -1: none */
    PsimTensor x, b, t, y; /* b: second operand, t: condition; or NULL */
} PsimPointwise;

void psim_cuda_cudnn_graph_pointwise(PsimCudnnGraph *self, PsimPointwise what);
void psim_cuda_cudnn_graph_matmul(PsimCudnnGraph *self, PsimTensor a, PsimTensor b, PsimTensor c);
void psim_cuda_cudnn_graph_reduce(PsimCudnnGraph *self,
                                  cudnnReduceTensorOp_t operation,
                                  PsimTensor x,
                                  PsimTensor y);
/** psim_cuda_cudnn_graph_reshape: @y is @x with other dimensions or strides. */
void psim_cuda_cudnn_graph_reshape(PsimCudnnGraph *self, PsimTensor x, PsimTensor y);

/**
 * psim_cuda_cudnn_graph_finish:
 * @handle       or NULL
 * @device_json  or NULL; see psim_cuda_cudnn_plan()
 * Returns: an execution plan that belongs to @self, the first of cuDNN's choices that can be made.
 * Errors: UNSUPPORTED if there is none.
 */
cudnnBackendDescriptor_t psim_cuda_cudnn_graph_finish(PsimCudnnGraph *self,
                                                      cudnnHandle_t handle,
                                                      const char *device_json,
                                                      GError **error);

G_END_DECLS
