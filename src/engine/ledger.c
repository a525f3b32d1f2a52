/* SPDX-License-Identifier: MIT */
/* Both functions walk the compute tasks in id order; on each rank that is also the order in time.
 */
#include "engine/ledger.h"

/* One rank during the walk. */
typedef struct {
    int64_t held_bytes;
    uint32_t in_flight;
} Holding;

static bool
is_on_compute(const PsimGraph *graph, uint32_t task)
{
    return graph->streams[graph->stream[task]].kind == PSIM_STREAM_COMPUTE;
}

/* A forward that keeps something for its backward. */
static bool
begins_flight(const PsimTaskClass *class)
{
    return class->op[0] == 'F' && class->start_bytes > 0;
}

/* The backward, or the last half of a split one. */
static bool
ends_flight(const PsimTaskClass *class)
{
    return (class->op[0] == 'B' || class->op[0] == 'W') && class->end_bytes > 0;
}

static void
enter_task(const PsimTaskClass *class,
           uint32_t task,
           PsimTime start,
           Holding *holding,
           PsimLedgerPeak *peak)
{
    const int64_t most_bytes = holding->held_bytes + class->start_bytes + class->working_bytes;

    if (most_bytes > peak->peak_bytes) {
        peak->peak_bytes = most_bytes;
        peak->peak_task = task;
        peak->peak_time = start;
        peak->working_bytes = class->working_bytes;
    }
    holding->held_bytes += class->start_bytes - class->end_bytes;
    if (begins_flight(class))
        holding->in_flight++;
    peak->in_flight_max = MAX(peak->in_flight_max, holding->in_flight);
    if (ends_flight(class) && holding->in_flight > 0)
        holding->in_flight--;
}

PsimLedgerPeak *
psim_ledger_peaks(const PsimGraph *graph, const PsimReplay *replay, PsimArena *arena)
{
    PsimLedgerPeak *peaks = psim_arena_array(arena, PsimLedgerPeak, graph->n_ranks);
    const PsimArenaMark mark = psim_arena_mark(arena);
    Holding *holdings = psim_arena_array(arena, Holding, graph->n_ranks);

    for (uint32_t rank = 0; rank < graph->n_ranks; rank++)
        peaks[rank].peak_task = PSIM_TASK_NONE;
    for (uint32_t task = 0; task < graph->n_tasks; task++) {
        const uint32_t rank = graph->streams[graph->stream[task]].rank;

        if (is_on_compute(graph, task))
            enter_task(psim_graph_class(graph, task), task, psim_replay_start(replay, graph, task),
                       &holdings[rank], &peaks[rank]);
    }
    psim_arena_rewind(arena, mark);
    return peaks;
}

void
psim_ledger_curve(const PsimGraph *graph,
                  const PsimReplay *replay,
                  PsimLedgerVisit visit,
                  void *user)
{
    g_autofree int64_t *held_bytes = g_new0(int64_t, graph->n_ranks);

    for (uint32_t task = 0; task < graph->n_tasks; task++) {
        const PsimTaskClass *class = psim_graph_class(graph, task);
        const uint32_t rank = graph->streams[graph->stream[task]].rank;

        if (!is_on_compute(graph, task))
            continue;
        if (class->start_bytes + class->working_bytes != 0)
            visit(user, rank, psim_replay_start(replay, graph, task),
                  held_bytes[rank] + class->start_bytes + class->working_bytes, task);
        held_bytes[rank] += class->start_bytes - class->end_bytes;
        if (class->end_bytes + class->working_bytes != 0)
            visit(user, rank, replay->end[task], held_bytes[rank], task);
    }
}
