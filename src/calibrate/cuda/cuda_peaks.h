/* SPDX-License-Identifier: MIT */
/* cuda_peaks.h: what a device's data sheet promises, from what the device says of itself
 */
#pragma once

#include "calibrate/backend.h"

G_BEGIN_DECLS

/**
 * psim_cuda_peaks_flop_per_s:
 * @clock_hz  the highest clock the device has; tensor cores are specified at less on some
 * Returns: dense peak, [FLOP/s]; 0: cannot, or an unknown generation.
 * Formula: multiprocessors x operations a clock x specified clock.
 * Source:  NVIDIA's architecture white papers (A100, H100, Ada, Blackwell).
 * Wrong when: a board's clock is specified below its generation's, as for PCIe cards (8 %).
 * Tested:  tests/calibrate/cuda/test_cuda_case.c
 */
double psim_cuda_peaks_flop_per_s(
    int major, int minor, uint32_t n_sms, double clock_hz, PsimNumber number);

/** psim_cuda_peaks_link_rate: Returns: of one NVLink, one direction, [B/s]; 0: unknown. */
double psim_cuda_peaks_link_rate(int major);

G_END_DECLS
