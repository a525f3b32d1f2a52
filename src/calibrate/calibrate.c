/* SPDX-License-Identifier: MIT */
#include "calibrate/calibrate.h"

#include "calibrate/record_place.h"
#include "calibrate/record_write.h"
#include "calibrate/suite.h"

#include <string.h>

/* A case has this long at least, or its samples say nothing. */
#define LEAST_CASE_S 0.02
/* A core is measured so often while there is time. */
#define N_ROUNDS     4u
#define MOST_SAMPLES 2048u

/* Short suites that others build on come first; products, which can use any time, come last. */
static const PsimSuite order[PSIM_N_SUITES] = {
    PSIM_SUITE_LAUNCH, PSIM_SUITE_BANDWIDTH, PSIM_SUITE_MEMCPY, PSIM_SUITE_NCCL,
    PSIM_SUITE_MEMORY, PSIM_SUITE_ATTENTION, PSIM_SUITE_GEMM,
};

typedef struct {
    const PsimBackend *backend;
    const PsimCalibrateOptions *options;
    PsimUnit *unit;
    PsimRecord *record;
    PsimConstants *constants; /* of the suites that are over, or NULL */
    GPtrArray *planned[PSIM_N_SUITES];
    PsimCalibrateProgress progress;
    gint64 begin;
} Run;

static double
seconds_since(gint64 begin)
{
    return (double)(g_get_monotonic_time() - begin) / G_USEC_PER_SEC;
}

/* Without a time there is nothing that a file could say of the machine. */
static bool
save(const Run *run, GError **error)
{
    return psim_record_n_measured(run->record) == 0 ||
           psim_record_save(run->record, run->constants, run->options->path, error);
}

/* -- One case -- */

PsimTrial *
psim_calibrate_measure(const PsimBackend *backend,
                       PsimUnit *unit,
                       const PsimTrial *planned,
                       const PsimPolicy *policy)
{
    PsimTrial *trial = g_new0(PsimTrial, 1);
    g_autoptr(GError) reason = NULL;

    trial->what = planned->what;
    trial->role = planned->role;
    trial->cold = policy->cold;
    trial->verdict = backend->check(unit, &trial->what, policy, &trial->error, &reason);
    if (trial->verdict != PSIM_VERDICT_RIGHT)
        return trial;
    trial->verdict = backend->measure(unit, &trial->what, policy, &trial->samples, &reason);
    if (trial->verdict == PSIM_VERDICT_RIGHT && trial->samples.n == 0)
        trial->verdict = PSIM_VERDICT_FAILED;
    if (trial->verdict != PSIM_VERDICT_RIGHT)
        psim_samples_clear(&trial->samples);
    return trial;
}

static bool
is_cancelled(const Run *run)
{
    return run->options->cancelled != NULL && run->options->cancelled(run->options->user);
}

static void
show(Run *run, PsimSuite suite)
{
    run->progress.suite = suite;
    run->progress.seconds = seconds_since(run->begin);
    if (run->options->progress != NULL)
        run->options->progress(&run->progress, run->options->user);
}

/* What one more measurement adds to a trial: its samples; a doubt stays only if both had it. */
static void
join(PsimTrial *into, const PsimTrial *again)
{
    const uint32_t n = into->samples.n + again->samples.n;

    if (into->verdict != PSIM_VERDICT_RIGHT || again->verdict != PSIM_VERDICT_RIGHT ||
        n > MOST_SAMPLES)
        return;
    into->samples.seconds = g_renew(double, into->samples.seconds, n);
    memcpy(into->samples.seconds + into->samples.n, again->samples.seconds,
           again->samples.n * sizeof(double));
    into->samples.n = n;
    into->samples.flags &= again->samples.flags;
    g_clear_pointer(&into->line, g_free);
}

/* -- One suite -- */

/* What stays of the suite's time, evenly over what stays of its cases. */
static double
find_case_budget(const PsimPolicy *policy, double left_s, guint n_left)
{
    return CLAMP(left_s / (double)MAX(n_left, 1), LEAST_CASE_S, policy->budget_s);
}

static bool
run_case(Run *run, const PsimTrial *planned, double left_s, guint n_left, GError **error)
{
    PsimPolicy policy = psim_suite_policy(&planned->what, &run->record->facts);

    policy.budget_s = find_case_budget(&policy, left_s, n_left);
    g_ptr_array_add(run->record->trials,
                    psim_calibrate_measure(run->backend, run->unit, planned, &policy));
    return save(run, error);
}

