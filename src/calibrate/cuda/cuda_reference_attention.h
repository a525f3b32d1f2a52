/* SPDX-License-Identifier: MIT */
/* cuda_reference_attention.h: attention and its gradients, by plain loops in double precision
 */
#pragma once

#include "calibrate/cuda/cuda_case.h"

G_BEGIN_DECLS

/**
 * psim_cuda_reference_attention_error:
 * As psim_cuda_reference_error(), of a case of kind ATTENTION. A backward pass reads O and stats of
 * @before, which a forward pass has written.
 * Cost: batch heads sequence^2 head_dim, a few times.
 */
double psim_cuda_reference_attention_error(const PsimCase *what,
                                           const double *const *before,
                                           const double *const *after);

G_END_DECLS
