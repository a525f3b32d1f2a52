/* SPDX-License-Identifier: MIT */
#include "schedule/partition.h"

bool
psim_partition_even(uint32_t n_layers, uint32_t n_stages, uint32_t *ret_layers)
{
    if (n_stages == 0 || n_layers == 0 || n_layers % n_stages != 0)
        return false;
    for (uint32_t stage = 0; stage < n_stages; stage++)
        ret_layers[stage] = n_layers / n_stages;
    return true;
}

void
psim_partition_nearly_even(uint32_t n_layers, uint32_t n_stages, uint32_t *ret_layers)
{
    for (uint32_t stage = 0; stage < n_stages; stage++)
        ret_layers[stage] = n_layers / n_stages + (stage < n_layers % n_stages ? 1 : 0);
}

void
psim_partition_nearest(uint32_t n_layers,
                       uint32_t n_stages,
                       uint32_t *ret_below,
                       uint32_t *ret_above)
{
    uint32_t below = n_stages > n_layers ? n_layers : MAX(n_stages, 1) - 1;
    uint32_t above = n_stages < n_layers ? n_stages + 1 : 0;

    while (below > 0 && n_layers % below != 0)
        below--;
    while (above > 0 && n_layers % above != 0)
        above++;
    *ret_below = below;
    *ret_above = above;
}
