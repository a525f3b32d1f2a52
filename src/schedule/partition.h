/* SPDX-License-Identifier: MIT */
/* partition.h: layers -> virtual stages
 */
#pragma once

#include "base/error.h"
#include "plansim.h"

G_BEGIN_DECLS

/** psim_partition_even: Returns: whether @n_layers divide evenly; fills (n_stages) if so. */
bool psim_partition_even(uint32_t n_layers, uint32_t n_stages, uint32_t *ret_layers);

/** psim_partition_nearly_even: fills (n_stages); where they do not divide, first stages have one
 * more. */
void psim_partition_nearly_even(uint32_t n_layers, uint32_t n_stages, uint32_t *ret_layers);

/**
 * psim_partition_nearest:
 * The stage counts nearest to @n_stages that divide @n_layers, for messages: below and above.
 * 0 where there is none.
 */
void psim_partition_nearest(uint32_t n_layers,
                            uint32_t n_stages,
                            uint32_t *ret_below,
                            uint32_t *ret_above);

G_END_DECLS
