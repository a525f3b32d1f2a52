/* SPDX-License-Identifier: MIT */
/* One flag says whose turn it is. Who waits gives the core away between looks, so that two threads
 * on one busy core end too.
 *
 *     ping   copy in, turn = 1 |                             | copy out
 *     pong                     | copy out, copy in, turn = 0 |
 */
#include "calibrate/cpu/exchange.h"

#include "calibrate/cpu/stopwatch.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define LEAST_SAMPLES 3u
#define LOOKS         2000u

typedef struct {
    unsigned char *box; /* (bytes) what both see */
    size_t bytes;
    atomic_int turn; /* 0: ping's, 1: pong's, 2: over */
    bool intact;
} Exchange;

static double
now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns: the turn that came. */
static int
await(Exchange *self, int turn)
{
    uint32_t n_looks = 0;
    int found = atomic_load_explicit(&self->turn, memory_order_acquire);

    while (found != turn && found != 2) {
        if (++n_looks % LOOKS == 0)
            (void)sched_yield();
        found = atomic_load_explicit(&self->turn, memory_order_acquire);
    }
    return found;
}

/* A GThreadFunc. */
static void *
answer(void *user)
{
    Exchange *self = user;
    unsigned char *own = g_malloc0(self->bytes);

    while (await(self, 1) == 1) {
        memcpy(own, self->box, self->bytes);
        own[0]++;
        memcpy(self->box, own, self->bytes);
        atomic_store_explicit(&self->turn, 0, memory_order_release);
    }
    g_free(own);
    return NULL;
}

static double
time_round_s(Exchange *self, unsigned char *own)
{
    const unsigned char first = own[0];
    const double begin = now_s();

    memcpy(self->box, own, self->bytes);
    atomic_store_explicit(&self->turn, 1, memory_order_release);
    (void)await(self, 0);
    memcpy(own, self->box, self->bytes);

    const double end = now_s();

    self->intact = self->intact && own[0] == (unsigned char)(first + 1u);
    return end - begin;
}

bool
psim_cpu_exchange_time(uint64_t bytes, const PsimPolicy *policy, PsimSamples *ret_samples)
{
    const double end = now_s() + policy->budget_s;
    const uint32_t n_most = MAX(policy->n_batches, 1);
    Exchange exchange = {.box = g_malloc0(bytes), .bytes = bytes, .intact = true};
    unsigned char *own = g_malloc0(bytes);
    PsimSamples samples = {.seconds = g_new(double, n_most), .n_a_batch = 1};
    GThread *thread = g_thread_new("answer", answer, &exchange);

    for (uint32_t i = 0; i < policy->n_warm_up; i++)
        (void)time_round_s(&exchange, own);
    while (samples.n < n_most && (samples.n < LEAST_SAMPLES || now_s() < end))
        samples.seconds[samples.n++] = time_round_s(&exchange, own) / 2.0;
    atomic_store_explicit(&exchange.turn, 2, memory_order_release);
    (void)g_thread_join(thread);
    if (psim_cpu_scattered(samples.seconds, samples.n))
        samples.flags |= PSIM_FLAG_SCATTERED;
    if (samples.n < n_most)
        samples.flags |= PSIM_FLAG_SHORT;
    g_free(own);
    g_free(exchange.box);
    *ret_samples = samples;
    return exchange.intact;
}
