/* SPDX-License-Identifier: MIT */
#include "base/time.h"

#include <math.h>

bool
psim_time_from_s(double seconds_s, PsimTime *ret_time)
{
    /* 2^63 as a double; everything below it converts without overflow. */
    const double limit_ps = 9223372036854775808.0;
    const double ticks_ps = seconds_s * (double)PSIM_TIME_PER_S;

    if (!(ticks_ps >= 0.0) || !(ticks_ps < limit_ps))
        return false;
    /* The default rounding mode is half to even. */
    *ret_time = (PsimTime)nearbyint(ticks_ps);
    return true;
}

double
psim_time_to_s(PsimTime time)
{
    return (double)time / (double)PSIM_TIME_PER_S;
}
