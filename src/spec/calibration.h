/* SPDX-License-Identifier: MIT */
/* calibration.h: how the constants of a hardware file were measured, checked and kept as it is
 *
 * The member `calibration` of a hardware file moves no prediction; `plansim calibrate` reads it to
 * go on where it was stopped. The format is in hardware/README.md, "A calibration".
 */
#pragma once

#include "json/reader.h"

G_BEGIN_DECLS

/**
 * psim_calibration_read:
 * Checks the member "calibration" of the current object; complaints go to the reader's.
 *
 * Returns: its JSON text, NULL where absent. Ownership: the caller frees with g_free().
 */
char *psim_calibration_read(PsimReader *reader);

G_END_DECLS
