/* SPDX-License-Identifier: MIT */
/* Two searches. Over rules: a sample, then a walk from the best one that takes what is not worse.
 * Over lists: what is on the critical path moves a few places, since nothing else can shorten it.
 *
 *     ... W3 I5 F9 ...    I5 began when W3 ended, though its input was there:
 *     ... I5 W3 F9 ...    moved before it
 */
#include "schedule/automatic.h"

#include "base/rng.h"

#include <string.h>

/* Enough for 16 ranks and 64 microbatches to stop improving. */
#define N_SAMPLES   600u
#define N_VARIANTS  1500u
#define N_EXCHANGES 6000u

/* Operations placed by the list scheduler cost as much as so many replayed. */
#define LIST_COST 4u

#define MAX_SHIFT 4u

typedef struct {
    uint64_t seed;
    uint64_t n_drawn;
} Dice;

static uint32_t
roll(Dice *dice, uint32_t bound)
{
    return psim_rng_below(dice->seed, dice->n_drawn++, bound);
}

/* -- Rules -- */

static PsimRule
new_rule(const PsimSearch *self)
{
    return (PsimRule){
        .ahead = psim_arena_array(self->arena, uint32_t, self->meter->n_ranks),
        .behind = psim_arena_array(self->arena, uint32_t, self->meter->n_ranks),
    };
}

static void
copy_rule(const PsimSearch *self, PsimRule *to, const PsimRule *from)
{
    const size_t size = self->meter->n_ranks * sizeof *to->ahead;

    memcpy(to->ahead, from->ahead, size);
    memcpy(to->behind, from->behind, size);
    to->prefer = from->prefer;
    to->chunk = from->chunk;
    to->patience = from->patience;
}

/* Limits that fall or rise along the ranks, as those of the fixed schedules do: 1f1b is ahead
 * p - rank and behind 0, zb-h2 ahead 2 (p - 1 - rank) + 1 and behind 2 rank. */
static void
draw_rule(const PsimSearch *self, Dice *dice, PsimRule *rule)
{
    const uint32_t p = self->meter->n_ranks;
    const uint32_t v = self->shape->n_chunks;
    const uint32_t fall = roll(dice, 3);
    const uint32_t rise = roll(dice, 3);
    const uint32_t base = roll(dice, 4) == 0 ? UINT32_MAX / 2 : v + roll(dice, 2 * v * p);
    const uint32_t base_behind =
        roll(dice, 4) == 0 ? UINT32_MAX / 2 : roll(dice, 2) * roll(dice, v * p);

    for (uint32_t rank = 0; rank < p; rank++) {
        rule->ahead[rank] = base + fall * (p - 1 - rank);
        rule->behind[rank] = base_behind + rise * rank;
    }
    rule->prefer = (PsimPrefer)roll(dice, PSIM_N_PREFERS);
    rule->chunk = (PsimChunkRule)roll(dice, PSIM_N_CHUNK_RULES);
    rule->patience = roll(dice, 5);
}

/* Not below @floor; what lies there already stays. */
static uint32_t
lowered(uint32_t limit, uint32_t step, uint32_t floor)
{
    const uint32_t room = limit > floor ? limit - floor : 0;

    return limit - MIN(step, room);
}

static void
shift_limits(Dice *dice, uint32_t *limits, uint32_t n_ranks, uint32_t floor)
{
    const uint32_t from = roll(dice, n_ranks);
    const uint32_t width = roll(dice, 2) == 0 ? 1 : 1 + roll(dice, n_ranks);
    const uint32_t step = 1 + roll(dice, 2);
    const bool up = roll(dice, 2) == 0;

    for (uint32_t rank = from; rank < MIN(from + width, n_ranks); rank++)
        limits[rank] = up ? limits[rank] + step : lowered(limits[rank], step, floor);
}

