/* SPDX-License-Identifier: MIT */
#include "calibrate/cuda/cuda_scatter.h"

#include <math.h>
#include <stdlib.h>

static int
by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double
median(double *values, uint32_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

double
psim_cuda_scatter(double *values, uint32_t n)
{
    if (n == 0)
        return 0.0;

    const double middle = median(values, n);

    for (uint32_t i = 0; i < n; i++)
        values[i] = fabs(values[i] - middle);
    return middle > 0.0 ? median(values, n) / middle : 0.0;
}
