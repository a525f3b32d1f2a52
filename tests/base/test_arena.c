/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

Suite *arena_suite(void);

static bool
is_zero(const char *bytes, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes; i++) {
        if (bytes[i] != 0)
            return false;
    }
    return true;
}

START_TEST(alloc_hands_out_zeroed_aligned_memory_of_any_size)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 300000, 5000000};
    g_autoptr(PsimArena) arena = psim_arena_new();

    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        char *block = psim_arena_alloc(arena, sizes[i], 1);

        ck_assert_uint_eq((uintptr_t)block % 64, 0);
        ck_assert(is_zero(block, sizes[i]));
        memset(block, 0xff, sizes[i]);
    }
}
END_TEST

START_TEST(blocks_do_not_overlap)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    uint64_t *blocks[1000];

    for (size_t i = 0; i < G_N_ELEMENTS(blocks); i++) {
        blocks[i] = psim_arena_array(arena, uint64_t, 100);
        for (size_t j = 0; j < 100; j++)
            blocks[i][j] = i;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(blocks); i++) {
        for (size_t j = 0; j < 100; j++)
            ck_assert_uint_eq(blocks[i][j], i);
    }
}
END_TEST

START_TEST(rewind_forgets_and_hands_out_zeroed_memory_again)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    char *kept = psim_arena_strdup(arena, "kept");
    const PsimArenaMark mark = psim_arena_mark(arena);
    char *first = psim_arena_alloc(arena, 1000, 1);

    memset(first, 0xff, 1000);
    (void)memset(psim_arena_alloc(arena, 600000, 1), 0xff, 600000);
    const size_t bytes = psim_arena_bytes(arena);

    psim_arena_rewind(arena, mark);
    char *again = psim_arena_alloc(arena, 2000, 1);

    ck_assert_ptr_eq(again, first);
    ck_assert(is_zero(again, 2000));
    ck_assert(is_zero(psim_arena_alloc(arena, 600000, 1), 600000));
    ck_assert_uint_eq(psim_arena_bytes(arena), bytes);
    ck_assert_str_eq(kept, "kept");
}
END_TEST

START_TEST(rewind_to_the_start_keeps_the_chunks)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimArenaMark start = psim_arena_mark(arena);

    ck_assert_uint_eq(psim_arena_bytes(arena), 0);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 100; i++)
            (void)psim_arena_alloc(arena, 10000, 1);
        psim_arena_rewind(arena, start);
    }
    ck_assert_uint_le(psim_arena_bytes(arena), 2000000);
}
END_TEST

START_TEST(texts_are_copied_and_formatted)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    char source[] = "source";
    const char *copy = psim_arena_strdup(arena, source);

    source[0] = 'X';
    ck_assert_str_eq(copy, "source");
    ck_assert_ptr_null(psim_arena_strdup(arena, NULL));
    ck_assert_str_eq(psim_arena_printf(arena, "%s %d", "stage", 3), "stage 3");
    ck_assert_str_eq(psim_arena_strdup(arena, ""), "");
}
END_TEST

START_TEST(free_takes_null)
{
    psim_arena_free(NULL);
}
END_TEST

Suite *
arena_suite(void)
{
    Suite *suite = suite_create("arena");
    TCase *tests = tcase_create("arena");

    tcase_add_test(tests, alloc_hands_out_zeroed_aligned_memory_of_any_size);
    tcase_add_test(tests, blocks_do_not_overlap);
    tcase_add_test(tests, rewind_forgets_and_hands_out_zeroed_memory_again);
    tcase_add_test(tests, rewind_to_the_start_keeps_the_chunks);
    tcase_add_test(tests, texts_are_copied_and_formatted);
    tcase_add_test(tests, free_takes_null);
    suite_add_tcase(suite, tests);
    return suite;
}
