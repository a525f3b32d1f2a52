/* SPDX-License-Identifier: MIT */
/* cuda_reference.h: what a case should give, by plain loops in double precision
 *
 * Reads the arrays as they were before (inputs, and what is added to) and as they are after.
 */
#pragma once

#include "calibrate/cuda/cuda_case.h"

G_BEGIN_DECLS

/**
 * psim_cuda_reference_error:
 * @before  arrays of the case before it ran, as double, in the order of cuda_case.h
 * @after   the same afterwards
 *
 * Returns: the largest error over its bound; right up to 1. INFINITY for anything not finite.
 * The bound of an element is two roundings of the result's type plus what its terms may have lost:
 * a rounding of each product to the type in which the hardware keeps it.
 * Exact for: all kinds but LAUNCH, MEMCPY and COLLECTIVE, which compare bytes or counts themselves.
 * Tested: tests/calibrate/cuda/
 */
double psim_cuda_reference_error(const PsimCase *what,
                                 const double *const *before,
                                 const double *const *after);

G_END_DECLS
