/* SPDX-License-Identifier: MIT */
/* One walk over the tasks in id order, which on a rank's compute stream is time order:
 *
 *     compute stream   F0     F1  .  .  .  .  B0
 *                           |     gap      |
 *     tp stream               T1           |       the rank's own collective: exposed tp
 *     chain                          B0' S |       back from B0: transfer S is exposed pp;
 *                                                  B0' computes on another rank: the rest is bubble
 *
 * Every picosecond of a rank is given away once, so the parts sum to the makespan; this is
 * asserted.
 */
#include "timeline/summary.h"

#include "timeline/binding.h"
#include "timeline/track.h"

/* What is kept of a rank while its tasks pass by. */
typedef struct {
    PsimTime until;      /* end of its last compute-stream task                         */
    bool begun;          /* has had one                                                 */
    uint32_t last_other; /* its collective or barrier that ends last; PSIM_TASK_NONE    */
    const uint32_t *own; /* its layers' collectives from here on, (n_own), in time order */
    uint32_t n_own;
} RankState;

typedef struct {
    const PsimGraph *graph;
    const PsimReplay *replay;
    PsimBinding binding;
    PsimRankFigures *figures; /* (n_ranks) */
    RankState *states;        /* (n_ranks) */
} Pass;

/* Time in which a rank's compute stream has nothing. */
typedef struct {
    uint32_t rank;
    PsimTime start, end;
    bool inner; /* between two tasks: a transfer may be to blame */
} Gap;

static PsimTime
measure_overlap(PsimTime start, PsimTime end, PsimTime from, PsimTime to)
{
    const PsimTime first = start > from ? start : from;
    const PsimTime last = end < to ? end : to;

    return last > first ? last - first : 0;
}

/* How much of [from, to), part of a gap, the collectives of the rank's own layers take. */
static PsimTime
measure_own(const Pass *pass, const Gap *gap, PsimTime from, PsimTime to)
{
    const RankState *state = &pass->states[gap->rank];
    PsimTime sum = 0;

    for (uint32_t i = 0; i < state->n_own; i++) {
        const PsimTime start = psim_replay_start(pass->replay, pass->graph, state->own[i]);

        if (start >= to)
            break;
        sum += measure_overlap(start, pass->replay->end[state->own[i]], from, to);
    }
    return sum;
}

/* Forgets the collectives that ended before a gap; gaps come in time order. */
static void
skip_own(const Pass *pass, const Gap *gap)
{
    RankState *state = &pass->states[gap->rank];

    while (state->n_own > 0 && pass->replay->end[state->own[0]] <= gap->start) {
        state->own++;
        state->n_own--;
    }
}

static PsimTime *
find_own_part(PsimBreakdown *parts, const PsimTaskClass *class)
{
    return class->kind == PSIM_TASK_CP ? &parts->cp_exposed_ps : &parts->tp_exposed_ps;
}

/* What they take of a gap is exposed, whatever else the rank waits for. */
static void
add_own(Pass *pass, const Gap *gap)
{
    const RankState *state = &pass->states[gap->rank];
    PsimBreakdown *parts = &pass->figures[gap->rank].breakdown;

    for (uint32_t i = 0; i < state->n_own; i++) {
        const uint32_t task = state->own[i];
        const PsimTime start = psim_replay_start(pass->replay, pass->graph, task);

        if (start >= gap->end)
            break;
        *find_own_part(parts, psim_graph_class(pass->graph, task)) +=
            measure_overlap(start, pass->replay->end[task], gap->start, gap->end);
    }
}

/* Where the time of a task on the chain goes; NULL: it is another rank's work. */
static PsimTime *
find_part(const Pass *pass, const Gap *gap, uint32_t task)
{
    PsimBreakdown *parts = &pass->figures[gap->rank].breakdown;
    const bool own = pass->graph->streams[pass->graph->stream[task]].rank == gap->rank;

    switch ((PsimTaskKind)psim_graph_class(pass->graph, task)->kind) {
    case PSIM_TASK_COMPUTE:
    case PSIM_TASK_OPTIMIZER:
        return NULL;
    case PSIM_TASK_TP:
    case PSIM_TASK_CP:
        return own ? find_own_part(parts, psim_graph_class(pass->graph, task)) : NULL;
    case PSIM_TASK_SEND:
        return gap->inner ? &parts->pp_exposed_ps : &parts->bubble_ps;
    case PSIM_TASK_DP:
        return &parts->dp_exposed_ps;
    case PSIM_TASK_BARRIER:
        return &parts->other_ps;
    }
    g_assert_not_reached();
}

