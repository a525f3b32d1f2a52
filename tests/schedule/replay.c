/* SPDX-License-Identifier: MIT */
/* Ranks are tried in turn until none moves: slow and plain. An end of 0 means "not yet", so times
 * must be at least one where something waits for them.
 */
#include "replay.h"

typedef struct {
    const PsimOrder *order;
    const PsimReplayTimes *times;
    int64_t *forward_end;  /* (n_stages, n_microbatches) */
    int64_t *backward_end; /* of B or I */
    int64_t *free_at;      /* (n_ranks) */
} State;

static size_t
cell(const State *state, uint32_t stage, uint32_t microbatch)
{
    return (size_t)stage * state->order->n_microbatches + microbatch;
}

/* Raises @arrival to when a result of @from is at @to; returns false if there is none yet. */
static bool
wait_for(const State *state,
         const int64_t *ends,
         uint32_t from,
         uint32_t to,
         uint32_t microbatch,
         int64_t *arrival)
{
    const uint32_t *rank_of_stage = state->order->rank_of_stage;
    const int64_t end = ends[cell(state, from, microbatch)];
    const bool crosses = rank_of_stage[from] != rank_of_stage[to];

    *arrival = MAX(*arrival, end + (crosses ? state->times->latency : 0));
    return end > 0;
}

static bool
find_start(const State *state, uint32_t rank, PsimOp op, int64_t *start)
{
    const uint32_t s = op.stage;
    const uint32_t i = op.microbatch;
    const bool is_last = s + 1 == state->order->n_stages;

    *start = state->free_at[rank];
    switch ((PsimOpKind)op.kind) {
    case PSIM_OP_FORWARD:
        if (s > 0)
            return wait_for(state, state->forward_end, s - 1, s, i, start);
        return !state->order->serial || i == 0 ||
               wait_for(state, state->backward_end, 0, 0, i - 1, start);
    case PSIM_OP_BACKWARD:
    case PSIM_OP_BACKWARD_INPUT:
        return wait_for(state, state->forward_end, s, s, i, start) &&
               (is_last || wait_for(state, state->backward_end, s + 1, s, i, start));
    case PSIM_OP_BACKWARD_WEIGHT:
        return wait_for(state, state->backward_end, s, s, i, start);
    }
    return false;
}

int64_t
psim_replay_duration(const PsimReplayTimes *times, PsimOp op)
{
    const PsimStageTimes *stage = &times->stages[op.stage];

    switch ((PsimOpKind)op.kind) {
    case PSIM_OP_FORWARD:
        return stage->forward;
    case PSIM_OP_BACKWARD:
        return stage->backward_input + stage->backward_weight;
    case PSIM_OP_BACKWARD_INPUT:
        return stage->backward_input;
    case PSIM_OP_BACKWARD_WEIGHT:
        return stage->backward_weight;
    }
    return 0;
}

/* Runs the head of a rank's list if it can. */
static bool
run_head(State *state, uint32_t rank, PsimReplayed *replayed)
{
    const uint32_t position = replayed->n_done[rank];
    int64_t start = 0;

    if (position == state->order->n_ops[rank])
        return false;

    const PsimOp op = state->order->ops[rank][position];

    if (!find_start(state, rank, op, &start))
        return false;

    const int64_t duration = psim_replay_duration(state->times, op);
    const int64_t end = start + duration;

    if (op.kind == PSIM_OP_FORWARD)
        state->forward_end[cell(state, op.stage, op.microbatch)] = end;
    else if (op.kind != PSIM_OP_BACKWARD_WEIGHT)
        state->backward_end[cell(state, op.stage, op.microbatch)] = end;
    state->free_at[rank] = end;
    replayed->end[rank][position] = end;
    replayed->busy[rank] += duration;
    replayed->n_done[rank]++;
    return true;
}

static void
sum_up(const State *state, PsimReplayed *replayed)
{
    const PsimOrder *order = state->order;

    for (uint32_t rank = 0; rank < order->n_ranks; rank++) {
        const uint32_t n_done = replayed->n_done[rank];

        replayed->deadlock = replayed->deadlock || n_done < order->n_ops[rank];
        if (n_done == 0)
            continue;

        const int64_t last_end = replayed->end[rank][n_done - 1];
        const int64_t first_start =
            replayed->end[rank][0] - psim_replay_duration(state->times, order->ops[rank][0]);

        replayed->makespan = MAX(replayed->makespan, last_end);
        replayed->span_max = MAX(replayed->span_max, last_end - first_start);
    }
}

PsimReplayed *
psim_replay_order(const PsimOrder *order, const PsimReplayTimes *times, PsimArena *arena)
{
    const size_t n_cells = (size_t)order->n_stages * order->n_microbatches;
    PsimReplayed *replayed = psim_arena_array(arena, PsimReplayed, 1);
    State state = {
        .order = order,
        .times = times,
        .forward_end = psim_arena_array(arena, int64_t, n_cells),
        .backward_end = psim_arena_array(arena, int64_t, n_cells),
        .free_at = psim_arena_array(arena, int64_t, order->n_ranks),
    };

    *replayed = (PsimReplayed){
        .busy = psim_arena_array(arena, int64_t, order->n_ranks),
        .n_done = psim_arena_array(arena, uint32_t, order->n_ranks),
        .end = psim_arena_array(arena, int64_t *, order->n_ranks),
    };
    for (uint32_t rank = 0; rank < order->n_ranks; rank++)
        replayed->end[rank] = psim_arena_array(arena, int64_t, order->n_ops[rank]);

    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t rank = 0; rank < order->n_ranks; rank++) {
            while (run_head(&state, rank, replayed))
                moved = true;
        }
    }
    sum_up(&state, replayed);
    return replayed;
}

PsimReplayed *
psim_replay_equal(const PsimOrder *order, PsimStageTimes stage, int64_t latency, PsimArena *arena)
{
    PsimStageTimes *stages = psim_arena_array(arena, PsimStageTimes, order->n_stages);

    for (uint32_t i = 0; i < order->n_stages; i++)
        stages[i] = stage;
    return psim_replay_order(order, &(PsimReplayTimes){.stages = stages, .latency = latency},
                             arena);
}
