/* SPDX-License-Identifier: MIT */
/* cuda_scatter.h: how far samples lie from each other
 */
#pragma once

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

/** psim_cuda_scatter: Returns: median absolute deviation over the median, [1]. Overwrites @values.
 */
double psim_cuda_scatter(double *values, uint32_t n);

G_END_DECLS
