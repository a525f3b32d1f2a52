/* SPDX-License-Identifier: MIT */
/* questions.h: the suites about further questions: by how much, why, and where the gap is
 */
#pragma once

#include <check.h>

Suite *gap_suite(void);
Suite *sensitivity_suite(void);
Suite *why_suite(void);
