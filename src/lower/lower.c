/* SPDX-License-Identifier: MIT */
/* Lowering walks the ranks down the pipeline and up again. Forwards cascade on the way down,
 * backwards on the way up, so that a visit seldom finds a rank with nothing to do, and neighbouring
 * ids belong to neighbouring times, which is what the sweep's cache likes.
 */
#include "lower/lower.h"

#include "base/limits.h"
#include "lower/walk.h"

/* Hands the result of an operation to whoever waits for it, through a transfer where that is on
 * another rank. Results on the same rank need no edge: stream order has it. */
static void
pass_on(PsimWalk *walk,
        PsimRankState *state,
        const PsimRecipe *recipe,
        uint32_t microbatch,
        uint32_t base)
{
    PsimTrack send = recipe->send;
    const uint32_t target = microbatch + recipe->output_shift;

    if (target >= walk->order->n_microbatches)
        return;
    if (!recipe->output_crosses) {
        recipe->output[target] = PSIM_SLOT_READY;
        return;
    }
    if (send.duration_ps > 0) {
        if (recipe->has_private_sends) {
            const PsimStream *like = &walk->emitter.builder.streams[send.stream];

            send.stream = psim_emit_stream(&walk->emitter, like->rank / walk->emitter.n_copies,
                                           (PsimStreamKind)like->kind);
        }
        base = psim_emit_block(&walk->emitter, &send, microbatch, &base, 1);
        if (walk->work->blocking_sends)
            state->wait_sends[state->wait_sends[0] != PSIM_TASK_NONE] = base;
    }
    recipe->output[target] = PSIM_SLOT_OF(base);
}

/* The plain case: compute, then the collectives of its layers. Returns: the block with the result.
 */
static uint32_t
emit_whole(PsimWalk *walk, PsimRankState *state, const PsimOp *op, const PsimRecipe *recipe)
{
    uint32_t before[PSIM_WALK_MAX_BEFORE];
    const unsigned n_before = psim_walk_before(state, recipe->input[op->microbatch], before);
    const PsimTrack own[2] = {recipe->tp, recipe->cp};
    const uint32_t base =
        psim_emit_block(&walk->emitter, &recipe->compute, op->microbatch, before, n_before);

    psim_walk_note_compute(state, base);
    return psim_layer_collectives_emit(walk, state, own, op->microbatch, base);
}

/* Whether this very operation runs beside a gather of the stage's weights. */
static bool
needs_gather(PsimWalk *walk, const PsimOp *op, const PsimRecipe *recipe)
{
    if (!recipe->gathers || walk->work->gather_when == PSIM_DP_NEVER)
        return false;
    if (walk->work->gather_when == PSIM_DP_EVERY)
        return true;
    const bool is_first = !walk->gathered[op->stage];

    walk->gathered[op->stage] = true;
    return is_first;
}

/* Whether the stage's gradients are reduced beside this operation. */
static bool
needs_reduce(PsimWalk *walk, const PsimOp *op, const PsimRecipe *recipe)
{
    if (!recipe->finishes)
        return false;
    const bool is_last = --walk->unfinished[op->stage] == 0;

    if (walk->dp_reduce[op->stage].duration_ps == 0)
        return false;
    return walk->work->reduce_when == PSIM_DP_EVERY ||
           (walk->work->reduce_when == PSIM_DP_ONCE && is_last && walk->work->overlap_dp);
}

static void
emit_operation(PsimWalk *walk, PsimRankState *state, const PsimOp *op, const PsimRecipe *recipe)
{
    const bool with_gather = needs_gather(walk, op, recipe);
    const bool with_reduce = needs_reduce(walk, op, recipe);
    const uint32_t base = with_gather || with_reduce
                              ? psim_segment_emit(walk, op, recipe, with_gather, with_reduce)
                              : emit_whole(walk, state, op, recipe);

    if (recipe->own != NULL)
        recipe->own[op->microbatch] = PSIM_SLOT_READY;
    if (recipe->output != NULL)
        pass_on(walk, state, recipe, op->microbatch, base);
}

static const PsimRecipe *
recipe_of(const PsimWalk *walk, const PsimOp *op)
{
    return &walk->recipes[(size_t)op->stage * PSIM_N_OP_KINDS + op->kind];
}

static bool
is_ready(const PsimWalk *walk, const PsimOp *op)
{
    return recipe_of(walk, op)->input[op->microbatch] != PSIM_SLOT_EMPTY;
}

/* Both results of a pair are there when it ends. */
static void
emit_pair(PsimWalk *walk, PsimRankState *state, const PsimOp *pair)
{
    uint32_t base[2];

    psim_pair_emit(walk, pair, base);
    for (unsigned i = 0; i < 2; i++) {
        const PsimRecipe *recipe = recipe_of(walk, &pair[i]);

        if (recipe->own != NULL)
            recipe->own[pair[i].microbatch] = PSIM_SLOT_READY;
        if (recipe->output != NULL)
            pass_on(walk, state, recipe, pair[i].microbatch, base[i]);
    }
}

/* An operation whose inputs are there, or a pair. Returns: false where the pair's other half has to
 * wait. */
