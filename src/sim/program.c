/* SPDX-License-Identifier: MIT */
/* 1. Each list is cut into phases: one, or two where all forwards come first (GPipe).
 * 2. In each phase the longest stretch of a list is found in which every operation returns after
 *    `length` places with `step` later microbatches.
 * 3. The cut before the first period is widened until nothing before it needs anything behind it;
 *    a period later it is closed as well, since all is the same but for the microbatches.
 * 4. Operations are laid out: to the cut, one period, and from the cut after the last one, whose
 *    microbatches are counted down as if the periods between had not been.
 */
#include "sim/program.h"

/* Periods fewer than these are not worth it. */
#define MIN_PERIODS 4u

typedef struct {
    uint32_t *cut;    /* (p) position of the first period in each list */
    uint32_t *length; /* (p) operations of one period */
    uint32_t step;    /* microbatches of one period */
    uint32_t n_periods;
} Loop;

typedef struct {
    const PsimOrder *order;
    PsimArena *scratch;
    PsimArena *arena;
    PsimProgram *program;
    uint32_t *position; /* (S, kinds, m) of an operation in its rank's list */
    uint32_t *next;     /* (p) */
    uint32_t *slot;     /* (S, 2, m) slot of what is under way forwards and backwards; 0: nothing */
    uint32_t *unfinished;
    bool *begun;
    GArray *free_slots;
    Loop loops[PSIM_PROGRAM_MAX_LOOPS];
    uint32_t n_loops;
    uint32_t down[2]; /* what to count microbatches down by, backwards and forwards */
} Maker;

static size_t
index_of(const Maker *maker, uint32_t stage, unsigned kind, uint32_t microbatch)
{
    return ((size_t)stage * PSIM_N_OP_KINDS + kind) * maker->order->n_microbatches + microbatch;
}

/* -- Who waits for whom across ranks -- */

/* The stage whose result an operation reads from another rank; UINT32_MAX: none. */
static uint32_t
find_source(const PsimOrder *order, const PsimOp *op)
{
    const uint32_t depth = psim_order_chain_stages(order);
    uint32_t source = UINT32_MAX;

    if (op->kind == PSIM_OP_FORWARD)
        source = op->stage % depth > 0 ? op->stage - 1u : UINT32_MAX;
    else if (op->kind != PSIM_OP_BACKWARD_WEIGHT)
        source = (op->stage + 1u) % depth > 0 ? op->stage + 1u : UINT32_MAX;
    if (source != UINT32_MAX && order->rank_of_stage[source] == order->rank_of_stage[op->stage])
        return UINT32_MAX;
    return source;
}

/* The stage on another rank that reads an operation's result; UINT32_MAX: none. */
static uint32_t
find_target(const PsimOrder *order, const PsimOp *op)
{
    const uint32_t depth = psim_order_chain_stages(order);
    uint32_t target = UINT32_MAX;

    if (op->kind == PSIM_OP_FORWARD)
        target = (op->stage + 1u) % depth > 0 ? op->stage + 1u : UINT32_MAX;
    else if (op->kind != PSIM_OP_BACKWARD_WEIGHT)
        target = op->stage % depth > 0 ? op->stage - 1u : UINT32_MAX;
    if (target != UINT32_MAX && order->rank_of_stage[target] == order->rank_of_stage[op->stage])
        return UINT32_MAX;
    return target;
}

static bool
note_positions(Maker *maker)
{
    const PsimOrder *order = maker->order;

    for (uint32_t rank = 0; rank < order->n_ranks; rank++) {
        for (uint32_t i = 0; i < order->n_ops[rank]; i++) {
            const PsimOp *op = &order->ops[rank][i];

            if (op->flags != 0)
                return false;
            maker->position[index_of(maker, op->stage, op->kind, op->microbatch)] = i + 1;
            maker->unfinished[op->stage] +=
                op->kind == PSIM_OP_BACKWARD || op->kind == PSIM_OP_BACKWARD_WEIGHT;
        }
    }
    return true;
}

/* Place after the operation that makes what @op reads from another rank; 0: none. */
static uint32_t
find_need(const Maker *maker, const PsimOp *op, uint32_t *ret_rank)
{
    const uint32_t source = find_source(maker->order, op);

    if (source == UINT32_MAX)
        return 0;
    *ret_rank = maker->order->rank_of_stage[source];
    if (op->kind == PSIM_OP_FORWARD)
        return maker->position[index_of(maker, source, PSIM_OP_FORWARD, op->microbatch)];
    return MAX(maker->position[index_of(maker, source, PSIM_OP_BACKWARD, op->microbatch)],
               maker->position[index_of(maker, source, PSIM_OP_BACKWARD_INPUT, op->microbatch)]);
}

/* -- Periods of the lists -- */

