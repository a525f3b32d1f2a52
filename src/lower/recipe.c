/* SPDX-License-Identifier: MIT */
/* Streams, classes and slots, made once for each stage; emitting an operation is then a look-up.
 *
 *     F(s) reads forward[s], fills forward[s+1], or backward[s] on the last stage of its chain
 *     B(s), I(s) read backward[s], fill backward[s-1]
 *     I(s) fills weight[s], which W(s) reads
 */
#include "lower/walk.h"

typedef struct {
    uint32_t *forward;  /* (S, m) */
    uint32_t *backward; /* (S, m) */
    uint32_t *weight;   /* (S, m) */
} Slots;

typedef struct {
    uint32_t compute, send_next, send_previous, tp, dp;
} RankStreams;

static const char *const op_words[PSIM_N_OP_KINDS] = {"F", "B", "I", "W"};
static const char *const tp_words[PSIM_N_OP_KINDS] = {"tp-F", "tp-B", "tp-I", "tp-W"};
static const char *const cp_words[PSIM_N_OP_KINDS] = {"cp-F", "cp-B", "cp-I", "cp-W"};

/* Stages of a chain are connected to each other only. */
static bool
is_first_of_chain(const PsimOrder *order, uint32_t stage)
{
    return stage % psim_order_chain_stages(order) == 0;
}

static bool
is_last_of_chain(const PsimOrder *order, uint32_t stage)
{
    return (stage + 1) % psim_order_chain_stages(order) == 0;
}

static PsimTaskClass
class_of(const PsimWalk *walk, uint32_t stage, const char *op, PsimTaskKind kind)
{
    return (PsimTaskClass){
        .op = op,
        .kind = (uint8_t)kind,
        .rank = walk->order->rank_of_stage[stage],
        .stage = stage,
        .chunk = psim_order_chunk(walk->order, stage),
        .peer = PSIM_TASK_NONE,
    };
}

static RankStreams *
make_streams(PsimWalk *walk)
{
    const uint32_t n_ranks = walk->order->n_ranks;
    RankStreams *streams = psim_arena_array(walk->arena, RankStreams, n_ranks);

    walk->dp_stream = psim_arena_array(walk->arena, uint32_t, n_ranks);
    walk->compute_stream = psim_arena_array(walk->arena, uint32_t, n_ranks);
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        PsimEmitter *emitter = &walk->emitter;

        streams[rank] = (RankStreams){
            .compute = psim_emit_stream(emitter, rank, PSIM_STREAM_COMPUTE),
            .send_next = psim_emit_stream(emitter, rank, PSIM_STREAM_SEND_NEXT),
            .send_previous = psim_emit_stream(emitter, rank, PSIM_STREAM_SEND_PREVIOUS),
            .tp = psim_emit_stream(emitter, rank, PSIM_STREAM_TP),
            .dp = psim_emit_stream(emitter, rank, PSIM_STREAM_DP),
        };
        walk->dp_stream[rank] = streams[rank].dp;
        walk->compute_stream[rank] = streams[rank].compute;
    }
    return streams;
}

/* Memory is taken by the first segment and given back by the last. */
static void
make_cut(PsimWalk *walk, PsimCut *cut, const PsimTaskClass *whole, uint32_t n_segments)
{
    PsimTaskClass class = *whole;

    class.slowed_ps = cut->slowed_ps;
    if (n_segments == 1) {
        cut->first_class = cut->last_class = psim_emit_class(&walk->emitter, &class);
        return;
    }
    class.recompute_ps /= n_segments;
    class.flop /= n_segments;
    class.end_bytes = 0;
    cut->first_class = psim_emit_class(&walk->emitter, &class);
    class.start_bytes = 0;
    cut->middle_class = psim_emit_class(&walk->emitter, &class);
    class.end_bytes = whole->end_bytes;
    cut->last_class = psim_emit_class(&walk->emitter, &class);
}

/* Each segment has one gather and one reduction beside it, those of its neighbours, where there are
 * any: which ones depends on the microbatch. */
static void
make_cuts(PsimWalk *walk, PsimRecipe *recipe, uint32_t stage, const PsimTaskClass *class)
{
    const PsimStageWork *work = &walk->work->stages[stage];
    const bool gathers = recipe->gathers && work->gather_ps > 0;
    const bool reduces = recipe->finishes && work->reduce_ps > 0;

    for (unsigned beside = 1; beside < PSIM_N_BESIDE; beside++) {
        if ((!gathers && beside & PSIM_BESIDE_GATHER) || (!reduces && beside & PSIM_BESIDE_REDUCE))
            continue;
        recipe->cut[beside].slowed_ps =
            psim_workload_slowed(walk->work, stage, recipe->compute.duration_ps, beside);
        make_cut(walk, &recipe->cut[beside], class, work->n_segments);
    }
}

