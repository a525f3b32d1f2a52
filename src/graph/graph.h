/* SPDX-License-Identifier: MIT */
/* graph.h: the task graph: a struct of arrays with compressed edges
 *
 * A task runs on one stream, one at a time and in id order, for a fixed amount of time once its
 * predecessors have ended. Ids are topological by construction: every edge points to a higher id,
 * and a builder refuses others; so one pass in id order replays a graph (engine/sweep).
 *
 * What tasks of one kind share (name, rank, memory) stands once in a class; a task has its class
 * and its microbatch. 24 bytes a task and 4 an edge.
 */
#pragma once

#include "base/arena.h"
#include "plansim.h"

G_BEGIN_DECLS

#define PSIM_TASK_NONE UINT32_MAX

typedef enum {
    PSIM_TASK_COMPUTE,   /* F, B, I, W: the device works                        */
    PSIM_TASK_TP,        /* tensor-parallel collective                          */
    PSIM_TASK_SEND,      /* pipeline transfer                                   */
    PSIM_TASK_DP,        /* data-parallel collective                            */
    PSIM_TASK_OPTIMIZER, /* the optimizer's kernels                             */
    PSIM_TASK_BARRIER,   /* waits for others, takes no time of its own or little */
    PSIM_TASK_CP,        /* context-parallel collective, on the stream of TP     */
} PsimTaskKind;
#define PSIM_N_TASK_KINDS 7

typedef enum {
    PSIM_STREAM_COMPUTE,
    PSIM_STREAM_SEND_NEXT,     /* activations to the next rank    */
    PSIM_STREAM_SEND_PREVIOUS, /* gradients to the previous   */
    PSIM_STREAM_TP,            /* what a rank's layers exchange, CP too */
    PSIM_STREAM_DP,
} PsimStreamKind;
#define PSIM_N_STREAM_KINDS 5

/** psim_stream_word: Returns: "compute", "send-next", "send-previous", "tp", "dp"; static. */
const char *psim_stream_word(PsimStreamKind kind);
/** psim_task_kind_word: Returns: "compute", "tp", "send", "dp", "optimizer", "barrier", "cp";
 * static. */
const char *psim_task_kind_word(PsimTaskKind kind);

/* What tasks alike share. */
typedef struct {
    const char *op; /* "F", "B", "I", "W", "send-F", "tp-F", "dp-reduce", ...; static or arena */
    uint8_t kind;   /* PsimTaskKind */
    uint32_t rank;  /* of the stream */
    uint32_t stage; /* virtual stage */
    uint32_t chunk; /* of the rank */
    uint32_t peer;  /* receiving rank of a send; PSIM_TASK_NONE */
    PsimTime recompute_ps; /* part of the duration that is recomputation        [ps]   */
    PsimTime slowed_ps;    /* part of it lost to collectives that run beside     [ps]   */
    int64_t start_bytes;   /* memory taken when it starts                       [B]    */
    int64_t end_bytes;     /* memory given back when it ends                    [B]    */
    int64_t working_bytes; /* held only while it runs                           [B]    */
    double flop;           /* hardware FLOPs of one task                        [FLOP] */
    double bytes;          /* payload of a collective or transfer               [B]    */
} PsimTaskClass;

typedef struct {
    uint32_t rank;
    uint8_t kind; /* PsimStreamKind */
} PsimStream;

typedef struct {
    uint32_t n_tasks;
    uint32_t n_edges;
    uint32_t n_streams;
    uint32_t n_classes;
    uint32_t n_ranks;
    const uint32_t *stream;     /* (n_tasks)                                               */
    const PsimTime *duration;   /* (n_tasks) [ps]                                          */
    const uint32_t *class;      /* (n_tasks)                                               */
    const uint32_t *microbatch; /* (n_tasks) PSIM_TASK_NONE where it has none              */
    const uint32_t
        *first; /* (n_tasks + 1) predecessors of i are before[first[i] .. first[i + 1]) */
    const uint32_t *before;       /* (n_edges) ids lower than the task's own                 */
    const PsimStream *streams;    /* (n_streams)                                             */
    const PsimTaskClass *classes; /* (n_classes)                                           */
} PsimGraph;

/* Appends tasks in topological order; the arrays grow by doubling unless the sizes are known. */
typedef struct {
    PsimArena *arena;
    uint32_t n_tasks, n_edges, n_streams, n_classes;
    uint32_t max_tasks, max_edges, max_streams, max_classes;
    uint32_t *stream;
    PsimTime *duration;
    uint32_t *class;
    uint32_t *microbatch;
    uint32_t *first;
    uint32_t *before;
    PsimStream *streams;
    PsimTaskClass *classes;
} PsimGraphBuilder;

/** psim_graph_builder_init: @n_tasks, @n_edges  upper bounds if known, else a guess; it grows. */
void psim_graph_builder_init(PsimGraphBuilder *self,
                             PsimArena *arena,
                             uint32_t n_tasks,
                             uint32_t n_edges);

/** psim_graph_add_stream, psim_graph_add_class: Returns: the new index. */
uint32_t psim_graph_add_stream(PsimGraphBuilder *self, uint32_t rank, PsimStreamKind kind);
uint32_t psim_graph_add_class(PsimGraphBuilder *self, const PsimTaskClass *class);

/* Slow paths of the inline functions below. */
void psim_graph_grow_tasks(PsimGraphBuilder *self);
void psim_graph_grow_edges(PsimGraphBuilder *self);

/**
 * psim_graph_add_task:
 * Returns: the new task's id. Its predecessors follow with psim_graph_add_edge().
 */
static inline uint32_t
psim_graph_add_task(
    PsimGraphBuilder *self, uint32_t class, uint32_t stream, PsimTime duration, uint32_t microbatch)
{
    if (G_UNLIKELY(self->n_tasks == self->max_tasks))
        psim_graph_grow_tasks(self);
    const uint32_t task = self->n_tasks++;

    self->class[task] = class;
    self->stream[task] = stream;
    self->duration[task] = duration;
    self->microbatch[task] = microbatch;
    self->first[task + 1] = self->n_edges;
    return task;
}

/** psim_graph_add_edge: the newest task waits for the end of @before, an older one (checked). */
static inline void
psim_graph_add_edge(PsimGraphBuilder *self, uint32_t before)
{
    g_assert(before < self->n_tasks - 1);
    if (G_UNLIKELY(self->n_edges == self->max_edges))
        psim_graph_grow_edges(self);
    self->before[self->n_edges++] = before;
    self->first[self->n_tasks] = self->n_edges;
}

/** psim_graph_freeze: Returns: the graph over the builder's arrays, which must not change after. */
PsimGraph *psim_graph_freeze(PsimGraphBuilder *self);

static inline const PsimTaskClass *
psim_graph_class(const PsimGraph *self, uint32_t task)
{
    return &self->classes[self->class[task]];
}

G_END_DECLS