static bool
returns(const PsimOp *op, uint32_t length, uint32_t step)
{
    const PsimOp *later = op + length;

    return later->stage == op->stage && later->kind == op->kind &&
           later->microbatch == op->microbatch + step;
}

/* The longest stretch of ops[begin .. end) that repeats. Returns: its end. */
static uint32_t
find_stretch(const PsimOp *ops,
             uint32_t begin,
             uint32_t end,
             uint32_t length,
             uint32_t step,
             uint32_t *ret_begin)
{
    uint32_t best_begin = begin;
    uint32_t best_end = begin;
    uint32_t from = begin;

    for (uint32_t i = begin; i + length <= end; i++) {
        if (i + length < end && returns(&ops[i], length, step))
            continue;
        if (i - from > best_end - best_begin) {
            best_begin = from;
            best_end = i;
        }
        from = i + 1;
    }
    *ret_begin = best_begin;
    return best_end > best_begin ? best_end + length : best_begin;
}

/* Widens the cut to what the operations of @rank before it need, from @seen on. Returns: whether it
 * moved. */
static bool
widen_cut(const Maker *maker, uint32_t rank, uint32_t *cut, uint32_t *seen)
{
    bool moved = false;

    for (; *seen < cut[rank]; (*seen)++) {
        uint32_t other = rank;
        const uint32_t need = find_need(maker, &maker->order->ops[rank][*seen], &other);

        if (need <= cut[other])
            continue;
        cut[other] = need;
        moved = true;
    }
    return moved;
}

/* Widens the cut until it is closed. Returns: false if it runs out of a stretch. */
static bool
close_cut(const Maker *maker, uint32_t *cut, const uint32_t *limit)
{
    const PsimOrder *order = maker->order;
    g_autofree uint32_t *seen = g_new0(uint32_t, order->n_ranks);
    bool moved = true;

    while (moved) {
        moved = false;
        for (uint32_t rank = 0; rank < order->n_ranks; rank++) {
            moved |= widen_cut(maker, rank, cut, &seen[rank]);
            if (cut[rank] > limit[rank])
                return false;
        }
    }
    return true;
}

/* One loop in the stretch between the places @begin and @end of each list. */
static bool
find_loop(Maker *maker, const uint32_t *begin, const uint32_t *end, uint32_t step, Loop *ret_loop)
{
    const PsimOrder *order = maker->order;
    const uint32_t n_ranks = order->n_ranks;
    uint32_t *limit = psim_arena_array(maker->scratch, uint32_t, n_ranks);

    ret_loop->cut = psim_arena_array(maker->scratch, uint32_t, n_ranks);
    ret_loop->length = psim_arena_array(maker->scratch, uint32_t, n_ranks);
    ret_loop->step = step;
    ret_loop->n_periods = UINT32_MAX;
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        const uint64_t whole = (uint64_t)(end[rank] - begin[rank]) * step;

        if (whole % order->n_microbatches != 0 || whole == 0)
            return false;
        ret_loop->length[rank] = (uint32_t)(whole / order->n_microbatches);
        limit[rank] = find_stretch(order->ops[rank], begin[rank], end[rank], ret_loop->length[rank],
                                   step, &ret_loop->cut[rank]);
        if (limit[rank] < ret_loop->cut[rank] + MIN_PERIODS * ret_loop->length[rank])
            return false;
        /* What a stage does first it must not do again, nor what it does last before the end. */
        ret_loop->cut[rank] += ret_loop->length[rank];
        limit[rank] -= ret_loop->length[rank];
    }
    if (!close_cut(maker, ret_loop->cut, limit))
        return false;
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        const uint32_t n = (limit[rank] - ret_loop->cut[rank]) / ret_loop->length[rank];

        ret_loop->n_periods = MIN(ret_loop->n_periods, n);
    }
    return ret_loop->n_periods >= 2;
}

static uint32_t
count_leading_forwards(const PsimOrder *order, uint32_t rank)
{
    uint32_t n = 0;

    while (n < order->n_ops[rank] && order->ops[rank][n].kind == PSIM_OP_FORWARD)
        n++;
    return n;
}

