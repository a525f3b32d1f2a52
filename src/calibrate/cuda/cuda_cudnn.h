/* SPDX-License-Identifier: MIT */
/* cuda_cudnn.h: fused attention by cuDNN's graph API, as far as the module is built with it
 *
 * cuda_cudnn.c or cuda_no_cudnn.c.
 */
#pragma once

#include "calibrate/cuda/cuda_unit.h"

G_BEGIN_DECLS

/* A graph that was planned for one case. */
typedef struct PsimCudnnPlan PsimCudnnPlan;

/** psim_cuda_cudnn_is_built_in: Returns: whether there is cuDNN in this module. */
bool psim_cuda_cudnn_is_built_in(void);

/** psim_cuda_cudnn_new: @stream is what plans run on. */
PsimCudnn *psim_cuda_cudnn_new(cudaStream_t stream, GError **error);
void psim_cuda_cudnn_free(PsimCudnn *self);

/** psim_cuda_cudnn_version: Returns: ", cuDNN 9.19.0", or "". Caller frees. */
char *psim_cuda_cudnn_version(void);

/**
 * psim_cuda_cudnn_plan:
 * @backward     plans the backward pass of @what, whatever @what says itself
 * @device_json  a device that is not there, as cuDNN writes it; @self may be NULL then, and the
 * plan is only good for being made. NULL: the device of @self
 *
 * Returns: a plan of cuDNN's first choice that it can make, or NULL.
 * Errors: UNSUPPORTED if cuDNN has no kernel for the case, else IO.
 */
PsimCudnnPlan *psim_cuda_cudnn_plan(
    PsimCudnn *self, const PsimCase *what, bool backward, const char *device_json, GError **error);
void psim_cuda_cudnn_plan_free(PsimCudnnPlan *plan);

/** psim_cuda_cudnn_workspace: Returns: that a run of @plan needs, [B]. */
uint64_t psim_cuda_cudnn_workspace(const PsimCudnnPlan *plan);

/** psim_cuda_cudnn_run: @arrays in the order of PSIM_ATTENTION_Q and so on. */
bool psim_cuda_cudnn_run(
    PsimCudnn *self, PsimCudnnPlan *plan, void *const *arrays, void *workspace, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimCudnn, psim_cuda_cudnn_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimCudnnPlan, psim_cuda_cudnn_plan_free)

G_END_DECLS
