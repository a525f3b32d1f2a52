/* SPDX-License-Identifier: MIT */
#include "tell.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static int
compare(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Of @n numbers that are @stride bytes apart. */
static double
find_median(const void *first, uint32_t n, size_t stride)
{
    double *sorted = calloc(n, sizeof *sorted);

    if (sorted == NULL)
        abort();
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = *(const double *)(const void *)((const char *)first + i * stride);
    qsort(sorted, n, sizeof *sorted, compare);
    const double median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0;
    free(sorted);
    return median;
}

static double
median_of(const TinyConfig *config, const double *first)
{
    return find_median(first, config->n_steps, config->n_stages * sizeof(TinyTimes));
}

static void
tell_stage(const TinyConfig *config, const TinyReport *report, uint32_t stage)
{
    const TinyStageFacts *facts = &report->stages[stage];
    const TinyTimes *times = &report->times[stage];

    printf("    {\"stage\": %u, \"layers\": %u, \"core\": %d,\n", stage,
           tiny_config_first_layer(config, stage + 1) - tiny_config_first_layer(config, stage),
           facts->core);
    printf("     \"forward_s\": %.6g, \"forward_cpu_s\": %.6g,\n",
           median_of(config, &times->forward.wall_s), median_of(config, &times->forward.cpu_s));
    printf("     \"backward_s\": %.6g, \"backward_cpu_s\": %.6g,\n",
           median_of(config, &times->backward.wall_s), median_of(config, &times->backward.cpu_s));
    printf("     \"optimizer_s\": %.6g, \"optimizer_cpu_s\": %.6g,\n",
           median_of(config, &times->optimizer.wall_s), median_of(config, &times->optimizer.cpu_s));
    printf("     \"send_s\": %.6g, \"wait_s\": %.6g,\n", median_of(config, &times->send_s),
           median_of(config, &times->wait_s));
    printf("     \"in_flight_max\": %u, \"activations_bytes\": %llu}%s\n", facts->peak_held,
           (unsigned long long)facts->peak_held * facts->held_bytes,
           stage + 1 < config->n_stages ? "," : "");
}

void
tiny_tell(const TinyConfig *config, const TinyReport *report)
{
    printf("{\n  \"schedule\": \"%s\", \"stages\": %u, \"microbatches\": %u,\n",
           tiny_schedule_name(config->schedule), config->n_stages, config->n_microbatches);
    printf("  \"step_s\": %.6g,\n", find_median(report->step_s, config->n_steps, sizeof(double)));
    printf("  \"stage\": [\n");
    for (uint32_t stage = 0; stage < config->n_stages; stage++)
        tell_stage(config, report, stage);
    printf("  ],\n  \"loss\": [");
    for (uint32_t step = 0; step < config->n_warm_up + config->n_steps; step++)
        printf("%s%.6f", step > 0 ? ", " : "", report->losses[step]);
    printf("]\n}\n");
}
