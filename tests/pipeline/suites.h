/* SPDX-License-Identifier: MIT */
/* suites.h: the suites of test-pipeline
 */
#pragma once

#include <check.h>

Suite *gradients_suite(void);
Suite *kernels_suite(void);
Suite *train_suite(void);
