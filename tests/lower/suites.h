/* SPDX-License-Identifier: MIT */
/* suites.h: the suites of this program */
#pragma once

#include <check.h>

Suite *lower_suite(void);
Suite *parallel_suite(void);
Suite *balance_suite(void);
Suite *zero_bubble_suite(void);
Suite *zero_bubble_refuted_suite(void);
Suite *bidirectional_suite(void);
Suite *dualpipe_suite(void);
