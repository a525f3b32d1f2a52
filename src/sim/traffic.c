/* SPDX-License-Identifier: MIT */
/* One row a kind of collective: how many, how long, how much of it nothing hid. */
#include "base/time.h"
#include "sim/fill.h"

#include <string.h>

typedef struct {
    uint64_t count;
    PsimTime time_ps;
    double bytes;
} Tally;

/* Tasks of one kind, by rank of the graph (n_ranks). */
static Tally *
tally(const PsimGraph *graph, PsimTaskKind kind, const char *op_prefix, PsimArena *arena)
{
    Tally *sums = psim_arena_array(arena, Tally, graph->n_ranks);

    for (uint32_t task = 0; task < graph->n_tasks; task++) {
        const PsimTaskClass *class = psim_graph_class(graph, task);
        Tally *sum = &sums[class->rank];

        if (class->kind != kind || !g_str_has_prefix(class->op, op_prefix))
            continue;
        sum->count++;
        sum->time_ps += graph->duration[task];
        sum->bytes = MAX(sum->bytes, class->bytes);
    }
    return sums;
}

/* The part of a breakdown that holds what is exposed of one row. */
typedef PsimTime (*Part)(const PsimBreakdown *breakdown);

static PsimTime
tp_part(const PsimBreakdown *breakdown)
{
    return breakdown->tp_exposed_ps;
}

static PsimTime
pp_part(const PsimBreakdown *breakdown)
{
    return breakdown->pp_exposed_ps;
}

static PsimTime
dp_part(const PsimBreakdown *breakdown)
{
    return breakdown->dp_exposed_ps;
}

/* The rank that spends most on it; of equals the one where most is exposed. */
static uint32_t
busiest(const PsimResult *result, const Tally *sums, Part part)
{
    uint32_t most = 0;

    for (uint32_t rank = 1; rank < result->n_ranks; rank++) {
        const PsimTime more = sums[rank].time_ps - sums[most].time_ps;

        if (more > 0 || (more == 0 && part(&result->ranks[rank].breakdown) >
                                          part(&result->ranks[most].breakdown)))
            most = rank;
    }
    return most;
}

typedef struct {
    const char *kind;
    const char *group;
    const char *op_prefix;
    PsimTaskKind task;
    Part part;
    uint32_t n_ranks;
    bool crosses;
} Row;

/* The tensor-parallel collectives of one layer are one task; a row speaks of each of them. */
static void
split_tp(const PsimRun *run, uint32_t rank, PsimCollectiveFigures *figures)
{
    const PsimOrder *order = run->work->workload.order;
    const uint32_t own = rank / psim_workload_copies(&run->work->workload);
    uint64_t count = 0;
    double bytes = 0.0;

    for (uint32_t stage = 0; stage < order->n_stages; stage++) {
        const PsimBlockCost *cost = &run->work->costs[stage].cost;

        if (order->rank_of_stage[stage] != own)
            continue;
        count += cost->tp_count;
        for (size_t pass = 0; pass < PSIM_N_PASSES; pass++)
            bytes += cost->tp_bytes[pass] / order->n_slices;
    }
    figures->count = count * order->n_microbatches;
    figures->bytes = count > 0 ? bytes / (double)count : 0.0;
}

/* What layers exchange in their context-parallel group is a task as far as nothing hides it; the
 * row speaks of all of it, and is there where all is hidden. */
static PsimCollectiveFigures
sum_context(const PsimRun *run, uint32_t own)
{
    const PsimOrder *order = run->work->workload.order;
    PsimCollectiveFigures sum = {.group = "cp"};

    for (uint32_t stage = 0; stage < order->n_stages; stage++) {
        const PsimBlockCost *cost = &run->work->costs[stage].cost;

        if (order->rank_of_stage[stage] != own)
            continue;
        sum.count += (uint64_t)cost->cp_count * order->n_microbatches;
        sum.time_s += cost->cp_whole_s / order->n_slices * order->n_microbatches;
        for (size_t pass = 0; pass < PSIM_N_PASSES; pass++)
            sum.bytes += cost->cp_bytes[pass] / order->n_slices * order->n_microbatches;
    }
    sum.bytes /= (double)MAX(sum.count, 1);
    return sum;
}

