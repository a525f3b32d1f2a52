/* SPDX-License-Identifier: MIT */
#pragma once

#include "fake.h"

#include <check.h>

Suite *accuracy_suite(void);
Suite *check_suite(void);
Suite *cpu_suite(void);
Suite *fit_suite(void);
Suite *hardware_text_suite(void);
Suite *log_suite(void);
Suite *measured_suite(void);
Suite *record_place_suite(void);
Suite *record_suite(void);
Suite *resume_suite(void);
Suite *shapes_suite(void);
