/* SPDX-License-Identifier: MIT */
/* cuda_status.h: what the CUDA libraries return, as errors that name the call and what to do
 *
 *     if (!TRY_CUDA(cudaMalloc(&p, n), error))
 *         return false;
 *
 * gives "cudaMalloc: out of memory; ...", code IO.
 */
#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

#define TRY_CUDA(call, error)   psim_cuda_status_runtime((call), #call, error)
#define TRY_CUBLAS(call, error) psim_cuda_status_cublas((call), #call, error)

/** psim_cuda_status_runtime: Returns: @status is success; else @error names the function of @call.
 */
bool psim_cuda_status_runtime(cudaError_t status, const char *call, GError **error);
bool psim_cuda_status_cublas(cublasStatus_t status, const char *call, GError **error);

/** psim_cuda_status_set: "@call: @reason; @advice", @call up to its bracket; the form of them all.
 */
void psim_cuda_status_set(const char *call, const char *reason, const char *advice, GError **error);

G_END_DECLS
