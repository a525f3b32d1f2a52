/* SPDX-License-Identifier: MIT */
/* calibrate.h: measure a unit, suite by suite, within a budget
 */
#pragma once

#include "calibrate/constants.h"

G_BEGIN_DECLS

/* How far a run has come. */
typedef struct {
    PsimSuite suite;
    guint n_done, n_all; /* cases of all suites */
    double seconds;      /* since the run began [s] */
} PsimCalibrateProgress;

typedef struct {
    bool suites[PSIM_N_SUITES]; /* all of them: those that the unit has */
    double budget_s;            /* wall clock, for all suites                             [s] */
    const char *path;           /* the file, written after each case                          */
    bool resume;                /* go on with what it has                                     */
    void (*progress)(const PsimCalibrateProgress *progress, void *user); /* or NULL */
    bool (*cancelled)(void *user);                                       /* or NULL */
    void *user;
} PsimCalibrateOptions;

/**
 * psim_calibrate_run:
 * Checks and times the cases of the suites on unit 0 of @backend; each suite has its share of the
 * budget, and what is left of it goes to the next. There is a file as soon as there is a time.
 *
 * Returns: the record as it stands in the file; `complete` unless it was cancelled.
 * Errors: UNSUPPORTED where there is nothing to open, or no case of a suite that the unit can do,
 * or not one could be measured; CANCELLED before one was; those of psim_record_place_check_new(),
 * or where it goes on those of psim_record_load() and MISMATCH where the file is of another unit.
 * Ownership: the caller frees.
 */
PsimRecord *
psim_calibrate_run(const PsimBackend *backend, const PsimCalibrateOptions *options, GError **error);

/** psim_calibrate_open: unit 0. Errors: UNSUPPORTED where there is nothing to open. */
PsimUnit *psim_calibrate_open(const PsimBackend *backend, GError **error);

/** psim_calibrate_measure: checks and times one case. Returns: its trial; the caller frees. */
PsimTrial *psim_calibrate_measure(const PsimBackend *backend,
                                  PsimUnit *unit,
                                  const PsimTrial *planned,
                                  const PsimPolicy *policy);

G_END_DECLS
