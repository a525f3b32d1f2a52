/* SPDX-License-Identifier: MIT */
#include "sample.h"

static void
add_classes(PsimGraphBuilder *builder)
{
    for (uint32_t rank = 0; rank < 2; rank++) {
        const PsimTaskClass forward = {.op = "F",
                                       .kind = PSIM_TASK_COMPUTE,
                                       .rank = rank,
                                       .stage = rank,
                                       .peer = PSIM_TASK_NONE,
                                       .start_bytes = 100};
        PsimTaskClass backward = forward;

        backward.op = "B";
        backward.start_bytes = 0;
        backward.end_bytes = 100;
        (void)psim_graph_add_class(builder, &forward);
        (void)psim_graph_add_class(builder, &backward);
    }
    (void)psim_graph_add_class(
        builder,
        &(PsimTaskClass){.op = "send-F", .kind = PSIM_TASK_SEND, .rank = 0, .stage = 0, .peer = 1});
    (void)psim_graph_add_class(builder, &(PsimTaskClass){.op = "optimizer",
                                                         .kind = PSIM_TASK_OPTIMIZER,
                                                         .rank = 0,
                                                         .peer = PSIM_TASK_NONE});
}

PsimGraph *
psim_sample_build(PsimArena *arena)
{
    PsimGraphBuilder builder;

    psim_graph_builder_init(&builder, arena, 6, 5);
    add_classes(&builder);
    (void)psim_graph_add_stream(&builder, 0, PSIM_STREAM_COMPUTE);
    (void)psim_graph_add_stream(&builder, 0, PSIM_STREAM_SEND_NEXT);
    (void)psim_graph_add_stream(&builder, 1, PSIM_STREAM_COMPUTE);

    const uint32_t forward_0 = psim_graph_add_task(&builder, 0, 0, 10, 0);
    const uint32_t send = psim_graph_add_task(&builder, 4, 1, 1, 0);

    psim_graph_add_edge(&builder, forward_0);

    const uint32_t forward_1 = psim_graph_add_task(&builder, 2, 2, 10, 0);

    psim_graph_add_edge(&builder, send);

    const uint32_t backward_1 = psim_graph_add_task(&builder, 3, 2, 20, 0);

    (void)psim_graph_add_task(&builder, 1, 0, 20, 0);
    psim_graph_add_edge(&builder, forward_1);
    psim_graph_add_edge(&builder, backward_1);
    (void)psim_graph_add_task(&builder, 5, 0, 5, PSIM_TASK_NONE);
    return psim_graph_freeze(&builder);
}
