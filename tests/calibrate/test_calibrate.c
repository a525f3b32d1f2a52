/* SPDX-License-Identifier: MIT */
#include "test_calibrate.h"

#include "main.h"

PSIM_TEST_SUITES(accuracy_suite,
                 check_suite,
                 cpu_suite,
                 fit_suite,
                 hardware_text_suite,
                 log_suite,
                 measured_suite,
                 record_place_suite,
                 record_suite,
                 resume_suite,
                 shapes_suite);