static void
refit(Run *run)
{
    psim_constants_free(run->constants);
    run->constants = psim_constants_fit(run->record);
}

/* Where the least of the samples counts, later ones find a calm moment that the first ones missed:
 * as long as there is time, everything is measured again. */
static bool
run_again(Run *run, PsimSuite suite, double end_s, GError **error)
{
    const GPtrArray *planned = run->planned[suite];
    const guint n_all = run->record->trials->len;
    const guint first = n_all - MIN(planned->len, n_all);

    for (guint i = first; i < n_all && seconds_since(run->begin) < end_s; i++) {
        PsimTrial *trial = g_ptr_array_index(run->record->trials, i);
        PsimPolicy policy = psim_suite_policy(&trial->what, &run->record->facts);

        if (is_cancelled(run))
            return false;
        show(run, suite);
        policy.budget_s = find_case_budget(&policy, end_s - seconds_since(run->begin), n_all - i);
        g_autoptr(PsimTrial) again =
            psim_calibrate_measure(run->backend, run->unit, trial, &policy);

        join(trial, again);
    }
    return save(run, error);
}

/* Returns: false with an error, or without one when cancelled. */
static bool
run_suite(Run *run, PsimSuite suite, double end_s, GError **error)
{
    const GPtrArray *planned = run->planned[suite];

    for (guint i = 0; i < planned->len; i++) {
        const double left_s = end_s - seconds_since(run->begin);

        if (is_cancelled(run))
            return false;
        show(run, suite);
        if (left_s > 0.0 &&
            !run_case(run, g_ptr_array_index(planned, i), left_s, planned->len - i, error))
            return false;
        run->progress.n_done++;
    }
    for (unsigned round = 1; round < N_ROUNDS && run->record->least_counts; round++) {
        if (!run_again(run, suite, end_s, error))
            return false;
    }
    refit(run);
    return save(run, error);
}

/* -- All suites -- */

static void
free_trial(void *trial)
{
    psim_trial_free(trial);
}

static bool
can_do(const Run *run, PsimSuite suite)
{
    const PsimUnitFacts *facts = &run->record->facts;
    g_autoptr(GPtrArray) cases = g_ptr_array_new_with_free_func(free_trial);

    psim_suite_cases(suite, facts, cases);
    for (guint i = 0; i < cases->len; i++) {
        const PsimTrial *trial = g_ptr_array_index(cases, i);
        const PsimPolicy policy = psim_suite_policy(&trial->what, facts);
        double ignored = 0.0;

        if (run->backend->check(run->unit, &trial->what, &policy, &ignored, /* error= */ NULL) !=
            PSIM_VERDICT_UNSUPPORTED)
            return true;
    }
    return false;
}

/* Who names a suite wants it; who wants all of them takes what there is. */
static bool
check_suites(const Run *run, GError **error)
{
    const bool *suites = run->options->suites;
    bool all = true;

    for (int suite = 0; suite < PSIM_N_SUITES; suite++)
        all = all && suites[suite];
    for (int suite = 0; suite < PSIM_N_SUITES && !all; suite++) {
        if (!suites[suite] || can_do(run, (PsimSuite)suite))
            continue;
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED,
                    "suite %s: %s (%s) has nothing that it measures", psim_suite_words()[suite],
                    run->record->name, run->backend->name);
        return false;
    }
    return true;
}

/* Cases that the record has are not measured again. */
static void
plan(Run *run)
{
    for (int suite = 0; suite < PSIM_N_SUITES; suite++) {
        g_autoptr(GPtrArray) cases = g_ptr_array_new();

        run->planned[suite] = g_ptr_array_new_with_free_func(free_trial);
        if (run->options->suites[suite])
            psim_suite_cases((PsimSuite)suite, &run->record->facts, cases);
        for (guint i = 0; i < cases->len; i++) {
            PsimTrial *trial = g_ptr_array_index(cases, i);

            if (psim_record_find(run->record, trial) == NULL)
                g_ptr_array_add(run->planned[suite], trial);
            else
                psim_trial_free(trial);
        }
        run->progress.n_all += run->planned[suite]->len;
        run->record->suites[suite] = run->record->suites[suite] || run->options->suites[suite];
    }
}

