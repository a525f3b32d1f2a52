/* SPDX-License-Identifier: MIT */
#include "calibrate/cuda/cuda_element.h"

#include <math.h>
#include <string.h>

/* A sign, @exponent_bits of exponent, @mantissa_bits of mantissa. */
static double
decode(uint32_t bits, int exponent_bits, int mantissa_bits)
{
    const uint32_t mantissa = bits & ((UINT32_C(1) << mantissa_bits) - 1);
    const int exponent = (int)(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const double sign = (bits >> (exponent_bits + mantissa_bits)) & 1 ? -1.0 : 1.0;

    if (exponent == 0)
        return sign * ldexp((double)mantissa, 1 - bias - mantissa_bits);
    return sign * ldexp((double)(mantissa | UINT32_C(1) << mantissa_bits),
                        exponent - bias - mantissa_bits);
}

static double
decode_half(uint16_t bits)
{
    if ((bits & 0x7c00) == 0x7c00)
        return (bits & 0x3ff) != 0 ? (double)NAN
                                   : (bits & 0x8000 ? -(double)INFINITY : (double)INFINITY);
    return decode(bits, 5, 10);
}

/* E4M3 has no infinity; all ones is not a number. */
static double
decode_fp8(uint8_t bits)
{
    return (bits & 0x7f) == 0x7f ? (double)NAN : decode(bits, 4, 3);
}

static double
decode_bfloat(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float value = 0.0F;

    memcpy(&value, &wide, sizeof value);
    return (double)value;
}

double
psim_cuda_element_read(const void *array, PsimElement element, uint64_t index)
{
    switch (element) {
    case PSIM_ELEMENT_FP32:
        return (double)((const float *)array)[index];
    case PSIM_ELEMENT_FP16:
        return decode_half(((const uint16_t *)array)[index]);
    case PSIM_ELEMENT_BF16:
        return decode_bfloat(((const uint16_t *)array)[index]);
    case PSIM_ELEMENT_FP8:
        return decode_fp8(((const uint8_t *)array)[index]);
    case PSIM_ELEMENT_BYTE:
        return (double)((const uint8_t *)array)[index];
    }
    return (double)NAN;
}

double *
psim_cuda_element_read_all(const void *array, PsimElement element, uint64_t n)
{
    double *values = g_new(double, n + 1);

    for (uint64_t i = 0; i < n; i++)
        values[i] = psim_cuda_element_read(array, element, i);
    return values;
}

double
psim_cuda_element_epsilon(PsimElement element)
{
    static const double epsilons[PSIM_N_ELEMENTS] = {0x1p-24, 0x1p-11, 0x1p-8, 0x1p-4, 0.0};

    return epsilons[element];
}
