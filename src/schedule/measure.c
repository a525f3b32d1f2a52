/* SPDX-License-Identifier: MIT */
#include "schedule/measure.h"

#include <string.h>

static void
fill_stage(PsimMeter *self, const PsimShapeTimes *times, uint32_t s, const uint32_t *rank_of_stage)
{
    PsimMeterStage *stage = &self->stages[s];
    const bool to_next = s + 1 < self->n_stages && rank_of_stage[s + 1] != rank_of_stage[s];
    const bool to_previous = s > 0 && rank_of_stage[s - 1] != rank_of_stage[s];

    *stage = (PsimMeterStage){.duration = {1, 2, 1, 1}, .rank = rank_of_stage[s]};
    if (times == NULL)
        return;
    stage->duration[PSIM_OP_FORWARD] = times->stage[s][0];
    stage->duration[PSIM_OP_BACKWARD_INPUT] = times->stage[s][1];
    stage->duration[PSIM_OP_BACKWARD_WEIGHT] = times->stage[s][2];
    stage->duration[PSIM_OP_BACKWARD] = times->stage[s][1] + times->stage[s][2];
    stage->send[0] = to_next ? times->transfer[s][0] : 0;
    stage->send[1] = to_previous ? times->transfer[s][1] : 0;
    stage->stored_bytes = times->stored_bytes[s];
    stage->input_bytes = times->input_bytes[s];
    if (times->working_bytes == NULL)
        return;
    stage->working_bytes[PSIM_OP_FORWARD] = times->working_bytes[s][0];
    stage->working_bytes[PSIM_OP_BACKWARD_INPUT] = times->working_bytes[s][1];
    stage->working_bytes[PSIM_OP_BACKWARD_WEIGHT] = times->working_bytes[s][2];
    stage->working_bytes[PSIM_OP_BACKWARD] =
        MAX(times->working_bytes[s][1], times->working_bytes[s][2]);
}

PsimMeter *
psim_meter_new(const PsimShape *shape, const uint32_t *rank_of_stage, PsimArena *arena)
{
    PsimMeter *self = psim_arena_array(arena, PsimMeter, 1);
    const uint32_t n_stages = shape->n_ranks * shape->n_chunks;
    const size_t n_cells = (size_t)n_stages * shape->n_microbatches;
    int64_t *no_caps = psim_arena_array(arena, int64_t, shape->n_ranks);

    for (uint32_t rank = 0; rank < shape->n_ranks; rank++)
        no_caps[rank] = INT64_MAX;
    *self = (PsimMeter){
        .n_ranks = shape->n_ranks,
        .n_stages = n_stages,
        .n_microbatches = shape->n_microbatches,
        .channels = shape->times != NULL && shape->times->channels,
        .stages = psim_arena_array(arena, PsimMeterStage, n_stages),
        .cap_bytes = shape->times != NULL ? shape->times->cap_bytes : no_caps,
        .ranks = psim_arena_array(arena, PsimMeterRank, shape->n_ranks),
        .forward_arrival = psim_arena_array(arena, PsimTime, n_cells),
        .backward_arrival = psim_arena_array(arena, PsimTime, n_cells),
        .end = psim_arena_array(arena, PsimTime, n_cells * PSIM_N_OP_KINDS),
        .position = psim_arena_array(arena, uint32_t, n_cells * PSIM_N_OP_KINDS),
    };
    for (uint32_t s = 0; s < n_stages; s++)
        fill_stage(self, shape->times, s, rank_of_stage);
    return self;
}

static void
begin(PsimMeter *self)
{
    const size_t n_cells = (size_t)self->n_stages * self->n_microbatches;

    memset(self->ranks, 0, self->n_ranks * sizeof *self->ranks);
    memset(self->forward_arrival, 0xff, n_cells * sizeof *self->forward_arrival);
    memset(self->backward_arrival, 0xff, n_cells * sizeof *self->backward_arrival);
    memset(self->forward_arrival, 0, self->n_microbatches * sizeof *self->forward_arrival);
}

/* Hands a result to the stage that waits for it. */
static void
pass_on(PsimMeter *self, PsimMeterRank *rank, const PsimOp *op, PsimTime end)
{
    const size_t m = self->n_microbatches;
    const size_t cell = op->stage * m + op->microbatch;
    const PsimMeterStage *stage = &self->stages[op->stage];

    if (op->kind == PSIM_OP_BACKWARD_WEIGHT)
        return;
    if (op->kind != PSIM_OP_FORWARD) {
        if (op->stage > 0)
            self->backward_arrival[cell - m] = psim_meter_arrival(self, rank, stage, 1, end);
    } else if (op->stage + 1u < self->n_stages) {
        self->forward_arrival[cell + m] = psim_meter_arrival(self, rank, stage, 0, end);
    } else {
        self->backward_arrival[cell] = end;
    }
}

