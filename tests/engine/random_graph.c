/* SPDX-License-Identifier: MIT */
#include "random_graph.h"

#include "base/rng.h"

/* Independent draws about one task are this far apart. */
#define DRAWS_PER_TASK 16

static uint32_t
draw(uint64_t seed, uint64_t id, uint32_t bound)
{
    return psim_rng_below(seed, id, bound);
}

static void
add_streams(PsimGraphBuilder *builder, uint64_t seed, uint32_t n_streams, uint32_t n_ranks)
{
    static const char *const ops[] = {"F", "B", "send-F"};

    for (uint32_t stream = 0; stream < n_streams; stream++)
        (void)psim_graph_add_stream(builder, draw(seed, 1000 + stream, n_ranks),
                                    (PsimStreamKind)draw(seed, 1100 + stream, PSIM_N_STREAM_KINDS));
    /* Class s * 3 + o: op o on the rank of stream s. */
    for (uint32_t class = 0; class < n_streams * 3; class ++)
        (void)psim_graph_add_class(builder, &(PsimTaskClass){
                                                .op = ops[class % 3],
                                                .kind = PSIM_TASK_COMPUTE,
                                                .rank = builder->streams[class / 3].rank,
                                                .peer = PSIM_TASK_NONE,
                                            });
}

PsimGraph *
psim_random_graph(uint64_t seed, PsimRandomChange change, PsimArena *arena)
{
    PsimGraphBuilder builder;
    const uint32_t n_tasks = draw(seed, 1, 41);
    const uint32_t n_streams = 1 + draw(seed, 2, 7);
    const uint32_t denseness = 1 + draw(seed, 3, 4);
    const uint32_t changed_task = n_tasks > 1 ? 1 + draw(seed, 4, n_tasks - 1) : 0;

    psim_graph_builder_init(&builder, arena, 0, 0);
    add_streams(&builder, seed, n_streams, 1 + draw(seed, 5, 3));
    for (uint32_t task = 0; task < n_tasks; task++) {
        const uint64_t at = 2000 + (uint64_t)task * DRAWS_PER_TASK;
        const uint32_t stream = draw(seed, at, n_streams);
        const PsimTime duration = draw(seed, at + 1, 10) * MAX(change.times, 1);

        (void)psim_graph_add_task(&builder, stream * 3 + draw(seed, at + 2, 3), stream, duration,
                                  task);
        for (uint32_t i = 0; task > 0 && i < draw(seed, at + 3, denseness); i++)
            psim_graph_add_edge(&builder, draw(seed, at + 4 + i, task));
        if (change.add_edge && task > 0 && task == changed_task)
            psim_graph_add_edge(&builder, draw(seed, 6, task));
    }
    return psim_graph_freeze(&builder);
}
