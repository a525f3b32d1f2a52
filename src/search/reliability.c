/* SPDX-License-Identifier: MIT */
#include "search/reliability.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#include <math.h>

#define N_TRIALS 1000u
/* A run that fails faster than it works would never end, nor would its simulation. */
#define MAX_STRETCH  100.0
#define MAX_FAILURES 100000u

typedef struct {
    double wall_s;
    double n_failures;
} Trial;

static double
find_daly_s(double checkpoint_s, double mtbf_s)
{
    const double x = checkpoint_s / (2.0 * mtbf_s);

    if (x >= 1.0)
        return mtbf_s;
    return sqrt(2.0 * checkpoint_s * mtbf_s) * (1.0 + sqrt(x) / 3.0 + x / 9.0) - checkpoint_s;
}

/* A restart can fail as well, and is begun again. */
static void
restart(const PsimFailures *failures, double mtbf_s, gsl_rng *random, Trial *trial)
{
    while (trial->n_failures < MAX_FAILURES) {
        const double fails_s = gsl_ran_exponential(random, mtbf_s);

        if (fails_s >= failures->restart_s) {
            trial->wall_s += failures->restart_s;
            return;
        }
        trial->wall_s += fails_s;
        trial->n_failures += 1.0;
    }
}

/* Time has no memory: from each restart on, a failure is as far away as at the beginning. */
static Trial
run_trial(const PsimFailures *failures, double mtbf_s, double interval_s, gsl_rng *random)
{
    const double turn_s = interval_s + failures->checkpoint_s;
    double left_s = failures->work_s;
    Trial trial = {0.0, 0.0};

    while (trial.n_failures < MAX_FAILURES) {
        const double fails_s = gsl_ran_exponential(random, mtbf_s);
        const double n_checkpoints = ceil(left_s / interval_s) - 1.0;
        const double needs_s = left_s + n_checkpoints * failures->checkpoint_s;

        if (fails_s >= needs_s) {
            trial.wall_s += needs_s;
            return trial;
        }
        trial.wall_s += fails_s;
        trial.n_failures += 1.0;
        left_s -= floor(fails_s / turn_s) * interval_s;
        restart(failures, mtbf_s, random, &trial);
    }
    trial.wall_s = (double)INFINITY;
    return trial;
}

/* Fills @walls, sorted. Returns: their mean. */
static double
run_trials(const PsimFailures *failures,
           double mtbf_s,
           double interval_s,
           double *walls,
           double *ret_failures)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    double n_failures = 0.0;

    gsl_rng_set(random, failures->seed);
    for (size_t i = 0; i < N_TRIALS; i++) {
        const Trial trial = run_trial(failures, mtbf_s, interval_s, random);

        walls[i] = trial.wall_s;
        n_failures += trial.n_failures;
    }
    gsl_rng_free(random);
    gsl_sort(walls, 1, N_TRIALS);
    *ret_failures = n_failures / N_TRIALS;
    return gsl_stats_mean(walls, 1, N_TRIALS);
}

/* The best of some intervals around Daly's. */
static double
find_interval_s(const PsimFailures *failures, double mtbf_s, double around_s, double *walls)
{
    static const double factors[] = {0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 2.0};
    double best_s = around_s;
    double least_s = (double)INFINITY;
    double n_failures = 0.0;

    for (size_t i = 0; i < G_N_ELEMENTS(factors); i++) {
        const double interval_s = around_s * factors[i];
        const double mean_s = run_trials(failures, mtbf_s, interval_s, walls, &n_failures);

        if (mean_s < least_s) {
            least_s = mean_s;
            best_s = interval_s;
        }
    }
    return best_s;
}

PsimReliability
psim_reliability_find(const PsimFailures *failures)
{
    const double mtbf_s = failures->gpu_mtbf_s / failures->n_gpus;
    const double daly_s = find_daly_s(failures->checkpoint_s, mtbf_s);
    g_autofree double *walls = g_new(double, N_TRIALS);
    PsimReliability found = {
        .mtbf_s = mtbf_s,
        .young_s = sqrt(2.0 * failures->checkpoint_s * mtbf_s),
        .daly_s = daly_s,
        .simulated_s = daly_s,
        .expected_s = mtbf_s * exp(failures->restart_s / mtbf_s) *
                      expm1((daly_s + failures->checkpoint_s) / mtbf_s) * failures->work_s / daly_s,
    };

    if (!(found.expected_s < MAX_STRETCH * failures->work_s)) {
        found.low_s = found.middle_s = found.high_s = found.n_failures = (double)INFINITY;
        return found;
    }
    found.simulated_s = find_interval_s(failures, mtbf_s, daly_s, walls);
    (void)run_trials(failures, mtbf_s, daly_s, walls, &found.n_failures);
    found.low_s = gsl_stats_quantile_from_sorted_data(walls, 1, N_TRIALS, 0.05);
    found.middle_s = gsl_stats_quantile_from_sorted_data(walls, 1, N_TRIALS, 0.5);
    found.high_s = gsl_stats_quantile_from_sorted_data(walls, 1, N_TRIALS, 0.95);
    found.goodput_fraction = failures->work_s / found.middle_s;
    return found;
}
