/* SPDX-License-Identifier: MIT */
/* Fused attention: efficiency, s0 and occupancy of each pass, head size and mask. */
#include "calibrate/partial_fit.h"

#include <math.h>

/* Query rows of a thread block, as in most kernels. */
#define TILE 128.0

typedef struct {
    uint32_t head_dim;
    bool causal;
    bool backward;
} Which;

typedef struct {
    const PsimTimes *times;
    const PsimConstants *constants;
    uint32_t n_sms;
} Rows;

static bool
is_of(const PsimTrial *trial, const void *user)
{
    const Which *which = user;

    return trial->what.attention.head_dim == which->head_dim &&
           trial->what.attention.causal == which->causal &&
           trial->what.attention.backward == which->backward;
}

/* A PsimFitPredict: efficiency, s0, occupancy. */
static double
predict(const double *values, size_t row, const void *user)
{
    const Rows *rows = user;
    const PsimCase *what = &rows->times->trials[row]->what;
    const PsimFusedAttentionCost cost = {
        .size = sizeof cost,
        .n_sms = rows->n_sms,
        .peak_flop_per_s = rows->constants->peak_flop_per_s[what->number],
        .efficiency = values[0],
        .s0 = values[1],
        .occupancy = values[2],
        .tile = TILE,
    };
    const PsimFusedAttention attention = {
        .size = sizeof attention,
        .batch = (double)what->attention.batch,
        .n_heads = (double)what->attention.n_heads,
        .sequence = (double)what->attention.sequence,
        .head_dim = (double)what->attention.head_dim,
        .causal = what->attention.causal,
        .backward = what->attention.backward,
    };

    return psim_fused_attention_s(&cost, &attention);
}

static bool
fit_pass(const PsimRecord *record,
         const PsimConstants *constants,
         const Which *which,
         PsimAttentionFit *into)
{
    g_auto(PsimTimes) times =
        psim_times_of(record, PSIM_CASE_ATTENTION, PSIM_ROLE_FIT, is_of, which);
    g_auto(PsimTimes) held_out =
        psim_times_of(record, PSIM_CASE_ATTENTION, PSIM_ROLE_HELD_OUT, is_of, which);
    g_autofree double *errors = g_new(double, MAX(held_out.n, 1));
    Rows rows = {&times, constants, record->facts.n_sms};
    PsimFitParameter parameters[] = {
        {.name = "efficiency", .scale = PSIM_FIT_POSITIVE, .starts = {0.6, 0.4, 0.8, 0.3}},
        {.name = "s0", .scale = PSIM_FIT_POSITIVE, .starts = {500, 1000, 200, 100}},
        {.name = "occupancy", .scale = PSIM_FIT_POSITIVE, .starts = {1, 2, 0.5, 1.5}},
    };
    PsimFit fit = {
        .parameters = parameters,
        .n_parameters = G_N_ELEMENTS(parameters),
        .measured_s = times.seconds,
        .n_rows = times.n,
        .predict = predict,
        .user = &rows,
    };
    const size_t pass = which->backward ? 1 : 0;

    if (!psim_fit_solve(&fit))
        return false;
    const double values[] = {parameters[0].value, parameters[1].value, parameters[2].value};

    into->efficiency[pass] = values[0];
    into->s0[pass] = values[1];
    into->occupancy[pass] = values[2];
    rows.times = &held_out;
    for (size_t i = 0; i < held_out.n; i++)
        errors[i] = predict(values, i, &rows) / held_out.seconds[i] - 1.0;
    into->held_out[pass] = psim_accuracy_of(errors, held_out.n);
    return true;
}

static bool
is_fitted(const PsimConstants *constants, uint32_t head_dim, bool causal)
{
    for (guint i = 0; i < constants->attention->len; i++) {
        const PsimAttentionFit *fit = &g_array_index(constants->attention, PsimAttentionFit, i);

        if (fit->head_dim == head_dim && fit->causal == causal)
            return true;
    }
    return false;
}

void
psim_attention_fit(const PsimRecord *record, PsimConstants *constants)
{
    g_auto(PsimTimes) all = psim_times_of(record, PSIM_CASE_ATTENTION, PSIM_ROLE_FIT, NULL, NULL);

    for (size_t i = 0; i < all.n; i++) {
        const PsimCase *what = &all.trials[i]->what;
        PsimAttentionFit fit = {.head_dim = (uint32_t)what->attention.head_dim,
                                .causal = what->attention.causal};

        if (is_fitted(constants, fit.head_dim, fit.causal))
            continue;
        for (int pass = 0; pass < 2; pass++)
            fit.fitted[pass] =
                fit_pass(record, constants, &(Which){fit.head_dim, fit.causal, pass == 1}, &fit);
        if (fit.fitted[0] && fit.fitted[1])
            g_array_append_val(constants->attention, fit);
    }
}
