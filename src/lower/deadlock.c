/* SPDX-License-Identifier: MIT */
/* A deadlock in words: each rank's head operation and the input it lacks. */
#include "lower/lower.h"

static bool
has_chunks(const PsimOrder *order)
{
    return order->n_stages > order->n_ranks;
}

const char *
psim_lower_head(const PsimOrder *order, const PsimLowered *lowered, uint32_t rank, PsimArena *arena)
{
    if (lowered->n_done[rank] == order->n_ops[rank])
        return NULL;
    const PsimOp *op = &order->ops[rank][lowered->n_done[rank]];
    const char letter = psim_op_letter((PsimOpKind)op->kind);

    if (has_chunks(order))
        return psim_arena_printf(arena, "%u%c%u", op->stage, letter, op->microbatch);
    return psim_arena_printf(arena, "%c%u", letter, op->microbatch);
}

const char *
psim_lower_missing(const PsimOrder *order,
                   const PsimLowered *lowered,
                   uint32_t rank,
                   PsimArena *arena)
{
    if (lowered->n_done[rank] == order->n_ops[rank])
        return NULL;
    const PsimOp *op = &order->ops[rank][lowered->n_done[rank]];
    const bool is_forward = op->kind == PSIM_OP_FORWARD;
    const uint32_t depth = psim_order_chain_stages(order);
    const bool is_last = (op->stage + 1u) % depth == 0;

    if (op->kind == PSIM_OP_BACKWARD_WEIGHT)
        return psim_arena_printf(arena,
                                 "the input gradient of stage %u, microbatch %u, on this rank",
                                 op->stage, op->microbatch);
    if (is_forward && op->stage % depth == 0)
        return psim_arena_printf(arena, "microbatch %u to leave the pipeline", op->microbatch - 1);
    if (!is_forward && is_last)
        return psim_arena_printf(arena, "the forward of stage %u, microbatch %u, on this rank",
                                 op->stage, op->microbatch);
    const uint32_t from = is_forward ? op->stage - 1u : op->stage + 1u;

    return psim_arena_printf(arena, "the %s of stage %u, microbatch %u, on rank %u",
                             is_forward ? "forward" : "backward", from, op->microbatch,
                             order->rank_of_stage[from]);
}
