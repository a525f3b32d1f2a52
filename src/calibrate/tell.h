/* SPDX-License-Identifier: MIT */
/* tell.h: a calibration in a screen of text
 */
#pragma once

#include "calibrate/constants.h"

G_BEGIN_DECLS

/** psim_calibration_text: Returns: constants, errors and warnings; the caller frees with g_free().
 */
char *psim_calibration_text(const PsimRecord *record, const PsimConstants *constants);

G_END_DECLS
