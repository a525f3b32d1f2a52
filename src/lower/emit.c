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

uint32_t
psim_emit_collective(PsimEmitter *self,
                     const PsimTrack *track,
                     uint32_t microbatch,
                     uint32_t before,
                     PsimEmitGroup group)
{
    const uint32_t base = self->builder.n_tasks;
    const uint32_t n_members = group == PSIM_EMIT_TP ? self->tp : self->dp;
    const uint32_t stride = group == PSIM_EMIT_TP ? 1 : self->tp;

    for (uint32_t copy = 0; copy < self->n_copies; copy++) {
        const uint32_t first = group == PSIM_EMIT_TP ? copy / self->tp * self->tp : copy % self->tp;

        (void)psim_graph_add_task(&self->builder, track->class + copy, track->stream + copy,
                                  track->duration_ps, microbatch);
        for (uint32_t i = 0; i < n_members; i++)
            psim_graph_add_edge(&self->builder, before + first + i * stride);
    }
    return base;
}
