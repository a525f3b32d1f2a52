/* SPDX-License-Identifier: MIT */
#include "main.h"

Suite *arguments_suite(void);
Suite *help_suite(void);
Suite *ticks_suite(void);

PSIM_TEST_SUITES(arguments_suite, help_suite, ticks_suite);
