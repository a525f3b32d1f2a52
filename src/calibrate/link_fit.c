/* SPDX-License-Identifier: MIT */
/* Exchanges between units: t = a + min(f S / low, step + f S / high), as hardware/README.md has it,
 * "Collectives".
 */
#include "calibrate/partial_fit.h"

#include <math.h>

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

static bool
fit_exchange(const PsimRecord *record, const Which *which, PsimLinkFit *ret_fit)
{
    g_auto(PsimTimes) times =
        psim_times_of(record, PSIM_CASE_COLLECTIVE, PSIM_ROLE_FIT, is_of, which);
    g_auto(PsimTimes) held_out =
        psim_times_of(record, PSIM_CASE_COLLECTIVE, PSIM_ROLE_HELD_OUT, is_of, which);
    g_autofree double *errors = g_new(double, MAX(held_out.n, 1));
    PsimFitParameter parameters[] = {
        {.name = "a", .scale = PSIM_FIT_POSITIVE, .starts = {1e-5, 1e-6, 3e-5, 1e-7}},
        {.name = "step", .scale = PSIM_FIT_POSITIVE, .starts = {1e-5, 1e-6, 5e-5, 1e-6}},
        {.name = "low", .scale = PSIM_FIT_POSITIVE, .starts = {5e10, 5e9, 2e11, 1e10}},
        {.name = "high", .scale = PSIM_FIT_POSITIVE, .starts = {2e11, 1e10, 4e11, 5e9}},
    };
    PsimFit fit = {
        .parameters = parameters,
        .n_parameters = G_N_ELEMENTS(parameters),
        .measured_s = times.seconds,
        .n_rows = times.n,
        .predict = predict,
        .user = &times,
    };

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
