/* SPDX-License-Identifier: MIT */
/* reference.h: the kernels once more, plainly and in double precision, to compare with
 */
#pragma once

#include "calibrate/cpu/operands.h"

G_BEGIN_DECLS

/**
 * psim_cpu_reference_error:
 * Runs @operands and its reference on the same numbers.
 *
 * @run    psim_cpu_operands_run(), or what a test has instead
 *
 * Returns: the largest error of an element over its bound, [1]; right up to 1.
 */
double psim_cpu_reference_error(PsimCpuOperands *operands, void (*run)(PsimCpuOperands *operands));

G_END_DECLS
