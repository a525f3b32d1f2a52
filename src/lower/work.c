/* SPDX-License-Identifier: MIT */
#include "lower/work.h"

#include "base/time.h"
#include "cost/kernel.h"
#include "lower/tailor.h"

#include <math.h>

/* At most so many segments a stage: a bucket of a few layers is what trainers use, and graphs stay
 * small. */
#define MAX_SEGMENTS 128u

typedef struct {
    const PsimPlan *plan;
    PsimArena *arena;
    PsimWork *work;
    bool too_long;
} Maker;

static PsimTime
to_ps(Maker *maker, double seconds_s)
{
    PsimTime time = 0;

    if (!psim_time_from_s(seconds_s, &time))
        maker->too_long = true;
    return time;
}

static int64_t
to_bytes(double bytes)
{
    return (int64_t)llround(bytes);
}

/* -- Stages -- */

/* Every chain runs through the whole model. */
static const PsimStage *
make_stages(const PsimPlan *plan, const PsimOrder *order, PsimArena *arena)
{
    const uint32_t depth = psim_order_chain_stages(order);
    const bool is_transformer = plan->model->kind == PSIM_MODEL_TRANSFORMER;
    PsimStage *stages = psim_arena_array(arena, PsimStage, order->n_stages);
    uint32_t layer = 0;

    for (uint32_t s = 0; s < order->n_stages; s++) {
        const uint32_t place = s % depth;

        layer = place == 0 ? 0 : layer;
        stages[s] = (PsimStage){
            .layer_first = layer,
            .n_layers = plan->layers_per_stage[place],
            .has_embedding = is_transformer && place == 0,
            .has_head = is_transformer && place + 1 == depth,
        };
        layer += plan->layers_per_stage[place];
    }
    return stages;
}

static bool
is_like(const PsimPlan *plan, const PsimStage *a, const PsimStage *b)
{
    return plan->model->kind == PSIM_MODEL_TRANSFORMER && a->n_layers == b->n_layers &&
           a->has_embedding == b->has_embedding && a->has_head == b->has_head;
}

static const PsimStageCost *
cost_stages(const PsimPlan *plan, const PsimStage *stages, uint32_t n_stages, PsimArena *arena)
{
    PsimStageCost *costs = psim_arena_array(arena, PsimStageCost, n_stages);

    for (uint32_t s = 0; s < n_stages; s++)
        costs[s] = s > 0 && is_like(plan, &stages[s], &stages[s - 1])
                       ? costs[s - 1]
                       : psim_stage_cost(plan, &stages[s]);
    return costs;
}

/* -- Operations -- */

static double
sum_passes(const double by_pass[PSIM_N_PASSES], PsimOpKind kind)
{
    const double input = by_pass[PSIM_PASS_BACKWARD_INPUT] + by_pass[PSIM_PASS_RECOMPUTE];

    switch (kind) {
    case PSIM_OP_FORWARD:
        return by_pass[PSIM_PASS_FORWARD];
    case PSIM_OP_BACKWARD:
        return input + by_pass[PSIM_PASS_BACKWARD_WEIGHT];
    case PSIM_OP_BACKWARD_INPUT:
        return input;
    case PSIM_OP_BACKWARD_WEIGHT:
        return by_pass[PSIM_PASS_BACKWARD_WEIGHT];
    }
    g_assert_not_reached();
}

/* Of the logits, the softmax is kept for the backward in fp32; other copies live only while the
 * head runs. */
static double
kept_logits(const PsimPlan *plan, double logits_bytes)
{
    const double per_logit = plan->runtime.logits_bytes;

    return per_logit > 4.0 ? logits_bytes * 4.0 / per_logit : logits_bytes;
}

/* Token slices are taken as equal parts of their microbatch, each of which the host dispatches
 * anew. Wrong when: causal attention, where the last slice of K does up to twice the mean
 * attention; and products of so few tokens that they no longer fill the device. */
