/* SPDX-License-Identifier: MIT */
#include "../main.h"
#include "suites.h"

PSIM_TEST_SUITES(kernels_suite, gradients_suite, train_suite);
