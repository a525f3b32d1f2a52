/* SPDX-License-Identifier: MIT */
/* Sweep, event loop and reference must agree on every graph, and obey what any replay obeys. */
#include "engine/sweep.h"
#include "graph/verify.h"
#include "random_graph.h"
#include "reference.h"
#include "suites.h"

#include <string.h>

#define N_SEEDS   3000
#define MAX_TASKS 40

static const PsimRandomChange unchanged = {0};

START_TEST(all_three_replays_agree)
{
    g_autoptr(PsimArena) arena = psim_arena_new();

    for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
        const PsimArenaMark mark = psim_arena_mark(arena);
        const PsimGraph *graph = psim_random_graph(seed, unchanged, arena);
        const PsimReplay *swept = psim_sweep_run(graph, arena, NULL);
        const PsimReplay *looped = psim_engine_run(graph, arena, NULL, NULL);
        PsimTime end[MAX_TASKS] = {0};
        const PsimTime makespan = psim_reference_run(graph, end);
        const size_t n_bytes = graph->n_tasks * sizeof end[0];
        const bool agree =
            swept->makespan == makespan && looped->makespan == makespan &&
            swept->n_events == graph->n_tasks && looped->n_events == graph->n_tasks &&
            memcmp(swept->end, end, n_bytes) == 0 && memcmp(looped->end, end, n_bytes) == 0;

        ck_assert_msg(psim_verify_graph(graph, /* balanced= */ false, NULL) && agree,
                      "the replays of seed %" G_GUINT64_FORMAT " differ", seed);
        psim_arena_rewind(arena, mark);
    }
}
END_TEST

/* The longest chain of edges alone, and the busiest stream: no replay beats either. */
static PsimTime
find_bound(const PsimGraph *graph)
{
    PsimTime chain[MAX_TASKS] = {0};
    PsimTime work[8] = {0};
    PsimTime bound = 0;

    for (uint32_t task = 0; task < graph->n_tasks; task++) {
        const uint32_t stream = graph->stream[task];

        for (uint32_t edge = graph->first[task]; edge < graph->first[task + 1]; edge++)
            chain[task] = MAX(chain[task], chain[graph->before[edge]]);
        chain[task] += graph->duration[task];
        work[stream] += graph->duration[task];
        bound = MAX(bound, MAX(chain[task], work[stream]));
    }
    return bound;
}

START_TEST(no_replay_beats_the_critical_path_or_the_busiest_stream)
{
    g_autoptr(PsimArena) arena = psim_arena_new();

    for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
        const PsimArenaMark mark = psim_arena_mark(arena);
        const PsimGraph *graph = psim_random_graph(seed, unchanged, arena);
        const PsimReplay *swept = psim_sweep_run(graph, arena, NULL);

        ck_assert_msg(swept->makespan >= find_bound(graph),
                      "seed %" G_GUINT64_FORMAT " is too fast", seed);
        psim_arena_rewind(arena, mark);
    }
}
END_TEST

START_TEST(doubled_durations_double_every_end)
{
    g_autoptr(PsimArena) arena = psim_arena_new();

    for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
        const PsimArenaMark mark = psim_arena_mark(arena);
        const PsimGraph *graph = psim_random_graph(seed, unchanged, arena);
        const PsimGraph *slow = psim_random_graph(seed, (PsimRandomChange){.times = 2}, arena);
        const PsimReplay *plain = psim_engine_run(graph, arena, NULL, NULL);
        const PsimReplay *doubled = psim_engine_run(slow, arena, NULL, NULL);
        bool doubles = doubled->makespan == 2 * plain->makespan;

        for (uint32_t task = 0; task < graph->n_tasks; task++)
            doubles = doubles && doubled->end[task] == 2 * plain->end[task];
        ck_assert_msg(doubles, "seed %" G_GUINT64_FORMAT " does not double", seed);
        psim_arena_rewind(arena, mark);
    }
}
END_TEST

