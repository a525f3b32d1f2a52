/* SPDX-License-Identifier: MIT */
/* V-Half and V-Min: two chunks a rank in a V, and one building block, the slots of microbatch 0 on
 * each rank; microbatch i repeats it 6 i slots later. How long a block keeps its activations
 * decides the memory: about a half, or a third, of 1F1B's.
 *
 *               F down    F up         I up               I down
 *     V-Min     r         2p - 1 - r   2p + g + r         4p + g - r - 1     g = 2 if 3 divides p
 *     V-Half    2r        3p - r - 2   3p + g + 2r - 1    6p + g - r - 2     g = 3 if p is even
 *
 * The four never meet in a slot, for any p. W goes into the first slot that is left after its I,
 * oldest first. Only the order of a rank is kept, so the slots need not be as long as operations.
 * The generator of the paper's authors then moves operations of warm-up and cool-down forward while
 * memory allows; that is not done here.
 *
 * Source: Qi et al., "Pipeline parallelism with controllable memory", NeurIPS 2024.
 */
#include "schedule/types.h"

#define PERIOD  6 /* slots a microbatch: two each of F, I and W */
#define N_LINES 4

/* One operation of the block, repeated. */
typedef struct {
    uint32_t slot; /* of microbatch 0 */
    PsimOpKind kind;
    uint32_t stage;
    uint32_t next; /* microbatch */
} Line;

typedef void (*FillSlots)(uint32_t p, uint32_t rank, uint32_t ret_slots[N_LINES]);

static void
fill_half(uint32_t p, uint32_t rank, uint32_t ret_slots[N_LINES])
{
    const uint32_t gap = p % 2 == 0 ? 3 : 0;

    ret_slots[0] = 2 * rank;
    ret_slots[1] = 3 * p - rank - 2;
    ret_slots[2] = 3 * p + gap + 2 * rank - 1;
    ret_slots[3] = 6 * p + gap - rank - 2;
}

static void
fill_min(uint32_t p, uint32_t rank, uint32_t ret_slots[N_LINES])
{
    const uint32_t gap = p % 3 == 0 ? 2 : 0;

    ret_slots[0] = rank;
    ret_slots[1] = 2 * p - 1 - rank;
    ret_slots[2] = 2 * p + gap + rank;
    ret_slots[3] = 4 * p + gap - rank - 1;
}

/* Adds the W of the oldest I that has none; the list itself is the queue. */
static bool
add_oldest_weight(PsimOrder *order, uint32_t rank, uint32_t *head)
{
    const PsimOp *ops = order->ops[rank];
    const uint32_t n_ops = order->n_ops[rank];

    while (*head < n_ops && ops[*head].kind != PSIM_OP_BACKWARD_INPUT)
        (*head)++;
    if (*head == n_ops)
        return false;
    psim_order_add(order, rank, PSIM_OP_BACKWARD_WEIGHT, ops[*head].stage, ops[*head].microbatch);
    (*head)++;
    return true;
}

static void
emit_rank(PsimOrder *order, uint32_t rank, const uint32_t slots[N_LINES])
{
    const uint32_t m = order->n_microbatches;
    const uint32_t down = rank;
    const uint32_t up = order->n_stages - 1 - rank;
    Line lines[N_LINES] = {
        {slots[0], PSIM_OP_FORWARD, down, 0},
        {slots[1], PSIM_OP_FORWARD, up, 0},
        {slots[2], PSIM_OP_BACKWARD_INPUT, up, 0},
        {slots[3], PSIM_OP_BACKWARD_INPUT, down, 0},
    };
    Line *line_at[PERIOD] = {NULL}; /* by slot mod period */
    uint32_t head = 0;

    for (unsigned i = 0; i < N_LINES; i++)
        line_at[slots[i] % PERIOD] = &lines[i];
    for (uint32_t slot = slots[0]; order->n_ops[rank] < PERIOD * m; slot++) {
        Line *line = line_at[slot % PERIOD];

        if (line != NULL && slot >= line->slot && line->next < m)
            psim_order_add(order, rank, line->kind, line->stage, line->next++);
        else
            (void)add_oldest_weight(order, rank, &head);
    }
}

static void
emit_all(const PsimShape *shape, PsimArena *arena, PsimOrder *order, FillSlots fill)
{
    g_assert(shape->n_microbatches <= UINT32_MAX / PERIOD);
    psim_order_begin(order, shape, arena, PERIOD * shape->n_microbatches);
    psim_order_place_v(order);
    for (uint32_t rank = 0; rank < shape->n_ranks; rank++) {
        uint32_t slots[N_LINES];

        fill(shape->n_ranks, rank, slots);
        emit_rank(order, rank, slots);
    }
}

static void
emit_v_half(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    emit_all(shape, arena, order, fill_half);
}

static void
emit_v_min(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    emit_all(shape, arena, order, fill_min);
}

/* In chunk times t with tF = tI = tW = t, where a rank's whole share of a microbatch is 6 t. */
static bool
v_half_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    const uint64_t p = shape->n_ranks;

    if (shape->n_microbatches < p / 2 + 1)
        return false;
    *ret_numerator = p % 2 == 0 ? 7 * p / 2 - 2 : 7 * (p - 1) / 2;
    *ret_denominator = PERIOD;
    return true;
}

static bool
v_min_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    const uint64_t p = shape->n_ranks;

    if (p % 3 == 0 && shape->n_microbatches < 2)
        return false;
    *ret_numerator = p == 1 ? 0 : 4 * p - 5 + (p % 3 == 0 ? 2 : 0);
    *ret_denominator = PERIOD;
    return true;
}

const PsimScheduleType psim_v_half_type = {
    .name = "v-half",
    .title = "V-Half (controllable memory, not reordered)",
    .summary = "two chunks in a V with about half the activations of 1f1b",
    .default_chunks = 2,
    .min_chunks = 2,
    .max_chunks = 2,
    .splits_backward = true,
    .emit = emit_v_half,
    .ideal_bubble = v_half_bubble,
    .ideal_text = "(7p/2-2)/(6 m) of the ideal time, 7(p-1)/(12 m) for odd p, if F, I and W take "
                  "equally long",
    .note = "the bubble is not half of 1F1B's: in chunk times 7p/2-2 (7(p-1)/2 for odd p) against "
            "6(p-1), or about 3p once the order is tightened, which is not done here",
};

const PsimScheduleType psim_v_min_type = {
    .name = "v-min",
    .title = "V-Min (controllable memory, not reordered)",
    .summary = "two chunks in a V with about a third of the activations of 1f1b",
    .default_chunks = 2,
    .min_chunks = 2,
    .max_chunks = 2,
    .splits_backward = true,
    .emit = emit_v_min,
    .ideal_bubble = v_min_bubble,
    .ideal_text = "(4p-5)/(6 m) of the ideal time, 2 more above if 3 divides p, if F, I and W take "
                  "equally long",
    .note = "the bubble is not two thirds of 1F1B's: in chunk times 4p-5 against 6(p-1), 4p-3 if 3 "
            "divides p, and it grows fast where F, I and W are unequal",
};
