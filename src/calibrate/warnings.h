/* SPDX-License-Identifier: MIT */
/* warnings.h: what is to be known before a calibration is believed, in plain words
 */
#pragma once

#include "calibrate/constants.h"

G_BEGIN_DECLS

/**
 * psim_warnings_of:
 * Returns: sentences (char *), most serious first; empty if there is nothing to say.
 *
 * @constants    NULL: nothing was fitted yet
 * Ownership: the caller unrefs.
 */
GPtrArray *psim_warnings_of(const PsimRecord *record, const PsimConstants *constants);

G_END_DECLS
