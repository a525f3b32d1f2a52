/* SPDX-License-Identifier: MIT */
/* Exchanges between units: t = a + min(f S / low, step + f S / high), as hardware/README.md has it,
 * "Collectives".
 */
#include "calibrate/partial_fit.h"

#include <math.h>

#define N_PARAMETERS 4

typedef struct {
    PsimExchangeKind what;
    uint32_t n_ranks;
} Which;

static bool
is_of(const PsimTrial *trial, const void *user)
{
    const Which *which = user;

    return trial->what.collective.what == which->what &&
           trial->what.collective.n_ranks == which->n_ranks;
}

/* f S: what a rank sends, [B]. */
static double
find_sent_bytes(const PsimCase *what)
{
    const double n = (double)what->collective.n_ranks;
    const double bytes = (double)what->collective.bytes;

    switch (what->collective.what) {
    case PSIM_EXCHANGE_ALL_REDUCE:
        return 2.0 * (n - 1.0) / n * bytes;
    case PSIM_EXCHANGE_ALL_GATHER:
    case PSIM_EXCHANGE_REDUCE_SCATTER:
    case PSIM_EXCHANGE_ALL_TO_ALL:
        return (n - 1.0) / n * bytes;
    case PSIM_EXCHANGE_SEND:
        return bytes;
    }
    g_assert_not_reached();
}

/* A PsimFitPredict: a, step, low, high. */
static double
predict(const double *values, size_t row, const void *user)
{
    const PsimTimes *times = user;
    const double bytes = find_sent_bytes(&times->trials[row]->what);

    return values[0] + MIN(bytes / values[2], values[1] + bytes / values[3]);
}

/* The least time is nearly all floor, and the best rate nearly that of the fast protocol; where the
 * two protocols meet is tried at four places. */
static void
describe_parameters(const PsimTimes *times, PsimFitParameter *parameters)
{
    static const double steps[PSIM_FIT_STARTS] = {1.0, 3.0, 0.3, 10.0};
    static const double lows[PSIM_FIT_STARTS] = {0.1, 0.2, 0.5, 0.05};
    double least_s = times->seconds[0];
    double best_rate = 0.0;

    for (size_t i = 0; i < times->n; i++) {
        least_s = MIN(least_s, times->seconds[i]);
        best_rate = MAX(best_rate, find_sent_bytes(&times->trials[i]->what) / times->seconds[i]);
    }
    parameters[0] = (PsimFitParameter){.name = "a", .scale = PSIM_FIT_POSITIVE};
    parameters[1] = (PsimFitParameter){.name = "step", .scale = PSIM_FIT_POSITIVE};
    parameters[2] = (PsimFitParameter){.name = "low", .scale = PSIM_FIT_POSITIVE};
    parameters[3] = (PsimFitParameter){.name = "high", .scale = PSIM_FIT_POSITIVE};
    for (size_t start = 0; start < PSIM_FIT_STARTS; start++) {
        parameters[0].starts[start] = 0.9 * least_s;
        parameters[1].starts[start] = steps[start] * least_s;
        parameters[2].starts[start] = lows[start] * best_rate;
        parameters[3].starts[start] = best_rate;
    }
}

static bool
fit_exchange(const PsimRecord *record, const Which *which, PsimLinkFit *ret_fit)
{
    g_auto(PsimTimes) times =
        psim_times_of(record, PSIM_CASE_COLLECTIVE, PSIM_ROLE_FIT, is_of, which);
    g_auto(PsimTimes) held_out =
        psim_times_of(record, PSIM_CASE_COLLECTIVE, PSIM_ROLE_HELD_OUT, is_of, which);
    g_autofree double *errors = g_new(double, MAX(held_out.n, 1));
    PsimFitParameter parameters[N_PARAMETERS];
    PsimFit fit = {
        .parameters = parameters,
        .n_parameters = N_PARAMETERS,
        .measured_s = times.seconds,
        .n_rows = times.n,
        .predict = predict,
        .user = &times,
    };

    if (times.n < N_PARAMETERS)
        return false;
    describe_parameters(&times, parameters);
    if (!psim_fit_solve(&fit))
        return false;
    const double values[] = {parameters[0].value, parameters[1].value, parameters[2].value,
                             parameters[3].value};

    for (size_t i = 0; i < held_out.n; i++)
        errors[i] = predict(values, i, &held_out) / held_out.seconds[i] - 1.0;
    *ret_fit = (PsimLinkFit){
        .what = which->what,
        .n_ranks = which->n_ranks,
        .a_s = values[0],
        .step_s = values[1],
        .low_bytes_per_s = values[2],
        .high_bytes_per_s = values[3],
        .held_out = psim_accuracy_of(errors, held_out.n),
    };
    return true;
}

static bool
is_fitted(const PsimConstants *constants, const Which *which)
{
    for (guint i = 0; i < constants->links->len; i++) {
        const PsimLinkFit *fit = &g_array_index(constants->links, PsimLinkFit, i);

        if (fit->what == which->what && fit->n_ranks == which->n_ranks)
            return true;
    }
    return false;
}

void
psim_link_fit(const PsimRecord *record, PsimConstants *constants)
{
    g_auto(PsimTimes) all = psim_times_of(record, PSIM_CASE_COLLECTIVE, PSIM_ROLE_FIT, NULL, NULL);

    for (size_t i = 0; i < all.n; i++) {
        const PsimCase *what = &all.trials[i]->what;
        const Which which = {what->collective.what, what->collective.n_ranks};
        PsimLinkFit fit;

        if (!is_fitted(constants, &which) && fit_exchange(record, &which, &fit))
            g_array_append_val(constants->links, fit);
    }
}
