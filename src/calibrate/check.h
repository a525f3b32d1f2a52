/* SPDX-License-Identifier: MIT */
/* check.h: whether a calibration still holds: its predictions beside fresh measurements
 */
#pragma once

#include "calibrate/accuracy.h"
#include "calibrate/calibrate.h"

G_BEGIN_DECLS

typedef struct {
    PsimRecord *record;    /* of the file */
    GPtrArray *trials;     /* PsimTrial *, measured anew */
    GArray *predicted_s;   /* double, by the fitted formula, one a trial [s] */
    PsimAccuracy products; /* predicted against fresh */
    PsimAccuracy repeats;  /* the file's measurement against fresh */
} PsimCheck;

/**
 * psim_check_run:
 * Measures some of the file's products again.
 *
 * @options    path, budget_s, cancelled and user count
 *
 * Errors: those of psim_record_load(), MISMATCH where the file is of another unit, UNSUPPORTED
 * where there is none, CANCELLED. Ownership: the caller frees.
 */
PsimCheck *
psim_check_run(const PsimBackend *backend, const PsimCalibrateOptions *options, GError **error);
void psim_check_free(PsimCheck *self);

/** psim_check_text: Returns: the rows and their errors; the caller frees with g_free(). */
char *psim_check_text(const PsimCheck *self);

/** psim_check_holds: Returns: whether the error is within half more than the fit's own, and 2 %. */
bool psim_check_holds(const PsimCheck *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimCheck, psim_check_free)

G_END_DECLS
