/* SPDX-License-Identifier: MIT */
#include "calibrate/check.h"

#include "calibrate/suite.h"

#include <math.h>

#define N_CHECKED 24u
/* What a fit may be worse by than when it was made: other clocks, other neighbours. */
#define MORE_RATIO    1.5
#define MORE_FRACTION 0.02

void
psim_check_free(PsimCheck *self)
{
    if (self == NULL)
        return;
    psim_record_free(self->record);
    g_ptr_array_unref(self->trials);
    g_array_unref(self->predicted_s);
    g_free(self);
}

/* -- Measuring -- */

static void
free_trial(void *trial)
{
    psim_trial_free(trial);
}

/* Evenly through the products of the main number type, fitted and held out. */
static GPtrArray *
choose(const PsimRecord *record, PsimNumber number)
{
    g_autoptr(GPtrArray) products = g_ptr_array_new();
    GPtrArray *chosen = g_ptr_array_new();

    for (guint i = 0; i < record->trials->len; i++) {
        PsimTrial *trial = g_ptr_array_index(record->trials, i);

        if (trial->what.kind == PSIM_CASE_GEMM && trial->what.number == number &&
            trial->role != PSIM_ROLE_PROBE && isfinite(psim_record_time_s(record, trial)))
            g_ptr_array_add(products, trial);
    }
    for (guint i = 0; i < MIN(N_CHECKED, products->len); i++)
        g_ptr_array_add(
            chosen, g_ptr_array_index(products, i * products->len / MIN(N_CHECKED, products->len)));
    return chosen;
}

typedef struct {
    const PsimBackend *backend;
    const PsimCalibrateOptions *options;
    PsimUnit *unit;
    const PsimGemmFit *fit;
    gint64 end;
} Run;

static bool
measure_one(PsimCheck *self, const Run *run, const PsimTrial *known, guint n_left)
{
    const double left_s = (double)(run->end - g_get_monotonic_time()) / G_USEC_PER_SEC;
    const PsimProduct product = psim_constants_product(&known->what);
    const double predicted_s = psim_product_s(&run->fit->cost, &product);
    PsimPolicy policy = psim_suite_policy(&known->what, &self->record->facts);

    if (run->options->cancelled != NULL && run->options->cancelled(run->options->user))
        return false;
    policy.budget_s = CLAMP(left_s / (double)n_left, 0.02, policy.budget_s);
    g_ptr_array_add(self->trials, psim_calibrate_measure(run->backend, run->unit, known, &policy));
    g_array_append_val(self->predicted_s, predicted_s);
    return true;
}

static void
judge(PsimCheck *self)
{
    g_autofree double *errors = g_new(double, self->trials->len + 1);
    g_autofree double *repeats = g_new(double, self->trials->len + 1);
    size_t n = 0;

    for (guint i = 0; i < self->trials->len; i++) {
        const PsimTrial *trial = g_ptr_array_index(self->trials, i);
        const double fresh_s = psim_record_time_s(self->record, trial);
        const double known_s =
            psim_record_time_s(self->record, psim_record_find(self->record, trial));

        if (!isfinite(fresh_s))
            continue;
        errors[n] = g_array_index(self->predicted_s, double, i) / fresh_s - 1.0;
        repeats[n++] = known_s / fresh_s - 1.0;
    }
    self->products = psim_accuracy_of(errors, n);
    self->repeats = psim_accuracy_of(repeats, n);
}

static bool
is_of_record(const PsimRecord *record, const PsimBackend *backend, PsimUnit *unit)
{
    PsimUnitFacts facts = {.name = NULL};

    backend->describe(unit, &facts);
    return g_str_equal(record->backend, backend->name) && g_str_equal(record->name, facts.name) &&
           g_str_equal(record->identifier, facts.identifier);
}

