/* SPDX-License-Identifier: MIT */
/* The kernels of the CUDA backend, compiled for the host. */
#include "emulate.h"

void (*psim_emulate_on_launch)(void) = nullptr;

#include "calibrate/cuda/cuda_kernels.cu"
