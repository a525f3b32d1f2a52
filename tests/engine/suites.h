/* SPDX-License-Identifier: MIT */
/* suites.h: the suites of this program, one a file */
#pragma once

#include "main.h"

Suite *engine_suite(void);
Suite *agreement_suite(void);
Suite *ledger_suite(void);
