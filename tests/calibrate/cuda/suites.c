/* SPDX-License-Identifier: MIT */
#include "suites.h"

#if defined(WITH_KERNELS)
PSIM_TEST_SUITES(cuda_kernels_suite);
#elif defined(WITH_IMITATION)
PSIM_TEST_SUITES(cuda_imitation_suite);
#else
PSIM_TEST_SUITES(cuda_case_suite);
#endif
