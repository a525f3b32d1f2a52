/* SPDX-License-Identifier: MIT */
/* auto: an order made for the plan at hand, from the times of its stages, its links and the memory
 * that is free. The backward is split, and joined again wherever nobody waits for I.
 *
 * It is never worse than a fixed schedule of the same placement that fits, since all of them are
 * candidates. With chunks the stages lie in a loop or in a V, whichever turns out better.
 *
 * Source: the idea of a list scheduler with a memory cap is that of Qi et al., "Zero bubble
 * pipeline parallelism", ICLR 2024, section 3; exchanges on the critical path are those of job
 * shops (van Laarhoven et al. 1992).
 */
#include "schedule/automatic.h"
#include "schedule/types.h"

#include <string.h>

/* Operations replayed for one placement: some tenths of a second. Eight times as many gain one part
 * in a thousand more. */
#define BUDGET UINT64_C(20000000)

/* -- What the parts share -- */

void
psim_order_copy_lists(PsimOrder *to, const PsimOrder *from)
{
    for (uint32_t rank = 0; rank < to->n_ranks; rank++) {
        to->n_ops[rank] = from->n_ops[rank];
        memcpy(to->ops[rank], from->ops[rank], from->n_ops[rank] * sizeof *from->ops[rank]);
    }
}

PsimMeasured
psim_search_offer(PsimSearch *self)
{
    const PsimMeasured measured = psim_meter_run(self->meter, self->trial);

    if (!measured.deadlock && psim_measured_is_less(&measured, &self->measured)) {
        self->measured = measured;
        psim_order_copy_lists(self->best, self->trial);
    }
    return measured;
}

bool
psim_search_is_over(const PsimSearch *self, uint64_t cost)
{
    const PsimMeasured *measured = &self->measured;

    return cost > self->budget ||
           (!measured->deadlock && measured->excess_bytes == 0 &&
            measured->makespan == self->makespan_bound && measured->span_max == self->span_bound);
}

/* -- Fixed schedules -- */

static bool
is_candidate(const PsimScheduleType *type, uint32_t n_chunks)
{
    return !type->is_made_to_measure && !type->is_asynchronous && type->n_chains <= 1 &&
           type->default_slices <= 1 && n_chunks >= type->min_chunks &&
           n_chunks <= type->max_chunks;
}

/* Takes over the lists with every B as I and W, since I alone lets the rank before go on sooner.
 * Returns: false if they are placed otherwise, or not complete. */
static bool
take_lists(PsimOrder *to, const PsimOrder *from)
{
    const uint32_t n_full = from->n_stages / from->n_ranks * from->n_microbatches * 3;

    if (memcmp(to->rank_of_stage, from->rank_of_stage, to->n_stages * sizeof *to->rank_of_stage) !=
        0)
        return false;
    for (uint32_t rank = 0; rank < from->n_ranks; rank++) {
        to->n_ops[rank] = 0;
        for (uint32_t i = 0; i < from->n_ops[rank]; i++) {
            const PsimOp *op = &from->ops[rank][i];
            const bool is_whole = op->kind == PSIM_OP_BACKWARD;

            if (to->n_ops[rank] + 1u + is_whole > n_full)
                return false;
            psim_order_add(to, rank, is_whole ? PSIM_OP_BACKWARD_INPUT : (PsimOpKind)op->kind,
                           op->stage, op->microbatch);
            if (is_whole)
                psim_order_add(to, rank, PSIM_OP_BACKWARD_WEIGHT, op->stage, op->microbatch);
        }
        if (to->n_ops[rank] != n_full)
            return false;
    }
    return true;
}

static void
offer_fixed(PsimSearch *search)
{
    const char *const *names = psim_schedule_words();

    for (size_t i = 0; names[i] != NULL; i++) {
        const PsimScheduleType *type = psim_schedule_find(names[i]);

        if (!is_candidate(type, search->shape->n_chunks))
            continue;
        const PsimArenaMark mark = psim_arena_mark(search->arena);

        if (take_lists(search->trial, psim_schedule_emit(type, search->shape, search->arena)))
            (void)psim_search_offer(search);
        psim_arena_rewind(search->arena, mark);
    }
}

