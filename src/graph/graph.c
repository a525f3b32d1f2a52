/* SPDX-License-Identifier: MIT */
/* The builder's arrays are the graph's: freezing copies nothing. An array that grows leaves its old
 * half behind in the arena, so sizes known beforehand save memory as well as time.
 */
#include "graph/graph.h"

#include "base/limits.h"

#include <string.h>

/* What a builder starts with where the caller has no idea. */
#define LEAST_TASKS   64u
#define LEAST_STREAMS 16u
#define LEAST_CLASSES 16u

const char *
psim_stream_word(PsimStreamKind kind)
{
    static const char *const words[PSIM_N_STREAM_KINDS] = {
        [PSIM_STREAM_COMPUTE] = "compute",
        [PSIM_STREAM_SEND_NEXT] = "send-next",
        [PSIM_STREAM_SEND_PREVIOUS] = "send-previous",
        [PSIM_STREAM_TP] = "tp",
        [PSIM_STREAM_DP] = "dp",
    };

    return words[kind];
}

const char *
psim_task_kind_word(PsimTaskKind kind)
{
    static const char *const words[PSIM_N_TASK_KINDS] = {
        [PSIM_TASK_COMPUTE] = "compute",
        [PSIM_TASK_TP] = "tp",
        [PSIM_TASK_SEND] = "send",
        [PSIM_TASK_DP] = "dp",
        [PSIM_TASK_OPTIMIZER] = "optimizer",
        [PSIM_TASK_BARRIER] = "barrier",
        [PSIM_TASK_CP] = "cp",
    };

    return words[kind];
}

void
psim_graph_builder_init(PsimGraphBuilder *self,
                        PsimArena *arena,
                        uint32_t n_tasks,
                        uint32_t n_edges)
{
    g_assert(n_tasks <= PSIM_LIMIT_TASKS && n_edges <= PSIM_LIMIT_EDGES);

    const uint32_t max_tasks = MAX(n_tasks, LEAST_TASKS);
    const uint32_t max_edges = MAX(n_edges, LEAST_TASKS);

    *self = (PsimGraphBuilder){
        .arena = arena,
        .max_tasks = max_tasks,
        .max_edges = max_edges,
        .max_streams = LEAST_STREAMS,
        .max_classes = LEAST_CLASSES,
        .stream = psim_arena_array(arena, uint32_t, max_tasks),
        .duration = psim_arena_array(arena, PsimTime, max_tasks),
        .class = psim_arena_array(arena, uint32_t, max_tasks),
        .microbatch = psim_arena_array(arena, uint32_t, max_tasks),
        .first = psim_arena_array(arena, uint32_t, (size_t)max_tasks + 1),
        .before = psim_arena_array(arena, uint32_t, max_edges),
        .streams = psim_arena_array(arena, PsimStream, LEAST_STREAMS),
        .classes = psim_arena_array(arena, PsimTaskClass, LEAST_CLASSES),
    };
}

static void *
grow_array(PsimArena *arena, const void *items, size_t n_items, size_t max_items, size_t size)
{
    return memcpy(psim_arena_alloc(arena, max_items, size), items, n_items * size);
}

static uint32_t
double_up_to(uint32_t count, uint32_t limit)
{
    g_assert(count < limit);
    return count > limit / 2 ? limit : 2 * count;
}

void
psim_graph_grow_tasks(PsimGraphBuilder *self)
{
    const size_t n = self->n_tasks;
    const uint32_t max = double_up_to(self->max_tasks, PSIM_LIMIT_TASKS);

    self->stream = grow_array(self->arena, self->stream, n, max, sizeof self->stream[0]);
    self->duration = grow_array(self->arena, self->duration, n, max, sizeof self->duration[0]);
    self->class = grow_array(self->arena, self->class, n, max, sizeof self->class[0]);
    self->microbatch =
        grow_array(self->arena, self->microbatch, n, max, sizeof self->microbatch[0]);
    self->first =
        grow_array(self->arena, self->first, n + 1, (size_t)max + 1, sizeof self->first[0]);
    self->max_tasks = max;
}

void
psim_graph_grow_edges(PsimGraphBuilder *self)
{
    const uint32_t max = double_up_to(self->max_edges, PSIM_LIMIT_EDGES);

    self->before =
        grow_array(self->arena, self->before, self->n_edges, max, sizeof self->before[0]);
    self->max_edges = max;
}

uint32_t
psim_graph_add_stream(PsimGraphBuilder *self, uint32_t rank, PsimStreamKind kind)
{
    if (self->n_streams == self->max_streams) {
        self->max_streams = double_up_to(self->max_streams, PSIM_LIMIT_TASKS);
        self->streams = grow_array(self->arena, self->streams, self->n_streams, self->max_streams,
                                   sizeof self->streams[0]);
    }
    self->streams[self->n_streams] = (PsimStream){.rank = rank, .kind = (uint8_t)kind};
    return self->n_streams++;
}

uint32_t
psim_graph_add_class(PsimGraphBuilder *self, const PsimTaskClass *class)
{
    if (self->n_classes == self->max_classes) {
        self->max_classes = double_up_to(self->max_classes, PSIM_LIMIT_TASKS);
        self->classes = grow_array(self->arena, self->classes, self->n_classes, self->max_classes,
                                   sizeof self->classes[0]);
    }
    self->classes[self->n_classes] = *class;
    return self->n_classes++;
}

static uint32_t
count_ranks(const PsimGraphBuilder *self)
{
    uint32_t n_ranks = 0;

    for (uint32_t i = 0; i < self->n_streams; i++)
        n_ranks = MAX(n_ranks, self->streams[i].rank + 1);
    return n_ranks;
}

PsimGraph *
psim_graph_freeze(PsimGraphBuilder *self)
{
    PsimGraph *graph = psim_arena_array(self->arena, PsimGraph, 1);

    *graph = (PsimGraph){
        .n_tasks = self->n_tasks,
        .n_edges = self->n_edges,
        .n_streams = self->n_streams,
        .n_classes = self->n_classes,
        .n_ranks = count_ranks(self),
        .stream = self->stream,
        .duration = self->duration,
        .class = self->class,
        .microbatch = self->microbatch,
        .first = self->first,
        .before = self->before,
        .streams = self->streams,
        .classes = self->classes,
    };
    return graph;
}
