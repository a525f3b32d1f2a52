/* SPDX-License-Identifier: MIT */
#include "calibrate/cuda/cuda_peaks.h"

/* Operations a clock of one multiprocessor, dense; fp32 by its plain cores. */
typedef struct {
    int capability; /* 10 major + minor */
    double flop_a_clock[PSIM_N_NUMBERS];
    double clock_hz_max; /* at which the peak is specified */
} Generation;

static const Generation generations[] = {
    {80,
     {[PSIM_NUMBER_FP32] = 128,
      [PSIM_NUMBER_TF32] = 1024,
      [PSIM_NUMBER_FP16] = 2048,
      [PSIM_NUMBER_BF16] = 2048},
     1.41e9},
    {86,
     {[PSIM_NUMBER_FP32] = 256,
      [PSIM_NUMBER_TF32] = 512,
      [PSIM_NUMBER_FP16] = 1024,
      [PSIM_NUMBER_BF16] = 1024},
     1.74e9},
    {89,
     {[PSIM_NUMBER_FP32] = 256,
      [PSIM_NUMBER_TF32] = 512,
      [PSIM_NUMBER_FP16] = 1024,
      [PSIM_NUMBER_BF16] = 1024,
      [PSIM_NUMBER_FP8] = 2048},
     2.52e9},
    {90,
     {[PSIM_NUMBER_FP32] = 256,
      [PSIM_NUMBER_TF32] = 2048,
      [PSIM_NUMBER_FP16] = 4096,
      [PSIM_NUMBER_BF16] = 4096,
      [PSIM_NUMBER_FP8] = 8192},
     1.83e9},
    {100,
     {[PSIM_NUMBER_FP32] = 256,
      [PSIM_NUMBER_TF32] = 4096,
      [PSIM_NUMBER_FP16] = 8192,
      [PSIM_NUMBER_BF16] = 8192,
      [PSIM_NUMBER_FP8] = 16384},
     1.856e9},
};

double
psim_cuda_peaks_flop_per_s(int major, int minor, uint32_t n_sms, double clock_hz, PsimNumber number)
{
    for (size_t i = 0; i < G_N_ELEMENTS(generations); i++)
        if (generations[i].capability == 10 * major + minor)
            return (double)n_sms * generations[i].flop_a_clock[number] *
                   MIN(clock_hz, generations[i].clock_hz_max);
    return 0.0;
}

double
psim_cuda_peaks_link_rate(int major)
{
    static const double bytes_per_s[] = {[7] = 25e9, [8] = 25e9, [9] = 25e9, [10] = 50e9};

    return major >= 0 && major < (int)G_N_ELEMENTS(bytes_per_s) ? bytes_per_s[major] : 0.0;
}
