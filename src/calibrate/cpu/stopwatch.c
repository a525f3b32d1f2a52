/* SPDX-License-Identifier: MIT */
#include "calibrate/cpu/stopwatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHAIN_LENGTH     200000u
#define SCATTER_FRACTION 0.03
#define MAX_CLOCK_MOVE   0.05
#define LEAST_SAMPLES    3u
#define MAX_RUNS_A_BATCH (UINT64_C(1) << 32)

double
psim_cpu_now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Each addition needs the one before, so a chain takes a cycle a link on every processor. */
static double
time_chain_s(void)
{
    const double begin = psim_cpu_now_s();
    uint64_t sum = 1;

    for (uint32_t i = 0; i < CHAIN_LENGTH; i += 8) {
        for (uint32_t link = 0; link < 8; link++) {
            sum += i;
            __asm__ volatile("" : "+r"(sum));
        }
    }
    return psim_cpu_now_s() - begin;
}

double
psim_cpu_clock_hz(void)
{
    double least_s = HUGE_VAL;

    for (unsigned i = 0; i < 3; i++)
        least_s = MIN(least_s, time_chain_s());
    return least_s > 0.0 ? (double)CHAIN_LENGTH / least_s : 0.0;
}

void
psim_cpu_flush(PsimCpuFlush *self)
{
    static unsigned char value;

    memset(self->bytes, ++value, self->n_bytes);
    __asm__ volatile("" : : "r"(self->bytes) : "memory");
}

static double
time_batch_s(void (*run)(void *user), void *user, uint64_t n_runs)
{
    const double begin = psim_cpu_now_s();

    for (uint64_t i = 0; i < n_runs; i++)
        run(user);
    return psim_cpu_now_s() - begin;
}

/* A cold case is over as soon as its data are warm; others are repeated until the clock's own time
 * is small beside them. */
static uint64_t
choose_runs(void (*run)(void *user), void *user, const PsimPolicy *policy)
{
    uint64_t n_runs = 1;

    if (policy->cold)
        return 1;
    while (n_runs < MAX_RUNS_A_BATCH && time_batch_s(run, user, n_runs) < policy->batch_s)
        n_runs *= 2;
    return n_runs;
}

static int
compare_doubles(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;

    return (left > right) - (left < right);
}

static double
find_median(double *values, uint32_t n)
{
    qsort(values, n, sizeof *values, compare_doubles);
    return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

static bool
is_scattered(const double *seconds, uint32_t n)
{
    g_autofree double *work = g_memdup2(seconds, n * sizeof *seconds);
    const double median = find_median(work, n);

    for (uint32_t i = 0; i < n; i++)
        work[i] = fabs(seconds[i] - median);
    return find_median(work, n) > SCATTER_FRACTION * median;
}

bool
psim_cpu_scattered(const double *seconds, uint32_t n)
{
    const uint32_t half = n / 2;

    return half >= LEAST_SAMPLES && is_scattered(seconds, half) &&
           is_scattered(seconds + half, n - half);
}

static unsigned
find_flags(const PsimSamples *samples, const PsimPolicy *policy)
{
    const double before = samples->clock_before_hz;
    const double after = samples->clock_after_hz;
    unsigned flags = 0;

    if (psim_cpu_scattered(samples->seconds, samples->n))
        flags |= PSIM_FLAG_SCATTERED;
    if (fabs(after - before) > MAX_CLOCK_MOVE * before)
        flags |= PSIM_FLAG_CLOCK_MOVED;
    if (samples->n < policy->n_batches)
        flags |= PSIM_FLAG_SHORT;
    return flags;
}

void
psim_cpu_time(void (*run)(void *user),
              void *user,
              const PsimPolicy *policy,
              PsimCpuFlush *flush,
              PsimSamples *ret_samples)
{
    const gint64 end = g_get_monotonic_time() + (gint64)(policy->budget_s * 1e6);
    const uint32_t n_most = MAX(policy->n_batches, LEAST_SAMPLES);
    const uint64_t n_runs = choose_runs(run, user, policy);
    PsimSamples samples = {.n_a_batch = n_runs};

    samples.seconds = g_new(double, n_most);
    samples.clock_before_hz = psim_cpu_clock_hz();
    for (uint32_t i = 0; i < policy->n_warm_up; i++)
        (void)time_batch_s(run, user, n_runs);
    while (samples.n < n_most && (samples.n < LEAST_SAMPLES || g_get_monotonic_time() < end)) {
        if (policy->cold)
            psim_cpu_flush(flush);
        samples.seconds[samples.n++] = time_batch_s(run, user, n_runs) / (double)n_runs;
    }
    samples.clock_after_hz = psim_cpu_clock_hz();
    samples.flags = find_flags(&samples, policy);
    *ret_samples = samples;
}
