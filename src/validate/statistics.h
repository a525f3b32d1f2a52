/* SPDX-License-Identifier: MIT */
/* statistics.h: errors of predictions, and whether an order holds
 */
#pragma once

#include <glib.h>
#include <stddef.h>

G_BEGIN_DECLS

/* Of relative errors e = predicted / measured - 1; NAN without rows. */
typedef struct {
    size_t n;
    double mape;   /* mean of |e|           [1] */
    double median; /* of |e|                [1] */
    double p90;    /* of |e|                [1] */
    double bias;   /* mean of e             [1] */
} PsimErrors;

/**
 * psim_statistics_errors:
 * @errors    e of each row, double
 */
PsimErrors psim_statistics_errors(const GArray *errors);

/* How well an order holds within groups. */
typedef struct {
    size_t n_groups;
    size_t n_rows;
    double rho;    /* Spearman's, mean over the groups; NAN without any        [1] */
    double regret; /* of taking what is predicted best, mean over the groups   [1] */
    double worst;  /* the largest regret                                       [1] */
} PsimRanking;

/**
 * psim_statistics_add_group:
 * Adds one group of rows that may be compared; begin with a ranking of zeros.
 *
 * Groups of fewer than 3 rows, or whose times are all equal, are left out.
 *
 * @predicted, @measured    step times    (n)
 *
 * Formula: regret = measured[argmin predicted] / min measured - 1.
 */
void psim_statistics_add_group(PsimRanking *ranking,
                               const double *predicted,
                               const double *measured,
                               size_t n);

/** psim_statistics_mean_ranking: turns the sums that were added into means. */
PsimRanking psim_statistics_mean_ranking(const PsimRanking *sums);

G_END_DECLS