/* All forwards chunk by chunk, then all backwards: for any placement there is this one at least. */
static void
offer_plain(PsimSearch *search)
{
    PsimOrder *order = search->trial;
    const uint32_t m = order->n_microbatches;

    memset(order->n_ops, 0, order->n_ranks * sizeof *order->n_ops);
    for (uint32_t s = 0; s < order->n_stages; s++) {
        for (uint32_t i = 0; i < m; i++)
            psim_order_add(order, order->rank_of_stage[s], PSIM_OP_FORWARD, s, i);
    }
    for (uint32_t s = order->n_stages; s-- > 0;) {
        for (uint32_t i = 0; i < m; i++) {
            psim_order_add(order, order->rank_of_stage[s], PSIM_OP_BACKWARD_INPUT, s, i);
            psim_order_add(order, order->rank_of_stage[s], PSIM_OP_BACKWARD_WEIGHT, s, i);
        }
    }
    (void)psim_search_offer(search);
}

/* -- Bounds -- */

/* A rank works on all its microbatches once the first has come down to it; and after the last I of
 * a stage, the I of all stages before it are still to come. */
static void
fill_bounds(PsimSearch *search)
{
    const PsimMeter *meter = search->meter;
    const int64_t m = meter->n_microbatches;
    PsimTime *head = psim_arena_array(search->arena, PsimTime, meter->n_ranks);
    PsimTime *work = psim_arena_array(search->arena, PsimTime, meter->n_ranks);
    PsimTime down = 0;
    PsimTime up = meter->stages[0].duration[PSIM_OP_BACKWARD_WEIGHT];

    for (uint32_t s = 0; s < meter->n_stages; s++) {
        const PsimMeterStage *stage = &meter->stages[s];
        const PsimTime *duration = stage->duration;

        if (work[stage->rank] == 0)
            head[stage->rank] = down;
        work[stage->rank] += m * (duration[PSIM_OP_FORWARD] + duration[PSIM_OP_BACKWARD]);
        search->makespan_bound =
            MAX(search->makespan_bound,
                down + m * (duration[PSIM_OP_FORWARD] + duration[PSIM_OP_BACKWARD_INPUT]) + up);
        down += duration[PSIM_OP_FORWARD] + stage->send[0];
        up += duration[PSIM_OP_BACKWARD_INPUT];
        if (s + 1 < meter->n_stages)
            up += meter->stages[s + 1].send[1];
    }
    for (uint32_t rank = 0; rank < meter->n_ranks; rank++) {
        search->makespan_bound = MAX(search->makespan_bound, head[rank] + work[rank]);
        search->span_bound = MAX(search->span_bound, work[rank]);
    }
}

/* -- Joining I and W -- */

/* Whether the stage before would not have its input later if W came before the hand-over. */
static bool
can_join(const PsimMeter *meter, const PsimOp *input)
{
    const PsimOp *weight = input + 1;
    const PsimMeterStage *stage = &meter->stages[input->stage];
    const size_t cell = (size_t)input->stage * meter->n_microbatches + input->microbatch;

    if (input->kind != PSIM_OP_BACKWARD_INPUT || weight->kind != PSIM_OP_BACKWARD_WEIGHT ||
        weight->stage != input->stage || weight->microbatch != input->microbatch)
        return false;
    if (input->stage == 0)
        return true;
    const size_t before = (cell - meter->n_microbatches) * PSIM_N_OP_KINDS;
    const PsimTime start = meter->end[before + PSIM_OP_BACKWARD_INPUT] -
                           meter->stages[input->stage - 1].duration[PSIM_OP_BACKWARD_INPUT];

    return meter->end[cell * PSIM_N_OP_KINDS + PSIM_OP_BACKWARD_WEIGHT] + stage->send[1] <= start;
}

static void
join_rank(const PsimMeter *meter, const PsimOrder *from, uint32_t rank, PsimOrder *to)
{
    const uint32_t n_ops = from->n_ops[rank];

    to->n_ops[rank] = 0;
    for (uint32_t i = 0; i < n_ops; i++) {
        const PsimOp *op = &from->ops[rank][i];
        const bool joins = i + 1 < n_ops && can_join(meter, op);

        psim_order_add(to, rank, joins ? PSIM_OP_BACKWARD : (PsimOpKind)op->kind, op->stage,
                       op->microbatch);
        i += joins;
    }
}

