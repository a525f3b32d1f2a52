/* SPDX-License-Identifier: MIT */
#include "base/heap.h"

void
psim_heap_init(PsimHeap *self, PsimArena *arena, size_t capacity)
{
    *self = (PsimHeap){
        .events = psim_arena_array(arena, PsimEvent, MAX(capacity, 1)),
        .capacity = MAX(capacity, 1),
    };
}

#ifdef PSIM_PARANOID
static void
check_order(const PsimHeap *self)
{
    for (size_t i = 1; i < self->n_events; i++)
        g_assert(!psim_event_before(self->events[i], self->events[(i - 1) / 2]));
}
#else
#define check_order(self) ((void)0)
#endif

static void
sift_up(PsimHeap *self, size_t hole, PsimEvent event)
{
    while (hole > 0) {
        const size_t parent = (hole - 1) / 2;

        if (!psim_event_before(event, self->events[parent]))
            break;
        self->events[hole] = self->events[parent];
        hole = parent;
    }
    self->events[hole] = event;
    check_order(self);
}

static void
sift_down(PsimHeap *self, PsimEvent event)
{
    size_t hole = 0;

    for (size_t child = 1; child < self->n_events; child = 2 * hole + 1) {
        if (child + 1 < self->n_events &&
            psim_event_before(self->events[child + 1], self->events[child]))
            child++;
        if (!psim_event_before(self->events[child], event))
            break;
        self->events[hole] = self->events[child];
        hole = child;
    }
    self->events[hole] = event;
    check_order(self);
}

void
psim_heap_push(PsimHeap *self, PsimEvent event)
{
    g_assert(self->n_events < self->capacity);
    sift_up(self, self->n_events++, event);
}

PsimEvent
psim_heap_pop(PsimHeap *self)
{
    g_assert(self->n_events > 0);
    const PsimEvent least = self->events[0];
    const PsimEvent last = self->events[--self->n_events];

    if (self->n_events > 0)
        sift_down(self, last);
    return least;
}

PsimEvent
psim_heap_replace(PsimHeap *self, PsimEvent event)
{
    g_assert(self->n_events > 0);
    const PsimEvent least = self->events[0];

    sift_down(self, event);
    return least;
}
