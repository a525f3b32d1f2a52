/* SPDX-License-Identifier: MIT */
/* A schedule file as a schedule among others. */
#include "base/limits.h"
#include "schedule/csv_file.h"

#include <string.h>

bool
psim_csv_is_file(const char *name)
{
    return strchr(name, '/') != NULL || g_str_has_suffix(name, ".csv");
}

uint32_t
psim_csv_n_chunks(const PsimOrder *order)
{
    return order->n_stages / order->n_ranks;
}

static void
check(const PsimShape *shape, bool pytorch_rule, GString *complaints)
{
    const PsimOrder *given = shape->given;

    (void)pytorch_rule;
    if (given->n_ranks == shape->n_ranks && given->n_microbatches == shape->n_microbatches &&
        psim_csv_n_chunks(given) == shape->n_chunks && shape->n_slices <= 1)
        return;
    g_string_append_printf(complaints, "the schedule file has p = %u, m = %u, v = %u and no other",
                           given->n_ranks, given->n_microbatches, psim_csv_n_chunks(given));
}

/* A copy, for the lists live as long as the arena, and the file may not. */
static void
emit(const PsimShape *shape, PsimArena *arena, PsimOrder *order)
{
    const PsimOrder *given = shape->given;

    *order = *given;
    order->ops = psim_arena_array(arena, PsimOp *, given->n_ranks);
    order->n_ops = psim_arena_array(arena, uint32_t, given->n_ranks);
    order->rank_of_stage = psim_arena_array(arena, uint32_t, given->n_stages);
    memcpy(order->n_ops, given->n_ops, given->n_ranks * sizeof(uint32_t));
    memcpy(order->rank_of_stage, given->rank_of_stage, given->n_stages * sizeof(uint32_t));
    for (uint32_t rank = 0; rank < given->n_ranks; rank++) {
        order->ops[rank] = psim_arena_array(arena, PsimOp, given->n_ops[rank]);
        memcpy(order->ops[rank], given->ops[rank], given->n_ops[rank] * sizeof(PsimOp));
    }
}

const PsimScheduleType psim_csv_type = {
    .name = "csv",
    .title = "PyTorch schedule file",
    .summary = "the order of a PyTorch schedule file",
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = PSIM_LIMIT_STAGES,
    .splits_backward = true,
    .check = check,
    .emit = emit,
};