static PsimOpWork
make_op(Maker *maker, const PsimStageCost *cost, PsimOpKind kind)
{
    const double slices = maker->work->workload.order->n_slices;
    const double kept = kept_logits(maker->plan, cost->memory.logits_bytes);
    const int64_t stored = to_bytes((cost->memory.stored_bytes + kept) / slices);
    const double logits_working = cost->memory.logits_bytes - kept;
    const double backward_working = cost->memory.working_bytes + cost->memory.gradient_bytes;
    const bool is_backward = kind != PSIM_OP_FORWARD;
    const bool has_recompute = kind == PSIM_OP_BACKWARD || kind == PSIM_OP_BACKWARD_INPUT;

    return (PsimOpWork){
        .compute_ps = to_ps(maker, MAX(sum_passes(cost->cost.compute_s, kind) / slices,
                                       sum_passes(cost->cost.dispatch_s, kind))),
        .recompute_ps =
            has_recompute ? to_ps(maker, cost->cost.compute_s[PSIM_PASS_RECOMPUTE] / slices) : 0,
        .tp_ps = to_ps(maker, sum_passes(cost->cost.tp_s, kind) / slices),
        .cp_ps = to_ps(maker, sum_passes(cost->cost.cp_s, kind) / slices),
        .start_bytes = is_backward ? 0 : stored,
        .end_bytes = kind == PSIM_OP_BACKWARD || kind == PSIM_OP_BACKWARD_WEIGHT ? stored : 0,
        .working_bytes =
            to_bytes((logits_working + (is_backward ? backward_working : 0.0)) / slices),
        .flop = sum_passes(cost->cost.flop, kind) / slices,
        .tp_bytes = sum_passes(cost->cost.tp_bytes, kind) / slices,
        .cp_bytes = sum_passes(cost->cost.cp_bytes, kind) / slices,
    };
}

/* A rank that waits for its transfers also waits for its host to group, launch and synchronise
 * them. */
static double
send_s(const PsimPlan *plan, const PsimPlace *place, double bytes, uint32_t from, uint32_t to)
{
    const bool crosses = psim_place_crosses(plan, from, to);

    if (from == to)
        return 0.0;
    return psim_collective_send_s(plan->hardware, crosses, crosses ? place->n_sharing_per_node : 1,
                                  bytes) +
           (plan->overlap_pp ? 0.0 : plan->runtime.host_send_s);
}

static void
make_sends(Maker *maker, uint32_t stage, PsimStageWork *ret_stage)
{
    const PsimPlan *plan = maker->plan;
    const PsimWork *work = maker->work;
    const PsimOrder *order = work->workload.order;
    const uint32_t rank = order->rank_of_stage[stage];
    const uint32_t depth = psim_order_chain_stages(order);
    const double bytes = work->costs[stage].output_bytes / order->n_slices;

    ret_stage->send_bytes = bytes;
    if ((stage + 1) % depth != 0)
        ret_stage->send_forward_ps =
            to_ps(maker, send_s(plan, &work->place, bytes, rank, order->rank_of_stage[stage + 1]));
    if (stage % depth != 0)
        ret_stage->send_backward_ps = to_ps(
            maker, send_s(plan, &work->place, work->costs[stage - 1].output_bytes / order->n_slices,
                          rank, order->rank_of_stage[stage - 1]));
}

/* -- Data parallelism -- */

/* Which collectives a ZeRO stage means, and when. Sharded gradients are reduced with every
 * microbatch, since a rank has no room for what it does not keep; sharded weights are gathered with
 * every use. */
static void
choose_dp(const PsimPlan *plan, PsimWork *work)
{
    const PsimRuntime *runtime = &plan->runtime;
    const bool shards_optimizer = runtime->shards_optimizer[plan->zero_stage];
    const bool shards_gradients = runtime->shards_gradients[plan->zero_stage];
    const bool shards_weights = runtime->shards_weights[plan->zero_stage];
    PsimWorkload *workload = &work->workload;

    work->reduce_kind =
        shards_optimizer ? PSIM_COLLECTIVE_REDUCE_SCATTER : PSIM_COLLECTIVE_ALL_REDUCE;
    work->gather_kind = PSIM_COLLECTIVE_ALL_GATHER;
    workload->overlap_dp = plan->overlap_dp;
    workload->contention = plan->overlap_dp ? psim_kernel_contention(&plan->hardware->device) : 0.0;
    workload->reduce_when = PSIM_DP_NEVER;
    workload->gather_when = PSIM_DP_NEVER;
    if (psim_plan_owners(plan) * workload->order->n_chains == 1)
        return;
    workload->reduce_when = shards_gradients || shards_weights ? PSIM_DP_EVERY : PSIM_DP_ONCE;
    if (shards_weights)
        workload->gather_when = PSIM_DP_EVERY;
    else if (shards_optimizer && plan->overlap_dp)
        workload->gather_when = PSIM_DP_ONCE;
}