/* Gives a gap away, from its end back along the chain that begins with @task. */
static void
settle_gap(Pass *pass, const Gap *gap, uint32_t task)
{
    g_assert(pass->figures != NULL);
    PsimBreakdown *parts = &pass->figures[gap->rank].breakdown;
    PsimTime to = gap->end;

    skip_own(pass, gap);
    add_own(pass, gap);
    while (task != PSIM_TASK_NONE && to > gap->start) {
        PsimTime *part = find_part(pass, gap, task);

        if (part == NULL)
            break;
        const PsimTime from = MAX(psim_replay_start(pass->replay, pass->graph, task), gap->start);

        *part += to - from - measure_own(pass, gap, from, to);
        to = from;
        task = psim_binding_find(&pass->binding, task);
    }
    parts->bubble_ps += to - gap->start - measure_own(pass, gap, gap->start, to);
}

static void
add_work(PsimBreakdown *parts, const PsimTaskClass *class, PsimTime duration)
{
    const PsimTime slowed = MIN(class->slowed_ps, duration);
    const PsimTime recompute = MIN(class->recompute_ps, duration - slowed);

    switch ((PsimTaskKind) class->kind) {
    case PSIM_TASK_COMPUTE:
        parts->compute_ps += duration - slowed - recompute;
        parts->dp_exposed_ps += slowed;
        parts->recompute_ps += recompute;
        return;
    case PSIM_TASK_OPTIMIZER:
        parts->optimizer_ps += duration;
        return;
    case PSIM_TASK_TP:
    case PSIM_TASK_CP:
        *find_own_part(parts, class) += duration;
        return;
    case PSIM_TASK_SEND:
        parts->pp_exposed_ps += duration;
        return;
    case PSIM_TASK_DP:
        parts->dp_exposed_ps += duration;
        return;
    case PSIM_TASK_BARRIER:
        parts->other_ps += duration;
        return;
    }
    g_assert_not_reached();
}

static void
pass_compute(Pass *pass, uint32_t rank, uint32_t task)
{
    RankState *state = &pass->states[rank];
    PsimRankFigures *figures = &pass->figures[rank];
    const PsimTime end = pass->replay->end[task];
    const PsimTime start = end - pass->graph->duration[task];

    g_assert(start >= state->until);
    if (start > state->until) {
        const Gap gap = {.rank = rank, .start = state->until, .end = start, .inner = state->begun};

        settle_gap(pass, &gap, psim_binding_find(&pass->binding, task));
    }
    if (!state->begun)
        figures->first_start_ps = start;
    add_work(&figures->breakdown, psim_graph_class(pass->graph, task), end - start);
    state->begun = true;
    state->until = end;
}

static void
pass_other(Pass *pass, uint32_t rank, uint32_t task)
{
    RankState *state = &pass->states[rank];

    if (psim_graph_class(pass->graph, task)->kind == PSIM_TASK_SEND)
        return;
    if (state->last_other == PSIM_TASK_NONE ||
        pass->replay->end[task] > pass->replay->end[state->last_other])
        state->last_other = task;
}

static void
pass_tasks(Pass *pass)
{
    const PsimGraph *graph = pass->graph;

    for (uint32_t task = 0; task < graph->n_tasks; task++) {
        const PsimStream stream = graph->streams[graph->stream[task]];

        switch ((PsimStreamKind)stream.kind) {
        case PSIM_STREAM_COMPUTE:
            pass_compute(pass, stream.rank, task);
            break;
        case PSIM_STREAM_SEND_NEXT:
        case PSIM_STREAM_SEND_PREVIOUS:
            break;
        case PSIM_STREAM_TP:
        case PSIM_STREAM_DP:
            pass_other(pass, stream.rank, task);
            break;
        }
    }
}

/* From the last compute task to the makespan: collectives that still run, then nothing. */
static void
settle_tail(Pass *pass, uint32_t rank)
{
    const RankState *state = &pass->states[rank];
    PsimRankFigures *figures = &pass->figures[rank];
    const PsimTime makespan = pass->replay->makespan;
    PsimTime until = state->until;

    if (state->last_other != PSIM_TASK_NONE)
        until = MAX(until, pass->replay->end[state->last_other]);
    if (until > state->until) {
        const Gap gap = {.rank = rank, .start = state->until, .end = until, .inner = false};

        settle_gap(pass, &gap, state->last_other);
    }
    figures->breakdown.bubble_ps += makespan - until;
    figures->last_end_ps = state->until;
    figures->busy_ps = figures->breakdown.compute_ps + figures->breakdown.recompute_ps +
                       figures->breakdown.tp_exposed_ps + figures->breakdown.cp_exposed_ps;
    g_assert(psim_breakdown_sum(&figures->breakdown) == makespan);
}

static bool
has_own(const PsimGraph *graph)
{
    for (uint32_t stream = 0; stream < graph->n_streams; stream++) {
        if (graph->streams[stream].kind == PSIM_STREAM_TP)
            return true;
    }
    return false;
}

