/* SPDX-License-Identifier: MIT */
/* accuracy.h: how far predictions are from what was measured
 */
#pragma once

#include <stddef.h>

/* Of e = predicted / measured - 1; NAN without rows. */
typedef struct {
    size_t n;
    double mape;   /* mean of |e|                        [1] */
    double median; /* of |e|                             [1] */
    double p90;    /* of |e|                             [1] */
    double worst;  /* the largest |e|                    [1] */
    double bias;   /* mean of e                          [1] */
} PsimAccuracy;

/** psim_accuracy_of: @errors  e of each row  (n) */
PsimAccuracy psim_accuracy_of(const double *errors, size_t n);

/** psim_accuracy_median: Returns: the median of @values, which stay as they are (n); NAN of none.
 */
double psim_accuracy_median(const double *values, size_t n);

/** psim_accuracy_mad: Returns: the median of |value - median|  (n). */
double psim_accuracy_mad(const double *values, size_t n);
