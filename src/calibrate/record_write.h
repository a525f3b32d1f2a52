/* SPDX-License-Identifier: MIT */
/* record_write.h: a record and what was found in it, as a hardware file
 */
#pragma once

#include "calibrate/constants.h"

#include <cjson/cJSON.h>

G_BEGIN_DECLS

/** psim_record_add: the member "calibration" of @hardware: method, statistics, warnings, rows. */
void psim_record_add(cJSON *hardware, const PsimRecord *record, const PsimConstants *constants);

/**
 * psim_record_text:
 * Returns: the whole file. Ownership: the caller frees with g_free().
 *
 * @constants    NULL: nothing was fitted yet, and what stands there are guesses
 */
char *psim_record_text(const PsimRecord *record, const PsimConstants *constants);

/** psim_record_save: writes it beside @path and renames it. Errors: IO. */
bool psim_record_save(const PsimRecord *record,
                      const PsimConstants *constants,
                      const char *path,
                      GError **error);

G_END_DECLS
