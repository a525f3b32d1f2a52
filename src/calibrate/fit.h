/* SPDX-License-Identifier: MIT */
/* fit.h: constants of a formula from times, robustly, in the logarithm
 *
 * Residuals are log(predicted) - log(measured), so that a microsecond and a second weigh alike.
 * Parameters are found where they are legal: positive ones by their logarithm, shares by the
 * logistic function.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

G_BEGIN_DECLS

#define PSIM_FIT_MAX_PARAMETERS 16
#define PSIM_FIT_STARTS         4

typedef enum {
    PSIM_FIT_POSITIVE, /* floor + exp(x)    */
    PSIM_FIT_SHARE,    /* 1 / (1 + exp(-x)) */
} PsimFitScale;

typedef struct {
    const char *name;
    PsimFitScale scale;
    double floor;                   /* of a positive one                            */
    double starts[PSIM_FIT_STARTS]; /* values, above the floor or between 0 and 1   */
    double value;                   /* what was found                               */
    double error;                   /* its standard error; INFINITY: no row tells   */
    bool identifiable;              /* the rows tell it: error below half the value,
                                     * or below a quarter for a share               */
} PsimFitParameter;

/* Time of @row with these values of the parameters, [s]; must be positive. */
typedef double (*PsimFitPredict)(const double *values, size_t row, const void *user);

typedef struct {
    PsimFitParameter *parameters; /* (n_parameters) */
    size_t n_parameters;
    const double *measured_s; /* (n_rows) */
    size_t n_rows;
    PsimFitPredict predict;
    const void *user;
} PsimFit;

/**
 * psim_fit_solve:
 * Fills value, error and identifiable of each parameter.
 *
 * Returns: false if there are fewer rows than parameters, or no start leads anywhere.
 * Formula: least squares, trust region with geodesic acceleration, weights
 * 1/sqrt(1+(r/0.1)^2) of the round before, six rounds, the best of four starts.
 * Source: soft L1 loss as in SciPy's least_squares; hardware/README.md, "Calibration".
 */
bool psim_fit_solve(PsimFit *self);

/** psim_fit_find: Returns: the parameter of that name, or NULL. */
const PsimFitParameter *psim_fit_find(const PsimFit *self, const char *name);

G_END_DECLS
