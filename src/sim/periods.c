/* SPDX-License-Identifier: MIT */
#include "sim/periods.h"

#include "sim/rank_clock.h"

#include <string.h>

/* One operation kind of one stage. */
typedef struct {
    uint64_t compute_ps, tp_ps, cp_ps, send_ps;
    uint32_t stage;
    uint8_t send_to; /* index of PsimRankClock.send */
    bool crosses, gathers, finishes;
    uint64_t slowed_ps[PSIM_N_BESIDE]; /* a segment's share */
} Recipe;

/* How many periods back a state is looked for. */
#define MAX_HISTORY 160u

struct PsimPeriods {
    GArray *clocks;  /* PsimRankClock, (p) */
    GArray *recipes; /* Recipe, (S, kinds) */
    GArray *slots;   /* uint64_t */
    GArray *moved;   /* uint64_t, (n_pending) */
    GArray *history; /* uint64_t, (MAX_HISTORY, n_times) */
    uint64_t prints[MAX_HISTORY];
};

typedef struct {
    const PsimProgram *program;
    const PsimWorkload *work;
    PsimRankClock *clocks;
    const Recipe *recipes;
    uint64_t *slots;
    PsimPeriods *room;
    bool is_too_long;
} Replay;

PsimPeriods *
psim_periods_new(void)
{
    PsimPeriods *self = g_new0(PsimPeriods, 1);

    self->clocks = g_array_new(FALSE, TRUE, sizeof(PsimRankClock));
    self->recipes = g_array_new(FALSE, TRUE, sizeof(Recipe));
    self->slots = g_array_new(FALSE, TRUE, sizeof(uint64_t));
    self->moved = g_array_new(FALSE, TRUE, sizeof(uint64_t));
    self->history = g_array_new(FALSE, TRUE, sizeof(uint64_t));
    return self;
}

void
psim_periods_free(PsimPeriods *self)
{
    g_array_unref(self->clocks);
    g_array_unref(self->recipes);
    g_array_unref(self->slots);
    g_array_unref(self->moved);
    g_array_unref(self->history);
    g_free(self);
}

/* -- Recipes, as lower/recipe.c makes them -- */

static bool
goes_to_next(const PsimOrder *order, uint32_t rank, uint32_t peer, bool is_forward)
{
    return order->n_ranks > 2 ? peer == (rank + 1) % order->n_ranks : is_forward;
}

static void
make_send(const PsimWorkload *work, uint32_t stage, bool is_forward, Recipe *recipe)
{
    const PsimOrder *order = work->order;
    const uint32_t depth = psim_order_chain_stages(order);
    const uint32_t rank = order->rank_of_stage[stage];
    const bool is_end = is_forward ? (stage + 1) % depth == 0 : stage % depth == 0;

    if (is_end)
        return;
    const uint32_t peer = order->rank_of_stage[is_forward ? stage + 1 : stage - 1];

    recipe->crosses = peer != rank;
    recipe->send_to = goes_to_next(order, rank, peer, is_forward);
    recipe->send_ps = (uint64_t)(is_forward ? work->stages[stage].send_forward_ps
                                            : work->stages[stage].send_backward_ps);
}

static void
make_slowed(const PsimWorkload *work, Recipe *recipe)
{
    for (unsigned beside = 1; beside < PSIM_N_BESIDE; beside++)
        recipe->slowed_ps[beside] = (uint64_t)psim_workload_slowed(
            work, recipe->stage, (PsimTime)recipe->compute_ps, beside);
}

static const Recipe *
make_recipes(PsimPeriods *self, const PsimWorkload *work)
{
    const uint32_t n_stages = work->order->n_stages;

    g_array_set_size(self->recipes, n_stages * PSIM_N_OP_KINDS);
    Recipe *recipes = (Recipe *)(void *)self->recipes->data;

    for (uint32_t stage = 0; stage < n_stages; stage++) {
        const bool gathers =
            work->stages[stage].gather_ps > 0 && work->gather_when != PSIM_DP_NEVER;
        const bool reduces =
            work->stages[stage].reduce_ps > 0 && work->reduce_when != PSIM_DP_NEVER;

        for (unsigned kind = 0; kind < PSIM_N_OP_KINDS; kind++) {
            const PsimOpWork *op = &work->stages[stage].op[kind];
            Recipe *recipe = &recipes[stage * PSIM_N_OP_KINDS + kind];

            *recipe = (Recipe){
                .compute_ps = (uint64_t)op->compute_ps,
                .tp_ps = (uint64_t)op->tp_ps,
                .cp_ps = (uint64_t)op->cp_ps,
                .stage = stage,
                .gathers = gathers && kind != PSIM_OP_BACKWARD_WEIGHT,
                .finishes =
                    reduces && (kind == PSIM_OP_BACKWARD || kind == PSIM_OP_BACKWARD_WEIGHT),
            };
            if (recipe->gathers || recipe->finishes)
                make_slowed(work, recipe);
            if (kind != PSIM_OP_BACKWARD_WEIGHT)
                make_send(work, stage, kind == PSIM_OP_FORWARD, recipe);
        }
    }
    return recipes;
}

