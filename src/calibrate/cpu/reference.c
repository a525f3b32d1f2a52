/* SPDX-License-Identifier: MIT */
/* Each reference reads copies of the operands made before the run, one formula an element. */
#include "calibrate/cpu/reference.h"

#include <math.h>
#include <string.h>

/* fp32 has 24 bits; sums and transcendental functions leave some of them. */
#define BOUND 2e-5

typedef struct {
    PsimCpuOperands *run;
    double *x[PSIM_CPU_MAX_ARRAYS]; /* before the run */
    double worst;
} Comparison;

/* @scale  what an element is the sum of, in size, so that cancellation is no error. */
static void
compare(Comparison *self, size_t array, size_t i, double expected, double scale)
{
    const double found = (double)self->run->arrays[array][i];
    const double error = fabs(found - expected) / (BOUND * (1.0 + fabs(scale)));

    self->worst = isfinite(error) ? fmax(self->worst, error) : HUGE_VAL;
}

static void
compare_stream(Comparison *self)
{
    const double *a = self->x[0];
    const double *b = self->x[1];
    double sum = 0.0;
    double size = 0.0;

    for (size_t i = 0; i < self->run->n[0]; i++) {
        sum += a[i];
        size += fabs(a[i]);
        switch (self->run->what.stream.what) {
        case PSIM_STREAM_COPY:
            compare(self, 1, i, a[i], a[i]);
            break;
        case PSIM_STREAM_SCALE:
            compare(self, 1, i, 1.5 * a[i], a[i]);
            break;
        case PSIM_STREAM_TRIAD:
            compare(self, 2, i, a[i] + 1.5 * b[i], a[i]);
            break;
        case PSIM_STREAM_SUM:
            break;
        }
    }
    if (self->run->what.stream.what == PSIM_STREAM_SUM)
        self->worst = fabs((double)self->run->sum - sum) / (BOUND * (1.0 + size));
}

static void
compare_gemm(Comparison *self)
{
    const PsimCase *what = &self->run->what;
    const size_t m = what->gemm.m;
    const size_t n = what->gemm.n;
    const size_t k = what->gemm.k;
    const bool at = what->gemm.layout == PSIM_LAYOUT_NT;
    const bool bt = what->gemm.layout == PSIM_LAYOUT_TN;

    for (size_t at_c = 0; at_c < m * n; at_c++) {
        const size_t i = at_c / n;
        const size_t j = at_c % n;
        double sum = what->gemm.accumulate_fp32 ? self->x[2][at_c] : 0.0;
        double size = fabs(sum);

        for (size_t l = 0; l < k; l++) {
            const double product =
                self->x[0][at ? l * m + i : i * k + l] * self->x[1][bt ? j * k + l : l * n + j];

            sum += product;
            size += fabs(product);
        }
        compare(self, 2, at_c, sum, size);
    }
}

static void
find_moments(const double *x, size_t width, double *ret_mean, double *ret_inverse)
{
    double sum = 0.0;
    double squares = 0.0;

    for (size_t i = 0; i < width; i++)
        sum += x[i];
    for (size_t i = 0; i < width; i++)
        squares += pow(x[i] - sum / (double)width, 2.0);
    *ret_mean = sum / (double)width;
    *ret_inverse = 1.0 / sqrt(squares / (double)width + 1e-5);
}

static void
compare_norm_forward(Comparison *self, size_t rows, size_t width)
{
    for (size_t row = 0; row < rows; row++) {
        const double *x = self->x[0] + row * width;
        double mean = 0.0;
        double inverse = 0.0;

        find_moments(x, width, &mean, &inverse);
        for (size_t i = 0; i < width; i++)
            compare(self, 3, row * width + i,
                    (x[i] - mean) * inverse * self->x[1][i] + self->x[2][i], 10.0);
    }
}

