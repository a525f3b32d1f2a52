/* SPDX-License-Identifier: MIT */
#include "cost/collective.h"

#include <math.h>

/* Two tiers: the scale-up domain (a node, or a rack of NVLink) and the fabric between domains.
 *
 * Inside, a collective costs what was measured; where nothing was, a ring over equal links. Across,
 * NCCL picks the fastest of three forms:
 *
 *     flat ring     one ring over all ranks, several side by side so that all NICs work; its rate
 *                   is the least of a link and the group's share of a node's NICs
 *     hierarchical  (all-reduce only, with a switch that sums) reduce-scatter inside, all-reduce
 *                   across, all-gather inside, in chunks, so that the slower tier decides
 *     tree          (all-reduce only) two binary trees over the nodes, each with half of the bytes:
 *                   2 log2(nodes) steps instead of 2 (nodes - 1), and 2 S, of two nodes S, instead
 *                   of 2 S (n - 1) / n
 *
 * S bytes of one rank in n parts: a ring takes as many steps as count_steps() says, each of S/n.
 */

/* The share of a measured floor that grows with the steps; the rest is launch and synchronisation.
 * H100: 10, 15 and 18 us with 2, 4 and 8 ranks. A100 (vTrain's tables): 39, 44 and 72 us. */
#define FLOOR_PER_STEP 0.5
/* What is in flight between the tiers: 16 channels with a slot of 512 KiB each. */
#define CHUNK_BYTES 8388608.0
/* A single transfer drives at most two NICs, however many a device has. */
#define MAX_NICS_PER_SEND 2.0

static double
count_steps(PsimCollective what, uint32_t n_ranks)
{
    switch (what) {
    case PSIM_COLLECTIVE_ALL_REDUCE:
        return 2.0 * ((double)n_ranks - 1.0);
    case PSIM_COLLECTIVE_ALL_GATHER:
    case PSIM_COLLECTIVE_REDUCE_SCATTER:
    case PSIM_COLLECTIVE_ALL_TO_ALL:
        return (double)n_ranks - 1.0;
    case PSIM_COLLECTIVE_SEND:
        return 1.0;
    }
    return 1.0;
}

/* f S: what one rank sends. */
static double
count_wire_bytes(PsimCollective what, uint32_t n_ranks, double payload_bytes)
{
    if (what == PSIM_COLLECTIVE_SEND) {
        return payload_bytes;
    }
    return count_steps(what, n_ranks) * (payload_bytes / (double)n_ranks);
}

static double
count_devices_per_node(const PsimHardware *hardware)
{
    return MAX((double)hardware->gpus_per_node, 1.0);
}

static uint32_t
find_greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (uint32_t)a;
}

PsimGroup
psim_collective_group(const PsimHardware *hardware,
                      uint32_t n_ranks,
                      uint32_t stride,
                      uint32_t n_gpus)
{
    const uint32_t domain = MAX(hardware->scale_up_size, 1U);
    if (n_gpus <= domain) {
        return (PsimGroup){.n_ranks = n_ranks, .n_per_node = n_ranks, .n_groups_per_node = 1};
    }
    /* Groups follow each other every n stride ranks, so this many consecutive ranks of the block
     * lie in one domain for every group, also for those that straddle a boundary. */
    const uint32_t together = find_greatest_common_divisor((uint64_t)n_ranks * stride, domain);
    const uint32_t n_per_node = MAX(together / MAX(stride, 1U), 1U);
    return (PsimGroup){.n_ranks = n_ranks,
                       .n_per_node = MIN(n_per_node, n_ranks),
                       .n_groups_per_node = MAX(domain / MIN(n_per_node, n_ranks), 1U)};
}

/* -- Inside a domain --------------------------------------------------------------------------- */

/* What a link carries; devices of a mesh have a link for each neighbour, so few ranks use few. */
static double
find_link_rate(const PsimHardware *hardware, uint32_t n_ranks)
{
    const double links = hardware->pair_bytes_per_s * ((double)n_ranks - 1.0);

    return MIN(hardware->scale_up_bytes_per_s, links) * hardware->scale_up_fraction;
}

/* The row of that kind measured with the nearest number of ranks, by ratio; NULL: none. */
static const PsimCollectiveConstants *
find_row(const PsimHardware *hardware, PsimCollective what, uint32_t n_ranks)
{
    const PsimCollectiveConstants *best = NULL;
    double best_distance = HUGE_VAL;

    for (uint32_t i = 0; i < hardware->n_collectives; i++) {
        const PsimCollectiveConstants *row = &hardware->collectives[i];
        const double distance = fabs(log((double)MAX(row->n_ranks, 2U) / (double)n_ranks));
        if (row->what == what && distance < best_distance) {
            best = row;
            best_distance = distance;
        }
    }
    return best;
}

