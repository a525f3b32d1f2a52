/* SPDX-License-Identifier: MIT */
/* record_place.h: where a calibration is kept: in a file of its own
 */
#pragma once

#include "plansim.h"

G_BEGIN_DECLS

/**
 * psim_record_place_target:
 * Returns: what is renamed to, so that a link stays one. Ownership: the caller frees with g_free().
 * Errors: IO where something else than a file is there.
 */
char *psim_record_place_target(const char *path, GError **error);

/**
 * psim_record_place_check_new:
 * Whether a calibration may begin there: where nothing is yet.
 *
 * Errors: MISMATCH for a file that is there, a calibration or not; IO as
 * psim_record_place_target(), and where no file can be.
 */
bool psim_record_place_check_new(const char *path, GError **error);

/**
 * psim_record_place_check_old:
 * Whether what is there can be read as a file; a pipe would keep its reader waiting.
 *
 * Errors: VALUE. What is not there is for the reader to say.
 */
bool psim_record_place_check_old(const char *path, GError **error);

G_END_DECLS
