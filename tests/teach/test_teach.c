/* SPDX-License-Identifier: MIT */
#include "main.h"

Suite *expression_suite(void);
Suite *template_suite(void);
Suite *wrap_suite(void);

PSIM_TEST_SUITES(expression_suite, template_suite, wrap_suite);
