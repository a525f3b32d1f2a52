/* SPDX-License-Identifier: MIT */
#include "calibrate/gemm_fit.h"

#include <math.h>
#include <string.h>

typedef enum { LAUNCH, EFFICIENCY, K0, THIRD, FOURTH, N_ALL } Which;

G_STATIC_ASSERT(N_ALL <= PSIM_GEMM_FIT_MAX);

typedef struct {
    const PsimProductCost *base;
    const PsimGemmSample *samples; /* those that are fitted */
    bool efficiency_alone;
} Rows;

static PsimProductCost
apply(const Rows *rows, const double *values)
{
    PsimProductCost cost = *rows->base;

    if (rows->efficiency_alone) {
        cost.efficiency = values[0];
        return cost;
    }
    cost.launch_s = values[LAUNCH];
    cost.efficiency = values[EFFICIENCY];
    cost.k0 = values[K0];
    if (cost.tiled) {
        cost.tile_c = values[THIRD];
        cost.wave_soft = values[FOURTH];
    } else {
        cost.m0 = values[THIRD];
        cost.n0 = values[FOURTH];
    }
    return cost;
}

/* A PsimFitPredict. */
static double
predict(const double *values, size_t row, const void *user)
{
    const Rows *rows = user;
    const PsimProductCost cost = apply(rows, values);

    return psim_product_s(&cost, &rows->samples[row].product);
}

static const PsimFitParameter efficiency_parameter = {
    .name = "efficiency", .scale = PSIM_FIT_POSITIVE, .starts = {0.7, 0.5, 0.9, 0.8}};

/* Starts are what devices of either kind turned out to have; hardware/devices/. */
static void
describe_parameters(const PsimProductCost *base, PsimGemmFit *fit)
{
    const double floor = base->launch_s;
    const PsimFitParameter launch = {
        .name = "launch_s",
        .scale = PSIM_FIT_POSITIVE,
        .floor = floor,
        .starts = {floor + 2e-6, floor + 1e-7, floor + 6e-6, floor + 1e-6},
    };
    const PsimFitParameter tiled[] = {
        {.name = "k0", .scale = PSIM_FIT_POSITIVE, .starts = {80, 10, 200, 120}},
        {.name = "tile_c", .scale = PSIM_FIT_POSITIVE, .starts = {35, 20, 60, 10}},
        {.name = "wave_soft", .scale = PSIM_FIT_SHARE, .starts = {0.7, 0.5, 0.8, 0.3}},
    };
    const PsimFitParameter smooth[] = {
        {.name = "k0", .scale = PSIM_FIT_POSITIVE, .starts = {20, 60, 5, 200}},
        {.name = "m0", .scale = PSIM_FIT_POSITIVE, .starts = {20, 70, 5, 10}},
        {.name = "n0", .scale = PSIM_FIT_POSITIVE, .starts = {20, 30, 5, 60}},
    };

    fit->parameters[LAUNCH] = launch;
    fit->parameters[EFFICIENCY] = efficiency_parameter;
    memcpy(&fit->parameters[K0], base->tiled ? tiled : smooth, sizeof tiled);
    fit->n_parameters = N_ALL;
}

/* -- How good it is -- */

typedef bool (*Filter)(const PsimGemmSample *sample, size_t which);

static bool
is_of_layout(const PsimGemmSample *sample, size_t which)
{
    return sample->held_out && sample->product.layout == (PsimProductLayout)which;
}

static bool
is_of_decade(const PsimGemmSample *sample, size_t which)
{
    return sample->held_out && floor(log10(sample->time_s)) + 7.0 == (double)which;
}

static bool
is_of_role(const PsimGemmSample *sample, size_t which)
{
    return sample->held_out == (which == 1);
}

static PsimAccuracy
judge(const PsimProductCost *cost,
      const PsimGemmSample *samples,
      size_t n_samples,
      Filter filter,
      size_t which)
{
    g_autofree double *errors = g_new(double, MAX(n_samples, 1));
    size_t n = 0;

    for (size_t i = 0; i < n_samples; i++) {
        if (filter(&samples[i], which))
            errors[n++] = psim_product_s(cost, &samples[i].product) / samples[i].time_s - 1.0;
    }
    return psim_accuracy_of(errors, n);
}

