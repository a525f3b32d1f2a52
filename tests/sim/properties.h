/* SPDX-License-Identifier: MIT */
/* properties.h: the suites on random plans: which way the answer goes, and what its parts sum to
 */
#pragma once

#include <check.h>

Suite *monotone_suite(void);
Suite *totals_suite(void);
