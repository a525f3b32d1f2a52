/* SPDX-License-Identifier: MIT */
/* periods.h: the replay of a program, whose time does not grow with its microbatches
 *
 * Times are those of lowering and sweep, rule by rule; see lower/segment.c for data-parallel
 * collectives and lower/tail.c for the end of the step.
 *
 * All times are sums and maxima. So once the state of every rank, and the arrival of all that is
 * under way, is that of an earlier period plus one and the same shift, it goes on like this: so
 * many periods later it is so many shifts later.
 */
#pragma once

#include "sim/program.h"

G_BEGIN_DECLS

/* Room that is kept from replay to replay. */
typedef struct PsimPeriods PsimPeriods;

PsimPeriods *psim_periods_new(void);
void psim_periods_free(PsimPeriods *self);

/**
 * psim_periods_replay:
 * @ret_repeats    whether a period was found in every loop
 *
 * Returns: false if a time is beyond the clock.
 */
bool psim_periods_replay(PsimPeriods *self,
                         const PsimProgram *program,
                         const PsimWorkload *work,
                         PsimTime *ret_step,
                         bool *ret_repeats);

G_END_DECLS