static void
compare_norm_backward(Comparison *self, size_t rows, size_t width)
{
    g_autofree double *dgain = g_memdup2(self->x[4], width * sizeof(double));
    g_autofree double *dshift = g_memdup2(self->x[5], width * sizeof(double));

    for (size_t row = 0; row < rows; row++) {
        const double *x = self->x[0] + row * width;
        const double *dy = self->x[2] + row * width;
        double mean = 0.0;
        double inverse = 0.0;
        double sum = 0.0;
        double product = 0.0;

        find_moments(x, width, &mean, &inverse);
        for (size_t i = 0; i < width; i++) {
            const double h = (x[i] - mean) * inverse;

            sum += dy[i] * self->x[1][i] / (double)width;
            product += dy[i] * self->x[1][i] * h / (double)width;
            dgain[i] += dy[i] * h;
            dshift[i] += dy[i];
        }
        for (size_t i = 0; i < width; i++)
            compare(self, 3, row * width + i,
                    inverse * (dy[i] * self->x[1][i] - sum - (x[i] - mean) * inverse * product),
                    10.0);
    }
    for (size_t i = 0; i < width; i++) {
        compare(self, 4, i, dgain[i], (double)rows);
        compare(self, 5, i, dshift[i], (double)rows);
    }
}

static void
compare_softmax_forward(Comparison *self, size_t rows, size_t width)
{
    for (size_t row = 0; row < rows; row++) {
        const double *x = self->x[0] + row * width;
        double sum = 0.0;

        for (size_t i = 0; i < width; i++)
            sum += exp(x[i]);
        for (size_t i = 0; i < width; i++)
            compare(self, 1, row * width + i, exp(x[i]) / sum, 0.0);
    }
}

static void
compare_softmax_backward(Comparison *self, size_t rows, size_t width)
{
    for (size_t row = 0; row < rows; row++) {
        const double *y = self->x[0] + row * width;
        const double *dy = self->x[1] + row * width;
        double sum = 0.0;
        double size = 0.0;

        for (size_t i = 0; i < width; i++) {
            sum += y[i] * dy[i];
            size += fabs(y[i] * dy[i]);
        }
        for (size_t i = 0; i < width; i++)
            compare(self, 2, row * width + i, y[i] * (dy[i] - sum), y[i] * size);
    }
}

static double
find_gelu(double x)
{
    return 0.5 * x * (1.0 + tanh(sqrt(2.0 / G_PI) * (x + 0.044715 * x * x * x)));
}

/* Slopes by central differences: an independent way to them. */
static double
find_slope(double (*function)(double), double x)
{
    const double step = 1e-5;

    return (function(x + step) - function(x - step)) / (2.0 * step);
}

static double
find_silu(double x)
{
    return x / (1.0 + exp(-x));
}

static void
compare_gelu(Comparison *self)
{
    const bool backward = self->run->what.kernel.what == PSIM_KERNEL_GELU_BACKWARD;

    for (size_t i = 0; i < self->run->n[0]; i++) {
        const double x = self->x[0][i];

        if (backward)
            compare(self, 2, i, self->x[1][i] * find_slope(find_gelu, x), self->x[1][i]);
        else
            compare(self, 1, i, find_gelu(x), x);
    }
}

static void
compare_swiglu(Comparison *self, size_t rows, size_t width)
{
    const bool backward = self->run->what.kernel.what == PSIM_KERNEL_SWIGLU_BACKWARD;

    for (size_t i = 0; i < rows * width; i++) {
        const size_t gate = i / width * 2 * width + i % width;
        const double x = self->x[0][gate];
        const double up = self->x[0][gate + width];
        const double dy = self->x[1][i];

        if (!backward) {
            compare(self, 1, i, up * find_silu(x), up * x);
            continue;
        }
        compare(self, 2, gate, dy * up * find_slope(find_silu, x), 10.0);
        compare(self, 2, gate + width, dy * find_silu(x), 10.0);
    }
}