/* What an operation takes when it starts, and gives back when it ends. */
static void
note_memory(PsimMeterRank *rank, const PsimMeterStage *stage, uint8_t kind)
{
    if (kind == PSIM_OP_FORWARD)
        rank->held_bytes += stage->stored_bytes;
    rank->peak_bytes = MAX(rank->peak_bytes, rank->held_bytes + stage->working_bytes[kind]);
    if (kind == PSIM_OP_BACKWARD)
        rank->held_bytes -= stage->stored_bytes;
    else if (kind == PSIM_OP_BACKWARD_INPUT)
        rank->held_bytes -= stage->input_bytes;
    else if (kind == PSIM_OP_BACKWARD_WEIGHT)
        rank->held_bytes -= stage->stored_bytes - stage->input_bytes;
}

static PsimTime
find_arrival(const PsimMeter *self, const PsimOp *op, size_t cell)
{
    if (op->kind == PSIM_OP_FORWARD)
        return self->forward_arrival[cell];
    return op->kind == PSIM_OP_BACKWARD_WEIGHT ? 0 : self->backward_arrival[cell];
}

/* Runs a rank as far as its inputs allow. Returns: whether it moved. */
static bool
advance(PsimMeter *self, const PsimOp *ops, uint32_t n_ops, PsimMeterRank *rank)
{
    const uint32_t begin_at = rank->next;

    for (; rank->next < n_ops; rank->next++) {
        const PsimOp *op = &ops[rank->next];
        const PsimMeterStage *stage = &self->stages[op->stage];
        const size_t cell = (size_t)op->stage * self->n_microbatches + op->microbatch;
        const size_t slot = cell * PSIM_N_OP_KINDS + op->kind;
        const PsimTime arrival = find_arrival(self, op, cell);

        if (arrival < 0)
            break;
        const PsimTime start = MAX(arrival, rank->free_at);

        rank->free_at = start + stage->duration[op->kind];
        rank->first_start = rank->next == 0 ? start : rank->first_start;
        self->end[slot] = rank->free_at;
        self->position[slot] = rank->next;
        note_memory(rank, stage, op->kind);
        pass_on(self, rank, op, rank->free_at);
    }
    return rank->next > begin_at;
}

static PsimMeasured
sum_up(const PsimMeter *self, const PsimOrder *order)
{
    PsimMeasured measured = {.fullest_bytes = INT64_MIN};
    PsimTime first = INT64_MAX;
    PsimTime last = 0;

    for (uint32_t r = 0; r < self->n_ranks; r++) {
        const PsimMeterRank *rank = &self->ranks[r];

        measured.deadlock |= rank->next < order->n_ops[r];
        measured.span_max = MAX(measured.span_max, rank->free_at - rank->first_start);
        measured.fullest_bytes = MAX(measured.fullest_bytes, rank->peak_bytes - self->cap_bytes[r]);
        first = MIN(first, rank->first_start);
        last = MAX(last, rank->free_at);
    }
    measured.makespan = last - first;
    measured.excess_bytes = MAX(measured.fullest_bytes, 0);
    return measured;
}

/* Forwards cascade down the ranks, backwards up. */
PsimMeasured
psim_meter_run(PsimMeter *self, const PsimOrder *order)
{
    bool moved = true;

    g_assert(order->n_chains == 1 && order->n_stages == self->n_stages &&
             order->n_microbatches == self->n_microbatches);
    begin(self);
    while (moved) {
        moved = false;
        for (uint32_t r = 0; r < self->n_ranks; r++)
            moved |= advance(self, order->ops[r], order->n_ops[r], &self->ranks[r]);
        for (uint32_t r = self->n_ranks; r-- > 0;)
            moved |= advance(self, order->ops[r], order->n_ops[r], &self->ranks[r]);
    }
    return sum_up(self, order);
}

bool
psim_measured_is_less(const PsimMeasured *a, const PsimMeasured *b)
{
    if (a->deadlock != b->deadlock)
        return b->deadlock;
    if (a->excess_bytes != b->excess_bytes)
        return a->excess_bytes < b->excess_bytes;
    if (a->makespan != b->makespan)
        return a->makespan < b->makespan;
    if (a->span_max != b->span_max)
        return a->span_max < b->span_max;
    return a->fullest_bytes < b->fullest_bytes;
}
