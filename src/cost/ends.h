/* SPDX-License-Identifier: MIT */
/* ends.h: the kernels before the first and behind the last transformer block
 */
#pragma once

#include "cost/layer.h"

G_BEGIN_DECLS

/** psim_ends_embedding_kernels: lookup of a rank's rows, sum over ranks, positions and dropout. */
void psim_ends_embedding_kernels(const PsimPlan *plan, GArray *kernels);

/** psim_ends_head_kernels: final norm, logits of a rank's rows, and the loss over all ranks. */
void psim_ends_head_kernels(const PsimPlan *plan, GArray *kernels);

G_END_DECLS
