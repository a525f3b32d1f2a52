/* SPDX-License-Identifier: MIT */
#include "main.h"

Suite *arena_suite(void);
Suite *error_suite(void);
Suite *heap_suite(void);
Suite *rng_suite(void);
Suite *table_suite(void);
Suite *text_suite(void);
Suite *time_suite(void);
Suite *units_suite(void);

PSIM_TEST_SUITES(arena_suite,
                 error_suite,
                 heap_suite,
                 rng_suite,
                 table_suite,
                 text_suite,
                 time_suite,
                 units_suite);