/* The lists of layers' collectives cost a pass, so only where there are any. */
static void
list_own(Pass *pass, PsimArena *arena)
{
    const PsimGraph *graph = pass->graph;

    if (!has_own(graph))
        return;
    const PsimTracks tracks = psim_track_list(graph, arena);

    for (uint32_t track = 0; track < tracks.n_tracks; track++) {
        const PsimStream stream = graph->streams[tracks.stream[track]];

        if (stream.kind != PSIM_STREAM_TP)
            continue;
        pass->states[stream.rank].own = tracks.tasks + tracks.first[track];
        pass->states[stream.rank].n_own = tracks.first[track + 1] - tracks.first[track];
    }
}

PsimRankFigures *
psim_summary_ranks(const PsimGraph *graph, const PsimReplay *replay, PsimArena *arena)
{
    const PsimLedgerPeak *peaks = psim_ledger_peaks(graph, replay, arena);
    PsimRankFigures *figures = psim_arena_array(arena, PsimRankFigures, graph->n_ranks);
    const PsimArenaMark mark = psim_arena_mark(arena);
    Pass pass = {
        .graph = graph,
        .replay = replay,
        .figures = figures,
        .states = psim_arena_array(arena, RankState, graph->n_ranks),
    };

    psim_binding_init(&pass.binding, graph, replay, arena);
    for (uint32_t rank = 0; rank < graph->n_ranks; rank++) {
        figures[rank].rank = rank;
        figures[rank].peak = peaks[rank];
        pass.states[rank].last_other = PSIM_TASK_NONE;
    }
    list_own(&pass, arena);
    pass_tasks(&pass);
    for (uint32_t rank = 0; rank < graph->n_ranks; rank++)
        settle_tail(&pass, rank);
    psim_arena_rewind(arena, mark);
    return figures;
}

/* The parts of a breakdown, in the order of its members. */
#define N_PARTS 10

static void
list_parts(PsimBreakdown *breakdown, PsimTime *ret_parts[N_PARTS])
{
    PsimTime *parts[N_PARTS] = {
        &breakdown->compute_ps,    &breakdown->recompute_ps,  &breakdown->tp_exposed_ps,
        &breakdown->pp_exposed_ps, &breakdown->cp_exposed_ps, &breakdown->ep_exposed_ps,
        &breakdown->dp_exposed_ps, &breakdown->bubble_ps,     &breakdown->optimizer_ps,
        &breakdown->other_ps,
    };

    for (size_t i = 0; i < N_PARTS; i++)
        ret_parts[i] = parts[i];
}

/* Quotients and remainders are summed apart, so that a million ranks do not overflow. */
static PsimBreakdown
floor_mean(const PsimRankFigures *ranks, uint32_t n_ranks)
{
    PsimBreakdown mean = {0};
    PsimBreakdown remainder = {0};
    PsimTime *means[N_PARTS];
    PsimTime *remainders[N_PARTS];

    list_parts(&mean, means);
    list_parts(&remainder, remainders);
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        PsimBreakdown breakdown = ranks[rank].breakdown;
        PsimTime *parts[N_PARTS];

        list_parts(&breakdown, parts);
        for (size_t i = 0; i < N_PARTS; i++) {
            *means[i] += *parts[i] / n_ranks;
            *remainders[i] += *parts[i] % n_ranks;
        }
    }
    for (size_t i = 0; i < N_PARTS; i++)
        *means[i] += *remainders[i] / n_ranks;
    return mean;
}

/* The largest part that has not been raised, the first of several. */
static size_t
find_largest(PsimTime *const parts[N_PARTS], const bool raised[N_PARTS])
{
    size_t largest = N_PARTS;

    for (size_t i = 0; i < N_PARTS; i++) {
        if (!raised[i] && (largest == N_PARTS || *parts[i] > *parts[largest]))
            largest = i;
    }
    return largest;
}

PsimBreakdown
psim_summary_mean(const PsimRankFigures *ranks, uint32_t n_ranks, PsimTime makespan)
{
    if (n_ranks == 0)
        return (PsimBreakdown){.bubble_ps = makespan};
    PsimBreakdown mean = floor_mean(ranks, n_ranks);
    PsimTime *parts[N_PARTS];
    bool raised[N_PARTS] = {false};
    PsimTime left = makespan - psim_breakdown_sum(&mean);

    /* Each part lost less than a picosecond, so fewer are left than there are parts. */
    g_assert(left >= 0 && left < N_PARTS);
    list_parts(&mean, parts);
    for (; left > 0; left--) {
        const size_t largest = find_largest(parts, raised);

        raised[largest] = true;
        (*parts[largest])++;
    }
    return mean;
}

PsimTime
psim_breakdown_sum(const PsimBreakdown *breakdown)
{
    return breakdown->compute_ps + breakdown->recompute_ps + breakdown->tp_exposed_ps +
           breakdown->pp_exposed_ps + breakdown->cp_exposed_ps + breakdown->ep_exposed_ps +
           breakdown->dp_exposed_ps + breakdown->bubble_ps + breakdown->optimizer_ps +
           breakdown->other_ps;
}
