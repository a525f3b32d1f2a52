/* SPDX-License-Identifier: MIT */
#include "calibrate/accuracy.h"

#include <glib.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

PsimAccuracy
psim_accuracy_of(const double *errors, size_t n)
{
    if (n == 0)
        return (PsimAccuracy){.mape = (double)NAN,
                              .median = (double)NAN,
                              .p90 = (double)NAN,
                              .worst = (double)NAN,
                              .bias = (double)NAN};
    g_autofree double *sizes = g_new(double, n);

    for (size_t i = 0; i < n; i++)
        sizes[i] = fabs(errors[i]);
    gsl_sort(sizes, 1, n);
    return (PsimAccuracy){
        .n = n,
        .mape = gsl_stats_mean(sizes, 1, n),
        .median = gsl_stats_median_from_sorted_data(sizes, 1, n),
        .p90 = gsl_stats_quantile_from_sorted_data(sizes, 1, n, 0.9),
        .worst = sizes[n - 1],
        .bias = gsl_stats_mean(errors, 1, n),
    };
}

double
psim_accuracy_median(const double *values, size_t n)
{
    if (n == 0)
        return (double)NAN;
    g_autofree double *sorted = g_memdup2(values, n * sizeof *values);

    gsl_sort(sorted, 1, n);
    return gsl_stats_median_from_sorted_data(sorted, 1, n);
}

double
psim_accuracy_mad(const double *values, size_t n)
{
    const double median = psim_accuracy_median(values, n);

    if (n == 0)
        return (double)NAN;
    g_autofree double *distances = g_new(double, n);

    for (size_t i = 0; i < n; i++)
        distances[i] = fabs(values[i] - median);
    return psim_accuracy_median(distances, n);
}