static double
find_shares(const Run *run)
{
    double sum = 0.0;

    for (int suite = 0; suite < PSIM_N_SUITES; suite++) {
        if (run->planned[suite]->len > 0)
            sum += psim_suite_share((PsimSuite)suite);
    }
    return sum > 0.0 ? sum : 1.0;
}

static bool
run_suites(Run *run, GError **error)
{
    const double shares = find_shares(run);
    double end_s = 0.0;

    for (size_t i = 0; i < G_N_ELEMENTS(order); i++) {
        const PsimSuite suite = order[i];

        if (run->planned[suite]->len == 0)
            continue;
        end_s += run->options->budget_s * psim_suite_share(suite) / shares;
        if (!run_suite(run, suite, end_s, error))
            return false;
    }
    return true;
}

/* -- Going on -- */

static bool
is_same_unit(const PsimRecord *record, const char *backend, const PsimUnitFacts *facts)
{
    return g_str_equal(record->backend, backend) && g_str_equal(record->name, facts->name) &&
           g_str_equal(record->identifier, facts->identifier) &&
           g_str_equal(record->driver, facts->driver) &&
           g_str_equal(record->libraries, facts->libraries);
}

/* The record to begin with: a new one, or what the file has. */
static PsimRecord *
begin_record(const PsimBackend *backend,
             const PsimUnitFacts *facts,
             const PsimCalibrateOptions *options,
             GError **error)
{
    if (!options->resume)
        return psim_record_new(backend->name, facts);
    g_autoptr(PsimRecord) record = psim_record_load(options->path, error);

    if (record == NULL || is_same_unit(record, backend->name, facts))
        return g_steal_pointer(&record);
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_MISMATCH,
                "%s: was measured on %s with %s (%s); this is %s with %s (%s), so begin a new file",
                options->path, record->name, record->libraries, record->backend, facts->name,
                facts->libraries, backend->name);
    return NULL;
}

static void
clear_run(Run *run)
{
    for (int suite = 0; suite < PSIM_N_SUITES; suite++)
        g_clear_pointer(&run->planned[suite], g_ptr_array_unref);
    psim_constants_free(run->constants);
    psim_record_free(run->record);
    if (run->unit != NULL)
        run->backend->close(run->unit);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, clear_run)

/* A backend says that there is nothing to open; to a user that is a machine without it. */
PsimUnit *
psim_calibrate_open(const PsimBackend *backend, GError **error)
{
    PsimUnit *unit = backend->open(0, error);

    if (unit == NULL && error != NULL && g_error_matches(*error, PSIM_ERROR, PSIM_ERROR_IO)) {
        (*error)->code = PSIM_ERROR_UNSUPPORTED;
        g_prefix_error(error, "backend %s: ", backend->name);
    }
    return unit;
}

/* Without a time there is no file either, which is to be told. */
static bool
check_measured(const PsimRecord *record, GError **error)
{
    if (psim_record_n_measured(record) > 0)
        return true;
    if (record->complete)
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED,
                    "nothing could be measured: all of %u cases were left out",
                    record->trials->len);
    else
        g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_CANCELLED,
                            "interrupted before anything was measured; there is no file");
    return false;
}

PsimRecord *
psim_calibrate_run(const PsimBackend *backend, const PsimCalibrateOptions *options, GError **error)
{
    g_auto(Run) run = {.backend = backend, .options = options, .begin = g_get_monotonic_time()};
    PsimUnitFacts facts = {.name = NULL};
    GError *reason = NULL;

    if (!options->resume && !psim_record_place_check_new(options->path, error))
        return NULL;
    run.unit = psim_calibrate_open(backend, error);
    if (run.unit == NULL)
        return NULL;
    backend->describe(run.unit, &facts);
    run.record = begin_record(backend, &facts, options, error);
    if (run.record == NULL)
        return NULL;
    if (!check_suites(&run, error))
        return NULL;
    run.record->complete = false;
    run.record->method.budget_s = options->budget_s;
    plan(&run);
    if (run.record->trials->len > 0)
        refit(&run);
    if (!save(&run, error))
        return NULL;
    run.record->complete = run_suites(&run, &reason);
    if (reason != NULL) {
        g_propagate_error(error, reason);
        return NULL;
    }
    if (!check_measured(run.record, error))
        return NULL;
    /* Of a suite that was cut short, what there is counts too. */
    if (!run.record->complete)
        refit(&run);
    if (!save(&run, error))
        return NULL;
    return g_steal_pointer(&run.record);
}