/* One efficiency, the median of those reached, beside the traffic and the launch. */
static PsimProductCost
make_constant(const PsimProductCost *base, const PsimGemmSample *samples, size_t n_samples)
{
    g_autofree double *reached = g_new(double, MAX(n_samples, 1));
    PsimProductCost cost = *base;
    size_t n = 0;

    for (size_t i = 0; i < n_samples; i++) {
        const PsimProduct *product = &samples[i].product;

        if (!samples[i].held_out)
            reached[n++] = 2.0 * product->m * product->n * product->k / samples[i].time_s /
                           base->peak_flop_per_s;
    }
    cost.tiled = false;
    cost.efficiency = psim_accuracy_median(reached, n);
    cost.k0 = cost.m0 = cost.n0 = 0.0;
    return cost;
}

static void
judge_all(PsimGemmFit *fit,
          const PsimProductCost *base,
          const PsimGemmSample *samples,
          size_t n_samples)
{
    const PsimProductCost constant = make_constant(base, samples, n_samples);

    fit->train = judge(&fit->cost, samples, n_samples, is_of_role, 0);
    fit->held_out = judge(&fit->cost, samples, n_samples, is_of_role, 1);
    fit->constant = judge(&constant, samples, n_samples, is_of_role, 1);
    for (size_t i = 0; i < PSIM_GEMM_FIT_LAYOUTS; i++)
        fit->by_layout[i] = judge(&fit->cost, samples, n_samples, is_of_layout, i);
    for (size_t i = 0; i < PSIM_GEMM_FIT_DECADES; i++)
        fit->by_decade[i] = judge(&fit->cost, samples, n_samples, is_of_decade, i);
}

/* -- Fitting -- */

/* Those that are fitted, in the order of their times. */
static size_t
select_fitted(const PsimGemmSample *samples,
              size_t n_samples,
              PsimGemmSample *ret_fitted,
              double *ret_measured_s)
{
    size_t n = 0;

    for (size_t i = 0; i < n_samples; i++) {
        if (samples[i].held_out)
            continue;
        ret_measured_s[n] = samples[i].time_s;
        ret_fitted[n++] = samples[i];
    }
    return n;
}

static bool
solve(const PsimProductCost *base,
      const PsimGemmSample *samples,
      size_t n_samples,
      PsimGemmFit *fit)
{
    g_autofree PsimGemmSample *fitted = g_new(PsimGemmSample, n_samples + 1);
    g_autofree double *measured_s = g_new(double, n_samples + 1);
    const Rows rows = {base, fitted, fit->n_parameters == 1};
    double values[PSIM_GEMM_FIT_MAX] = {0};
    PsimFit problem = {
        .parameters = fit->parameters,
        .n_parameters = fit->n_parameters,
        .measured_s = measured_s,
        .n_rows = select_fitted(samples, n_samples, fitted, measured_s),
        .predict = predict,
        .user = &rows,
    };

    if (!psim_fit_solve(&problem))
        return false;
    for (size_t i = 0; i < fit->n_parameters; i++)
        values[i] = fit->parameters[i].value;
    fit->cost = apply(&rows, values);
    return true;
}

bool
psim_gemm_fit(const PsimProductCost *base,
              const PsimGemmSample *samples,
              size_t n_samples,
              PsimGemmFit *ret_fit)
{
    *ret_fit = (PsimGemmFit){.n_parameters = 0};
    describe_parameters(base, ret_fit);
    if (!solve(base, samples, n_samples, ret_fit))
        return false;
    judge_all(ret_fit, base, samples, n_samples);
    return true;
}

bool
psim_gemm_fit_efficiency(const PsimProductCost *base,
                         const PsimGemmSample *samples,
                         size_t n_samples,
                         PsimGemmFit *ret_fit)
{
    *ret_fit = (PsimGemmFit){.n_parameters = 1};
    ret_fit->parameters[0] = efficiency_parameter;
    if (!solve(base, samples, n_samples, ret_fit))
        return false;
    judge_all(ret_fit, base, samples, n_samples);
    return true;
}
