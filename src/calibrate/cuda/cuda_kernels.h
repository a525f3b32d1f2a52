/* SPDX-License-Identifier: MIT */
/* cuda_kernels.h: our own kernels, launched
 *
 * Every function queues work on @stream and returns what the launch said; nothing waits. Arrays are
 * device pointers in the order of cuda_case.h, aligned to 256 bytes.
 */
#pragma once

#include "calibrate/cuda/cuda_case.h"

#include <cuda_runtime_api.h>

G_BEGIN_DECLS

/** psim_cuda_kernels_fill: writes @n random elements; element i depends on (@seed, i) alone. */
cudaError_t
psim_cuda_kernels_fill(const PsimArraySpec *spec, void *array, uint64_t seed, cudaStream_t stream);

/** psim_cuda_kernels_flush: writes @bytes, a multiple of 16, so that caches hold nothing else. */
cudaError_t psim_cuda_kernels_flush(void *buffer, uint64_t bytes, cudaStream_t stream);

/** psim_cuda_kernels_nothing: a kernel that does nothing, but adds 1 to @counter if there is one.
 */
cudaError_t psim_cuda_kernels_nothing(unsigned *counter, cudaStream_t stream);

/** psim_cuda_kernels_run: a case of kind STREAM or KERNEL, as psim_cuda_case_judge() allows it. */
cudaError_t psim_cuda_kernels_run(const PsimCase *what,
                                  void *const *arrays,
                                  uint32_t n_sms,
                                  cudaStream_t stream);

/**
 * psim_cuda_kernels_attend:
 * Attention in fp32 on a tile at a time, slow and plain: what cuDNN is compared with at sizes that
 * the host cannot afford. Reads Q, K, V (batch, sequence, heads, head dimension), writes O and
 * stats.
 */
cudaError_t
psim_cuda_kernels_attend(const PsimCase *what, void *const *arrays, cudaStream_t stream);

/**
 * psim_cuda_kernels_attend_back:
 * @gradients  (3) dQ, dK, dV as fp32, zeroed before; added to
 */
cudaError_t psim_cuda_kernels_attend_back(const PsimCase *what,
                                          void *const *arrays,
                                          float *const *gradients,
                                          cudaStream_t stream);

G_END_DECLS
