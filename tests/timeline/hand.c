/* SPDX-License-Identifier: MIT */
/* Goes round the ranks and appends what is ready, so ids come out in topological order. */
#include "hand.h"

const char *const hand_1f1b[3] = {
    "F0 F1 F2 B0 F3 B1 B2 B3",
    "F0 F1 B0 F2 B1 F3 B2 B3",
    "F0 B0 F1 B1 F2 B2 F3 B3",
};

#define MAX_RANKS        8
#define MAX_MICROBATCHES 64

typedef struct {
    const Hand *hand;
    PsimGraphBuilder builder;
    uint32_t stream[MAX_RANKS];
    uint32_t sender[2][MAX_RANKS];                 /* to the next, to the previous */
    uint32_t class[2][MAX_RANKS];                  /* F, B */
    uint32_t carry[2][MAX_RANKS];                  /* send-F, send-B */
    uint32_t done[2][MAX_RANKS][MAX_MICROBATCHES]; /* last task of each; PSIM_TASK_NONE: not yet */
} Drawing;

static void
add_classes(Drawing *self, uint32_t rank)
{
    static const char *const ops[2] = {"F", "B"};
    static const char *const sends[2] = {"send-F", "send-B"};
    const int64_t kept_bytes = self->hand->by_bytes ? 1 : 0;

    for (uint32_t kind = 0; kind < 2; kind++) {
        const uint32_t peer = kind == 0 ? rank + 1 : rank - 1;
        const PsimTaskClass class = {
            .op = ops[kind],
            .kind = PSIM_TASK_COMPUTE,
            .rank = rank,
            .stage = rank,
            .peer = PSIM_TASK_NONE,
            .start_bytes = kind == 0 ? kept_bytes : 0,
            .end_bytes = kind == 0 ? 0 : kept_bytes,
        };
        const PsimTaskClass carry = {
            .op = sends[kind], .kind = PSIM_TASK_SEND, .rank = rank, .stage = rank, .peer = peer};

        self->class[kind][rank] = psim_graph_add_class(&self->builder, &class);
        self->carry[kind][rank] = psim_graph_add_class(&self->builder, &carry);
    }
}

static void
begin_drawing(Drawing *self)
{
    for (uint32_t rank = 0; rank < self->hand->n_ranks; rank++) {
        self->stream[rank] = psim_graph_add_stream(&self->builder, rank, PSIM_STREAM_COMPUTE);
        if (self->hand->latency > 0) {
            self->sender[0][rank] =
                psim_graph_add_stream(&self->builder, rank, PSIM_STREAM_SEND_NEXT);
            self->sender[1][rank] =
                psim_graph_add_stream(&self->builder, rank, PSIM_STREAM_SEND_PREVIOUS);
        }
        add_classes(self, rank);
        for (uint32_t i = 0; i < MAX_MICROBATCHES; i++)
            self->done[0][rank][i] = self->done[1][rank][i] = PSIM_TASK_NONE;
    }
}

/* Whether the operation's input is there; its last task, or none where nothing is needed. */
static bool
find_input(const Drawing *self, uint32_t kind, uint32_t rank, uint32_t i, uint32_t *ret_task)
{
    const uint32_t last = self->hand->n_ranks - 1;

    *ret_task = PSIM_TASK_NONE;
    if (kind == 0 && rank == 0)
        return true;
    if (kind == 0)
        *ret_task = self->done[0][rank - 1][i];
    else
        *ret_task = rank == last ? self->done[0][rank][i] : self->done[1][rank + 1][i];
    return *ret_task != PSIM_TASK_NONE;
}

static bool
add_operation(Drawing *self, uint32_t kind, uint32_t rank, uint32_t i)
{
    const Hand *hand = self->hand;
    const bool crosses = kind == 0 ? rank + 1 < hand->n_ranks : rank > 0;
    uint32_t input = PSIM_TASK_NONE;

    if (!find_input(self, kind, rank, i, &input))
        return false;
    uint32_t task =
        psim_graph_add_task(&self->builder, self->class[kind][rank], self -> stream[rank],
                            kind == 0 ? hand -> forward : hand -> backward, i);

    if (input != PSIM_TASK_NONE)
        psim_graph_add_edge(&self->builder, input);
    if (crosses && hand->latency > 0) {
        const uint32_t work = task;

        task = psim_graph_add_task(&self->builder, self->carry[kind][rank],
                                   self->sender[kind][rank], hand->latency, i);
        psim_graph_add_edge(&self->builder, work);
    }
    self->done[kind][rank][i] = task;
    return true;
}

/* Appends what is ready of one rank's list and moves on in it. */
static uint32_t
advance_rank(Drawing *self, uint32_t rank, const char **list)
{
    uint32_t n_added = 0;

    while (**list != '\0') {
        char *end = NULL;
        const uint32_t i = (uint32_t)g_ascii_strtoull(*list + 1, &end, 10);

        if (!add_operation(self, **list == 'F' ? 0 : 1, rank, i))
            break;
        *list = *end == ' ' ? end + 1 : end;
        n_added++;
    }
    return n_added;
}

PsimGraph *
hand_graph(const Hand *hand, PsimArena *arena)
{
    Drawing *self = psim_arena_array(arena, Drawing, 1);
    const char *lists[MAX_RANKS];
    bool more = true;

    self->hand = hand;
    psim_graph_builder_init(&self->builder, arena, 16, 16);
    begin_drawing(self);
    for (uint32_t rank = 0; rank < hand->n_ranks; rank++)
        lists[rank] = hand->orders[rank];
    while (more) {
        more = false;
        for (uint32_t rank = 0; rank < hand->n_ranks; rank++)
            more |= advance_rank(self, rank, &lists[rank]) > 0;
    }
    for (uint32_t rank = 0; rank < hand->n_ranks; rank++)
        g_assert(*lists[rank] == '\0');
    return psim_graph_freeze(&self->builder);
}
