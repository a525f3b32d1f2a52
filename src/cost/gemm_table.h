/* SPDX-License-Identifier: MIT */
/* gemm_table.h: matrix products that were measured on the device, looked up before any formula
 *
 * A row is of one precision, layout and output, two widths and a number of tokens: m of a forward
 * or an input gradient, k of a weight gradient, whose C and its transpose are one product.
 */
#pragma once

#include "cost/kernel.h"

G_BEGIN_DECLS

/**
 * psim_gemm_table_find:
 * @gemm         batch 1, or nothing is found
 * @ret_time_s   [s]; set unless the formula is left
 *
 * Returns: MEASURED where the shape is in the table; INTERPOLATED between two rows of other
 * numbers of tokens, each within a factor of 2; else FORMULA.
 * Formula: log t is linear in log tokens between neighbours.
 * Cost: a binary search, nothing without rows.
 */
PsimBasis psim_gemm_table_find(const PsimGemmConstants *constants,
                               PsimPrecision precision,
                               const PsimGemm *gemm,
                               double *ret_time_s);

G_END_DECLS
