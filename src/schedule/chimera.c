/* SPDX-License-Identifier: MIT */
/* Chimera: two replicas of the model run through the ranks in opposite directions, so that one
 * fills the idle times of the other. p = 4, m = 4; slots of equal length, the second direction
 * primed:
 *
 *  rank 0   F0      F1  F'0 B'0 F'1 B'1 B0      B1
 *  rank 1       F0  F'0 F1  F'1 B'0 B0  B'1 B1
 *  rank 2       F'0 F0  F'1 F1  B0  B'0 B1  B'1
 *  rank 3   F'0     F'1 F0  B0  F1  B1  B'0     B'1
 *
 * In units of p microbatches, p/2 a direction, microbatch j of unit k passes stage s forward in
 * slot 2pk + 2j + s and backward in slot 2pk + 2j + 2p - 1 - s. For even p no two meet; a rank's
 * list is the four sequences, F and B of either direction, merged by slot.
 *
 * Source: Li and Hoefler, "Chimera", SC 2021 (arXiv 2107.06925); units are joined
 * directly, without its doubling of forwards.
 */
#include "schedule/types.h"

/* The operations of one kind and direction on a rank, in order of their slots. */
typedef struct {
    PsimOpKind kind;
    uint32_t stage;
    uint32_t n;         /* microbatches of this direction */
    uint32_t next;      /* microbatch */
    uint32_t in_unit;   /* its number in the unit */
    uint64_t next_slot; /* UINT64_MAX: none left */
} Sequence;

static Sequence
begin_sequence(PsimOpKind kind, uint32_t stage, uint32_t n, uint64_t first_slot)
{
    return (Sequence){
        .kind = kind, .stage = stage, .n = n, .next_slot = n > 0 ? first_slot : UINT64_MAX};
}

/* @half    microbatches of a unit and direction */
static void
step_sequence(Sequence *at, uint32_t p, uint32_t half)
{
    if (++at->next == at->n) {
        at->next_slot = UINT64_MAX;
        return;
    }
    at->next_slot += 2;
    if (++at->in_unit == half) {
        at->in_unit = 0;
        at->next_slot += 2 * ((uint64_t)p - half);
    }
}

static Sequence *
find_earliest(Sequence sequences[4])
{
    Sequence *earliest = &sequences[0];

    for (unsigned i = 1; i < 4; i++) {
        if (sequences[i].next_slot < earliest->next_slot)
            earliest = &sequences[i];
    }
    return earliest;
}

/* @n    microbatches of each direction */
static void
emit_rank(PsimOrder *order, uint32_t rank, const uint32_t n[2])
{
    const uint32_t p = order->n_ranks;
    const uint32_t half = (p + 1) / 2;
    const uint32_t mirror = p - 1 - rank; /* the second direction's stage here */
    Sequence sequences[] = {
        begin_sequence(PSIM_OP_FORWARD, rank, n[0], rank),
        begin_sequence(PSIM_OP_BACKWARD, rank, n[0], 2 * (uint64_t)p - 1 - rank),
        begin_sequence(PSIM_OP_FORWARD, p + mirror, n[1], mirror),
        begin_sequence(PSIM_OP_BACKWARD, p + mirror, n[1], 2 * (uint64_t)p - 1 - mirror),
    };

    for (uint32_t i = 0; i < 2 * (n[0] + n[1]); i++) {
        Sequence *next = find_earliest(sequences);

        psim_order_add(order, rank, next->kind, next->stage, next->next);
        step_sequence(next, p, half);
    }
}

static void
emit_chimera(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const uint32_t m = shape->n_microbatches;
    const uint32_t n[2] = {m - m / 2, m / 2};

    psim_order_begin_two(order, shape->n_ranks, n[0], arena, 4 * n[0]);
    for (uint32_t rank = 0; rank < shape->n_ranks; rank++)
        emit_rank(order, rank, n);
}

static void
check_chimera(const PsimShape *shape, bool pytorch_rule, GString *complaints)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t m = shape->n_microbatches;

    (void)pytorch_rule;
    if (p == 1)
        g_string_append(complaints, "chimera has 1 pipeline rank; must be even, the nearest is 2");
    else if (p % 2 != 0)
        g_string_append_printf(complaints,
                               "chimera has %u pipeline ranks; must be even, the nearest are %u "
                               "and %u",
                               p, p - 1, p + 1);
    else if (m < p)
        g_string_append_printf(complaints,
                               "chimera has %u microbatches for %u pipeline ranks; must be a "
                               "multiple of %u, the nearest is %u",
                               m, p, p, p);
    else if (m % p != 0)
        g_string_append_printf(complaints,
                               "chimera has %u microbatches for %u pipeline ranks; must be a "
                               "multiple of %u, the nearest are %u and %u",
                               m, p, p, m - m % p, m - m % p + p);
}

/* (p - 2)(tB + (k - 1)(tB - tF)) for m = k p and tB >= tF, here with tB = 2 tF. */
static bool
chimera_bubble(const PsimShape *shape, uint64_t *ret_numerator, uint64_t *ret_denominator)
{
    const uint32_t p = shape->n_ranks;

    if (p % 2 != 0 || shape->n_microbatches % p != 0)
        return false;
    *ret_numerator = ((uint64_t)p - 2) * (shape->n_microbatches / p + 1);
    *ret_denominator = 3;
    return true;
}

const PsimScheduleType psim_chimera_type = {
    .name = "chimera",
    .title = "Chimera (two directions)",
    .summary = "two replicas in opposite directions fill each other's idle times; weights twice",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .n_chains = 2,
    .check = check_chimera,
    .emit = emit_chimera,
    .ideal_bubble = chimera_bubble,
    .ideal_text = "(p-2)(1/p+1/m)/3 of the ideal time for tB = 2 tF",
    .note = "the published bubble (p-2)/(2m+p-2) holds only for tB = tF; with tB = 2 tF every p "
            "microbatches more add (p-2) tF to it, and at p = 4, m = 16 1f1b idles less",
};