static void
vary_rule(const PsimSearch *self, Dice *dice, PsimRule *rule)
{
    const uint32_t p = self->meter->n_ranks;

    switch (roll(dice, 8)) {
    case 0:
        rule->prefer = (PsimPrefer)roll(dice, PSIM_N_PREFERS);
        break;
    case 1:
        rule->chunk = (PsimChunkRule)roll(dice, PSIM_N_CHUNK_RULES);
        break;
    case 2:
        rule->patience = roll(dice, 5);
        break;
    case 3:
    case 4:
        shift_limits(dice, rule->behind, p, /* floor= */ 0);
        break;
    default:
        shift_limits(dice, rule->ahead, p, self->shape->n_chunks);
        break;
    }
}

/* Returns: the figures of the order that the rule makes; a deadlock if it makes none. */
static PsimMeasured
try_rule(PsimSearch *self, const PsimRule *rule)
{
    self->budget -= MIN(self->budget, self->n_ops * LIST_COST);
    if (!psim_lister_run(self->lister, rule, self->trial))
        return (PsimMeasured){.deadlock = true};
    return psim_search_offer(self);
}

/* -- */

/* Memory does not count: among equals the search must be free to move. */
static bool
is_worse(PsimMeasured a, PsimMeasured b)
{
    a.fullest_bytes = b.fullest_bytes = 0;
    return psim_measured_is_less(&b, &a);
}

void
psim_search_rules(PsimSearch *self)
{
    const uint64_t cost = self->n_ops * LIST_COST;
    const uint64_t half = self->budget / 2;
    Dice dice = {.seed = 1};
    PsimRule rule = new_rule(self);
    PsimRule best = new_rule(self);
    PsimMeasured measured = {.deadlock = true};

    for (uint32_t i = 0; i < N_SAMPLES && !psim_search_is_over(self, cost + half); i++) {
        draw_rule(self, &dice, &rule);
        const PsimMeasured drawn = try_rule(self, &rule);

        if (i > 0 && !psim_measured_is_less(&drawn, &measured))
            continue;
        measured = drawn;
        copy_rule(self, &best, &rule);
    }
    for (uint32_t i = 0; i < N_VARIANTS && !psim_search_is_over(self, cost + half / 2); i++) {
        copy_rule(self, &rule, &best);
        vary_rule(self, &dice, &rule);
        const PsimMeasured varied = try_rule(self, &rule);

        if (is_worse(varied, measured))
            continue;
        measured = varied;
        copy_rule(self, &best, &rule);
    }
}

/* -- Exchanges -- */

/* A place in the lists. */
typedef struct {
    uint32_t rank, at;
} Place;

static size_t
slot_of(const PsimMeter *meter, uint32_t stage, uint32_t microbatch, PsimOpKind kind)
{
    return ((size_t)stage * meter->n_microbatches + microbatch) * PSIM_N_OP_KINDS + kind;
}

static PsimTime
end_of(const PsimMeter *meter, const PsimOp *op)
{
    return meter->end[slot_of(meter, op->stage, op->microbatch, (PsimOpKind)op->kind)];
}

/* Where the input of an operation was made. Returns: false if it came from outside or from the
 * same stage. */
static bool
find_producer(const PsimMeter *meter, const PsimOp *op, Place *ret_place)
{
    const bool is_forward = op->kind == PSIM_OP_FORWARD;
    const uint32_t edge = is_forward ? 0 : meter->n_stages - 1;

    if (op->kind == PSIM_OP_BACKWARD_WEIGHT || op->stage == edge)
        return false;
    const uint32_t from = is_forward ? op->stage - 1u : op->stage + 1u;

    ret_place->rank = meter->stages[from].rank;
    ret_place->at = meter->position[slot_of(meter, from, op->microbatch, (PsimOpKind)op->kind)];
    return true;
}

/* While the step is too long, the rank that ends last is the one to help, then that of the longest
 * span. */
static Place
find_end(const PsimSearch *self, const PsimMeasured *measured)
{
    const PsimMeter *meter = self->meter;
    const bool by_span = measured->makespan == self->makespan_bound;
    PsimTime longest = -1;
    Place end = {0};

    for (uint32_t r = 0; r < meter->n_ranks; r++) {
        const PsimMeterRank *rank = &meter->ranks[r];
        const PsimTime length = rank->free_at - (by_span ? rank->first_start : 0);

        if (length > longest && rank->next > 0) {
            longest = length;
            end = (Place){.rank = r, .at = rank->next - 1};
        }
    }
    return end;
}

