/* SPDX-License-Identifier: MIT */
/* The end of the step: what nothing hid, then the optimizer.
 *
 *     rank r   ... last backward | reduce stages | tied embedding | barrier | optimizer | gather
 *
 * The barrier is the gradient norm: one all-reduce over every rank, so all wait for the slowest. In
 * the graph it is one task all ranks feed and one task a rank that waits for it.
 */
#include "lower/walk.h"

static PsimTaskClass
tail_class(const char *op, PsimTaskKind kind, uint32_t rank, double bytes)
{
    return (PsimTaskClass){
        .op = op,
        .kind = (uint8_t)kind,
        .rank = rank,
        .peer = PSIM_TASK_NONE,
        .bytes = bytes,
    };
}

/* The newest result of a rank: what the tail waits for. */
static uint32_t
newest_of(const PsimRankState *state)
{
    return state->wait != PSIM_TASK_NONE ? state->wait : state->last_compute;
}

/* Gradient reduction of a rank's stages, where no backward had it beside it. The last chunk's
 * gradients are complete first. */
static void
reduce_stages(PsimWalk *walk, uint32_t rank)
{
    PsimRankState *state = &walk->ranks[rank];
    const bool is_done = walk->work->overlap_dp || walk->work->reduce_when != PSIM_DP_ONCE;

    for (uint32_t stage = walk->order->n_stages; !is_done && stage-- > 0;) {
        PsimTrack track = walk->dp_reduce[stage];

        if (walk->order->rank_of_stage[stage] != rank || track.duration_ps == 0)
            continue;
        track.duration_ps *= walk->work->stages[stage].n_segments;
        state->last_dp = psim_emit_collective(&walk->emitter, &track, PSIM_TASK_NONE,
                                              newest_of(state), PSIM_EMIT_DP);
    }
}

/* The two copies of a tied embedding, on the first and the last stage, are summed; where one rank
 * has both stages there is one copy. */
static void
reduce_tied(PsimWalk *walk)
{
    const uint32_t last = psim_order_chain_stages(walk->order) - 1;
    const uint32_t ends[2] = {walk->order->rank_of_stage[0], walk->order->rank_of_stage[last]};
    uint32_t ready[4];
    unsigned n_ready = 0;

    if (ends[0] == ends[1])
        return;
    for (unsigned i = 0; i < 2; i++) {
        const PsimRankState *state = &walk->ranks[ends[i]];

        ready[n_ready++] = newest_of(state);
        if (state->last_dp != PSIM_TASK_NONE)
            ready[n_ready++] = state->last_dp;
    }
    for (unsigned i = 0; i < 2; i++) {
        const PsimTailWork *tail = &walk->work->tails[ends[i]];
        const PsimTaskClass class =
            tail_class("tied-all-reduce", PSIM_TASK_DP, ends[i], tail->tied_bytes);
        const PsimTrack track = {.class = psim_emit_class(&walk->emitter, &class),
                                 .stream = walk->dp_stream[ends[i]],
                                 .duration_ps = tail->tied_ps};

        walk->ranks[ends[i]].last_dp =
            psim_emit_block(&walk->emitter, &track, PSIM_TASK_NONE, ready, n_ready);
    }
}

/* One task of no duration that every rank's end feeds. Returns: its id. */
static uint32_t
emit_join(PsimWalk *walk)
{
    PsimGraphBuilder *builder = &walk->emitter.builder;
    const PsimTaskClass class = tail_class("join", PSIM_TASK_BARRIER, 0, 0.0);
    const uint32_t class_index = psim_graph_add_class(builder, &class);
    /* A stream of its own: it must hold up nobody's. */
    const uint32_t stream = psim_graph_add_stream(builder, 0, PSIM_STREAM_DP);
    const uint32_t join =
        psim_graph_add_task(builder, class_index, stream, /* duration= */ 0, PSIM_TASK_NONE);

    for (uint32_t rank = 0; rank < walk->order->n_ranks; rank++) {
        const PsimRankState *state = &walk->ranks[rank];

        for (uint32_t copy = 0; copy < walk->emitter.n_copies; copy++) {
            if (newest_of(state) != PSIM_TASK_NONE)
                psim_graph_add_edge(builder, newest_of(state) + copy);
            if (state->last_dp != PSIM_TASK_NONE)
                psim_graph_add_edge(builder, state->last_dp + copy);
        }
    }
    return join;
}

static void
emit_barrier(PsimWalk *walk, uint32_t rank, uint32_t join)
{
    PsimEmitter *emitter = &walk->emitter;
    const PsimTaskClass class = tail_class("grad-norm", PSIM_TASK_BARRIER, rank, 0.0);
    const uint32_t class_index = psim_emit_class(emitter, &class);

    walk->ranks[rank].wait = emitter->builder.n_tasks;
    for (uint32_t copy = 0; copy < emitter->n_copies; copy++) {
        (void)psim_graph_add_task(&emitter->builder, class_index + copy,
                                  walk->dp_stream[rank] + copy, walk->work->barrier_ps,
                                  PSIM_TASK_NONE);
        psim_graph_add_edge(&emitter->builder, join);
    }
}

static void
emit_optimizer(PsimWalk *walk, uint32_t rank)
{
    const PsimTailWork *tail = &walk->work->tails[rank];
    PsimRankState *state = &walk->ranks[rank];
    const PsimTaskClass step = tail_class("optimizer", PSIM_TASK_OPTIMIZER, rank, 0.0);
    const PsimTrack compute = {.class = psim_emit_class(&walk->emitter, &step),
                               .stream = walk->compute_stream[rank],
                               .duration_ps = tail->optimizer_ps};
    uint32_t before[2];
    unsigned n_before = 0;

    if (state->wait != PSIM_TASK_NONE)
        before[n_before++] = state->wait;
    if (state->last_dp != PSIM_TASK_NONE)
        before[n_before++] = state->last_dp;
    const uint32_t base =
        psim_emit_block(&walk->emitter, &compute, PSIM_TASK_NONE, before, n_before);

    if (tail->gather_ps == 0)
        return;
    const PsimTaskClass gather = tail_class("dp-gather", PSIM_TASK_DP, rank, tail->gather_bytes);
    const PsimTrack track = {.class = psim_emit_class(&walk->emitter, &gather),
                             .stream = walk->dp_stream[rank],
                             .duration_ps = tail->gather_ps};

    (void)psim_emit_collective(&walk->emitter, &track, PSIM_TASK_NONE, base, PSIM_EMIT_DP);
}

void
psim_tail_emit(PsimWalk *walk)
{
    const uint32_t n_ranks = walk->order->n_ranks;

    for (uint32_t rank = 0; rank < n_ranks; rank++)
        reduce_stages(walk, rank);
    if (walk->work->tails[walk->order->rank_of_stage[0]].tied_ps > 0)
        reduce_tied(walk);
    if (walk->work->global_barrier) {
        const uint32_t join = emit_join(walk);

        for (uint32_t rank = 0; rank < n_ranks; rank++)
            emit_barrier(walk, rank, join);
    }
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        emit_optimizer(walk, rank);
}
