/* SPDX-License-Identifier: MIT */
/* Tasks are numbered topologically in one pass. Each rank goes on along its list until the input of
 * its next op is not there, and parks in the slot of that input; whoever fills the slot wakes it. A
 * slot has one consumer, so nothing is polled and nothing is searched.
 */
#include "pipe.h"

/* In a slot: 0 not there yet, a task + 1, or this: the consumer's rank waits here. */
#define PARKED UINT32_MAX

enum { NEXT, PREVIOUS };

typedef struct {
    uint32_t compute_class[2]; /* F, B */
    uint32_t send_class[2];    /* by direction */
    uint32_t compute_stream;
    uint32_t send_stream[2]; /* by direction */
} Stage;

typedef struct {
    const PsimOrder *order;
    PsimGraphBuilder builder;
    Stage *stages;      /* (n_ranks); a stage is a rank here            */
    uint32_t *slots[2]; /* (n_ranks, row) inputs of F and of B          */
    size_t row;
    uint32_t *position; /* (n_ranks) in the list                        */
    uint32_t *work;     /* (n_ranks) ranks that may go on               */
    uint32_t n_work;
} Pipe;

static uint32_t
add_class(Pipe *self, const char *op, PsimTaskKind kind, uint32_t rank, uint32_t peer)
{
    return psim_graph_add_class(
        &self->builder,
        &(PsimTaskClass){
            .op = op, .kind = (uint8_t)kind, .rank = rank, .stage = rank, .peer = peer});
}

static void
add_stage(Pipe *self, uint32_t rank)
{
    PsimGraphBuilder *builder = &self->builder;
    const uint32_t next = rank + 1 < self->order->n_ranks ? rank + 1 : PSIM_TASK_NONE;
    const uint32_t previous = rank > 0 ? rank - 1 : PSIM_TASK_NONE;

    self->stages[rank] = (Stage){
        .compute_class = {add_class(self, "F", PSIM_TASK_COMPUTE, rank, PSIM_TASK_NONE),
                          add_class(self, "B", PSIM_TASK_COMPUTE, rank, PSIM_TASK_NONE)},
        .send_class = {add_class(self, "send-F", PSIM_TASK_SEND, rank, next),
                       add_class(self, "send-B", PSIM_TASK_SEND, rank, previous)},
        .compute_stream = psim_graph_add_stream(builder, rank, PSIM_STREAM_COMPUTE),
        .send_stream = {psim_graph_add_stream(builder, rank, PSIM_STREAM_SEND_NEXT),
                        psim_graph_add_stream(builder, rank, PSIM_STREAM_SEND_PREVIOUS)},
    };
}

static void
deliver(Pipe *self, int direction, uint32_t rank, uint32_t microbatch, uint32_t task)
{
    uint32_t *slot = &self->slots[direction][rank * self->row + microbatch];

    g_assert(slot != NULL);
    if (*slot == PARKED)
        self->work[self->n_work++] = rank;
    *slot = task + 1;
}

/* The op, and the transfer of its result; @input 0: nothing to wait for but the stream. */
static void
add_op(Pipe *self, uint32_t rank, PsimOp op, uint32_t input)
{
    const Stage *stage = &self->stages[rank];
    const int direction = op.kind == PSIM_OP_FORWARD ? NEXT : PREVIOUS;
    const uint32_t end_rank = direction == NEXT ? self->order->n_ranks - 1 : 0;
    const PsimTime duration = direction == NEXT ? PSIM_PIPE_FORWARD : PSIM_PIPE_BACKWARD;
    const uint32_t task = psim_graph_add_task(&self->builder, stage->compute_class[direction],
                                              stage->compute_stream, duration, op.microbatch);

    if (input != 0)
        psim_graph_add_edge(&self->builder, input - 1);
    if (rank == end_rank)
        return;

    const uint32_t send =
        psim_graph_add_task(&self->builder, stage->send_class[direction],
                            stage->send_stream[direction], PSIM_PIPE_TRANSFER, op.microbatch);

    psim_graph_add_edge(&self->builder, task);
    deliver(self, direction, direction == NEXT ? rank + 1 : rank - 1, op.microbatch, send);
}

/* The slot an op's input comes through; NULL: it waits for its stream only. */
static uint32_t *
find_slot(const Pipe *self, uint32_t rank, PsimOp op)
{
    const int direction = op.kind == PSIM_OP_FORWARD ? NEXT : PREVIOUS;
    const uint32_t source_rank = direction == NEXT ? 0 : self->order->n_ranks - 1;

    if (rank == source_rank)
        return NULL;
    return &self->slots[direction][rank * self->row + op.microbatch];
}

static void
advance(Pipe *self, uint32_t rank)
{
    const PsimOp *ops = self->order->ops[rank];
    const uint32_t n_ops = self->order->n_ops[rank];
    uint32_t position = self->position[rank];

    for (; position < n_ops; position++) {
        uint32_t *slot = find_slot(self, rank, ops[position]);

        if (slot != NULL && *slot == 0) {
            *slot = PARKED;
            break;
        }
        add_op(self, rank, ops[position], slot != NULL ? *slot : 0);
    }
    self->position[rank] = position;
}

static uint32_t
count_ops(const PsimOrder *order)
{
    uint32_t n_ops = 0;

    for (uint32_t rank = 0; rank < order->n_ranks; rank++)
        n_ops += order->n_ops[rank];
    return n_ops;
}

PsimGraph *
psim_pipe_build(const PsimOrder *order, PsimArena *scratch, PsimArena *arena)
{
    const uint32_t p = order->n_ranks;
    const uint32_t n_transfers = 2 * (p - 1) * order->n_microbatches;
    const uint32_t n_tasks = count_ops(order) + n_transfers;
    /* An odd number of cache lines, so that the ranks' rows do not share sets of the cache. */
    const size_t row = ((size_t)order->n_microbatches / 32 * 2 + 3) * 16;
    Pipe pipe = {
        .order = order,
        .stages = psim_arena_array(scratch, Stage, p),
        .row = row,
        .slots = {psim_arena_array(scratch, uint32_t, p * row),
                  psim_arena_array(scratch, uint32_t, p * row)},
        .position = psim_arena_array(scratch, uint32_t, p),
        .work = psim_arena_array(scratch, uint32_t, p),
    };

    psim_graph_builder_init(&pipe.builder, arena, n_tasks, 2 * n_transfers);
    for (uint32_t rank = 0; rank < p; rank++) {
        add_stage(&pipe, rank);
        pipe.work[p - 1 - rank] = rank;
    }
    pipe.n_work = p;
    while (pipe.n_work > 0)
        advance(&pipe, pipe.work[--pipe.n_work]);
    g_assert(pipe.builder.n_tasks == n_tasks);
    return psim_graph_freeze(&pipe.builder);
}
