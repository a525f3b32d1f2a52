/* SPDX-License-Identifier: MIT */
/* suites.h: what the test programs of the CUDA backend have in common
 */
#pragma once

#include "main.h"

Suite *cuda_case_suite(void);
Suite *cuda_kernels_suite(void);
Suite *cuda_imitation_suite(void);