START_TEST(an_edge_more_never_helps)
{
    g_autoptr(PsimArena) arena = psim_arena_new();

    for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
        const PsimArenaMark mark = psim_arena_mark(arena);
        const PsimGraph *graph = psim_random_graph(seed, unchanged, arena);
        const PsimGraph *more =
            psim_random_graph(seed, (PsimRandomChange){.add_edge = true}, arena);
        const PsimReplay *plain = psim_engine_run(graph, arena, NULL, NULL);
        const PsimReplay *bound = psim_engine_run(more, arena, NULL, NULL);
        bool later = true;

        ck_assert_uint_eq(more->n_edges, graph->n_edges + (graph->n_tasks > 1));
        for (uint32_t task = 0; task < graph->n_tasks; task++)
            later = later && bound->end[task] >= plain->end[task];
        ck_assert_msg(later, "an edge speeds up seed %" G_GUINT64_FORMAT, seed);
        psim_arena_rewind(arena, mark);
    }
}
END_TEST

/* What an onlooker has been told so far. */
typedef struct {
    const PsimGraph *graph;
    bool started[MAX_TASKS], finished[MAX_TASKS];
    PsimTime now;
    uint32_t last_start; /* of this instant; PSIM_TASK_NONE */
    bool good;
} Onlooker;

static void
note_time(Onlooker *self, PsimTime now)
{
    self->good = self->good && now >= self->now;
    if (now > self->now)
        self->last_start = PSIM_TASK_NONE;
    self->now = now;
}

static void
note_start(void *user, uint32_t task, PsimTime now)
{
    Onlooker *self = user;

    note_time(self, now);
    self->good = self->good && !self->started[task] &&
                 (self->last_start == PSIM_TASK_NONE || self->last_start < task);
    for (uint32_t edge = self->graph->first[task]; edge < self->graph->first[task + 1]; edge++)
        self->good = self->good && self->finished[self->graph->before[edge]];
    for (uint32_t older = 0; older < task; older++)
        self->good = self->good && (self->graph->stream[older] != self->graph->stream[task] ||
                                    self->finished[older]);
    self->started[task] = true;
    self->last_start = task;
}

static void
note_finish(void *user, uint32_t task, PsimTime now)
{
    Onlooker *self = user;

    note_time(self, now);
    /* Within an instant a finish follows a start only if that task took no time. */
    self->good = self->good && self->started[task] && !self->finished[task] &&
                 (self->last_start == PSIM_TASK_NONE || self->last_start == task);
    self->finished[task] = true;
}

START_TEST(observers_hear_finishes_before_starts_in_id_order)
{
    g_autoptr(PsimArena) arena = psim_arena_new();

    for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
        const PsimArenaMark mark = psim_arena_mark(arena);
        const PsimGraph *graph = psim_random_graph(seed, unchanged, arena);
        Onlooker onlooker = {.graph = graph, .last_start = PSIM_TASK_NONE, .good = true};
        const PsimObserver observer = {
            .started = note_start, .finished = note_finish, .user = &onlooker};

        (void)psim_engine_run(graph, arena, &observer, NULL);
        for (uint32_t task = 0; task < graph->n_tasks; task++)
            onlooker.good = onlooker.good && onlooker.finished[task];
        ck_assert_msg(onlooker.good, "the observer of seed %" G_GUINT64_FORMAT " was misled", seed);
        psim_arena_rewind(arena, mark);
    }
}
END_TEST

Suite *
agreement_suite(void)
{
    Suite *suite = suite_create("agreement");
    TCase *tcase = tcase_create("agreement");

    tcase_add_test(tcase, all_three_replays_agree);
    tcase_add_test(tcase, no_replay_beats_the_critical_path_or_the_busiest_stream);
    tcase_add_test(tcase, doubled_durations_double_every_end);
    tcase_add_test(tcase, an_edge_more_never_helps);
    tcase_add_test(tcase, observers_hear_finishes_before_starts_in_id_order);
    suite_add_tcase(suite, tcase);
    return suite;
}
