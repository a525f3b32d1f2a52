/* SPDX-License-Identifier: MIT */
/* cuda_element.h: the devices' number types, read on a host that has none of them
 */
#pragma once

#include "calibrate/cuda/cuda_case.h"

G_BEGIN_DECLS

/** psim_cuda_element_read: Returns: element @index of an array of @element, exactly. */
double psim_cuda_element_read(const void *array, PsimElement element, uint64_t index);

/** psim_cuda_element_read_all: Returns: (n) all of them. Caller frees. */
double *psim_cuda_element_read_all(const void *array, PsimElement element, uint64_t n);

/** psim_cuda_element_epsilon: Returns: half the distance from 1 to the next number, [1]. */
double psim_cuda_element_epsilon(PsimElement element);

G_END_DECLS