static bool
emit_next(PsimWalk *walk, uint32_t rank)
{
    PsimRankState *state = &walk->ranks[rank];
    const PsimOp *op = &walk->order->ops[rank][state->next];

    if (!(op->flags & PSIM_OP_WITH_NEXT)) {
        emit_operation(walk, state, op, recipe_of(walk, op));
        state->next++;
        return true;
    }
    g_assert(state->next + 1 < walk->order->n_ops[rank]);
    if (!is_ready(walk, op + 1))
        return false;
    emit_pair(walk, state, op);
    state->next += 2;
    return true;
}

/* Runs a rank as far as its inputs allow. Returns: whether it moved. */
static bool
advance(PsimWalk *walk, uint32_t rank)
{
    PsimRankState *state = &walk->ranks[rank];
    const PsimOp *ops = walk->order->ops[rank];
    const uint32_t n_ops = walk->order->n_ops[rank];
    const uint32_t begin = state->next;

    while (state->next < n_ops && is_ready(walk, &ops[state->next])) {
        if (!emit_next(walk, rank))
            break;
    }
    return state->next > begin;
}

static void
walk_all(PsimWalk *walk)
{
    const uint32_t n_ranks = walk->order->n_ranks;
    bool moved = true;

    while (moved) {
        moved = false;
        for (uint32_t rank = 0; rank < n_ranks; rank++)
            moved |= advance(walk, rank);
        for (uint32_t rank = n_ranks; rank-- > 0;)
            moved |= advance(walk, rank);
    }
}

/* An upper bound of tasks, but for the segments; the builder grows if it is not enough. */
static uint64_t
guess_tasks(const PsimWorkload *work)
{
    const PsimOrder *order = work->order;
    uint64_t n_ops = 0;
    bool has_tp = false;
    bool has_cp = false;
    bool has_sends = false;

    for (uint32_t rank = 0; rank < order->n_ranks; rank++)
        n_ops += order->n_ops[rank];
    for (uint32_t stage = 0; stage < order->n_stages; stage++) {
        has_tp |= work->stages[stage].op[PSIM_OP_FORWARD].tp_ps > 0;
        has_cp |= work->stages[stage].op[PSIM_OP_FORWARD].cp_ps > 0;
        has_sends |= work->stages[stage].send_forward_ps > 0;
    }
    return (n_ops * (1u + has_tp + has_cp + has_sends) + (uint64_t)order->n_ranks * 64u) *
           psim_workload_copies(work);
}

static bool
check_size(const PsimWorkload *work, GError **error)
{
    const uint64_t n_tasks = guess_tasks(work);

    if (n_tasks * (1u + (work->unfold ? work->tp : 0u)) < PSIM_LIMIT_TASKS)
        return true;
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_LIMIT,
                "the step has about %" G_GUINT64_FORMAT
                " tasks, more than PSIM_LIMIT_TASKS (%u); fold it, or take fewer microbatches",
                n_tasks, PSIM_LIMIT_TASKS);
    return false;
}

static void
begin_walk(PsimWalk *walk, const PsimWorkload *work, PsimArena *arena)
{
    const PsimOrder *order = work->order;
    const uint32_t n_tasks = (uint32_t)guess_tasks(work);

    *walk = (PsimWalk){
        .work = work,
        .order = order,
        .arena = arena,
        .emitter = {.n_copies = psim_workload_copies(work),
                    .tp = work->unfold ? work->tp : 1,
                    .cp = work->unfold ? work->cp : 1,
                    .dp = work->unfold ? work->dp : 1},
        .ranks = psim_arena_array(arena, PsimRankState, order->n_ranks),
    };
    psim_graph_builder_init(&walk->emitter.builder, arena, n_tasks,
                            n_tasks * (work->unfold ? work->tp : 1u));
    for (uint32_t rank = 0; rank < order->n_ranks; rank++)
        walk->ranks[rank] = (PsimRankState){
            .wait = PSIM_TASK_NONE,
            .wait_sends = {PSIM_TASK_NONE, PSIM_TASK_NONE},
            .last_compute = PSIM_TASK_NONE,
            .before_last = PSIM_TASK_NONE,
            .last_dp = PSIM_TASK_NONE,
        };
    psim_recipe_make_all(walk);
}

PsimLowered *
psim_lower(const PsimWorkload *work, PsimArena *arena, GError **error)
{
    const PsimOrder *order = work->order;
    PsimWalk walk;

    if (!check_size(work, error))
        return NULL;
    begin_walk(&walk, work, arena);
    walk_all(&walk);

    PsimLowered *lowered = psim_arena_array(arena, PsimLowered, 1);
    uint32_t *n_done = psim_arena_array(arena, uint32_t, order->n_ranks);

    for (uint32_t rank = 0; rank < order->n_ranks; rank++) {
        n_done[rank] = walk.ranks[rank].next;
        lowered->deadlock |= n_done[rank] < order->n_ops[rank];
    }
    if (work->tails != NULL && !lowered->deadlock)
        psim_tail_emit(&walk);
    lowered->n_done = n_done;
    lowered->graph = psim_graph_freeze(&walk.emitter.builder);
    return lowered;
}
