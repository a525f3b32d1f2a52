/* SPDX-License-Identifier: MIT */
#include "calibrate/fit.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>

#define N_ROUNDS       6u
#define N_TRIAL_ROUNDS 2u /* of a start, before the best one goes on */
#define N_ITERATIONS   60u
#define OUTLIER        0.1  /* residual beyond which a row weighs less */
#define STEP           1e-4 /* the tile form is piecewise smooth: finer steps stall on its kinks */
#define TOLERANCE      1e-7
#define FARTHEST       60.0 /* of a parameter's logarithm; beyond it nothing moves any more */
#define LEAST_DISTANCE 1e-12

typedef struct {
    PsimFit *fit;
    gsl_vector *weights; /* (n_rows) */
} Problem;

/* -- Between values and what is searched -- */

static double
to_value(const PsimFitParameter *parameter, double x)
{
    const double inside = CLAMP(x, -FARTHEST, FARTHEST);

    switch (parameter->scale) {
    case PSIM_FIT_POSITIVE:
        return parameter->floor + exp(inside);
    case PSIM_FIT_SHARE:
        return 1.0 / (1.0 + exp(-inside));
    }
    g_assert_not_reached();
}

static double
to_search(const PsimFitParameter *parameter, double value)
{
    switch (parameter->scale) {
    case PSIM_FIT_POSITIVE:
        return log(MAX(value - parameter->floor, LEAST_DISTANCE));
    case PSIM_FIT_SHARE:
        return log(value / (1.0 - value));
    }
    g_assert_not_reached();
}

/* How much the value moves with what is searched. */
static double
find_slope(const PsimFitParameter *parameter, double value)
{
    switch (parameter->scale) {
    case PSIM_FIT_POSITIVE:
        return value - parameter->floor;
    case PSIM_FIT_SHARE:
        return value * (1.0 - value);
    }
    g_assert_not_reached();
}

static void
to_values(const PsimFit *fit, const gsl_vector *x, double *ret_values)
{
    for (size_t i = 0; i < fit->n_parameters; i++)
        ret_values[i] = to_value(&fit->parameters[i], gsl_vector_get(x, i));
}

/* -- One round -- */

static int
find_residuals(const gsl_vector *x, void *user, gsl_vector *residuals)
{
    const Problem *problem = user;
    const PsimFit *fit = problem->fit;
    double values[PSIM_FIT_MAX_PARAMETERS];

    to_values(fit, x, values);
    for (size_t row = 0; row < fit->n_rows; row++) {
        const double predicted_s = fit->predict(values, row, fit->user);
        const double residual = log(predicted_s / fit->measured_s[row]);

        if (!isfinite(residual))
            return GSL_EDOM;
        gsl_vector_set(residuals, row, residual);
    }
    return GSL_SUCCESS;
}

/* Soft L1: sums of 2 (sqrt(1 + z) - 1) with z = (r / 0.1)^2. */
static double
weigh(Problem *problem, const gsl_vector *x)
{
    const size_t n_rows = problem->fit->n_rows;
    gsl_vector *residuals = gsl_vector_alloc(n_rows);
    double cost = 0.0;

    if (find_residuals(x, problem, residuals) != GSL_SUCCESS)
        cost = HUGE_VAL;
    for (size_t row = 0; row < n_rows && isfinite(cost); row++) {
        const double z = pow(gsl_vector_get(residuals, row) / OUTLIER, 2.0);

        cost += 2.0 * (sqrt(1.0 + z) - 1.0);
        gsl_vector_set(problem->weights, row, 1.0 / sqrt(1.0 + z));
    }
    gsl_vector_free(residuals);
    return cost;
}

static void
iterate(Problem *problem, gsl_multifit_nlinear_workspace *workspace, gsl_vector *x)
{
    gsl_multifit_nlinear_fdf system = {
        .f = find_residuals,
        .n = problem->fit->n_rows,
        .p = problem->fit->n_parameters,
        .params = problem,
    };
    int info = 0;

    if (gsl_multifit_nlinear_winit(x, problem->weights, &system, workspace) != GSL_SUCCESS)
        return;
    /* What the driver thinks of its end does not matter: a better place is kept, another is not. */
    (void)gsl_multifit_nlinear_driver(N_ITERATIONS, TOLERANCE, TOLERANCE, TOLERANCE,
                                      /* callback= */ NULL, NULL, &info, workspace);
    gsl_vector_memcpy(x, gsl_multifit_nlinear_position(workspace));
}

