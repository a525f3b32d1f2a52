/* SPDX-License-Identifier: MIT */
/* Every K from 1 to 64 and M from 1 to 512: GPipe and 1F1B idle exactly (K-1) of (M+K-1) slots.
 *
 * Some 65,000 replays of up to 65,000 operations: slow, so a suite of its own.
 */
#include "plansim.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_RANKS        64u
#define MAX_MICROBATCHES 512u

/* Returns: whether the makespan is the closed form's. */
static bool
is_exact(const char *schedule, uint32_t k, uint32_t m)
{
    PsimScheduleOptions options = PSIM_SCHEDULE_OPTIONS_INIT;
    PsimSummary summary = {.size = sizeof summary};

    options.name = schedule;
    options.n_ranks = k;
    options.n_microbatches = m;
    g_autoptr(PsimResult) result = psim_schedule_simulate(&options, NULL);

    if (result == NULL)
        return false;
    psim_result_summary(result, &summary);
    if (summary.step == (PsimTime)(m + k - 1) * 3)
        return true;
    printf("# %s, K = %u, M = %u: %lld ticks\n", schedule, k, m, (long long)summary.step);
    return false;
}

int
main(void)
{
    static const char *const schedules[] = {"gpipe", "1f1b"};
    int n_failed = 0;

    printf("1..%zu\n", G_N_ELEMENTS(schedules));
    for (size_t i = 0; i < G_N_ELEMENTS(schedules); i++) {
        bool all_exact = true;

        for (uint32_t k = 1; k <= MAX_RANKS; k++) {
            for (uint32_t m = 1; m <= MAX_MICROBATCHES; m++)
                all_exact &= is_exact(schedules[i], k, m);
        }
        printf("%s %zu - %s idles (K-1)/(M+K-1) for every K to %u, M to %u\n",
               all_exact ? "ok" : "not ok", i + 1, schedules[i], MAX_RANKS, MAX_MICROBATCHES);
        n_failed += !all_exact;
    }
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
