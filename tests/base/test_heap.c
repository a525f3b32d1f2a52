/* SPDX-License-Identifier: MIT */
#include "base/heap.h"

#include "base/rng.h"

#include <check.h>

Suite *heap_suite(void);

/* Few distinct times and kinds, so that the later fields decide often. */
static PsimEvent
make_event(uint64_t seed, uint32_t id)
{
    return (PsimEvent){
        .time = psim_rng_below(seed, id, 8),
        .kind = psim_rng_below(seed + 1, id, 3),
        .id = id,
    };
}

START_TEST(events_are_ordered_by_time_then_kind_then_id)
{
    const PsimEvent least = {.time = 1, .kind = 1, .id = 1};

    ck_assert(psim_event_before(least, (PsimEvent){.time = 2, .kind = 0, .id = 0}));
    ck_assert(psim_event_before(least, (PsimEvent){.time = 1, .kind = 2, .id = 0}));
    ck_assert(psim_event_before(least, (PsimEvent){.time = 1, .kind = 1, .id = 2}));
    ck_assert(!psim_event_before(least, least));
}
END_TEST

START_TEST(pop_gives_all_in_order_whatever_the_order_of_pushes)
{
    enum { N = 500 };
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimHeap heap;

    psim_heap_init(&heap, arena, N);
    for (uint32_t i = 0; i < N; i++)
        psim_heap_push(&heap, make_event((uint64_t)_i, (i * 7 + (uint32_t)_i) % N));

    PsimEvent last = psim_heap_pop(&heap);

    for (uint32_t i = 1; i < N; i++) {
        const PsimEvent next = psim_heap_pop(&heap);

        ck_assert(psim_event_before(last, next));
        last = next;
    }
    ck_assert_uint_eq(heap.n_events, 0);
}
END_TEST

START_TEST(replace_is_a_pop_and_a_push)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimHeap one;
    PsimHeap other;

    psim_heap_init(&one, arena, 64);
    psim_heap_init(&other, arena, 64);
    for (uint32_t i = 0; i < 50; i++) {
        psim_heap_push(&one, make_event(3, i));
        psim_heap_push(&other, make_event(3, i));
    }
    for (uint32_t i = 50; i < 500; i++) {
        PsimEvent event = make_event(3, i);

        event.time += one.events[0].time;
        const PsimEvent replaced = psim_heap_replace(&one, event);
        const PsimEvent popped = psim_heap_pop(&other);

        psim_heap_push(&other, event);
        ck_assert_uint_eq(replaced.id, popped.id);
    }
}
END_TEST

START_TEST(a_heap_of_no_capacity_holds_one)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimHeap heap;

    psim_heap_init(&heap, arena, 0);
    psim_heap_push(&heap, (PsimEvent){.id = 9});
    ck_assert_uint_eq(psim_heap_pop(&heap).id, 9);
}
END_TEST

Suite *
heap_suite(void)
{
    Suite *suite = suite_create("heap");
    TCase *tests = tcase_create("heap");

    tcase_add_test(tests, events_are_ordered_by_time_then_kind_then_id);
    tcase_add_loop_test(tests, pop_gives_all_in_order_whatever_the_order_of_pushes, 0, 10);
    tcase_add_test(tests, replace_is_a_pop_and_a_push);
    tcase_add_test(tests, a_heap_of_no_capacity_holds_one);
    suite_add_tcase(suite, tests);
    return suite;
}
