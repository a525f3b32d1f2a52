/* SPDX-License-Identifier: MIT */
/* record.h: a calibration as far as it has come, in memory and in its file
 *
 * The file is a hardware file from the first case on: constants that nothing was measured for yet
 * are guesses and say so. It is written whole after each case and renamed into place, so that
 * whatever ends the program leaves the file of the case before.
 */
#pragma once

#include "calibrate/trial.h"
#include "plansim.h"

G_BEGIN_DECLS

typedef struct {
    char *backend;
    char *name, *identifier, *driver, *libraries, *architecture; /* what facts points to */
    PsimUnitFacts facts;
    bool least_counts; /* the least of the samples is the time, and not the median */
    PsimPolicy method; /* of products; budget_s is that of the whole run */
    bool suites[PSIM_N_SUITES];
    GPtrArray *trials; /* PsimTrial *, measured or refused */
    bool complete;     /* nothing was left to do but what the budget had no time for */
} PsimRecord;

/** psim_record_new: an empty record of a unit; strings are copied. */
PsimRecord *psim_record_new(const char *backend, const PsimUnitFacts *facts);
void psim_record_free(PsimRecord *self);

/** psim_record_find: Returns: the trial of the same case, or NULL. */
const PsimTrial *psim_record_find(const PsimRecord *self, const PsimTrial *trial);

/** psim_record_n_measured: Returns: how many trials have a time. */
guint psim_record_n_measured(const PsimRecord *self);

/** psim_record_time_s: Returns: what counts as the time of a trial, [s]; NAN if it has none. */
double psim_record_time_s(const PsimRecord *self, const PsimTrial *trial);

/**
 * psim_record_load:
 * From a file that psim_record_save() wrote.
 *
 * Errors: those of psim_hardware_load(), with file and line; SCHEMA for a hardware file that is no
 * calibration; VALUE where it is no file.
 * Ownership: the caller frees.
 */
PsimRecord *psim_record_load(const char *path, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimRecord, psim_record_free)

G_END_DECLS
