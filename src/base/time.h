/* SPDX-License-Identifier: MIT */
/* time.h: simulated time, whole picoseconds, and its checked conversions
 *
 * The only two places where seconds and ticks meet. A step longer than psim_time_max_s() is
 * refused: we simulate steps, not months.
 */
#pragma once

#include "plansim.h"

G_BEGIN_DECLS

#define PSIM_TIME_MAX INT64_MAX

/**
 * psim_time_from_s:
 * @seconds_s    [s] 0 .. 9.2e6 (106 days)
 *
 * Returns: false if negative, not finite or too large.
 * Exact for: rounds half to even, so that the mean of many conversions has no bias.
 */
bool psim_time_from_s(double seconds_s, PsimTime *ret_time);

/** psim_time_to_s: Returns: [s], the nearest double. */
double psim_time_to_s(PsimTime time);

/** psim_time_add: Returns: the sum; PSIM_TIME_MAX where it would overflow (both >= 0). */
static inline PsimTime
psim_time_add(PsimTime a, PsimTime b)
{
    PsimTime sum = 0;

    return __builtin_add_overflow(a, b, &sum) ? PSIM_TIME_MAX : sum;
}

G_END_DECLS