/* How much longer the floor of a row is with another number of ranks. */
static double
find_floor_ratio(const PsimCollectiveConstants *row, uint32_t n_ranks)
{
    const double measured = count_steps(row->what, MAX(row->n_ranks, 2U));

    return 1.0 - FLOOR_PER_STEP + FLOOR_PER_STEP * count_steps(row->what, n_ranks) / measured;
}

static double
find_floor_s(const PsimHardware *hardware, PsimCollective what, uint32_t n_ranks)
{
    const PsimCollectiveConstants *row = find_row(hardware, what, n_ranks);

    if (n_ranks <= 1) {
        return 0.0;
    }
    return row ? row->a_s * find_floor_ratio(row, n_ranks)
               : count_steps(what, n_ranks) * hardware->scale_up_latency_s;
}

static double
find_inside_s(const PsimHardware *hardware,
              PsimCollective what,
              uint32_t n_ranks,
              double payload_bytes)
{
    const PsimCollectiveConstants *row = find_row(hardware, what, n_ranks);
    const double wire = count_wire_bytes(what, n_ranks, payload_bytes);
    const double floor_s = find_floor_s(hardware, what, n_ranks);
    if (!row) {
        return floor_s + wire / find_link_rate(hardware, n_ranks);
    }

    /* Only a mesh is slower with fewer ranks; a switch may beat its wire by reducing itself. */
    const bool mesh = hardware->pair_bytes_per_s < hardware->scale_up_bytes_per_s;
    const double ceiling =
        mesh && n_ranks < row->n_ranks ? find_link_rate(hardware, n_ranks) : HUGE_VAL;
    const double step_s = row->step_s * find_floor_ratio(row, n_ranks);
    const double low_s = wire / MIN(row->low_bytes_per_s, ceiling);
    const double high_s = step_s + wire / MIN(row->high_bytes_per_s, ceiling);
    return floor_s + MIN(low_s, high_s);
}

/* -- Across domains ---------------------------------------------------------------------------- */

/* NICs one device can drive, in bytes/s; a node with fewer NICs than devices shares them. */
static double
find_device_nic_rate(const PsimHardware *hardware)
{
    const double n_nics =
        MAX((double)hardware->nics_per_node / count_devices_per_node(hardware), 1.0);

    return n_nics * hardware->nic_bytes_per_s * hardware->nic_fraction;
}

/* What all NICs of a node, or of the nodes of a larger domain, carry. */
static double
find_domain_nic_rate(const PsimHardware *hardware)
{
    const double n_nodes =
        MAX((double)hardware->scale_up_size, 1.0) / count_devices_per_node(hardware);

    return n_nodes * (double)hardware->nics_per_node * hardware->nic_bytes_per_s *
           hardware->nic_fraction;
}

static double
find_group_nic_rate(const PsimHardware *hardware, PsimGroup group)
{
    const double share = find_domain_nic_rate(hardware) / (double)group.n_groups_per_node;
    const double reach = find_device_nic_rate(hardware) * (double)group.n_per_node;

    return MIN(share, reach) / MAX(hardware->oversubscription, 1.0);
}

static uint32_t
count_nodes(PsimGroup group)
{
    return (group.n_ranks + group.n_per_node - 1) / group.n_per_node;
}

static double
find_across_floor_s(const PsimHardware *hardware, PsimCollective what, PsimGroup group)
{
    return count_steps(what, count_nodes(group)) * hardware->ring_step_s +
           find_floor_s(hardware, what, group.n_per_node);
}

/* The floor has the steps inside the first domain; the ring goes through all the others as well. */
static double
find_ring_floor_s(const PsimHardware *hardware, PsimCollective what, PsimGroup group)
{
    const double steps = count_steps(what, group.n_ranks) - count_steps(what, count_nodes(group)) -
                         count_steps(what, group.n_per_node);

    return find_across_floor_s(hardware, what, group) + MAX(steps, 0.0) * hardware->scale_up_step_s;
}

static double
find_flat_ring_s(const PsimHardware *hardware,
                 PsimCollective what,
                 PsimGroup group,
                 double payload_bytes)
{
    const double nic = find_group_nic_rate(hardware, group);
    const double rate =
        group.n_per_node > 1 ? MIN(nic, find_link_rate(hardware, group.n_per_node)) : nic;

    return find_ring_floor_s(hardware, what, group) +
           count_wire_bytes(what, group.n_ranks, payload_bytes) / rate;
}

/* All-reduce in two tiers, which work at once on different chunks; the one that waits is late by a
 * chunk. */
static double
find_tiered_s(const PsimHardware *hardware,
              PsimGroup group,
              double payload_bytes,
              double n_steps,
              double wire_bytes)
{
    const double inside_s =
        group.n_per_node > 1
            ? find_inside_s(hardware, PSIM_COLLECTIVE_ALL_REDUCE, group.n_per_node, payload_bytes)
            : 0.0;
    const double across_s =
        n_steps * hardware->ring_step_s + wire_bytes / find_group_nic_rate(hardware, group);
    const double late = MIN(CHUNK_BYTES / payload_bytes, 1.0);

    return MAX(inside_s, across_s) + late * MIN(inside_s, across_s);
}