/* Where an operation on the critical path waited for the one before it in the list. Returns: how
 * many such places. */
static uint32_t
find_waits(const PsimSearch *self, const PsimMeasured *measured, Dice *dice, Place *ret_waits)
{
    const PsimMeter *meter = self->meter;
    Place place = find_end(self, measured);
    uint32_t n_waits = 0;
    bool goes_on = true;

    while (goes_on) {
        const PsimOp *op = &self->trial->ops[place.rank][place.at];
        const PsimTime start = end_of(meter, op) - meter->stages[op->stage].duration[op->kind];
        const bool waits = place.at > 0 && end_of(meter, op - 1) == start;
        Place producer = {0};

        if (waits)
            ret_waits[n_waits++] = place;
        /* Where both held it up, either is part of a critical path. */
        if (waits && (roll(dice, 4) > 0 || !find_producer(meter, op, &producer)))
            place.at--;
        else if (find_producer(meter, op, &producer))
            place = producer;
        else
            goes_on = false;
    }
    return n_waits;
}

/* Of one microbatch F, I and W keep their order, of one stage and kind the microbatches. */
static bool
may_exchange(const PsimOp *a, const PsimOp *b)
{
    return a->stage != b->stage || (a->microbatch != b->microbatch && a->kind != b->kind);
}

/* Moves the operation at @from to @to, those between by one the other way. */
static void
move_op(PsimOp *ops, uint32_t from, uint32_t to)
{
    const PsimOp op = ops[from];

    if (to < from)
        memmove(&ops[to + 1], &ops[to], (from - to) * sizeof *ops);
    else
        memmove(&ops[from], &ops[from + 1], (to - from) * sizeof *ops);
    ops[to] = op;
}

/* The operation that waited goes forward, or the one that it waited for goes back. Returns: whether
 * anything may move. */
static bool
draw_move(const PsimSearch *self, Dice *dice, Place wait, uint32_t *ret_from, uint32_t *ret_to)
{
    const PsimOp *ops = self->trial->ops[wait.rank];
    const uint32_t n_ops = self->trial->n_ops[wait.rank];
    const bool forward = roll(dice, 2) == 0;
    const uint32_t n_most = roll(dice, 2) == 0 ? 1 : 1 + roll(dice, MAX_SHIFT);
    const uint32_t from = forward ? wait.at : wait.at - 1;
    uint32_t to = from;

    for (uint32_t i = 0; i < n_most; i++) {
        const uint32_t next = forward ? to - 1 : to + 1;

        if ((forward && to == 0) || next >= n_ops || !may_exchange(&ops[from], &ops[next]))
            break;
        to = next;
    }
    *ret_from = from;
    *ret_to = to;
    return from != to;
}

void
psim_search_exchange(PsimSearch *self)
{
    Place *waits = psim_arena_array(self->arena, Place, self->n_ops);
    Dice dice = {.seed = 2};

    psim_order_copy_lists(self->trial, self->best);

    PsimMeasured measured = psim_meter_run(self->meter, self->trial);

    uint32_t n_waits = find_waits(self, &measured, &dice, waits);

    /* Beyond its memory a plan cannot be run, however fast. */
    if (measured.excess_bytes > 0)
        return;
    for (uint32_t i = 0; i < N_EXCHANGES && n_waits > 0; i++) {
        const Place wait = waits[roll(&dice, n_waits)];
        uint32_t from = 0;
        uint32_t to = 0;

        if (psim_search_is_over(self, self->n_ops))
            return;
        if (!draw_move(self, &dice, wait, &from, &to))
            continue;
        self->budget -= self->n_ops;
        move_op(self->trial->ops[wait.rank], from, to);
        const PsimMeasured moved = psim_search_offer(self);

        if (is_worse(moved, measured)) {
            move_op(self->trial->ops[wait.rank], to, from);
            continue;
        }
        measured = moved;
        n_waits = find_waits(self, &measured, &dice, waits);
    }
}