/* -- Operations -- */

static inline uint64_t
later(uint64_t a, uint64_t b)
{
    return MAX(a, b);
}

/* Compute and the collectives of its layers. Returns: when the result is there. */
static inline uint64_t
run_part(PsimRankClock *clock, uint64_t input, uint64_t compute_ps, uint64_t own_ps)
{
    uint64_t start = MAX(clock->compute, input);

    start = MAX(start, clock->wait);
    start = MAX(start, clock->wait_send);
    clock->wait = clock->wait_send = 0;
    const uint64_t end = start + compute_ps;

    clock->compute = end;
    clock->before_last = clock->last_compute;
    clock->last_compute = end;
    if (own_ps == 0)
        return end;
    clock->tp = MAX(clock->tp, end) + own_ps;
    clock->wait = clock->tp;
    return clock->tp;
}

static uint64_t
cut(uint64_t whole, uint32_t index, uint32_t n)
{
    return whole / n + (index < whole % n ? 1 : 0);
}

static uint64_t
run_gather(const Replay *replay, PsimRankClock *clock, const PsimStageWork *stage, uint64_t after)
{
    if (!replay->work->overlap_dp)
        after = clock->wait != 0 ? clock->wait : clock->last_compute;
    if (replay->work->gather_when == PSIM_DP_ONCE)
        after = 0;
    clock->dp = MAX(clock->dp, after) + (uint64_t)stage->gather_ps;
    return clock->dp;
}

/* Beside data-parallel collectives. */
static uint64_t
run_segments(const Replay *replay,
             PsimRankClock *clock,
             const Recipe *recipe,
             uint64_t input,
             bool with_gather,
             bool with_reduce)
{
    const PsimStageWork *stage = &replay->work->stages[recipe->stage];
    const uint32_t n = stage->n_segments;
    const uint64_t slowed_ps = recipe->slowed_ps[(with_gather ? PSIM_BESIDE_GATHER : 0u) |
                                                 (with_reduce ? PSIM_BESIDE_REDUCE : 0u)];
    uint64_t gather = with_gather ? run_gather(replay, clock, stage, clock->before_last) : 0;
    uint64_t end = 0;

    for (uint32_t i = 0; i < n; i++) {
        const uint64_t next =
            with_gather && i + 1 < n ? run_gather(replay, clock, stage, clock->last_compute) : 0;

        end = run_part(clock, later(i == 0 ? input : 0, gather),
                       cut(recipe->compute_ps, i, n) + slowed_ps,
                       cut(recipe->tp_ps, i, n) + cut(recipe->cp_ps, i, n));
        gather = next;
        if (!with_reduce)
            continue;
        clock->dp = later(clock->dp, end) + (uint64_t)stage->reduce_ps;
        clock->last_dp = clock->dp;
        if (!replay->work->overlap_dp)
            clock->wait = clock->dp;
    }
    return end;
}

static uint64_t
run_compute(const Replay *replay,
            const PsimProgramOp *op,
            const Recipe *recipe,
            PsimRankClock *clock)
{
    const PsimWorkload *work = replay->work;
    const uint64_t input = replay->slots[op->in_slot];
    const bool with_gather =
        recipe->gathers && (work->gather_when == PSIM_DP_EVERY || op->flags & PSIM_PROGRAM_FIRST);
    const bool with_reduce =
        recipe->finishes &&
        (work->reduce_when == PSIM_DP_EVERY || (work->overlap_dp && op->flags & PSIM_PROGRAM_LAST));

    if (with_gather || with_reduce)
        return run_segments(replay, clock, recipe, input, with_gather, with_reduce);
    return run_part(clock, input, recipe->compute_ps, recipe->tp_ps + recipe->cp_ps);
}