static double
find_hierarchical_s(const PsimHardware *hardware, PsimGroup group, double payload_bytes)
{
    const PsimCollective what = PSIM_COLLECTIVE_ALL_REDUCE;
    const uint32_t n_nodes = count_nodes(group);

    return find_tiered_s(hardware, group, payload_bytes, count_steps(what, n_nodes),
                         count_wire_bytes(what, n_nodes, payload_bytes));
}

static double
find_tree_s(const PsimHardware *hardware, PsimGroup group, double payload_bytes)
{
    const double depth = ceil(log2((double)count_nodes(group)));
    const double floor_s = group.n_per_node > 1 /* then among the time inside */
                               ? 0.0
                               : find_floor_s(hardware, PSIM_COLLECTIVE_ALL_REDUCE, 1);

    /* Of two nodes each is the root of one tree and the leaf of the other. */
    const double passes = count_nodes(group) == 2 ? 1.0 : 2.0;

    return floor_s +
           find_tiered_s(hardware, group, payload_bytes, 2.0 * depth, passes * payload_bytes);
}

/* Parts for devices of the same domain take the links, the others the NICs, at the same time. */
static double
find_all_to_all_s(const PsimHardware *hardware, PsimGroup group, double payload_bytes)
{
    const double n = (double)group.n_ranks;
    const double g = (double)group.n_per_node;
    const double near = payload_bytes * (g - 1.0) / n;
    const double far = payload_bytes * (n - g) / n;
    const double near_s = g > 1.0 ? near / find_link_rate(hardware, group.n_per_node) : 0.0;
    const double far_s = far * g / find_group_nic_rate(hardware, group);

    return find_across_floor_s(hardware, PSIM_COLLECTIVE_ALL_TO_ALL, group) + MAX(near_s, far_s);
}

/* The fastest of the three forms. */
static double
find_all_reduce_s(const PsimHardware *hardware, PsimGroup group, double payload_bytes)
{
    const double ring_s =
        find_flat_ring_s(hardware, PSIM_COLLECTIVE_ALL_REDUCE, group, payload_bytes);
    const double tree_s = find_tree_s(hardware, group, payload_bytes);
    const double flat_s = MIN(ring_s, tree_s);
    if (group.n_per_node == 1 || !hardware->in_switch_reduction) {
        return flat_s;
    }
    return MIN(flat_s, find_hierarchical_s(hardware, group, payload_bytes));
}

static double
find_across_s(const PsimHardware *hardware,
              PsimCollective what,
              PsimGroup group,
              double payload_bytes)
{
    switch (what) {
    case PSIM_COLLECTIVE_ALL_REDUCE:
        return find_all_reduce_s(hardware, group, payload_bytes);
    case PSIM_COLLECTIVE_ALL_GATHER:
    case PSIM_COLLECTIVE_REDUCE_SCATTER:
        return find_flat_ring_s(hardware, what, group, payload_bytes);
    case PSIM_COLLECTIVE_ALL_TO_ALL:
        return find_all_to_all_s(hardware, group, payload_bytes);
    case PSIM_COLLECTIVE_SEND:
        break;
    }
    return psim_collective_send_s(hardware, /* crosses_node= */ true, group.n_groups_per_node,
                                  payload_bytes);
}

double
psim_collective_s(const PsimHardware *hardware,
                  PsimCollective what,
                  PsimGroup group,
                  double payload_bytes)
{
    if (group.n_ranks <= 1 || payload_bytes <= 0.0) {
        return 0.0;
    }
    return psim_collective_is_across(group)
               ? find_across_s(hardware, what, group, payload_bytes)
               : find_inside_s(hardware, what, group.n_ranks, payload_bytes);
}

double
psim_collective_send_s(const PsimHardware *hardware,
                       bool crosses_node,
                       uint32_t n_sharing_per_node,
                       double bytes)
{
    if (bytes <= 0.0) {
        return 0.0;
    }
    if (!crosses_node) {
        return find_inside_s(hardware, PSIM_COLLECTIVE_SEND, /* n_ranks= */ 2, bytes);
    }
    const double nic = hardware->nic_bytes_per_s * hardware->nic_fraction;
    const double reach = MIN(find_device_nic_rate(hardware), MAX_NICS_PER_SEND * nic);
    const double share = find_domain_nic_rate(hardware) / (double)MAX(n_sharing_per_node, 1U);

    return hardware->fabric_latency_s +
           bytes / (MIN(share, reach) / MAX(hardware->oversubscription, 1.0));
}

double
psim_collective_busbw(PsimCollective what, uint32_t n_ranks, double payload_bytes, double time_s)
{
    return count_wire_bytes(what, n_ranks, payload_bytes) / time_s;
}
