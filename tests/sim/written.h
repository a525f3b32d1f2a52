/* SPDX-License-Identifier: MIT */
/* written.h: a result as text, for tests */
#pragma once

#include "plansim.h"

/** written: Returns: the result in a format; the caller frees. */
char *written(const PsimResult *result, const char *format);

/** load_plan: a preset or file, with overrides "/pointer=value" up to a NULL; fails the test on
 * error. */
PsimPlan *load_plan(const char *name, ...) G_GNUC_NULL_TERMINATED;
