/* SPDX-License-Identifier: MIT */
/* The event loop. Invariant: every stream is in one of three states.
 *
 *    waiting   its next task has a predecessor that has not ended, and the stream is in that
 *              predecessor's list of waiters; the edges before it are known to be done
 *    ready     its next task is in the heap of ready tasks, by id
 *    running   its next task is in the heap of running tasks, by (time, kind, id)
 *
 * So there is at most one live event a stream, an edge is looked at once or twice, and neither a
 * count of predecessors nor a table of successors is needed. What is to be done when a task ends
 * stands where its end will stand, so the loop needs no memory a task beyond its result:
 *
 *    bit 63       62 .. 32             31 .. 0
 *    1: pending   first waiter + 1     next task of the stream
 *    0: ended     time of the end
 */
#include "engine/engine.h"

#include "base/heap.h"

/* How many events pass between two questions whether to go on. */
#define EVENTS_PER_QUESTION 4096u

#define PENDING     (UINT64_C(1) << 63)
#define MAX_STREAMS (UINT32_MAX >> 1)

enum { EVENT_FINISH };

typedef struct {
    uint32_t task;        /* the next one, or the one that runs; PSIM_TASK_NONE: no more */
    uint32_t edge;        /* the first of its edges not known to be done */
    uint32_t next_waiter; /* the next stream + 1 in the list this one is in */
} Stream;

typedef struct {
    const PsimGraph *graph;
    const PsimObserver *observer;
    PsimTime now;
    PsimHeap running;
    PsimHeap ready;
    Stream *streams; /* (n_streams) */
    uint64_t *tasks; /* (n_tasks) pending or ended, see above */
    uint64_t n_events;
} Loop;

static uint32_t
first_waiter(uint64_t pending)
{
    return (uint32_t)(pending >> 32) & MAX_STREAMS;
}

static uint64_t
with_waiter(uint64_t pending, uint32_t waiter)
{
    return PENDING | ((uint64_t)waiter << 32) | (uint32_t)pending;
}

static void
thread_streams(Loop *self)
{
    const PsimGraph *graph = self->graph;

    for (uint32_t stream = 0; stream < graph->n_streams; stream++)
        self->streams[stream].task = PSIM_TASK_NONE;
    /* Backwards, so that each stream's record ends up at its first task. */
    for (uint32_t task = graph->n_tasks; task-- > 0;) {
        Stream *stream = &self->streams[graph->stream[task]];

        self->tasks[task] = PENDING | stream->task;
        stream->task = task;
    }
}

/* Moves a stream on to ready, or to the list of the first predecessor that has not ended. */
static void
look_at_edges(Loop *self, uint32_t index)
{
    const PsimGraph *graph = self->graph;
    Stream *stream = &self->streams[index];
    const uint32_t last_edge = graph->first[stream->task + 1];

    for (; stream->edge < last_edge; stream->edge++) {
        uint64_t *before = &self->tasks[graph->before[stream->edge]];

        if (!(*before & PENDING))
            continue;
        stream->next_waiter = first_waiter(*before);
        *before = with_waiter(*before, index + 1);
        return;
    }
    psim_heap_push(&self->ready, (PsimEvent){.id = stream->task});
}

/* Streams are at far-apart tasks, so what the task after this one needs is asked for meanwhile;
 * this makes the loop indifferent to how tasks are numbered (27 -> 21 ns a task for PIPE(16,
 * 31250)). */
static void
fetch_ahead(const Loop *self, uint32_t task)
{
    const PsimGraph *graph = self->graph;

    if (task == PSIM_TASK_NONE)
        return;
    __builtin_prefetch(&self->tasks[task]);
    __builtin_prefetch(&graph->first[task]);
    __builtin_prefetch(&graph->stream[task]);
    __builtin_prefetch(&graph->duration[task]);
}

static void
take_task(Loop *self, uint32_t index, uint32_t task)
{
    self->streams[index].task = task;
    if (task == PSIM_TASK_NONE)
        return;
    self->streams[index].edge = self->graph->first[task];
    fetch_ahead(self, /* task= */ (uint32_t)self->tasks[task]);
    look_at_edges(self, index);
}

