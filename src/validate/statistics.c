/* SPDX-License-Identifier: MIT */
#include "validate/statistics.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

PsimErrors
psim_statistics_errors(const GArray *errors)
{
    const size_t n = errors->len;
    const double *signed_errors = (const double *)(const void *)errors->data;

    if (n == 0)
        return (PsimErrors){
            .mape = (double)NAN, .median = (double)NAN, .p90 = (double)NAN, .bias = (double)NAN};
    g_autofree double *sizes = g_new(double, n);

    for (size_t i = 0; i < n; i++)
        sizes[i] = fabs(signed_errors[i]);
    gsl_sort(sizes, 1, n);
    return (PsimErrors){
        .n = n,
        .mape = gsl_stats_mean(sizes, 1, n),
        .median = gsl_stats_median_from_sorted_data(sizes, 1, n),
        .p90 = gsl_stats_quantile_from_sorted_data(sizes, 1, n, 0.9),
        .bias = gsl_stats_mean(signed_errors, 1, n),
    };
}

#define LEAST_GROUP 3u

void
psim_statistics_add_group(PsimRanking *ranking,
                          const double *predicted,
                          const double *measured,
                          size_t n)
{
    if (n < LEAST_GROUP)
        return;
    g_autofree double *work = g_new(double, 2 * n);
    const double rho = gsl_stats_spearman(predicted, 1, measured, 1, n, work);
    const size_t chosen = gsl_stats_min_index(predicted, 1, n);
    const double regret = measured[chosen] / gsl_stats_min(measured, 1, n) - 1;

    if (!isfinite(rho))
        return;
    ranking->n_groups++;
    ranking->n_rows += n;
    ranking->rho += rho;
    ranking->regret += regret;
    ranking->worst = fmax(ranking->worst, regret);
}

PsimRanking
psim_statistics_mean_ranking(const PsimRanking *sums)
{
    PsimRanking means = *sums;

    means.rho /= (double)sums->n_groups;
    means.regret /= (double)sums->n_groups;
    return means;
}