static void
find_loops(Maker *maker, uint32_t group)
{
    const PsimOrder *order = maker->order;
    const uint32_t p = order->n_ranks;
    const uint32_t steps[] = {1, 2, group, p, 2 * p};
    uint32_t *zero = psim_arena_array(maker->scratch, uint32_t, p);
    uint32_t *middle = psim_arena_array(maker->scratch, uint32_t, p);
    bool forwards_first = true;

    for (uint32_t rank = 0; rank < p; rank++) {
        middle[rank] = count_leading_forwards(order, rank);
        forwards_first &= order->n_ops[rank] > 0 && 2 * middle[rank] >= order->n_ops[rank];
    }
    for (size_t i = 0; i < G_N_ELEMENTS(steps) && maker->n_loops == 0; i++) {
        Loop *loops = maker->loops;

        if (!forwards_first) {
            maker->n_loops = find_loop(maker, zero, order->n_ops, steps[i], &loops[0]);
            continue;
        }
        if (find_loop(maker, zero, middle, steps[i], &loops[0]) &&
            find_loop(maker, middle, order->n_ops, steps[i], &loops[1]))
            maker->n_loops = 2;
    }
    /* The second cut must not reach into the first loop. */
    for (uint32_t rank = 0; rank < p && maker->n_loops == 2; rank++) {
        const Loop *one = &maker->loops[0];

        if (one->cut[rank] + one->n_periods * one->length[rank] > maker->loops[1].cut[rank])
            maker->n_loops = 0;
    }
}

/* -- Layout -- */

static uint32_t
take_slot(Maker *maker)
{
    if (maker->free_slots->len == 0)
        return maker->program->n_slots++;
    const uint32_t slot = g_array_index(maker->free_slots, uint32_t, maker->free_slots->len - 1);

    g_array_set_size(maker->free_slots, maker->free_slots->len - 1);
    return slot;
}

/* Where a stage's input of a direction is noted, microbatches counted down. */
static uint32_t *
slot_of(const Maker *maker, uint32_t stage, bool is_forward, uint32_t microbatch)
{
    return &maker->slot[((size_t)stage * 2 + is_forward) * maker->order->n_microbatches +
                        microbatch];
}

static bool
lay_op(Maker *maker, uint32_t rank, const PsimOp *op)
{
    const bool is_forward = op->kind == PSIM_OP_FORWARD;
    const uint32_t microbatch = op->microbatch - maker->down[is_forward];
    const uint32_t target = find_target(maker->order, op);
    PsimProgramOp laid = {.recipe = (uint32_t)op->stage * PSIM_N_OP_KINDS + op->kind,
                          .rank = (uint16_t)rank,
                          .in_slot = PSIM_PROGRAM_SLOT_NONE,
                          .out_slot = PSIM_PROGRAM_SLOT_VOID};

    if (find_source(maker->order, op) != UINT32_MAX) {
        uint32_t *slot = slot_of(maker, op->stage, is_forward, microbatch);

        if (*slot == 0)
            return false;
        laid.in_slot = *slot;
        g_array_append_val(maker->free_slots, *slot);
        *slot = 0;
    }
    if (target != UINT32_MAX) {
        laid.out_slot = take_slot(maker);
        *slot_of(maker, target, is_forward, microbatch) = laid.out_slot;
    }
    if (!maker->begun[op->stage])
        laid.flags |= PSIM_PROGRAM_FIRST;
    maker->begun[op->stage] = true;
    if (op->kind == PSIM_OP_BACKWARD || op->kind == PSIM_OP_BACKWARD_WEIGHT) {
        if (--maker->unfinished[op->stage] == 0)
            laid.flags |= PSIM_PROGRAM_LAST;
    }
    maker->program->ops[maker->program->n_ops++] = laid;
    return true;
}

static bool
advance(Maker *maker, uint32_t rank, uint32_t stop)
{
    const uint32_t begin = maker->next[rank];

    while (maker->next[rank] < stop &&
           lay_op(maker, rank, &maker->order->ops[rank][maker->next[rank]]))
        maker->next[rank]++;
    return maker->next[rank] > begin;
}

/* Lays every list out up to its stop. Returns: false if some cannot get there. */
static bool
lay_until(Maker *maker, const uint32_t *stop)
{
    const uint32_t n_ranks = maker->order->n_ranks;
    bool moved = true;

    while (moved) {
        moved = false;
        for (uint32_t rank = 0; rank < n_ranks; rank++)
            moved |= advance(maker, rank, stop[rank]);
        for (uint32_t rank = n_ranks; rank-- > 0;)
            moved |= advance(maker, rank, stop[rank]);
    }
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        if (maker->next[rank] < stop[rank])
            return false;
    }
    return true;
}

/* Slots of all that is under way, by stage, direction, microbatch. */
static const uint32_t *
list_pending(Maker *maker, uint32_t *ret_n)
{
    const size_t n_places = (size_t)maker->order->n_stages * 2 * maker->order->n_microbatches;
    uint32_t n = 0;

    for (size_t i = 0; i < n_places; i++)
        n += maker->slot[i] != 0;
    uint32_t *pending = psim_arena_array(maker->arena, uint32_t, MAX(n, 1));

    *ret_n = n;
    n = 0;
    for (size_t i = 0; i < n_places; i++) {
        if (maker->slot[i] != 0)
            pending[n++] = maker->slot[i];
    }
    return pending;
}

