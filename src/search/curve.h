/* SPDX-License-Identifier: MIT */
/* curve.h: what more GPUs bring, on one cluster
 *
 * Strong scaling with a fixed batch, weak scaling with a batch a GPU: the curve is the best plan of
 * each number of GPUs, against the first number that has one.
 */
#pragma once

#include "search/search.h"

G_BEGIN_DECLS

typedef struct {
    const PsimFound *found;     /* of the answer; tokens_per_s 0: no plan keeps the limits       */
    double scaling_fraction;    /* tokens/s a GPU, of those of the curve's first plan [1]   */
    PsimWholeRun run;           /* NAN without tokens                                            */
    double days_low, days_high; /* by the errors of the constants; NAN without tokens       [d]  */
} PsimCurvePoint;

typedef struct {
    GArray *points;     /* PsimCurvePoint, one a number of GPUs, in the order they were asked for */
    uint32_t knee_gpus; /* the most GPUs that each bring PSIM_CURVE_KNEE of the first ones; 0: fewer
                         * than two numbers have a plan */
    bool is_open;       /* that is the last number with a plan: the knee, if any, lies beyond */
} PsimCurve;

#define PSIM_CURVE_KNEE 0.8

/**
 * psim_curve_find:
 * Ownership: freed with psim_curve_free().
 * Cost: a simulation a point, if the run has tokens.
 */
PsimCurve *psim_curve_find(const PsimSpace *space,
                           const PsimSearchOptions *options,
                           const PsimSearchAnswer *answer,
                           guint site);
void psim_curve_free(PsimCurve *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimCurve, psim_curve_free)

G_END_DECLS
