/* SPDX-License-Identifier: MIT */
/* suites.h: the suites of this program, one a file */
#pragma once

#include "main.h"

Suite *graph_suite(void);
Suite *verify_suite(void);
Suite *print_suite(void);
