/* SPDX-License-Identifier: MIT */
/* collective.h: how long a collective operation takes on an idle network
 *
 * All costs here are for one operation alone; contention is the engine's business.
 */
#pragma once

#include "spec/hardware.h"

G_BEGIN_DECLS

/* The ranks of one group, as they lie on the cluster. */
typedef struct {
    uint32_t n_ranks;           /* in the group                                       [1] >= 1 */
    uint32_t n_per_node;        /* of them in one node (scale-up domain)              [1] >= 1 */
    uint32_t n_groups_per_node; /* groups of this kind that use a node's NICs at once [1] >= 1 */
} PsimGroup;

/**
 * psim_collective_group:
 * How a group lies: ranks @first, @first + stride, ... (n_ranks); ranks are numbered through nodes.
 *
 * @n_gpus    of the whole plan
 */
PsimGroup psim_collective_group(const PsimHardware *hardware,
                                uint32_t n_ranks,
                                uint32_t stride,
                                uint32_t n_gpus);

/**
 * psim_collective_s:
 * Time of one collective.
 *
 * @payload_bytes    the whole buffer of one rank: what all-reduce sums, what all-gather ends with,
 *                   what reduce-scatter begins with, what all-to-all sends        [B]
 *
 * Returns: [s]; 0 for one rank or no bytes.
 * Formula: inside a domain the two-line form a + min(f S/low, step + f S/high) with
 * f = 2(n-1)/n for all-reduce, (n-1)/n for the others, of the row measured with the nearest number
 * of ranks; half of its floor grows with the ring's steps. Without a row, a ring: steps x latency
 * + f S/(scale_up fraction). Across nodes the faster of a flat ring and, for all-reduce, a
 * tree and, with a switch that sums, the hierarchical form, as NCCL would pick, sharing a node's
 * NICs among n_groups_per_node.
 * Source: hardware/README.md.
 * Exact for: rings over equal links, tests/cost/test_collective.c.
 * Wrong when: two nodes whose NCCL takes a ring where a tree is reckoned with.
 */
double psim_collective_s(const PsimHardware *hardware,
                         PsimCollective what,
                         PsimGroup group,
                         double payload_bytes);

/**
 * psim_collective_send_s:
 * A point-to-point transfer between neighbours.
 *
 * @crosses_node         over the fabric instead of inside a domain
 * @n_sharing_per_node   transfers of this kind that use a node's NICs at once
 */
double psim_collective_send_s(const PsimHardware *hardware,
                              bool crosses_node,
                              uint32_t n_sharing_per_node,
                              double bytes);

/** psim_collective_is_across: Returns: whether the group leaves a node (scale-up domain). */
static inline bool
psim_collective_is_across(PsimGroup group)
{
    return group.n_per_node < group.n_ranks;
}

/** psim_collective_busbw: bytes/s as nccl-tests' busbw counts: f S / t. */
double
psim_collective_busbw(PsimCollective what, uint32_t n_ranks, double payload_bytes, double time_s);

G_END_DECLS
