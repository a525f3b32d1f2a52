/* SPDX-License-Identifier: MIT */
/* PIPE(p, m) through the public interface: generation, lowering, sweep, bubble and memory.
 *
 * tF = 10, tB = 20, one tick a hop, one channel a neighbour and direction: the yardstick all
 * engines can run. Prints best and median of several rounds; fails if the makespan is not the
 * closed form.
 */
#include "plansim.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define N_ROUNDS 9

static double
now_ms(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static int
compare_doubles(const void *a, const void *b)
{
    const double first = *(const double *)a;
    const double second = *(const double *)b;

    return (first > second) - (first < second);
}

/* Returns: whether the makespan is @expected ticks. */
static bool
bench(const char *schedule, uint32_t p, uint32_t m, PsimTime expected)
{
    double times_ms[N_ROUNDS];
    PsimSummary summary = {.size = sizeof summary};

    for (int i = 0; i < N_ROUNDS; i++) {
        PsimScheduleOptions options = PSIM_SCHEDULE_OPTIONS_INIT;
        const double begin_ms = now_ms();

        options.name = schedule;
        options.n_ranks = p;
        options.n_microbatches = m;
        options.forward = options.backward_input = options.backward_weight = 10;
        options.latency = 1;
        options.channels = true;
        g_autoptr(PsimResult) result = psim_schedule_simulate(&options, NULL);

        times_ms[i] = now_ms() - begin_ms;
        psim_result_summary(result, &summary);
    }
    qsort(times_ms, N_ROUNDS, sizeof times_ms[0], compare_doubles);
    printf("%-6s PIPE(%u,%u): %8" G_GUINT64_FORMAT " tasks, best %7.2f ms, median %7.2f ms, "
           "%5.1f M tasks/s, makespan %.1f%s\n",
           schedule, p, m, summary.n_tasks, times_ms[0], times_ms[N_ROUNDS / 2],
           (double)summary.n_tasks / times_ms[0] * 1e-3, (double)summary.step / 10.0,
           summary.step == expected ? "" : " WRONG");
    return summary.step == expected;
}

int
main(void)
{
    bool is_right = bench("1f1b", 16, 31250, 996570);

    is_right &= bench("1f1b", 16, 1000, 32352);
    is_right &= bench("gpipe", 16, 1000, 30480);
    is_right &= bench("1f1b", 256, 2000, 72142);
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
