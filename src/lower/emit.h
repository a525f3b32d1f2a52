/* SPDX-License-Identifier: MIT */
/* emit.h: tasks in blocks: one for each copy of a pipeline rank
 *
 * A block is n_copies tasks with consecutive ids, copy c at base + c; so a table need remember the
 * base alone. Copy = (d * cp + c) * tp + t, tensor rank t fastest, then context rank c, as
 * Megatron numbers ranks. Folded, a block is one task.
 */
#pragma once

#include "graph/graph.h"

G_BEGIN_DECLS

/* Where a kind of task goes: class and stream of copy 0; the others follow. */
typedef struct {
    uint32_t class;
    uint32_t stream;
    PsimTime duration_ps;
} PsimTrack;

typedef struct {
    PsimGraphBuilder builder;
    uint32_t n_copies;   /* 1 when folded */
    uint32_t tp, cp, dp; /* 1, 1, 1 when folded */
} PsimEmitter;

/** psim_emit_stream: Returns: the first of n_copies streams for a pipeline rank. */
uint32_t psim_emit_stream(PsimEmitter *self, uint32_t pipeline_rank, PsimStreamKind kind);

/** psim_emit_class: Returns: the first of n_copies classes; rank and peer are pipeline ranks. */
uint32_t psim_emit_class(PsimEmitter *self, const PsimTaskClass *class);

/* Which copies a collective's tasks wait for. */
typedef enum {
    PSIM_EMIT_TP, /* all tensor ranks of the same owner */
    PSIM_EMIT_CP, /* all context ranks of the same replica and tensor rank */
    PSIM_EMIT_DP, /* all owners, replicas and context ranks, of the same tensor rank */
} PsimEmitGroup;

/**
 * psim_emit_block:
 * @before    bases of blocks each copy waits for, copy by copy  (n_before)
 *
 * Returns: the base.
 */
static inline uint32_t
psim_emit_block(PsimEmitter *self,
                const PsimTrack *track,
                uint32_t microbatch,
                const uint32_t *before,
                unsigned n_before)
{
    const uint32_t base = self->builder.n_tasks;

    for (uint32_t copy = 0; copy < self->n_copies; copy++) {
        (void)psim_graph_add_task(&self->builder, track->class + copy, track->stream + copy,
                                  track->duration_ps, microbatch);
        for (unsigned i = 0; i < n_before; i++)
            psim_graph_add_edge(&self->builder, before[i] + copy);
    }
    return base;
}

/** psim_emit_collective: a block whose copies wait for all members of their group in block @before.
 */
uint32_t psim_emit_collective(PsimEmitter *self,
                              const PsimTrack *track,
                              uint32_t microbatch,
                              uint32_t before,
                              PsimEmitGroup group);

G_END_DECLS
