/* SPDX-License-Identifier: MIT */
/* layer_list.h: the entries of an explicit layer list, as work of one rank
 */
#pragma once

#include "cost/layer.h"

G_BEGIN_DECLS

/**
 * psim_layer_list_at:
 * @layer       counts through the entries' repeats; must be in the model
 * @ret_left    layers alike from @layer on, itself included; may be NULL
 *
 * Returns: the entry that holds it; borrowed.
 */
const PsimLayer *psim_layer_list_at(const PsimModel *model, uint32_t layer, uint32_t *ret_left);

/**
 * psim_layer_list_kernels:
 * One kernel a pass, and the exchange of the TP ranks in each direction, as an all-gather.
 *
 * Formula: launch + max(FLOP / (peak efficiency), bytes / (bandwidth elementwise)), both over tp;
 * half of the backward FLOPs to each of I and W, all to I without weights.
 */
void psim_layer_list_kernels(const PsimPlan *plan, uint32_t layer, GArray *kernels);

G_END_DECLS
