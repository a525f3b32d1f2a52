/* SPDX-License-Identifier: MIT */
/* suites.h: the suites of this program */
#pragma once

#include <check.h>

Suite *balance_suite(void);
Suite *context_suite(void);
Suite *schedule_alone_suite(void);
Suite *schedule_csv_suite(void);
Suite *simulate_suite(void);
Suite *systems_suite(void);