static void
run_ops(const Replay *replay, uint32_t begin, uint32_t end)
{
    const bool blocks = replay->work->blocking_sends;

    for (uint32_t i = begin; i < end; i++) {
        const PsimProgramOp *op = &replay->program->ops[i];
        const Recipe *recipe = &replay->recipes[op->recipe];
        PsimRankClock *clock = &replay->clocks[op->rank];
        uint64_t result = run_compute(replay, op, recipe, clock);

        if (!recipe->crosses)
            continue;
        if (recipe->send_ps > 0) {
            result = MAX(clock->send[recipe->send_to], result) + recipe->send_ps;
            clock->send[recipe->send_to] = result;
            if (blocks)
                clock->wait_send = MAX(clock->wait_send, result);
        }
        replay->slots[op->out_slot] = result;
    }
}

/* -- Periods -- */

/* A state as one row of times: clocks, then what is under way. */
static void
note_state(const Replay *replay, const PsimProgramLoop *loop, uint64_t *row)
{
    const size_t n_clock = replay->program->order.n_ranks * PSIM_RANK_CLOCK_TIMES;

    memcpy(row, replay->clocks, n_clock * sizeof *row);
    for (uint32_t i = 0; i < loop->n_pending; i++)
        row[n_clock + i] = replay->slots[loop->end_slots[i]];
}

/* Alike for states that differ by a shift alone. */
static uint64_t
print_state(const Replay *replay)
{
    const uint64_t base = replay->clocks[0].compute;
    uint64_t print = 0;

    for (uint32_t rank = 0; rank < replay->program->order.n_ranks; rank++)
        print = print * UINT64_C(0x9E3779B97F4A7C15) + (replay->clocks[rank].compute - base);
    return print;
}

/* Whether a time is shifted, or belongs to a stream that stands still in the loop: it then lies
 * before all the rank's work and can hold nothing up. */
static bool
is_shifted(uint64_t before, uint64_t now, uint64_t shift, uint64_t compute_before)
{
    return now == before + shift || (now == before && before <= compute_before);
}

static bool
is_repeated(const Replay *replay, const uint64_t *before, const uint64_t *now, uint32_t n_pending)
{
    const uint32_t n_ranks = replay->program->order.n_ranks;
    const size_t n_clock = n_ranks * PSIM_RANK_CLOCK_TIMES;
    const uint64_t shift = now[0] - before[0];

    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        const size_t first = rank * PSIM_RANK_CLOCK_TIMES;

        /* compute is the first time of a clock. */
        if (shift == 0 || now[first] != before[first] + shift)
            return false;
        for (size_t i = first + 1; i < first + PSIM_RANK_CLOCK_TIMES; i++) {
            if (!is_shifted(before[i], now[i], shift, before[first]))
                return false;
        }
    }
    for (size_t i = n_clock; i < n_clock + n_pending; i++) {
        if (now[i] != before[i] + shift)
            return false;
    }
    return true;
}

/* Adds @n shifts to all that has moved since @before. */
static void
jump(Replay *replay,
     const PsimProgramLoop *loop,
     const uint64_t *before,
     const uint64_t *now,
     uint64_t n)
{
    const size_t n_clock = replay->program->order.n_ranks * PSIM_RANK_CLOCK_TIMES;
    const uint64_t shift = now[0] - before[0];
    uint64_t *times = (uint64_t *)(void *)replay->clocks;

    if (n > 0 && shift > (uint64_t)INT64_MAX / n) {
        replay->is_too_long = true;
        return;
    }
    for (size_t i = 0; i < n_clock; i++)
        times[i] += now[i] != before[i] ? n * shift : 0;
    for (uint32_t i = 0; i < loop->n_pending; i++)
        replay->slots[loop->end_slots[i]] += n * shift;
}

/* What ended a period begins the next one. */
static void
turn(const Replay *replay, const PsimProgramLoop *loop)
{
    uint64_t *moved = (uint64_t *)(void *)replay->room->moved->data;

    for (uint32_t i = 0; i < loop->n_pending; i++)
        moved[i] = replay->slots[loop->end_slots[i]];
    for (uint32_t i = 0; i < loop->n_pending; i++)
        replay->slots[loop->begin_slots[i]] = moved[i];
}

