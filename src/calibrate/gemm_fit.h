/* SPDX-License-Identifier: MIT */
/* gemm_fit.h: the constants of matrix products from measured ones
 */
#pragma once

#include "calibrate/accuracy.h"
#include "calibrate/fit.h"
#include "plansim.h"

G_BEGIN_DECLS

#define PSIM_GEMM_FIT_LAYOUTS 3
#define PSIM_GEMM_FIT_DECADES 8
#define PSIM_GEMM_FIT_MAX     6

/* A measured product. */
typedef struct {
    PsimProduct product;
    double time_s;
    bool held_out;
} PsimGemmSample;

typedef struct {
    PsimProductCost cost; /* with the constants found */
    PsimFitParameter parameters[PSIM_GEMM_FIT_MAX];
    size_t n_parameters;
    PsimAccuracy train, held_out;
    PsimAccuracy by_layout[PSIM_GEMM_FIT_LAYOUTS]; /* held out */
    PsimAccuracy
        by_decade[PSIM_GEMM_FIT_DECADES]; /* held out; 10^(i-7) s and up to ten times that */
    PsimAccuracy constant; /* held out: one efficiency and the roofline, what a fit must beat */
} PsimGemmFit;

/**
 * psim_gemm_fit:
 * Fits launch, efficiency and k0, and c and q (tile form) or m0 and n0 (smooth form).
 *
 * @base        form, SMs, peak, bandwidth and its fraction, which no compute-bound product tells;
 *              the launch is the least there can be: the floor
 * @samples     (n_samples)
 *
 * Returns: false if there are too few rows to fit.
 */
bool psim_gemm_fit(const PsimProductCost *base,
                   const PsimGemmSample *samples,
                   size_t n_samples,
                   PsimGemmFit *ret_fit);

/**
 * psim_gemm_fit_efficiency:
 * The same of the efficiency alone; all else is as in @base.
 */
bool psim_gemm_fit_efficiency(const PsimProductCost *base,
                              const PsimGemmSample *samples,
                              size_t n_samples,
                              PsimGemmFit *ret_fit);

G_END_DECLS
