/* SPDX-License-Identifier: MIT */
#include "main.h"

Suite *critical_path_suite(void);
Suite *result_suite(void);
Suite *summary_suite(void);
Suite *track_suite(void);

PSIM_TEST_SUITES(summary_suite, critical_path_suite, track_suite, result_suite);