static void
compare_dropout_add(Comparison *self, size_t rows, size_t width)
{
    const bool backward = self->run->what.kernel.what == PSIM_KERNEL_DROPOUT_ADD_BACKWARD;
    g_autofree double *dbias = g_memdup2(self->x[1], width * sizeof(double));

    for (size_t i = 0; i < rows * width; i++) {
        const double mask = (double)self->run->mask[i];
        const double x = self->x[0][i];

        if (backward) {
            dbias[i % width] += mask * x / 0.9;
            compare(self, 3, i, mask * x / 0.9, x);
        } else {
            compare(self, 3, i, self->x[2][i] + mask * (x + self->x[1][i % width]) / 0.9, 10.0);
        }
    }
    for (size_t i = 0; i < width && backward; i++)
        compare(self, 1, i, dbias[i], 10.0 * (double)rows);
}

static void
compare_adam(Comparison *self)
{
    for (size_t i = 0; i < self->run->n[0]; i++) {
        const double gradient = self->x[3][i];
        const double mean = 0.9 * self->x[1][i] + 0.1 * gradient;
        const double square = 0.999 * self->x[2][i] + 0.001 * gradient * gradient;
        const double weight =
            self->x[0][i] - 1e-3 * (mean / (1.0 - 0.9)) / (sqrt(square / (1.0 - 0.999)) + 1e-8);

        compare(self, 0, i, weight, 1.0);
        compare(self, 1, i, mean, 1.0);
        compare(self, 2, i, square, 1.0);
    }
}

static void
compare_kernel(Comparison *self)
{
    const size_t rows = self->run->what.kernel.rows;
    const size_t width = self->run->what.kernel.width;

    switch (self->run->what.kernel.what) {
    case PSIM_KERNEL_NORM_FORWARD:
        compare_norm_forward(self, rows, width);
        return;
    case PSIM_KERNEL_NORM_BACKWARD:
        compare_norm_backward(self, rows, width);
        return;
    case PSIM_KERNEL_SOFTMAX_FORWARD:
        compare_softmax_forward(self, rows, width);
        return;
    case PSIM_KERNEL_SOFTMAX_BACKWARD:
        compare_softmax_backward(self, rows, width);
        return;
    case PSIM_KERNEL_GELU_FORWARD:
    case PSIM_KERNEL_GELU_BACKWARD:
        compare_gelu(self);
        return;
    case PSIM_KERNEL_SWIGLU_FORWARD:
    case PSIM_KERNEL_SWIGLU_BACKWARD:
        compare_swiglu(self, rows, width);
        return;
    case PSIM_KERNEL_DROPOUT_ADD_FORWARD:
    case PSIM_KERNEL_DROPOUT_ADD_BACKWARD:
        compare_dropout_add(self, rows, width);
        return;
    case PSIM_KERNEL_ADAM:
        compare_adam(self);
        return;
    }
}

static void
compare_case(Comparison *self)
{
    switch (self->run->what.kind) {
    case PSIM_CASE_STREAM:
        compare_stream(self);
        return;
    case PSIM_CASE_GEMM:
        compare_gemm(self);
        return;
    case PSIM_CASE_KERNEL:
        compare_kernel(self);
        return;
    case PSIM_CASE_LAUNCH:
    case PSIM_CASE_ATTENTION:
    case PSIM_CASE_MEMCPY:
    case PSIM_CASE_COLLECTIVE:
        return;
    }
}

double
psim_cpu_reference_error(PsimCpuOperands *operands, void (*run)(PsimCpuOperands *operands))
{
    Comparison comparison = {.run = operands};

    for (size_t i = 0; i < PSIM_CPU_MAX_ARRAYS; i++) {
        comparison.x[i] = g_new0(double, operands->n[i] + 1);
        for (size_t j = 0; j < operands->n[i]; j++)
            comparison.x[i][j] = (double)operands->arrays[i][j];
    }
    run(operands);
    compare_case(&comparison);
    for (size_t i = 0; i < PSIM_CPU_MAX_ARRAYS; i++)
        g_free(comparison.x[i]);
    return comparison.worst;
}
