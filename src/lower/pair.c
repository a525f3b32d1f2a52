/* SPDX-License-Identifier: MIT */
/* A fused pair runs a forward and a backward at once, so that the collectives of one hide behind
 * the compute of the other. In the graph it is two tasks back to back, F's share and B's share of
 * the pair's time, since both have their own memory and name; F waits for both inputs, and both
 * results are there when B's share ends.
 */
#include "lower/walk.h"

/* F's share of a pair of given length, in proportion to its own time. */
static PsimTime
share_of(PsimTime whole, PsimTime part, PsimTime both)
{
    return both > 0 ? (PsimTime)((double)whole * ((double)part / (double)both)) : 0;
}

/* What the pair takes beyond the two computes: collectives of its layers that nothing can hide, as
 * the backward's. */
static void
find_exposed(const PsimRecipe *const recipes[2], PsimTrack ret_own[2])
{
    const PsimTime compute = recipes[0]->compute.duration_ps + recipes[1]->compute.duration_ps;
    const PsimTime tp = recipes[0]->tp.duration_ps + recipes[1]->tp.duration_ps;
    const PsimTime cp = recipes[0]->cp.duration_ps + recipes[1]->cp.duration_ps;
    const PsimTime exposed = MAX(tp + cp - compute, 0);
    const PsimTime of_cp = tp > 0 ? share_of(exposed, cp, tp + cp) : exposed;

    ret_own[0] = recipes[1]->tp;
    ret_own[1] = recipes[1]->cp;
    ret_own[0].duration_ps = ret_own[0].duration_ps > 0 ? exposed - of_cp : 0;
    ret_own[1].duration_ps = ret_own[1].duration_ps > 0 ? of_cp : 0;
}

/* Gradients that are complete with this pair: their reduction follows uncut. */
static void
emit_reduce(PsimWalk *walk, const PsimOp *op, uint32_t base)
{
    const PsimWorkload *work = walk->work;
    PsimRankState *state = &walk->ranks[walk->order->rank_of_stage[op->stage]];
    const bool is_last = --walk->unfinished[op->stage] == 0;
    const bool is_once = work->reduce_when == PSIM_DP_ONCE;
    PsimTrack track = walk->dp_reduce[op->stage];

    /* Without overlap the tail reduces what is complete once. */
    if (track.duration_ps == 0 || (is_once && !(is_last && work->overlap_dp)))
        return;
    track.duration_ps *= work->stages[op->stage].n_segments;
    state->last_dp =
        psim_emit_collective(&walk->emitter, &track, op->microbatch, base, PSIM_EMIT_DP);
    if (!work->overlap_dp)
        state->wait = state->last_dp;
}

/* Weights of one half, uncut, where they are gathered with every use or not here yet. */
static uint32_t
emit_gather(PsimWalk *walk, const PsimOp *op, const PsimRecipe *recipe)
{
    const PsimWorkload *work = walk->work;
    PsimRankState *state = &walk->ranks[walk->order->rank_of_stage[op->stage]];
    const bool is_here = work->gather_when == PSIM_DP_ONCE && walk->gathered[op->stage];
    PsimTrack track = walk->dp_gather[op->stage];

    if (!recipe->gathers || work->gather_when == PSIM_DP_NEVER || is_here)
        return PSIM_TASK_NONE;
    walk->gathered[op->stage] = true;
    track.duration_ps *= work->stages[op->stage].n_segments;
    if (state->before_last == PSIM_TASK_NONE || work->gather_when == PSIM_DP_ONCE)
        return psim_emit_block(&walk->emitter, &track, op->microbatch, /* before= */ NULL, 0);
    return psim_emit_collective(&walk->emitter, &track, op->microbatch,
                                work->overlap_dp ? state->before_last : state->last_compute,
                                PSIM_EMIT_DP);
}

/* Everything the pair waits for. Returns: how many. */
static unsigned
collect_before(PsimWalk *walk,
               const PsimOp *pair,
               const PsimRecipe *const recipes[2],
               uint32_t ret_before[PSIM_WALK_MAX_BEFORE])
{
    PsimRankState *state = &walk->ranks[walk->order->rank_of_stage[pair[0].stage]];
    const uint32_t gathers[2] = {emit_gather(walk, &pair[0], recipes[0]),
                                 emit_gather(walk, &pair[1], recipes[1])};
    const uint32_t other = recipes[1]->input[pair[1].microbatch];
    unsigned n_before = psim_walk_before(state, recipes[0]->input[pair[0].microbatch], ret_before);

    if (other != PSIM_SLOT_READY)
        ret_before[n_before++] = PSIM_SLOT_BASE(other);
    for (unsigned i = 0; i < 2; i++) {
        if (gathers[i] != PSIM_TASK_NONE)
            ret_before[n_before++] = gathers[i];
    }
    return n_before;
}

/* The two computes back to back. Returns: the block that ends the pair. */
static uint32_t
emit_computes(PsimWalk *walk,
              const PsimOp *pair,
              const PsimRecipe *const recipes[2],
              const uint32_t *before,
              unsigned n_before)
{
    const PsimTime both = recipes[0]->compute.duration_ps + recipes[1]->compute.duration_ps;
    const PsimTime whole = walk->work->pair_ps > 0 ? walk->work->pair_ps : both;
    PsimTrack first = recipes[0]->compute;
    PsimTrack second = recipes[1]->compute;

    first.duration_ps = share_of(whole, recipes[0]->compute.duration_ps, both);
    second.duration_ps = whole - first.duration_ps;
    (void)psim_emit_block(&walk->emitter, &first, pair[0].microbatch, before, n_before);
    return psim_emit_block(&walk->emitter, &second, pair[1].microbatch, NULL, 0);
}

void
psim_pair_emit(PsimWalk *walk, const PsimOp *pair, uint32_t ret_base[2])
{
    PsimRankState *state = &walk->ranks[walk->order->rank_of_stage[pair[0].stage]];
    const PsimRecipe *const recipes[2] = {
        &walk->recipes[(size_t)pair[0].stage * PSIM_N_OP_KINDS + pair[0].kind],
        &walk->recipes[(size_t)pair[1].stage * PSIM_N_OP_KINDS + pair[1].kind],
    };
    PsimTrack own[2];
    uint32_t before[PSIM_WALK_MAX_BEFORE];
    const unsigned n_before = collect_before(walk, pair, recipes, before);
    uint32_t base = emit_computes(walk, pair, recipes, before, n_before);

    psim_walk_note_compute(state, base);
    find_exposed(recipes, own);
    base = psim_layer_collectives_emit(walk, state, own, pair[1].microbatch, base);
    ret_base[0] = ret_base[1] = base;
    if (recipes[1]->finishes)
        emit_reduce(walk, &pair[1], base);
}
