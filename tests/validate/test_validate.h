/* SPDX-License-Identifier: MIT */
#pragma once

#include "validate/tally.h"

#include <check.h>

Suite *cluster_suite(void);
Suite *published_suite(void);
Suite *row_suite(void);
Suite *statistics_suite(void);
Suite *tally_suite(void);
Suite *validation_suite(void);

/* A row from JSON text; the caller frees. */
PsimRow *test_row(const char *json);

/* A row of a plan that is whole, in which @change is put before the closing brace; caller frees. */
PsimRow *test_plain_row(const char *change);