static void
make_compute(PsimWalk *walk, PsimRecipe *recipe, uint32_t stage, unsigned kind, uint32_t stream)
{
    const PsimOpWork *work = &walk->work->stages[stage].op[kind];
    PsimTaskClass class = class_of(walk, stage, op_words[kind], PSIM_TASK_COMPUTE);

    class.recompute_ps = work->recompute_ps;
    class.start_bytes = work->start_bytes;
    class.end_bytes = work->end_bytes;
    class.working_bytes = work->working_bytes;
    class.flop = work->flop;
    recipe->compute = (PsimTrack){.class = psim_emit_class(&walk->emitter, &class),
                                  .stream = stream,
                                  .duration_ps = work->compute_ps};
    make_cuts(walk, recipe, stage, &class);
}

static void
make_tp(PsimWalk *walk, PsimRecipe *recipe, uint32_t stage, unsigned kind, uint32_t stream)
{
    const PsimOpWork *work = &walk->work->stages[stage].op[kind];
    PsimTaskClass class = class_of(walk, stage, tp_words[kind], PSIM_TASK_TP);

    if (work->tp_ps == 0)
        return;
    class.bytes = work->tp_bytes;
    recipe->tp = (PsimTrack){.class = psim_emit_class(&walk->emitter, &class),
                             .stream = stream,
                             .duration_ps = work->tp_ps};
}

/* On the stream of the tensor-parallel ones: they take turns anyway. */
static void
make_cp(PsimWalk *walk, PsimRecipe *recipe, uint32_t stage, unsigned kind, uint32_t stream)
{
    const PsimOpWork *work = &walk->work->stages[stage].op[kind];
    PsimTaskClass class = class_of(walk, stage, cp_words[kind], PSIM_TASK_CP);

    if (work->cp_ps == 0)
        return;
    class.bytes = work->cp_bytes;
    recipe->cp = (PsimTrack){.class = psim_emit_class(&walk->emitter, &class),
                             .stream = stream,
                             .duration_ps = work->cp_ps};
}

/* Which of a rank's two channels leads to @peer. Two ranks are each other's next and previous: then
 * activations and gradients have a channel each. */
static bool
goes_to_next(const PsimOrder *order, uint32_t rank, uint32_t peer, bool is_forward)
{
    return order->n_ranks > 2 ? peer == (rank + 1) % order->n_ranks : is_forward;
}

/* The transfer to @to, the stage whose rank reads the output. */
static void
make_send(
    PsimWalk *walk, PsimRecipe *recipe, uint32_t stage, uint32_t to, const RankStreams *streams)
{
    const PsimOrder *order = walk->order;
    const PsimStageWork *work = &walk->work->stages[stage];
    const bool is_forward = to > stage;
    const uint32_t rank = order->rank_of_stage[stage];
    PsimTaskClass class = class_of(walk, stage, is_forward ? "send-F" : "send-B", PSIM_TASK_SEND);

    recipe->output_crosses = order->rank_of_stage[to] != rank;
    recipe->has_private_sends = !walk->work->channels;
    if (!recipe->output_crosses)
        return;
    class.peer = order->rank_of_stage[to];
    class.bytes = work->send_bytes;
    recipe->send = (PsimTrack){
        .class = psim_emit_class(&walk->emitter, &class),
        .stream = goes_to_next(order, rank, class.peer, is_forward) ? streams[rank].send_next
                                                                    : streams[rank].send_previous,
        .duration_ps = is_forward ? work->send_forward_ps : work->send_backward_ps,
    };
}

static void
connect_forward(PsimWalk *walk, uint32_t stage, const Slots *slots, const RankStreams *streams)
{
    const uint32_t m = walk->order->n_microbatches;
    PsimRecipe *recipe = &walk->recipes[(size_t)stage * PSIM_N_OP_KINDS + PSIM_OP_FORWARD];

    recipe->input = slots->forward + (size_t)stage * m;
    if (is_last_of_chain(walk->order, stage)) {
        recipe->output = slots->backward + (size_t)stage * m;
        return;
    }
    recipe->output = slots->forward + (size_t)(stage + 1) * m;
    make_send(walk, recipe, stage, stage + 1, streams);
}

static void
connect_backward(
    PsimWalk *walk, uint32_t stage, PsimOpKind kind, const Slots *slots, const RankStreams *streams)
{
    const uint32_t m = walk->order->n_microbatches;
    PsimRecipe *recipe = &walk->recipes[(size_t)stage * PSIM_N_OP_KINDS + kind];

    recipe->input = slots->backward + (size_t)stage * m;
    if (kind == PSIM_OP_BACKWARD_INPUT)
        recipe->own = slots->weight + (size_t)stage * m;
    if (!is_first_of_chain(walk->order, stage)) {
        recipe->output = slots->backward + (size_t)(stage - 1) * m;
        make_send(walk, recipe, stage, stage - 1, streams);
    } else if (walk->order->serial) {
        /* Naive: the next microbatch enters when this one has left. */
        recipe->output = slots->forward;
        recipe->output_shift = 1;
    }
}

