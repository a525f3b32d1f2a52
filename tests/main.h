/* SPDX-License-Identifier: MIT */
/* main.h: what a test program gives to tests/main.c: its suites */
#pragma once

#include <check.h>
#include <stddef.h>

/* Defined by each test program with PSIM_TEST_SUITES. */
extern Suite *(*const psim_test_suites[])(void);
extern const size_t psim_n_test_suites;

/* PSIM_TEST_SUITES(arena_suite, heap_suite) */
#define PSIM_TEST_SUITES(...)                                                                      \
    Suite *(*const psim_test_suites[])(void) = {__VA_ARGS__};                                      \
    const size_t psim_n_test_suites = sizeof psim_test_suites / sizeof psim_test_suites[0]
