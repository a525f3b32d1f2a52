/* SPDX-License-Identifier: MIT */
#include "lower/emit.h"

uint32_t
psim_emit_stream(PsimEmitter *self, uint32_t pipeline_rank, PsimStreamKind kind)
{
    const uint32_t first = self->builder.n_streams;

    for (uint32_t copy = 0; copy < self->n_copies; copy++)
        (void)psim_graph_add_stream(&self->builder, pipeline_rank * self->n_copies + copy, kind);
    return first;
}

uint32_t
psim_emit_class(PsimEmitter *self, const PsimTaskClass *class)
{
    const uint32_t first = self->builder.n_classes;

    for (uint32_t copy = 0; copy < self->n_copies; copy++) {
        PsimTaskClass of_copy = *class;

        of_copy.rank = class->rank * self->n_copies + copy;
        if (class->peer != PSIM_TASK_NONE)
            of_copy.peer = class->peer * self->n_copies + copy;
        (void)psim_graph_add_class(&self->builder, &of_copy);
    }
    return first;
}

/* The copies of a group: @first, @first + stride, ... (n_members). */
typedef struct {
    uint32_t first, stride, n_members;
} Members;

static Members
find_members(const PsimEmitter *self, PsimEmitGroup group, uint32_t copy)
{
    const uint32_t t = copy % self->tp;
    const uint32_t replica = copy / (self->tp * self->cp);

    switch (group) {
    case PSIM_EMIT_TP:
        return (Members){.first = copy - t, .stride = 1, .n_members = self->tp};
    case PSIM_EMIT_CP:
        return (Members){
            .first = replica * self->tp * self->cp + t, .stride = self->tp, .n_members = self->cp};
    case PSIM_EMIT_DP:
        return (Members){.first = t, .stride = self->tp, .n_members = self->cp * self->dp};
    }
    g_assert_not_reached();
}

uint32_t
psim_emit_collective(PsimEmitter *self,
                     const PsimTrack *track,
                     uint32_t microbatch,
                     uint32_t before,
                     PsimEmitGroup group)
{
    const uint32_t base = self->builder.n_tasks;

    for (uint32_t copy = 0; copy < self->n_copies; copy++) {
        const Members members = find_members(self, group, copy);

        (void)psim_graph_add_task(&self->builder, track->class + copy, track->stream + copy,
                                  track->duration_ps, microbatch);
        for (uint32_t i = 0; i < members.n_members; i++)
            psim_graph_add_edge(&self->builder, before + members.first + i * members.stride);
    }
    return base;
}
