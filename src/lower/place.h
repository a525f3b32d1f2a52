/* SPDX-License-Identifier: MIT */
/* place.h: where the ranks of a plan lie on the cluster
 *
 * Ranks are numbered as Megatron does: tensor fastest, then context, then data, then pipeline; node
 * after node. Replica and context rank together are the owner of a weight: ranks of one owner
 * number hold what those of another do, so that gradients are reduced over them.
 *
 *     rank = ((stage * dp + replica) * cp + c) * tp + t
 */
#pragma once

#include "cost/collective.h"
#include "spec/plan.h"

G_BEGIN_DECLS

typedef struct {
    PsimGroup tp;
    PsimGroup cp;
    PsimGroup dp;   /* all owners of a weight, dp x cp */
    PsimGroup tied; /* first and last pipeline rank */
    PsimGroup world;
    uint32_t n_sharing_per_node; /* pipeline transfers that use a node's NICs at once */
} PsimPlace;

/**
 * psim_place_plan:
 * @n_chains    replicas of the model in one pipeline: their gradients are summed with the others'
 */
PsimPlace psim_place_plan(const PsimPlan *plan, uint32_t n_chains);

/** psim_place_crosses: whether a transfer between two pipeline ranks leaves a node for any copy. */
bool psim_place_crosses(const PsimPlan *plan, uint32_t from_rank, uint32_t to_rank);

G_END_DECLS