/* How many periods ago the state was the same but for a shift; 0: not found. */
static uint32_t
look_back(const Replay *replay, const PsimProgramLoop *loop, uint32_t n_done, size_t n_times)
{
    const PsimPeriods *room = replay->room;
    const uint64_t *rows = (const uint64_t *)(const void *)room->history->data;
    const uint32_t newest = n_done % MAX_HISTORY;

    for (uint32_t back = 1; back <= n_done && back < MAX_HISTORY; back++) {
        const uint32_t other = (n_done - back) % MAX_HISTORY;

        if (room->prints[other] == room->prints[newest] &&
            is_repeated(replay, &rows[other * n_times], &rows[newest * n_times], loop->n_pending))
            return back;
    }
    return 0;
}

/* Notes the state after period @n_done; if it came up before, jumps over all whole repeats of what
 * lies between. Returns: periods that are left. */
static uint32_t
leap(Replay *replay, const PsimProgramLoop *loop, uint32_t n_done, uint32_t n_left, size_t n_times)
{
    PsimPeriods *room = replay->room;
    uint64_t *rows = (uint64_t *)(void *)room->history->data;
    uint64_t *row = &rows[n_done % MAX_HISTORY * n_times];

    note_state(replay, loop, row);
    room->prints[n_done % MAX_HISTORY] = print_state(replay);
    const uint32_t back = look_back(replay, loop, n_done, n_times);

    if (back == 0)
        return n_left;
    jump(replay, loop, &rows[(n_done - back) % MAX_HISTORY * n_times], row, n_left / back);
    return n_left % back;
}

/* Returns: whether a period was found. */
static bool
run_loop(Replay *replay, const PsimProgramLoop *loop)
{
    PsimPeriods *room = replay->room;
    const size_t n_times = replay->program->order.n_ranks * PSIM_RANK_CLOCK_TIMES + loop->n_pending;
    const uint32_t n_history = MIN(loop->n_periods, MAX_HISTORY);
    bool found = false;

    g_array_set_size(room->moved, MAX(loop->n_pending, 1));
    g_array_set_size(room->history, (guint)MAX(room->history->len, n_history * n_times));

    for (uint32_t n_left = loop->n_periods, n_done = 0; n_left > 0; n_done++) {
        run_ops(replay, loop->begin, loop->end);
        n_left--;
        if (!found && n_left > 0) {
            const uint32_t n_after = leap(replay, loop, n_done, n_left, n_times);

            found = n_after < n_left;
            n_left = n_after;
        }
        if (n_left > 0)
            turn(replay, loop);
    }
    return found;
}

/* -- The whole -- */

static uint64_t
find_end(const Replay *replay)
{
    uint64_t end = 0;

    for (uint32_t rank = 0; rank < replay->program->order.n_ranks; rank++) {
        const PsimRankClock *clock = &replay->clocks[rank];

        end = later(end, later(clock->compute, clock->dp));
        end = later(end, later(clock->tp, later(clock->send[0], clock->send[1])));
    }
    return end;
}

bool
psim_periods_replay(PsimPeriods *self,
                    const PsimProgram *program,
                    const PsimWorkload *work,
                    PsimTime *ret_step,
                    bool *ret_repeats)
{
    uint32_t next = 0;
    bool repeats = program->n_loops > 0;

    g_array_set_size(self->clocks, 0);
    g_array_set_size(self->clocks, program->order.n_ranks);
    g_array_set_size(self->slots, 0);
    g_array_set_size(self->slots, program->n_slots);
    Replay replay = {
        .program = program,
        .work = work,
        .clocks = (PsimRankClock *)(void *)self->clocks->data,
        .recipes = make_recipes(self, work),
        .slots = (uint64_t *)(void *)self->slots->data,
        .room = self,
    };

    for (uint32_t i = 0; i < program->n_loops; i++) {
        run_ops(&replay, next, program->loops[i].begin);
        repeats &= run_loop(&replay, &program->loops[i]);
        next = program->loops[i].end;
    }
    run_ops(&replay, next, program->n_ops);
    if (work->tails != NULL)
        psim_rank_clock_end(replay.clocks, work);
    const uint64_t end = find_end(&replay);

    if (replay.is_too_long || end > (uint64_t)INT64_MAX)
        return false;
    *ret_step = (PsimTime)end;
    *ret_repeats = repeats;
    return true;
}