static void
make_dp(Maker *maker, uint32_t stage, PsimStageWork *ret_stage)
{
    const PsimPlan *plan = maker->plan;
    const PsimWork *work = maker->work;
    const PsimStageCost *cost = &work->costs[stage];
    const uint32_t n_layers = work->stages[stage].n_layers;
    const uint32_t n_segments = plan->overlap_dp ? CLAMP(n_layers, 1, MAX_SEGMENTS) : 1;

    ret_stage->n_segments = n_segments;
    if (work->workload.reduce_when != PSIM_DP_NEVER) {
        ret_stage->reduce_bytes = cost->gradient_bytes / n_segments;
        ret_stage->reduce_ps =
            to_ps(maker, psim_collective_s(plan->hardware, work->reduce_kind, work->place.dp,
                                           ret_stage->reduce_bytes));
    }
    if (work->workload.gather_when != PSIM_DP_NEVER) {
        ret_stage->gather_bytes = cost->weight_bytes / n_segments;
        ret_stage->gather_ps =
            to_ps(maker, psim_collective_s(plan->hardware, work->gather_kind, work->place.dp,
                                           ret_stage->gather_bytes));
    }
}

/* -- Tail and static memory, by pipeline rank -- */

static double
tied_bytes(const PsimPlan *plan)
{
    const PsimModel *model = plan->model;

    if (model->kind != PSIM_MODEL_TRANSFORMER || !model->tied_embeddings || plan->pp == 1)
        return 0.0;
    return (double)model->vocabulary * model->hidden / plan->tp * psim_plan_reduce_bytes(plan);
}

static PsimTailWork
make_tail(Maker *maker, uint32_t rank)
{
    const PsimPlan *plan = maker->plan;
    const PsimWork *work = maker->work;
    const PsimOrder *order = work->workload.order;
    const bool is_end =
        rank == order->rank_of_stage[0] || rank == order->rank_of_stage[work->n_stages - 1];
    const bool gathers = psim_plan_owners(plan) > 1 &&
                         work->workload.gather_when == PSIM_DP_NEVER &&
                         plan->runtime.shards_optimizer[plan->zero_stage];
    double optimizer_s = 0.0;
    double weight_bytes = 0.0;
    PsimTailWork tail = {.tied_bytes = is_end ? tied_bytes(plan) : 0.0};

    for (uint32_t s = 0; s < work->n_stages; s++) {
        if (order->rank_of_stage[s] != rank)
            continue;
        optimizer_s += work->costs[s].optimizer_s;
        weight_bytes += work->costs[s].weight_bytes;
    }
    tail.optimizer_ps = to_ps(maker, optimizer_s);
    tail.tied_ps = to_ps(maker, psim_collective_s(plan->hardware, PSIM_COLLECTIVE_ALL_REDUCE,
                                                  work->place.tied, tail.tied_bytes));
    if (gathers) {
        tail.gather_bytes = weight_bytes;
        tail.gather_ps = to_ps(maker, psim_collective_s(plan->hardware, work->gather_kind,
                                                        work->place.dp, weight_bytes));
    }
    return tail;
}

static PsimStaticMemory
make_memory(const PsimPlan *plan, const PsimWork *work, uint32_t rank)
{
    const PsimOrder *order = work->workload.order;
    const PsimShape shape = psim_plan_shape(plan);
    const double communicators_bytes = psim_memory_communicators(plan);
    PsimStaticMemory memory = {
        .communicators_bytes = communicators_bytes,
        .overhead_bytes = communicators_bytes + plan->runtime.overhead_bytes,
    };
    double layer_bytes = 0.0;

    for (uint32_t s = 0; s < work->n_stages; s++) {
        const PsimStageCost *cost = &work->costs[s];

        if (order->rank_of_stage[s] != rank)
            continue;
        memory.params += cost->memory.params;
        layer_bytes = MAX(layer_bytes, cost->weight_bytes / MAX(work->stages[s].n_layers, 1));
        /* One buffer to send and one to receive, each way a neighbour has. */
        if (plan->pp > 1)
            memory.comm_buffers_bytes += 2.0 * cost->output_bytes;
    }
    /* With sharded weights the layer at work and the one being fetched are whole. */
    if (work->workload.gather_when == PSIM_DP_EVERY)
        memory.comm_buffers_bytes += 2.0 * layer_bytes;
    memory.states = psim_memory_states(plan, memory.params);
    if (plan->schedule->weight_versions != NULL)
        memory.states.weights_bytes *= plan->schedule->weight_versions(&shape, rank);
    return memory;
}