/* Of the rank that spends most on it. */
static void
add_context(const PsimRun *run, GArray *rows)
{
    static const char *const kinds[] = {
        [PSIM_CONTEXT_P2P] = "send",
        [PSIM_CONTEXT_GATHER] = "all-gather + reduce-scatter",
        [PSIM_CONTEXT_GATHER_RING] = "all-gather + send",
        [PSIM_CONTEXT_A2A] = "all-to-all",
    };
    const PsimWorkload *workload = &run->work->workload;
    PsimCollectiveFigures most = {.count = 0};

    for (uint32_t own = 0; own < workload->order->n_ranks; own++) {
        const uint32_t rank = own * psim_workload_copies(workload);
        PsimCollectiveFigures sum = sum_context(run, own);

        /* Picoseconds are rounded task by task. */
        sum.exposed_s =
            MIN(psim_time_to_s(run->result->ranks[rank].breakdown.cp_exposed_ps), sum.time_s);
        if (sum.count > 0 && sum.time_s > most.time_s)
            most = sum;
    }
    if (most.count == 0)
        return;
    most.kind = kinds[run->plan->context_communication];
    most.group_size = run->plan->cp;
    most.crosses_node = psim_collective_is_across(run->work->place.cp);
    g_array_append_val(rows, most);
}

static void
add_row(PsimRun *run, GArray *rows, const Row *row)
{
    const PsimResult *result = run->result;
    const PsimArenaMark mark = psim_arena_mark(result->arena);
    const Tally *sums = tally(result->graph, row->task, row->op_prefix, result->arena);
    const uint32_t rank = busiest(result, sums, row->part);
    const Tally sum = sums[rank];
    const PsimTime exposed = row->part(&result->ranks[rank].breakdown);

    psim_arena_rewind(result->arena, mark);
    if (sum.count == 0)
        return;
    PsimCollectiveFigures figures = {
        .kind = row->kind,
        .group = row->group,
        .group_size = row->n_ranks,
        .crosses_node = row->crosses,
        .bytes = sum.bytes,
        .count = sum.count,
        .time_s = psim_time_to_s(sum.time_ps),
        .exposed_s = psim_time_to_s(MIN(exposed, sum.time_ps)),
    };

    if (row->task == PSIM_TASK_TP)
        split_tp(run, rank, &figures);
    g_array_append_val(rows, figures);
}

/* Gathers and reductions of the data group share what is exposed of them, by their times. */
static void
share_exposed(const PsimRun *run, GArray *rows)
{
    double all_s = 0.0;
    double told_s = 0.0;

    for (uint32_t rank = 0; rank < run->result->n_ranks; rank++)
        all_s = MAX(all_s, psim_time_to_s(run->result->ranks[rank].breakdown.dp_exposed_ps));
    for (guint i = 0; i < rows->len; i++) {
        const PsimCollectiveFigures *row = &g_array_index(rows, PsimCollectiveFigures, i);
        told_s += strcmp(row->group, "dp") == 0 ? row->exposed_s : 0.0;
    }
    if (told_s <= all_s)
        return;
    for (guint i = 0; i < rows->len; i++) {
        PsimCollectiveFigures *row = &g_array_index(rows, PsimCollectiveFigures, i);
        row->exposed_s *= strcmp(row->group, "dp") == 0 ? all_s / told_s : 1.0;
    }
}

void
psim_traffic_fill(PsimRun *run)
{
    const PsimWork *work = run->work;
    const PsimPlan *plan = run->plan;
    const char *const *words = psim_collective_words();
    const uint32_t n_owners = psim_plan_owners(plan);
    const Row rows[] = {
        {plan->sequence_parallel ? "all-gather + reduce-scatter" : "all-reduce", "tp", "tp",
         PSIM_TASK_TP, tp_part, plan->tp, psim_collective_is_across(work->place.tp)},
        {"send", "pp", "send", PSIM_TASK_SEND, pp_part, 2, work->pp_crosses},
        {words[work->reduce_kind], "dp", "dp-reduce", PSIM_TASK_DP, dp_part, n_owners,
         psim_collective_is_across(work->place.dp)},
        {words[work->gather_kind], "dp", "dp-gather", PSIM_TASK_DP, dp_part, n_owners,
         psim_collective_is_across(work->place.dp)},
        {"all-reduce", "embedding", "tied", PSIM_TASK_DP, dp_part, 2,
         psim_collective_is_across(work->place.tied)},
    };
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(PsimCollectiveFigures));

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        add_row(run, list, &rows[i]);
        if (i == 0)
            add_context(run, list);
    }
    share_exposed(run, list);
    PsimCollectiveFigures *kept =
        psim_arena_array(run->result->arena, PsimCollectiveFigures, MAX(list->len, 1));

    if (list->len > 0)
        memcpy(kept, list->data, list->len * sizeof *kept);
    run->result->collectives = kept;
    run->result->n_collectives = list->len;
}
