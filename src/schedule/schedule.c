/* SPDX-License-Identifier: MIT */
/* The registry of schedules and what all generators share. The order of the registry is the order
 * in which people meet them: from the baseline to the elaborate.
 */
#include "schedule/schedule.h"

#include "base/limits.h"
#include "schedule/types.h"

/* Ops of a cache line; a row of lists is an odd number of lines, so that the heads of many ranks'
 * lists do not fall into one set of the cache. */
#define OPS_PER_LINE (64 / sizeof(PsimOp))

G_STATIC_ASSERT(sizeof(PsimOp) == 8);

#define TYPE_OF(identifier, word) &psim_##identifier##_type,
#define WORD_OF(identifier, word) word,

static const PsimScheduleType *const types[] = {PSIM_SCHEDULE_REGISTRY(TYPE_OF)};

static const char *const words[] = {PSIM_SCHEDULE_REGISTRY(WORD_OF) NULL};

char
psim_op_letter(PsimOpKind kind)
{
    return "FBIW"[kind];
}

const PsimScheduleType *
psim_schedule_find(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
        if (g_str_equal(types[i]->name, name))
            return types[i];
    }
    return NULL;
}

const char *const *
psim_schedule_words(void)
{
    return words;
}

char *
psim_schedule_chunks(const PsimScheduleType *type)
{
    return type->min_chunks == type->max_chunks
               ? g_strdup_printf("%u", type->min_chunks)
               : g_strdup_printf("%u to %u", type->min_chunks, type->max_chunks);
}

const char *const *
psim_schedule_names(void)
{
    return words;
}

const char *
psim_schedule_summary(const char *name)
{
    g_return_val_if_fail(name != NULL, NULL);

    const PsimScheduleType *type = psim_schedule_find(name);

    return type != NULL ? type->summary : NULL;
}

static bool
has_lists(const PsimScheduleType *type, const PsimShape *shape)
{
    return shape->n_ranks >= 1 && shape->n_microbatches >= 1 && shape->group >= 1 &&
           (shape->n_slices <= 1 || type->default_slices > 1) &&
           shape->n_chunks >= type->min_chunks && shape->n_chunks <= type->max_chunks;
}

PsimOrder *
psim_schedule_emit(const PsimScheduleType *type, const PsimShape *shape, PsimArena *arena)
{
    PsimOrder *order = psim_arena_array(arena, PsimOrder, 1);

    g_assert(has_lists(type, shape));
    type->emit(shape, arena, order);
    return order;
}

uint32_t
psim_order_peak(const PsimOrder *order, uint32_t rank)
{
    uint32_t in_flight = 0;
    uint32_t peak = 0;

    for (uint32_t i = 0; i < order->n_ops[rank]; i++) {
        const uint8_t kind = order->ops[rank][i].kind;

        /* A split backward holds its input until W. */
        if (kind == PSIM_OP_FORWARD)
            in_flight++;
        else if (kind != PSIM_OP_BACKWARD_INPUT)
            in_flight--;
        peak = MAX(peak, in_flight);
    }
    return peak;
}

/* Lists with room for @n_ops, one block for all, so that large orders come in huge pages. */
static void
make_lists(PsimOrder *order, PsimArena *arena, uint32_t n_ops)
{
    const size_t row = (n_ops / OPS_PER_LINE / 2 * 2 + 3) * OPS_PER_LINE;
    PsimOp *block = psim_arena_array(arena, PsimOp, order->n_ranks * row);

    order->ops = psim_arena_array(arena, PsimOp *, order->n_ranks);
    order->n_ops = psim_arena_array(arena, uint32_t, order->n_ranks);
    order->rank_of_stage = psim_arena_array(arena, uint32_t, order->n_stages);
    for (uint32_t rank = 0; rank < order->n_ranks; rank++)
        order->ops[rank] = block + rank * row;
}

void
psim_order_begin(PsimOrder *order, const PsimShape *shape, PsimArena *arena, uint32_t n_ops)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t n_slices = MAX(shape->n_slices, 1);

    g_assert(p >= 1 && (uint64_t)p * shape->n_chunks <= PSIM_LIMIT_STAGES);
    *order = (PsimOrder){
        .n_ranks = p,
        .n_stages = p * shape->n_chunks,
        .n_microbatches = shape->n_microbatches * n_slices,
        .n_chains = 1,
        .n_slices = n_slices,
    };
    make_lists(order, arena, n_ops);
    for (uint32_t stage = 0; stage < order->n_stages; stage++)
        order->rank_of_stage[stage] = stage % p;
}

void
psim_order_place_v(PsimOrder *order)
{
    const uint32_t p = order->n_ranks;

    for (uint32_t stage = 0; stage < order->n_stages; stage++)
        order->rank_of_stage[stage] = stage / p % 2 == 0 ? stage % p : p - 1 - stage % p;
}

void
psim_order_begin_two(
    PsimOrder *order, uint32_t n_ranks, uint32_t n_microbatches, PsimArena *arena, uint32_t n_ops)
{
    g_assert(n_ranks >= 1 && n_ranks * 2 <= PSIM_LIMIT_STAGES);
    *order = (PsimOrder){
        .n_ranks = n_ranks,
        .n_stages = n_ranks * 2,
        .n_microbatches = n_microbatches,
        .n_chains = 2,
        .n_slices = 1,
    };
    make_lists(order, arena, n_ops);
    for (uint32_t stage = 0; stage < n_ranks; stage++) {
        order->rank_of_stage[stage] = stage;
        order->rank_of_stage[n_ranks + stage] = n_ranks - 1 - stage;
    }
}
