/* SPDX-License-Identifier: MIT */
/* The kernels of the CUDA backend, compiled for the host. */
#include "emulate.h"

#include "calibrate/cuda/cuda_kernels.cu"
