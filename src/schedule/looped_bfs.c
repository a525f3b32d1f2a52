/* SPDX-License-Identifier: MIT */
/* Looped BFS: GPipe over v chunks a rank, breadth first: all microbatches of a chunk, then the next
 * chunk; backwards newest first. The weights of a chunk are needed once in each direction.
 *
 *  rank 0   0F0 0F1 2F0 2F1     2B1 2B0 0B1 0B0       p = 2, v = 2, m = 2, by stage
 *  rank 1       1F0 1F1 3F0 3F1 3B1 3B0 1B1 1B0
 *
 * Source: Lamy-Poirier, "Breadth-first pipeline parallelism", MLSys 2023.
 */
#include "base/limits.h"
#include "schedule/types.h"

static void
emit_rank(PsimOrder *order, uint32_t rank, const PsimShape *shape)
{
    const uint32_t m = shape->n_microbatches;

    for (uint32_t chunk = 0; chunk < shape->n_chunks; chunk++) {
        for (uint32_t i = 0; i < m; i++)
            psim_order_add(order, rank, PSIM_OP_FORWARD, chunk * shape->n_ranks + rank, i);
    }
    for (uint32_t chunk = shape->n_chunks; chunk-- > 0;) {
        for (uint32_t i = m; i-- > 0;)
            psim_order_add(order, rank, PSIM_OP_BACKWARD, chunk * shape->n_ranks + rank, i);
    }
}

static void
emit_looped_bfs(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const uint64_t n_forwards = (uint64_t)shape->n_microbatches * shape->n_chunks;

    g_assert(n_forwards <= UINT32_MAX / 2);
    psim_order_begin(order, shape, arena, 2 * (uint32_t)n_forwards);
    for (uint32_t rank = 0; rank < shape->n_ranks; rank++)
        emit_rank(order, rank, shape);
}

/* T = (m v + p - 1)(tf + tb) in chunk times; below p microbatches each further chunk waits p - m
 * more. */
static bool
looped_bfs_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t m = shape->n_microbatches;

    *ret_numerator = p - 1;
    if (m < p)
        *ret_numerator += ((uint64_t)shape->n_chunks - 1) * (p - m);
    *ret_denominator = shape->n_chunks;
    return true;
}

const PsimScheduleType psim_looped_bfs_type = {
    .name = "looped-bfs",
    .title = "looped BFS (breadth-first pipeline)",
    .summary = "gpipe over v chunks a rank; weights of a chunk are gathered once each way",
    .default_chunks = 2,
    .min_chunks = 1,
    .max_chunks = PSIM_LIMIT_STAGES,
    .emit = emit_looped_bfs,
    .ideal_bubble = looped_bfs_bubble,
    .ideal_text = "(p-1)/(v m) of the ideal time",
};