static void
join_backwards(PsimSearch *search)
{
    (void)psim_meter_run(search->meter, search->best);
    for (uint32_t rank = 0; rank < search->meter->n_ranks; rank++)
        join_rank(search->meter, search->best, rank, search->trial);

    PsimMeasured joined = psim_meter_run(search->meter, search->trial);

    /* Memory may be held a little longer, as far as it fits. */
    joined.fullest_bytes = search->measured.fullest_bytes;
    if (!psim_measured_is_less(&search->measured, &joined))
        psim_order_copy_lists(search->best, search->trial);
}

/* -- The type -- */

static PsimOrder *
new_order(const PsimShape *shape, bool is_v, PsimArena *arena)
{
    PsimOrder *order = psim_arena_array(arena, PsimOrder, 1);

    psim_order_begin(order, shape, arena, 3 * shape->n_chunks * shape->n_microbatches);
    if (is_v)
        psim_order_place_v(order);
    return order;
}

/* Leaves the order in search->best. */
static void
run_search(PsimSearch *search, const PsimShape *shape, bool is_v, PsimArena *arena)
{
    *search = (PsimSearch){
        .shape = shape,
        .arena = arena,
        .trial = new_order(shape, is_v, arena),
        .best = new_order(shape, is_v, arena),
        .measured = {.deadlock = true},
        .n_ops = UINT64_C(3) * shape->n_ranks * shape->n_chunks * shape->n_microbatches,
        .budget = BUDGET,
    };
    search->meter = psim_meter_new(shape, search->best->rank_of_stage, arena);
    search->lister = psim_lister_new(search->meter, shape->n_chunks, arena);
    fill_bounds(search);
    offer_plain(search);
    offer_fixed(search);
    psim_search_rules(search);
    psim_search_exchange(search);
    join_backwards(search);
}

/* Whether the times are for this placement. */
static bool
is_asked_for(const PsimShape *shape, bool is_v)
{
    const uint32_t *rank_of_stage = shape->times != NULL ? shape->times->rank_of_stage : NULL;

    if (is_v && (shape->n_chunks == 1 || shape->n_ranks == 1))
        return false;
    if (rank_of_stage == NULL || shape->n_chunks == 1 || shape->n_ranks == 1)
        return true;
    return (rank_of_stage[shape->n_ranks] != 0) == is_v;
}

/* Of both placements, as far as the times are for them. */
static const PsimOrder *
find_best(const PsimShape *shape, PsimArena *arena)
{
    PsimSearch best = {.measured = {.deadlock = true}};

    for (int is_v = 0; is_v < 2; is_v++) {
        PsimSearch search;

        if (!is_asked_for(shape, is_v))
            continue;
        run_search(&search, shape, is_v, arena);
        if (best.best == NULL || psim_measured_is_less(&search.measured, &best.measured))
            best = search;
    }
    g_assert(best.best != NULL); /* the times are for one at least */
    return best.best;
}

static void
emit_automatic(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    PsimShape whole = *shape;

    g_assert((uint64_t)3 * shape->n_chunks * shape->n_microbatches <= UINT32_MAX);
    whole.n_slices = 1;
    *order = *find_best(&whole, arena);
}

static void
check_automatic(const PsimShape *shape, bool pytorch_rule, GString *complaints)
{
    (void)pytorch_rule;
    if (shape->n_slices > 1)
        g_string_append_printf(complaints, "auto has %u token slices a microbatch; must be 1",
                               shape->n_slices);
}

const PsimScheduleType psim_automatic_type = {
    .name = "auto",
    .title = "auto (made to measure)",
    .summary =
        "searched for, to the stages' own times and free memory; never worse than any schedule of "
        "one replica with its chunks",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = UINT16_MAX,
    .splits_backward = true,
    .is_made_to_measure = true,
    .check = check_automatic,
    .emit = emit_automatic,
};