static bool
measure_all(PsimCheck *self, Run *run, GError **error)
{
    g_autoptr(PsimConstants) constants = psim_constants_fit(self->record);
    g_autoptr(GPtrArray) chosen = choose(self->record, constants->main);

    run->fit = &constants->gemm[constants->main];
    if (!constants->has_gemm[constants->main]) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_SCHEMA,
                    "%s: has too few products to be checked; continue it with --resume",
                    run->options->path);
        return false;
    }
    for (guint i = 0; i < chosen->len; i++) {
        if (measure_one(self, run, g_ptr_array_index(chosen, i), chosen->len - i))
            continue;
        g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_CANCELLED, "interrupted");
        return false;
    }
    judge(self);
    return true;
}

PsimCheck *
psim_check_run(const PsimBackend *backend, const PsimCalibrateOptions *options, GError **error)
{
    g_autoptr(PsimCheck) self = g_new0(PsimCheck, 1);
    Run run = {
        .backend = backend,
        .options = options,
        .end = g_get_monotonic_time() + (gint64)(options->budget_s * G_USEC_PER_SEC),
    };
    bool good = false;

    self->trials = g_ptr_array_new_with_free_func(free_trial);
    self->predicted_s = g_array_new(FALSE, FALSE, sizeof(double));
    self->record = psim_record_load(options->path, error);
    run.unit = self->record != NULL ? psim_calibrate_open(backend, error) : NULL;
    if (run.unit == NULL)
        return NULL;
    if (is_of_record(self->record, backend, run.unit))
        good = measure_all(self, &run, error);
    else
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_MISMATCH,
                    "%s: was measured on %s (%s), which is not here", options->path,
                    self->record->name, self->record->backend);
    backend->close(run.unit);
    return good ? g_steal_pointer(&self) : NULL;
}

/* -- Telling -- */

static double
find_own_error(const PsimRecord *record)
{
    g_autoptr(PsimConstants) constants = psim_constants_fit(record);
    const PsimGemmFit *fit = &constants->gemm[constants->main];

    return fit->held_out.n > 0 ? fit->held_out.mape : fit->train.mape;
}

bool
psim_check_holds(const PsimCheck *self)
{
    return self->products.n > 0 &&
           self->products.mape <= MORE_RATIO * find_own_error(self->record) + MORE_FRACTION;
}

static void
append_accuracy(GString *out, const char *what, const PsimAccuracy *accuracy)
{
    g_string_append_printf(out, "%s: MAPE %.1f %%, median %.1f %%, worst %.1f %%, bias %+.1f %%\n",
                           what, 100.0 * accuracy->mape, 100.0 * accuracy->median,
                           100.0 * accuracy->worst, 100.0 * accuracy->bias);
}

char *
psim_check_text(const PsimCheck *self)
{
    GString *out =
        g_string_new("layout      m      n      k  predicted us  measured us  before us\n");

    for (guint i = 0; i < self->trials->len; i++) {
        const PsimTrial *trial = g_ptr_array_index(self->trials, i);
        const PsimCase *what = &trial->what;
        const PsimTrial *known = psim_record_find(self->record, trial);

        g_string_append_printf(out,
                               "%s     %6" G_GUINT64_FORMAT " %6" G_GUINT64_FORMAT
                               " %6" G_GUINT64_FORMAT " %13.1f %12.1f %10.1f\n",
                               psim_layout_words()[what->gemm.layout], what->gemm.m, what->gemm.n,
                               what->gemm.k, 1e6 * g_array_index(self->predicted_s, double, i),
                               1e6 * psim_record_time_s(self->record, trial),
                               1e6 * psim_record_time_s(self->record, known));
    }
    g_string_append_c(out, '\n');
    append_accuracy(out, "predicted against measured", &self->products);
    append_accuracy(out, "before against measured   ", &self->repeats);
    g_string_append_printf(out, "%s\n",
                           psim_check_holds(self)
                               ? "the calibration holds"
                               : "the calibration does not hold: calibrate again");
    return g_string_free(out, FALSE);
}