/* Returns: the cost where the start at @x led after @n_rounds more, which @x becomes. */
static double
descend(Problem *problem,
        gsl_multifit_nlinear_workspace *workspace,
        gsl_vector *x,
        unsigned n_rounds)
{
    double cost = weigh(problem, x);

    for (unsigned round = 0; round < n_rounds && isfinite(cost); round++) {
        iterate(problem, workspace, x);
        cost = weigh(problem, x);
    }
    return cost;
}

/* -- Errors -- */

static bool
is_identifiable(const PsimFitParameter *parameter)
{
    switch (parameter->scale) {
    case PSIM_FIT_POSITIVE:
        return parameter->error <= 0.5 * parameter->value;
    case PSIM_FIT_SHARE:
        return parameter->error <= 0.25;
    }
    g_assert_not_reached();
}

/* Variance of the residuals times the inverse of J'J, both with the last round's weights. A column
 * of zeros is a parameter that no row feels. */
static void
find_errors(Problem *problem, gsl_multifit_nlinear_workspace *workspace, gsl_vector *x)
{
    PsimFit *fit = problem->fit;
    const size_t p = fit->n_parameters;
    gsl_matrix *covariance = gsl_matrix_alloc(p, p);
    double variance = 0.0;

    iterate(problem, workspace, x);
    gsl_blas_ddot(gsl_multifit_nlinear_residual(workspace),
                  gsl_multifit_nlinear_residual(workspace), &variance);
    variance /= (double)MAX(fit->n_rows - p, 1);
    gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(workspace), 1e-12, covariance);
    for (size_t i = 0; i < p; i++) {
        PsimFitParameter *parameter = &fit->parameters[i];
        const double entry = gsl_matrix_get(covariance, i, i);

        parameter->value = to_value(parameter, gsl_vector_get(x, i));
        parameter->error = entry > 0.0
                               ? sqrt(entry * variance) * find_slope(parameter, parameter->value)
                               : HUGE_VAL;
        parameter->identifiable = is_identifiable(parameter);
    }
    gsl_matrix_free(covariance);
}

/* -- All of it -- */

static double
try_starts(Problem *problem, gsl_multifit_nlinear_workspace *workspace, gsl_vector *best)
{
    const PsimFit *fit = problem->fit;
    gsl_vector *x = gsl_vector_alloc(fit->n_parameters);
    double best_cost = HUGE_VAL;

    for (size_t start = 0; start < PSIM_FIT_STARTS; start++) {
        for (size_t i = 0; i < fit->n_parameters; i++)
            gsl_vector_set(x, i, to_search(&fit->parameters[i], fit->parameters[i].starts[start]));
        const double cost = descend(problem, workspace, x, N_TRIAL_ROUNDS);

        if (cost >= best_cost)
            continue;
        best_cost = cost;
        gsl_vector_memcpy(best, x);
    }
    gsl_vector_free(x);
    return isfinite(best_cost) ? descend(problem, workspace, best, N_ROUNDS - N_TRIAL_ROUNDS)
                               : best_cost;
}

bool
psim_fit_solve(PsimFit *self)
{
    g_return_val_if_fail(self->n_parameters <= PSIM_FIT_MAX_PARAMETERS, false);

    if (self->n_rows < self->n_parameters || self->n_rows == 0)
        return false;
    gsl_multifit_nlinear_parameters settings = gsl_multifit_nlinear_default_parameters();

    settings.trs = gsl_multifit_nlinear_trs_lmaccel;
    settings.scale = gsl_multifit_nlinear_scale_more;
    settings.h_df = STEP;
    settings.h_fvv = STEP;

    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    gsl_multifit_nlinear_workspace *workspace = gsl_multifit_nlinear_alloc(
        gsl_multifit_nlinear_trust, &settings, self->n_rows, self->n_parameters);
    Problem problem = {.fit = self, .weights = gsl_vector_alloc(self->n_rows)};
    gsl_vector *best = gsl_vector_calloc(self->n_parameters);
    const bool found = isfinite(try_starts(&problem, workspace, best));

    if (found)
        find_errors(&problem, workspace, best);
    gsl_vector_free(best);
    gsl_vector_free(problem.weights);
    gsl_multifit_nlinear_free(workspace);
    (void)gsl_set_error_handler(handler);
    return found;
}

const PsimFitParameter *
psim_fit_find(const PsimFit *self, const char *name)
{
    for (size_t i = 0; i < self->n_parameters; i++) {
        if (g_str_equal(self->parameters[i].name, name))
            return &self->parameters[i];
    }
    return NULL;
}