/* -- All of it -- */

static PsimStageWork
make_stage(Maker *maker, uint32_t stage, bool is_split)
{
    const PsimWork *work = maker->work;
    PsimStageWork made = {.n_segments = 1};

    made.op[PSIM_OP_FORWARD] = make_op(maker, &work->costs[stage], PSIM_OP_FORWARD);
    made.op[PSIM_OP_BACKWARD] = make_op(maker, &work->costs[stage], PSIM_OP_BACKWARD);
    if (is_split) {
        made.op[PSIM_OP_BACKWARD_INPUT] =
            make_op(maker, &work->costs[stage], PSIM_OP_BACKWARD_INPUT);
        made.op[PSIM_OP_BACKWARD_WEIGHT] =
            make_op(maker, &work->costs[stage], PSIM_OP_BACKWARD_WEIGHT);
    }
    make_sends(maker, stage, &made);
    make_dp(maker, stage, &made);
    return made;
}

static void
make_parts(Maker *maker)
{
    const PsimPlan *plan = maker->plan;
    PsimWork *work = maker->work;
    const PsimOrder *order = work->workload.order;
    const bool is_split = plan->schedule->splits_backward;
    PsimStageWork *stages = psim_arena_array(maker->arena, PsimStageWork, work->n_stages);
    PsimTailWork *tails = psim_arena_array(maker->arena, PsimTailWork, order->n_ranks);
    PsimStaticMemory *memory = psim_arena_array(maker->arena, PsimStaticMemory, order->n_ranks);

    for (uint32_t s = 0; s < work->n_stages; s++)
        stages[s] = make_stage(maker, s, is_split);
    for (uint32_t rank = 0; rank < order->n_ranks; rank++) {
        tails[rank] = make_tail(maker, rank);
        memory[rank] = make_memory(plan, work, rank);
        work->pp_crosses |= rank > 0 && psim_place_crosses(plan, rank - 1, rank);
    }
    work->workload.stages = stages;
    work->workload.tails = tails;
    work->memory = memory;
}

PsimWork *
psim_work_from_order(
    const PsimPlan *plan, const PsimOrder *order, bool unfold, PsimArena *arena, GError **error)
{
    PsimWork *work = psim_arena_array(arena, PsimWork, 1);
    Maker maker = {.plan = plan, .arena = arena, .work = work};

    work->workload = (PsimWorkload){
        .order = order,
        .tp = plan->tp,
        .cp = plan->cp,
        .dp = plan->dp,
        .unfold = unfold,
        .channels = true,
        .blocking_sends = !plan->overlap_pp,
        .global_barrier = plan->runtime.global_grad_norm,
    };
    work->n_stages = order->n_stages;
    work->stages = make_stages(plan, order, arena);
    work->costs = cost_stages(plan, work->stages, work->n_stages, arena);
    work->place = psim_place_plan(plan, order->n_chains);
    choose_dp(plan, work);
    /* The norm itself: one number, all ranks. */
    work->workload.barrier_ps =
        to_ps(&maker, psim_collective_s(plan->hardware, PSIM_COLLECTIVE_ALL_REDUCE,
                                        work->place.world, /* payload_bytes= */ 4.0));
    make_parts(&maker);
    if (!maker.too_long)
        return work;
    g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_LIMIT,
                        "an operation of the step takes more than 106 days; check the peak "
                        "and the bandwidths of the hardware");
    return NULL;
}

PsimWork *
psim_work_from_plan(const PsimPlan *plan, bool unfold, PsimArena *arena, GError **error)
{
    const PsimShape shape = psim_plan_shape(plan);

    if (plan->schedule->is_made_to_measure)
        return psim_tailor_work(plan, unfold, arena, error);
    return psim_work_from_order(plan, psim_schedule_emit(plan->schedule, &shape, arena), unfold,
                                arena, error);
}
