/* SPDX-License-Identifier: MIT */
/* heap.h: a binary min-heap of events, ordered by (time, kind, id)
 *
 * The order is total and a property of the events alone, so that the order of insertion never shows
 * in a result. A 4-ary heap gained nothing in measurements; this is the shorter one.
 */
#pragma once

#include "base/arena.h"
#include "plansim.h"

G_BEGIN_DECLS

typedef struct {
    PsimTime time;
    uint32_t kind;
    uint32_t id;
} PsimEvent;

typedef struct {
    PsimEvent *events; /* (capacity) */
    size_t n_events;
    size_t capacity;
} PsimHeap;

/** psim_heap_init: room for @capacity events, from @arena. */
void psim_heap_init(PsimHeap *self, PsimArena *arena, size_t capacity);

/** psim_heap_push: the heap must have room (checked). Cost: O(log n). */
void psim_heap_push(PsimHeap *self, PsimEvent event);

/** psim_heap_pop: Returns: the least event; the heap must not be empty (checked). */
PsimEvent psim_heap_pop(PsimHeap *self);

/** psim_heap_replace: pops the least and pushes @event in one descent. */
PsimEvent psim_heap_replace(PsimHeap *self, PsimEvent event);

/** psim_event_before: Returns: whether @a comes strictly before @b. */
static inline bool
psim_event_before(PsimEvent a, PsimEvent b)
{
    if (a.time != b.time)
        return a.time < b.time;
    if (a.kind != b.kind)
        return a.kind < b.kind;
    return a.id < b.id;
}

G_END_DECLS
