/* SPDX-License-Identifier: MIT */
/* An operation beside data-parallel collectives is cut into segments of layers:
 *
 *     dp       G0 G1     G2 R0  G3 R1     R2           G: gather of a segment's weights
 *     compute     [seg 0][seg 1][seg 2][seg 3]         R: reduction of its gradients
 *
 * A segment waits for its gather; its reduction waits for the segment. A gather may run one segment
 * ahead, no further: G2 starts when segment 0 has ended, which is FSDP's prefetch, and goes before
 * R0 on their common stream. Updated weights gathered once, with the first forward, need no such
 * limit: they are of this step. Without overlap there is one segment, and compute waits for both
 * collectives.
 *
 * A collective takes processors from the compute beside it, so a segment with one beside it is
 * longer: recipe.c.
 */
#include "lower/walk.h"

/* Which segment, and what runs beside it. */
typedef struct {
    uint32_t index;
    unsigned beside;
} Place;

/* Part @index of @n of a whole duration; the parts sum to it exactly. */
static PsimTime
cut(PsimTime whole, uint32_t index, uint32_t n)
{
    const PsimTime share = whole / n;
    const PsimTime rest = whole % n;

    return share + (index < rest ? 1 : 0);
}

/* @after    the compute whose end makes room for the gathered weights */
static uint32_t
emit_gather(PsimWalk *walk, PsimRankState *state, const PsimOp *op, uint32_t after)
{
    const PsimTrack *track = &walk->dp_gather[op->stage];

    if (!walk->work->overlap_dp)
        after = state->wait != PSIM_TASK_NONE ? state->wait : state->last_compute;
    if (after == PSIM_TASK_NONE || walk->work->gather_when == PSIM_DP_ONCE)
        return psim_emit_block(&walk->emitter, track, op->microbatch, /* before= */ NULL, 0);
    return psim_emit_collective(&walk->emitter, track, op->microbatch, after, PSIM_EMIT_DP);
}

static uint32_t
class_of_segment(const PsimCut *cut, uint32_t index, uint32_t n_segments)
{
    if (index == 0)
        return cut->first_class;
    return index + 1 < n_segments ? cut->middle_class : cut->last_class;
}

/* Compute and the collectives of its layers. Returns: the block with the result. */
static uint32_t
emit_segment(PsimWalk *walk,
             const PsimOp *op,
             const PsimRecipe *recipe,
             const Place *place,
             uint32_t slot,
             uint32_t gather)
{
    PsimRankState *state = &walk->ranks[walk->order->rank_of_stage[op->stage]];
    const uint32_t n_segments = walk->work->stages[op->stage].n_segments;
    PsimTrack compute = recipe->compute;
    PsimTrack own[2] = {recipe->tp, recipe->cp};
    uint32_t before[PSIM_WALK_MAX_BEFORE];
    unsigned n_before = psim_walk_before(state, slot, before);

    if (gather != PSIM_TASK_NONE)
        before[n_before++] = gather;
    compute.class = class_of_segment(&recipe->cut[place->beside], place->index, n_segments);
    compute.duration_ps = cut(recipe->compute.duration_ps, place->index, n_segments) +
                          recipe->cut[place->beside].slowed_ps;
    for (unsigned i = 0; i < 2; i++)
        own[i].duration_ps = cut(own[i].duration_ps, place->index, n_segments);

    const uint32_t base =
        psim_emit_block(&walk->emitter, &compute, op->microbatch, before, n_before);

    psim_walk_note_compute(state, base);
    return psim_layer_collectives_emit(walk, state, own, op->microbatch, base);
}

uint32_t
psim_segment_emit(
    PsimWalk *walk, const PsimOp *op, const PsimRecipe *recipe, bool with_gather, bool with_reduce)
{
    PsimRankState *state = &walk->ranks[walk->order->rank_of_stage[op->stage]];
    const uint32_t n_segments = walk->work->stages[op->stage].n_segments;
    Place place = {.beside = (with_gather ? PSIM_BESIDE_GATHER : 0u) |
                             (with_reduce ? PSIM_BESIDE_REDUCE : 0u)};
    uint32_t slot = recipe->input[op->microbatch];
    uint32_t base = PSIM_TASK_NONE;

    uint32_t gather =
        with_gather ? emit_gather(walk, state, op, state->before_last) : PSIM_TASK_NONE;

    for (uint32_t i = 0; i < n_segments; i++) {
        const uint32_t next = with_gather && i + 1 < n_segments
                                  ? emit_gather(walk, state, op, state->last_compute)
                                  : PSIM_TASK_NONE;

        place.index = i;
        base = emit_segment(walk, op, recipe, &place, slot, gather);
        gather = next;
        slot = PSIM_SLOT_READY;
        if (!with_reduce)
            continue;
        state->last_dp = psim_emit_collective(&walk->emitter, &walk->dp_reduce[op->stage],
                                              op->microbatch, base, PSIM_EMIT_DP);
        if (!walk->work->overlap_dp)
            state->wait = state->last_dp;
    }
    return base;
}
