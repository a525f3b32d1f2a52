/* SPDX-License-Identifier: MIT */
/* rows.h: files of measurements
 */
#pragma once

#include "validate/row.h"

G_BEGIN_DECLS

/**
 * psim_rows_read:
 * Appends the rows of a file: an array of objects, or an object whose "rows" is one.
 *
 * @rows    gets PsimRow
 *
 * Errors: IO, SYNTAX (not JSON), SCHEMA (not rows), LIMIT (beyond 64 MiB).
 */
bool psim_rows_read(const char *path, GPtrArray *rows, GError **error);

G_END_DECLS