static void
make_dp(PsimWalk *walk, uint32_t stage, const RankStreams *streams)
{
    const PsimStageWork *work = &walk->work->stages[stage];
    const uint32_t rank = walk->order->rank_of_stage[stage];
    PsimTaskClass class = class_of(walk, stage, "dp-gather", PSIM_TASK_DP);

    if (work->gather_ps > 0) {
        class.bytes = work->gather_bytes;
        walk->dp_gather[stage] = (PsimTrack){.class = psim_emit_class(&walk->emitter, &class),
                                             .stream = streams[rank].dp,
                                             .duration_ps = work->gather_ps};
    }
    if (work->reduce_ps > 0) {
        class.op = "dp-reduce";
        class.bytes = work->reduce_bytes;
        walk->dp_reduce[stage] = (PsimTrack){.class = psim_emit_class(&walk->emitter, &class),
                                             .stream = streams[rank].dp,
                                             .duration_ps = work->reduce_ps};
    }
}

static void
make_stage(PsimWalk *walk, uint32_t stage, const Slots *slots, const RankStreams *streams)
{
    const uint32_t rank = walk->order->rank_of_stage[stage];
    PsimRecipe *recipes = &walk->recipes[(size_t)stage * PSIM_N_OP_KINDS];

    recipes[PSIM_OP_FORWARD].gathers = walk->work->stages[stage].gather_ps > 0;
    recipes[PSIM_OP_BACKWARD].gathers = walk->work->stages[stage].gather_ps > 0;
    recipes[PSIM_OP_BACKWARD_INPUT].gathers = walk->work->stages[stage].gather_ps > 0;
    recipes[PSIM_OP_BACKWARD].finishes = true;
    recipes[PSIM_OP_BACKWARD_WEIGHT].finishes = true;
    for (unsigned kind = 0; kind < PSIM_N_OP_KINDS; kind++) {
        make_compute(walk, &recipes[kind], stage, kind, streams[rank].compute);
        make_tp(walk, &recipes[kind], stage, kind, streams[rank].tp);
        make_cp(walk, &recipes[kind], stage, kind, streams[rank].tp);
    }
    connect_forward(walk, stage, slots, streams);
    connect_backward(walk, stage, PSIM_OP_BACKWARD, slots, streams);
    connect_backward(walk, stage, PSIM_OP_BACKWARD_INPUT, slots, streams);
    recipes[PSIM_OP_BACKWARD_WEIGHT].input =
        slots->weight + (size_t)stage * walk->order->n_microbatches;
    make_dp(walk, stage, streams);
}

/* What the outside feeds: every microbatch to each chain's first stage, or the first alone when
 * serial. */
static void
fill_entries(const PsimOrder *order, uint32_t *forward)
{
    const uint32_t n_ready = order->serial ? 1 : order->n_microbatches;

    for (uint32_t stage = 0; stage < order->n_stages; stage += psim_order_chain_stages(order)) {
        for (uint32_t i = 0; i < n_ready; i++)
            forward[(size_t)stage * order->n_microbatches + i] = PSIM_SLOT_READY;
    }
}

/* Backwards of each stage that are still to come. The chains of a bidirectional schedule may have
 * unequal shares, so they are counted from the lists. */
static void
count_unfinished(PsimWalk *walk)
{
    const PsimOrder *order = walk->order;

    walk->unfinished = psim_arena_array(walk->arena, uint32_t, order->n_stages);
    for (uint32_t stage = 0; stage < order->n_stages && order->n_chains == 1; stage++)
        walk->unfinished[stage] = order->n_microbatches;
    for (uint32_t rank = 0; rank < order->n_ranks && order->n_chains > 1; rank++) {
        for (uint32_t i = 0; i < order->n_ops[rank]; i++) {
            const PsimOp *op = &order->ops[rank][i];

            walk->unfinished[op->stage] +=
                op->kind == PSIM_OP_BACKWARD || op->kind == PSIM_OP_BACKWARD_WEIGHT;
        }
    }
}

void
psim_recipe_make_all(PsimWalk *walk)
{
    const PsimOrder *order = walk->order;
    const size_t n_slots = (size_t)order->n_stages * order->n_microbatches;
    const RankStreams *streams = make_streams(walk);
    const Slots slots = {
        .forward = psim_arena_array(walk->arena, uint32_t, n_slots),
        .backward = psim_arena_array(walk->arena, uint32_t, n_slots),
        .weight = psim_arena_array(walk->arena, uint32_t, n_slots),
    };

    walk->recipes =
        psim_arena_array(walk->arena, PsimRecipe, (size_t)order->n_stages * PSIM_N_OP_KINDS);
    count_unfinished(walk);
    walk->gathered = psim_arena_array(walk->arena, bool, order->n_stages);
    walk->dp_gather = psim_arena_array(walk->arena, PsimTrack, order->n_stages);
    walk->dp_reduce = psim_arena_array(walk->arena, PsimTrack, order->n_stages);
    for (uint32_t stage = 0; stage < order->n_stages; stage++) {
        make_stage(walk, stage, &slots, streams);
    }
    fill_entries(order, slots.forward);
}
