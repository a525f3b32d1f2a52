/* SPDX-License-Identifier: MIT */
/* bare.h: a plan so bare that its step is known by hand
 *
 * Two stages of two layers each, four microbatches of one sample, 1F1B. A layer takes 1 TFLOP
 * forward and 2 TFLOP backward at 50 TFLOP/s (half of the peak): 20 ms and 40 ms. Nothing else
 * takes any time, so a step is (m + p - 1) x 120 ms = 600 ms.
 */
#pragma once

#include "plansim.h"

#define BARE_STEP_PS INT64_C(600000000000)

/** bare_plan: with overrides "/pointer=value" up to a NULL; fails the test on error. */
PsimPlan *bare_plan(const char *first, ...) G_GNUC_NULL_TERMINATED;
