/* SPDX-License-Identifier: MIT */
/* stopwatch.h: what one core takes, where others use the machine too
 *
 * Time is that of the thread, so that what another process takes from the core does not count; the
 * least of the samples is what is worth most.
 */
#pragma once

#include "calibrate/backend.h"

G_BEGIN_DECLS

/** psim_cpu_now_s: Returns: processor time of the calling thread, [s]. */
double psim_cpu_now_s(void);

/** psim_cpu_clock_hz: Returns: cycles a second, by a chain of additions of one cycle each, [Hz]. */
double psim_cpu_clock_hz(void);

/* Memory that is written to drive other data out of the caches. */
typedef struct {
    unsigned char *bytes; /* (n_bytes) */
    size_t n_bytes;
} PsimCpuFlush;

/** psim_cpu_flush: writes all of it. */
void psim_cpu_flush(PsimCpuFlush *self);

/**
 * psim_cpu_time:
 * Times @run(@user) as @policy says.
 *
 * @flush    what is written before each batch of a cold case
 *
 * Ownership: the samples are the caller's to clear.
 */
void psim_cpu_time(void (*run)(void *user),
                   void *user,
                   const PsimPolicy *policy,
                   PsimCpuFlush *flush,
                   PsimSamples *ret_samples);

/** psim_cpu_scattered: Returns: whether both halves of the samples have a median absolute deviation
 * above 3 % of their median. */
bool psim_cpu_scattered(const double *seconds, uint32_t n);

G_END_DECLS