/* Jumps over all periods of the loop but the one laid out. */
static void
skip_periods(Maker *maker, const Loop *loop)
{
    const uint32_t n_skipped = loop->n_periods - 1;

    for (uint32_t rank = 0; rank < maker->order->n_ranks; rank++) {
        const PsimOp *ops = &maker->order->ops[rank][loop->cut[rank]];

        maker->next[rank] += n_skipped * loop->length[rank];
        for (uint32_t i = 0; i < loop->length[rank]; i++) {
            if (ops[i].kind == PSIM_OP_BACKWARD || ops[i].kind == PSIM_OP_BACKWARD_WEIGHT)
                maker->unfinished[ops[i].stage] -= n_skipped;
        }
    }
}

static bool
lay_loop(Maker *maker, const Loop *loop)
{
    PsimProgram *program = maker->program;
    PsimProgramLoop *laid = &program->loops[program->n_loops];
    uint32_t n_pending = 0;
    g_autofree uint32_t *stop = g_new(uint32_t, maker->order->n_ranks);

    if (!lay_until(maker, loop->cut))
        return false;
    laid->begin = program->n_ops;
    laid->begin_slots = list_pending(maker, &laid->n_pending);
    for (uint32_t rank = 0; rank < maker->order->n_ranks; rank++)
        stop[rank] = loop->cut[rank] + loop->length[rank];
    if (!lay_until(maker, stop))
        return false;
    laid->end = program->n_ops;
    laid->end_slots = list_pending(maker, &n_pending);
    laid->n_periods = loop->n_periods;
    skip_periods(maker, loop);
    program->n_loops++;
    return n_pending == laid->n_pending;
}

/* One loop moves both directions on; of two, the first has the forwards, the second the backwards.
 */
static bool
lay_all(Maker *maker)
{
    for (uint32_t i = 0; i < maker->n_loops; i++) {
        const Loop *loop = &maker->loops[i];
        const uint32_t down = (loop->n_periods - 1) * loop->step;

        if (!lay_loop(maker, loop))
            return false;
        if (maker->n_loops == 1 || i == 0)
            maker->down[/* is_forward= */ 1] = down;
        if (maker->n_loops == 1 || i == 1)
            maker->down[/* is_forward= */ 0] = down;
    }
    return lay_until(maker, maker->order->n_ops);
}

static void
begin_maker(Maker *maker, const PsimOrder *order)
{
    const size_t n_places = (size_t)order->n_stages * order->n_microbatches;
    uint32_t n_ops = 0;

    maker->order = order;
    maker->position = psim_arena_array(maker->scratch, uint32_t, n_places * PSIM_N_OP_KINDS);
    maker->slot = psim_arena_array(maker->scratch, uint32_t, n_places * 2);
    maker->next = psim_arena_array(maker->scratch, uint32_t, order->n_ranks);
    maker->unfinished = psim_arena_array(maker->scratch, uint32_t, order->n_stages);
    maker->begun = psim_arena_array(maker->scratch, bool, order->n_stages);
    for (uint32_t rank = 0; rank < order->n_ranks; rank++)
        n_ops += order->n_ops[rank];
    maker->program->ops = psim_arena_array(maker->scratch, PsimProgramOp, n_ops);
    maker->program->n_slots = 2;
}

/* What outlives the lists. */
static void
keep(Maker *maker)
{
    PsimProgram *program = maker->program;
    const PsimOrder *order = maker->order;
    PsimProgramOp *ops = psim_arena_array(maker->arena, PsimProgramOp, MAX(program->n_ops, 1));
    uint32_t *rank_of_stage = psim_arena_array(maker->arena, uint32_t, order->n_stages);

    for (uint32_t i = 0; i < program->n_ops; i++)
        ops[i] = program->ops[i];
    for (uint32_t s = 0; s < order->n_stages; s++)
        rank_of_stage[s] = order->rank_of_stage[s];
    program->ops = ops;
    program->order = *order;
    program->order.ops = NULL;
    program->order.n_ops = NULL;
    program->order.rank_of_stage = rank_of_stage;
}

PsimProgram *
psim_program_make(const PsimScheduleType *type,
                  const PsimShape *shape,
                  PsimArena *scratch,
                  PsimArena *arena)
{
    PsimProgram *program = psim_arena_array(arena, PsimProgram, 1);
    g_autoptr(GArray) free_slots = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    Maker maker = {
        .scratch = scratch, .arena = arena, .program = program, .free_slots = free_slots};

    begin_maker(&maker, psim_schedule_emit(type, shape, scratch));
    if (!note_positions(&maker))
        return program;
    find_loops(&maker, shape->group);
    program->is_usable = lay_all(&maker);
    keep(&maker);
    return program;
}
