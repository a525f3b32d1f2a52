/* SPDX-License-Identifier: MIT */
/* cpu.h: one core of this machine as a backend: OpenBLAS and own kernels in fp32
 */
#pragma once

#include "calibrate/backend.h"

G_BEGIN_DECLS

/** psim_cpu_backend: Returns: the backend; static. Its open() fails without OpenBLAS. */
const PsimBackend *psim_cpu_backend(void);

G_END_DECLS
