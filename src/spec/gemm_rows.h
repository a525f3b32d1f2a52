/* SPDX-License-Identifier: MIT */
/* gemm_rows.h: the measured matrix products of a device, read, sorted and written
 *
 * Rows that differ in their number of tokens alone stand together, in its order, so that a search
 * ends between the neighbours of what it did not find.
 */
#pragma once

#include "spec/hardware.h"
#include "json/reader.h"
#include "json/writer.h"

G_BEGIN_DECLS

#define PSIM_GEMM_ROW_MAX_SIZE 16777216.0 /* of m, n and k */

/** psim_gemm_row_tokens: Returns: m, or k of a weight gradient, [1]. */
double psim_gemm_row_tokens(const PsimGemmRow *row);

/** psim_gemm_rows_are_alike: Returns: whether two rows differ in tokens, time and, of a weight
 * gradient, in which of its widths is m, at most. */
bool psim_gemm_rows_are_alike(const PsimGemmRow *a, const PsimGemmRow *b);

/** psim_gemm_rows_compare: Returns: -1, 0, 1 by everything but the time: tokens, then m last. */
int psim_gemm_rows_compare(const PsimGemmRow *a, const PsimGemmRow *b);

/** psim_gemm_rows_read: "table" of the current object; complains of a shape given twice. */
void psim_gemm_rows_read(PsimGemmConstants *self, PsimReader *reader);

/** psim_gemm_rows_write: the same again; nothing where there is none. */
void psim_gemm_rows_write(const PsimGemmConstants *self, PsimWriter *writer);

G_END_DECLS