static void
wake_waiters(Loop *self, uint32_t waiter)
{
    while (waiter != 0) {
        const uint32_t index = waiter - 1;

        waiter = self->streams[index].next_waiter;
        look_at_edges(self, index);
    }
}

static void
finish_least(Loop *self)
{
    const PsimEvent event = psim_heap_pop(&self->running);
    const uint64_t pending = self->tasks[event.id];

    g_assert(event.time >= self->now);
    self->now = event.time;
    self->tasks[event.id] = (uint64_t)event.time;
    self->n_events++;
    if (self->observer != NULL && self->observer->finished != NULL)
        self->observer->finished(self->observer->user, event.id, self->now);
    wake_waiters(self, first_waiter(pending));
    take_task(self, self->graph->stream[event.id], (uint32_t)pending);
}

static bool
start_least(Loop *self, GError **error)
{
    const uint32_t task = psim_heap_pop(&self->ready).id;
    PsimTime end = 0;

    if (__builtin_add_overflow(self->now, self->graph->duration[task], &end)) {
        psim_engine_set_too_long(error);
        return false;
    }
    if (self->observer != NULL && self->observer->started != NULL)
        self->observer->started(self->observer->user, task, self->now);
    psim_heap_push(&self->running, (PsimEvent){.time = end, .kind = EVENT_FINISH, .id = task});
    return true;
}

static bool
is_cancelled(const Loop *self)
{
    return self->observer != NULL && self->observer->cancelled != NULL &&
           self->n_events % EVENTS_PER_QUESTION == 0 &&
           self->observer->cancelled(self->observer->user);
}

/* At each instant finishes come first, then starts; both by id. A task that takes no time ends
 * before the next one starts. */
static bool
take_step(Loop *self, GError **error)
{
    const bool finishes_now =
        self->running.n_events > 0 && self->running.events[0].time == self->now;

    if (self->ready.n_events > 0 && !finishes_now)
        return start_least(self, error);
    if (is_cancelled(self)) {
        g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_CANCELLED, "cancelled");
        return false;
    }
    finish_least(self);
    return true;
}

static bool
run_loop(Loop *self, GError **error)
{
    while (self->running.n_events > 0 || self->ready.n_events > 0) {
        if (!take_step(self, error))
            return false;
    }
    /* Ids are topological, so no cycle can have kept a task from running. */
    g_assert(self->n_events == self->graph->n_tasks);
    return true;
}

void
psim_engine_set_too_long(GError **error)
{
    g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_LIMIT,
                        "the step is longer than 106 days, the range of a clock of whole "
                        "picoseconds; shorten it, by fewer microbatches for instance");
}

PsimReplay *
psim_engine_run(const PsimGraph *graph,
                PsimArena *arena,
                const PsimObserver *observer,
                GError **error)
{
    PsimReplay *replay = psim_arena_array(arena, PsimReplay, 1);
    uint64_t *tasks = psim_arena_array(arena, uint64_t, graph->n_tasks);
    /* What follows the result is scratch. */
    const PsimArenaMark mark = psim_arena_mark(arena);
    Loop loop = {
        .graph = graph,
        .observer = observer,
        .streams = psim_arena_array(arena, Stream, graph->n_streams),
        .tasks = tasks,
    };

    g_assert(graph->n_streams < MAX_STREAMS);
    psim_heap_init(&loop.running, arena, graph->n_streams);
    psim_heap_init(&loop.ready, arena, graph->n_streams);
    thread_streams(&loop);
    for (uint32_t stream = 0; stream < graph->n_streams; stream++)
        take_task(&loop, stream, loop.streams[stream].task);

    const bool done = run_loop(&loop, error);

    *replay = (PsimReplay){
        /* All have ended: each word is a time, and both types may look at it. */
        .end = (PsimTime *)tasks,
        .makespan = loop.now,
        .n_events = loop.n_events,
    };
    psim_arena_rewind(arena, mark);
    return done ? replay : NULL;
}
