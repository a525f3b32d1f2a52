/* SPDX-License-Identifier: MIT */
#include "lower/place.h"

#include "cost/context.h"

PsimPlace
psim_place_plan(const PsimPlan *plan, uint32_t n_chains)
{
    const PsimHardware *hardware = plan->hardware;
    const uint32_t n_owners = psim_plan_owners(plan);
    const uint32_t stage_stride = plan->tp * n_owners;
    const uint32_t tied_stride = MAX((plan->pp - 1) * stage_stride, 1);

    return (PsimPlace){
        .tp = psim_collective_group(hardware, plan->tp, 1, plan->n_gpus),
        .cp = psim_context_group(plan),
        .dp = psim_collective_group(hardware, n_owners * n_chains, plan->tp, plan->n_gpus),
        .tied = psim_collective_group(hardware, plan->pp > 1 ? 2 : 1, tied_stride, plan->n_gpus),
        .world = psim_collective_group(hardware, plan->n_gpus, 1, plan->n_gpus),
        .n_sharing_per_node = MIN(hardware->gpus_per_node, plan->n_gpus),
    };
}

bool
psim_place_crosses(const PsimPlan *plan, uint32_t from_rank, uint32_t to_rank)
{
    const uint32_t copies = plan->tp * psim_plan_owners(plan);
    const uint32_t domain = MAX(plan->hardware->scale_up_size, 1);

    /* The slowest copy decides, so one that crosses is enough. */
    for (uint32_t copy = 0; copy < copies; copy++) {
        if ((from_rank * copies + copy) / domain != (to_rank * copies + copy) / domain)
            return true;
    }
    return false;
}
