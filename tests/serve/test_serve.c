/* SPDX-License-Identifier: MIT */
#include "main.h"

Suite *query_suite(void);
Suite *answer_suite(void);

PSIM_TEST_SUITES(query_suite, answer_suite);
