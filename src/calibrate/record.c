/* SPDX-License-Identifier: MIT */
#include "calibrate/record.h"

#include "calibrate/accuracy.h"
#include "calibrate/suite.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>

static void
free_trial(void *trial)
{
    psim_trial_free(trial);
}

PsimRecord *
psim_record_new(const char *backend, const PsimUnitFacts *facts)
{
    PsimRecord *self = g_new0(PsimRecord, 1);

    self->backend = g_strdup(backend);
    self->name = g_strdup(facts->name);
    self->identifier = g_strdup(facts->identifier);
    self->driver = g_strdup(facts->driver);
    self->libraries = g_strdup(facts->libraries);
    self->architecture = g_strdup(facts->architecture);
    self->facts = *facts;
    self->facts.name = self->name;
    self->facts.identifier = self->identifier;
    self->facts.driver = self->driver;
    self->facts.libraries = self->libraries;
    self->facts.architecture = self->architecture;
    self->least_counts = psim_suite_least_counts(facts);
    self->method = psim_suite_policy(&(PsimCase){.kind = PSIM_CASE_GEMM}, facts);
    self->trials = g_ptr_array_new_with_free_func(free_trial);
    return self;
}

void
psim_record_free(PsimRecord *self)
{
    if (self == NULL)
        return;
    g_ptr_array_unref(self->trials);
    g_free(self->backend);
    g_free(self->name);
    g_free(self->identifier);
    g_free(self->driver);
    g_free(self->libraries);
    g_free(self->architecture);
    g_free(self);
}

const PsimTrial *
psim_record_find(const PsimRecord *self, const PsimTrial *trial)
{
    for (guint i = 0; i < self->trials->len; i++) {
        const PsimTrial *known = g_ptr_array_index(self->trials, i);

        if (psim_trial_is_same(known, trial))
            return known;
    }
    return NULL;
}

guint
psim_record_n_measured(const PsimRecord *self)
{
    guint n = 0;

    for (guint i = 0; i < self->trials->len; i++) {
        const PsimTrial *trial = g_ptr_array_index(self->trials, i);

        n += trial->verdict == PSIM_VERDICT_RIGHT;
    }
    return n;
}

double
psim_record_time_s(const PsimRecord *self, const PsimTrial *trial)
{
    const PsimSamples *samples = &trial->samples;

    if (trial->verdict != PSIM_VERDICT_RIGHT || samples->n == 0)
        return (double)NAN;
    /* The least time of a send is luck: two threads met on one core, and nothing left its cache. */
    return self->least_counts && trial->what.kind != PSIM_CASE_COLLECTIVE
               ? gsl_stats_min(samples->seconds, 1, samples->n)
               : psim_accuracy_median(samples->seconds, samples->n);
}
