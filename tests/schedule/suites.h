/* SPDX-License-Identifier: MIT */
/* suites.h: the suites of this program, one a file */
#pragma once

#include "main.h"

Suite *schedule_suite(void);
Suite *partition_suite(void);
Suite *orders_suite(void);
Suite *replays_suite(void);
Suite *pictures_suite(void);
Suite *rules_suite(void);
Suite *auto_suite(void);
Suite *csv_suite(void);
Suite *csv_files_suite(void);
Suite *csv_lower_suite(void);
