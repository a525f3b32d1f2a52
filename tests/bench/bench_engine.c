/* SPDX-License-Identifier: MIT */
/* What a task costs, from a schedule's name to the makespan: PIPE(16, 31250) by 1F1B, 1.94 million
 * tasks. Each figure is the best of several rounds, each in a fresh arena, so page faults count.
 */
#include "engine/sweep.h"
#include "pipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define N_ROUNDS 7

typedef enum {
    STEP_EMIT,
    STEP_BUILD,
    STEP_SWEEP,
    STEP_BARE,
    STEP_EVENTS,
    N_STEPS,
} Step;

typedef struct {
    double best_s[N_STEPS];
    uint32_t n_ops;
    uint32_t n_tasks;
    size_t build_bytes;  /* lists, tables and graph, while it is built */
    size_t sweep_bytes;  /* graph and replay                           */
    size_t events_bytes; /* the same by the event loop                 */
    PsimTime makespan;
} Figures;

static double
now_s(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void
note_step(Figures *figures, Step step, double *since_s)
{
    const double now = now_s();
    const double taken_s = now - *since_s;

    if (figures->best_s[step] <= 0.0 || taken_s < figures->best_s[step])
        figures->best_s[step] = taken_s;
    *since_s = now;
}

/* The least any replay must do: a maximum over predecessors and one addition a task. */
static PsimTime
find_longest_path(const PsimGraph *graph, PsimTime *restrict end)
{
    PsimTime longest = 0;

    for (uint32_t task = 0; task < graph->n_tasks; task++) {
        PsimTime start = 0;

        for (uint32_t edge = graph->first[task]; edge < graph->first[task + 1]; edge++)
            start = MAX(start, end[graph->before[edge]]);
        end[task] = start + graph->duration[task];
        longest = MAX(longest, end[task]);
    }
    return longest;
}

static void
run_round(const PsimScheduleType *type, const PsimShape *shape, Figures *figures)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(PsimArena) lists = psim_arena_new();
    double since_s = now_s();
    const PsimOrder *order = psim_schedule_emit(type, shape, lists);

    note_step(figures, STEP_EMIT, &since_s);

    const PsimGraph *graph = psim_pipe_build(order, lists, arena);

    note_step(figures, STEP_BUILD, &since_s);

    const size_t graph_bytes = psim_arena_bytes(arena);

    since_s = now_s();

    const PsimReplay *swept = psim_sweep_run(graph, arena, /* error= */ NULL);

    note_step(figures, STEP_SWEEP, &since_s);
    figures->sweep_bytes = psim_arena_bytes(arena);

    g_autoptr(PsimArena) bare_arena = psim_arena_new();

    since_s = now_s();

    const PsimTime longest =
        find_longest_path(graph, psim_arena_array(bare_arena, PsimTime, graph->n_tasks));

    note_step(figures, STEP_BARE, &since_s);

    g_autoptr(PsimArena) events_arena = psim_arena_new();

    since_s = now_s();

    const PsimReplay *looped =
        psim_engine_run(graph, events_arena, /* observer= */ NULL, /* error= */ NULL);

    note_step(figures, STEP_EVENTS, &since_s);
    g_assert(swept->makespan == looped->makespan && longest <= swept->makespan);
    figures->n_ops = order->n_ranks * order->n_ops[0];
    figures->n_tasks = graph->n_tasks;
    figures->build_bytes = graph_bytes + psim_arena_bytes(lists);
    figures->events_bytes = graph_bytes + psim_arena_bytes(events_arena);
    figures->makespan = swept->makespan;
}

static bool
measure(const char *name, uint32_t p, uint32_t m, PsimTime expected)
{
    const PsimShape shape = {.n_ranks = p, .n_microbatches = m, .n_chunks = 1, .group = p};
    Figures figures = {0};

    for (int round = 0; round < N_ROUNDS; round++)
        run_round(psim_schedule_find(name), &shape, &figures);

    const double *best_s = figures.best_s;
    const double n_tasks = figures.n_tasks;
    const double total_s = best_s[STEP_EMIT] + best_s[STEP_BUILD] + best_s[STEP_SWEEP];
    const bool right = figures.makespan == expected;

    printf("%s PIPE(%u, %u): makespan %.1f, expected %.1f: %s\n", name, p, m,
           (double)figures.makespan / 10, (double)expected / 10, right ? "equal" : "WRONG");
    printf("  emit        %7.2f ns an op\n", best_s[STEP_EMIT] / figures.n_ops * 1e9);
    printf("  build       %7.2f ns a task\n", best_s[STEP_BUILD] / n_tasks * 1e9);
    printf("  sweep       %7.2f ns a task, %.2f of a bare longest path\n",
           best_s[STEP_SWEEP] / n_tasks * 1e9, best_s[STEP_SWEEP] / best_s[STEP_BARE]);
    printf("  bare path   %7.2f ns a task\n", best_s[STEP_BARE] / n_tasks * 1e9);
    printf("  event loop  %7.2f ns a task, %.2f of the sweep\n",
           best_s[STEP_EVENTS] / n_tasks * 1e9, best_s[STEP_EVENTS] / best_s[STEP_SWEEP]);
    printf("  emit + build + sweep %.1f ms for %u tasks\n", total_s * 1e3, figures.n_tasks);
    printf("  memory      %7.1f bytes a task while building, %.1f with the sweep, %.1f with the "
           "event loop\n",
           (double)figures.build_bytes / n_tasks, (double)figures.sweep_bytes / n_tasks,
           (double)figures.events_bytes / n_tasks);
    return right;
}

int
main(void)
{
    const bool one_f_one_b = measure("1f1b", 16, 31250, 996570);
    const bool gpipe = measure("gpipe", 16, 1000, 30480);

    return one_f_one_b && gpipe ? EXIT_SUCCESS : EXIT_FAILURE;
}
