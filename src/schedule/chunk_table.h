/* SPDX-License-Identifier: MIT */
/* chunk_table.h: the (chunk, microbatch) table of interleaved schedules; internal to this layer
 *
 * Microbatches go in groups of N, each group chunk by chunk; the last group may be shorter.
 *
 *  v = 2, N = 2   0,0 0,1 1,0 1,1 | 0,2 0,3 1,2 1,3
 */
#pragma once

#include "schedule/schedule.h"

G_BEGIN_DECLS

/* A place in the table. */
typedef struct {
    uint32_t first; /* of the group's microbatches */
    uint32_t group; /* microbatches in it */
    uint32_t chunk;
    uint32_t index; /* in the group */
} PsimCursor;

static inline PsimCursor
psim_cursor_begin(const PsimShape *shape)
{
    return (PsimCursor){.group = MIN(shape->group, shape->n_microbatches)};
}

static inline void
psim_cursor_step(PsimCursor *at, const PsimShape *shape)
{
    if (++at->index < at->group)
        return;
    at->index = 0;
    if (++at->chunk < shape->n_chunks)
        return;
    at->chunk = 0;
    at->first += at->group;
    at->group = MIN(shape->group, shape->n_microbatches - at->first);
}

/** psim_cursor_add_forward: adds the forward of this place and steps on. */
static inline void
psim_cursor_add_forward(PsimCursor *at, PsimOrder *order, uint32_t rank, const PsimShape *shape)
{
    const uint32_t stage = at->chunk * shape->n_ranks + rank;

    psim_order_add(order, rank, PSIM_OP_FORWARD, stage, at->first + at->index);
    psim_cursor_step(at, shape);
}

/** psim_cursor_add_backward: like it, with the chunks in reverse; @kind is B, I or W. */
static inline void
psim_cursor_add_backward(
    PsimCursor *at, PsimOrder *order, uint32_t rank, PsimOpKind kind, const PsimShape *shape)
{
    const uint32_t stage = (shape->n_chunks - 1 - at->chunk) * shape->n_ranks + rank;

    psim_order_add(order, rank, kind, stage, at->first + at->index);
    psim_cursor_step(at, shape);
}

/** psim_rounds_are_equal: PyTorch cuts m into max(1, m div p) rounds; Returns: whether evenly. */
bool psim_rounds_are_equal(uint32_t n_microbatches, uint32_t n_ranks);

/** psim_rounds_complain: appends the complaint of @name where they are not. */
void psim_rounds_complain(const char *name, const PsimShape *shape, GString *complaints);

G_END_DECLS
