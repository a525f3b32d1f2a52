/* SPDX-License-Identifier: MIT */
#include "calibrate/cpu/kernels.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define EPSILON 1e-5f

/* -- Sums -- */

/* As many partial sums as fill the widest vectors there are: a compiler may not reorder a plain sum
 * of floats, and one addition after the other would be timed instead of the memory. */
#define LANES 16

static float
fold(const float lanes[LANES])
{
    float sum = 0.0f;

    for (size_t lane = 0; lane < LANES; lane++)
        sum += lanes[lane];
    return sum;
}

static float
sum_of(const float *x, size_t n)
{
    float lanes[LANES] = {0.0f};
    size_t i = 0;

    for (; i + LANES <= n; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            lanes[lane] += x[i + lane];
    for (; i < n; i++)
        lanes[0] += x[i];
    return fold(lanes);
}

static float
sum_of_squares(const float *x, float mean, size_t n)
{
    float lanes[LANES] = {0.0f};
    size_t i = 0;

    for (; i + LANES <= n; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            lanes[lane] += (x[i + lane] - mean) * (x[i + lane] - mean);
    for (; i < n; i++)
        lanes[0] += (x[i] - mean) * (x[i] - mean);
    return fold(lanes);
}

static float
sum_of_products(const float *a, const float *b, size_t n)
{
    float lanes[LANES] = {0.0f};
    size_t i = 0;

    for (; i + LANES <= n; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            lanes[lane] += a[i + lane] * b[i + lane];
    for (; i < n; i++)
        lanes[0] += a[i] * b[i];
    return fold(lanes);
}

/* Sum of a b (x - mean). */
static float
sum_of_centred(const float *a, const float *b, const float *x, float mean, size_t n)
{
    float lanes[LANES] = {0.0f};
    size_t i = 0;

    for (; i + LANES <= n; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            lanes[lane] += a[i + lane] * b[i + lane] * (x[i + lane] - mean);
    for (; i < n; i++)
        lanes[0] += a[i] * b[i] * (x[i] - mean);
    return fold(lanes);
}

static float
find_largest(const float *x, size_t n)
{
    float lanes[LANES];
    size_t i = 0;

    for (size_t lane = 0; lane < LANES; lane++)
        lanes[lane] = x[0];
    for (; i + LANES <= n; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            lanes[lane] = x[i + lane] > lanes[lane] ? x[i + lane] : lanes[lane];
    for (; i < n; i++)
        lanes[0] = x[i] > lanes[0] ? x[i] : lanes[0];
    for (size_t lane = 1; lane < LANES; lane++)
        lanes[0] = lanes[lane] > lanes[0] ? lanes[lane] : lanes[0];
    return lanes[0];
}

/* -- Exponentials -- */

#define LOG2_E    1.44269504f
#define LN_2_HIGH 0.693359375f /* few bits, so that whole multiples are exact */
#define LN_2_LOW  (-2.12194440e-4f)
#define MOST      60.0f       /* e^-60 is nothing beside 1, and times anything no denormal */
#define ROUNDER   12582912.0f /* 3 * 2^22: a float beside it has no place for fractions */

/* e^x = 2^i e^f with |f| <= ln 2 / 2, and e^f by its series, which leaves 2e-7. The library's own
 * takes one number at a time, and a trainer's kernels do not. */
static inline float
find_exp(float x)
{
    const float low = x < -MOST ? -MOST : x;
    const float inside = low > MOST ? MOST : low;
    const float rounded = inside * LOG2_E + ROUNDER;
    const float i = rounded - ROUNDER;
    const float f = (inside - i * LN_2_HIGH) - i * LN_2_LOW;
    float power = 1.0f / 720.0f;
    uint32_t bits = 0;
    float two = 0.0f;

    power = power * f + 1.0f / 120.0f;
    power = power * f + 1.0f / 24.0f;
    power = power * f + 1.0f / 6.0f;
    power = power * f + 0.5f;
    power = power * f + 1.0f;
    power = power * f + 1.0f;
    /* The low bits of @rounded are i, and 2^i has i + 127 as its exponent. */
    memcpy(&bits, &rounded, sizeof bits);
    bits = (bits + 127u) << 23;
    memcpy(&two, &bits, sizeof two);
    return power * two;
}

static inline float
find_sigmoid(float x)
{
    return 1.0f / (1.0f + find_exp(-x));
}

/* -- Normalisation -- */

typedef struct {
    float mean;
    float inverse; /* 1 / standard deviation */
} Moments;

static Moments
find_moments(const float *x, size_t width)
{
    const float share = 1.0f / (float)width;
    const float mean = sum_of(x, width) * share;

    return (Moments){mean, 1.0f / sqrtf(sum_of_squares(x, mean, width) * share + EPSILON)};
}

void
psim_cpu_norm_forward(
    const float *x, const float *gain, const float *shift, float *y, size_t rows, size_t width)
{
    for (size_t row = 0; row < rows; row++, x += width, y += width) {
        const Moments moments = find_moments(x, width);

        for (size_t i = 0; i < width; i++)
            y[i] = (x[i] - moments.mean) * moments.inverse * gain[i] + shift[i];
    }
}

/* With h = (x - mean) inverse and g = dy gain: dx = inverse (g - mean(g) - h mean(g h)). */
static void
norm_backward_row(const PsimCpuNormBackward *self, size_t first, size_t width)
{
    const float *restrict x = self->x + first;
    const float *restrict dy = self->dy + first;
    const float *restrict gain = self->gain;
    float *restrict dx = self->dx + first;
    float *restrict dgain = self->dgain;
    float *restrict dshift = self->dshift;
    const Moments moments = find_moments(x, width);
    const float share = 1.0f / (float)width;
    const float sum = sum_of_products(dy, gain, width) * share;
    const float product =
        sum_of_centred(dy, gain, x, moments.mean, width) * moments.inverse * share;

    for (size_t i = 0; i < width; i++) {
        const float h = (x[i] - moments.mean) * moments.inverse;

        dgain[i] += dy[i] * h;
        dshift[i] += dy[i];
        dx[i] = moments.inverse * (dy[i] * gain[i] - sum - h * product);
    }
}

void
psim_cpu_norm_backward(const PsimCpuNormBackward *operands, size_t rows, size_t width)
{
    for (size_t row = 0; row < rows; row++)
        norm_backward_row(operands, row * width, width);
}

/* -- Softmax -- */

void
psim_cpu_softmax_forward(const float *x, float *y, size_t rows, size_t width)
{
    for (size_t row = 0; row < rows; row++, x += width, y += width) {
        const float top = find_largest(x, width);

        for (size_t i = 0; i < width; i++)
            y[i] = find_exp(x[i] - top);
        const float scale = 1.0f / sum_of(y, width);

        for (size_t i = 0; i < width; i++)
            y[i] *= scale;
    }
}

void
psim_cpu_softmax_backward(const float *y, const float *dy, float *dx, size_t rows, size_t width)
{
    for (size_t row = 0; row < rows; row++, y += width, dy += width, dx += width) {
        const float sum = sum_of_products(y, dy, width);

        for (size_t i = 0; i < width; i++)
            dx[i] = y[i] * (dy[i] - sum);
    }
}

/* -- Activations -- */

#define GELU_SCALE 0.7978845608f /* sqrt(2 / pi) */
#define GELU_CUBIC 0.044715f

/* (1 + tanh(u)) / 2 is the sigmoid of 2 u. */
void
psim_cpu_gelu_forward(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * find_sigmoid(2.0f * GELU_SCALE * x[i] * (1.0f + GELU_CUBIC * x[i] * x[i]));
}

void
psim_cpu_gelu_backward(const float *x, const float *dy, float *dx, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float square = GELU_CUBIC * x[i] * x[i];
        const float s = find_sigmoid(2.0f * GELU_SCALE * x[i] * (1.0f + square));
        const float slope = 2.0f * GELU_SCALE * (1.0f + 3.0f * square);

        dx[i] = dy[i] * (s + x[i] * s * (1.0f - s) * slope);
    }
}

void
psim_cpu_swiglu_forward(const float *x, float *y, size_t rows, size_t width)
{
    for (size_t row = 0; row < rows; row++, x += 2 * width, y += width)
        for (size_t i = 0; i < width; i++)
            y[i] = x[width + i] * x[i] * find_sigmoid(x[i]);
}

void
psim_cpu_swiglu_backward(const float *x, const float *dy, float *dx, size_t rows, size_t width)
{
    for (size_t row = 0; row < rows; row++, x += 2 * width, dx += 2 * width, dy += width)
        for (size_t i = 0; i < width; i++) {
            const float sigmoid = find_sigmoid(x[i]);
            const float silu = x[i] * sigmoid;

            dx[i] = dy[i] * x[width + i] * (sigmoid + silu * (1.0f - sigmoid));
            dx[width + i] = dy[i] * silu;
        }
}

/* -- Dropout, bias and residual -- */

void
psim_cpu_dropout_add_forward(const PsimCpuDropoutAdd *operands, size_t rows, size_t width)
{
    const float scale = 1.0f / operands->keep;

    for (size_t row = 0; row < rows; row++) {
        const float *x = operands->x + row * width;
        const float *residual = operands->residual + row * width;
        const unsigned char *mask = operands->mask + row * width;
        float *y = operands->y + row * width;

        for (size_t i = 0; i < width; i++)
            y[i] = residual[i] + (float)mask[i] * (x[i] + operands->bias[i]) * scale;
    }
}

void
psim_cpu_dropout_add_backward(
    const PsimCpuDropoutAdd *operands, const float *dy, float *dbias, size_t rows, size_t width)
{
    const float scale = 1.0f / operands->keep;

    for (size_t row = 0; row < rows; row++) {
        const unsigned char *mask = operands->mask + row * width;
        const float *from = dy + row * width;
        float *dx = operands->y + row * width;

        for (size_t i = 0; i < width; i++) {
            dx[i] = (float)mask[i] * from[i] * scale;
            dbias[i] += dx[i];
        }
    }
}

/* -- Adam -- */

#define DECAY_MEAN   0.9f
#define DECAY_SQUARE 0.999f
#define ADAM_EPSILON 1e-8f

void
psim_cpu_adam(const PsimCpuAdam *operands, size_t n)
{
    const float mean_scale = 1.0f / (1.0f - powf(DECAY_MEAN, (float)operands->step));
    const float square_scale = 1.0f / (1.0f - powf(DECAY_SQUARE, (float)operands->step));
    float *weight = operands->weight;
    float *mean = operands->mean;
    float *square = operands->square;

    for (size_t i = 0; i < n; i++) {
        const float gradient = operands->gradient[i];

        mean[i] = DECAY_MEAN * mean[i] + (1.0f - DECAY_MEAN) * gradient;
        square[i] = DECAY_SQUARE * square[i] + (1.0f - DECAY_SQUARE) * gradient * gradient;
        weight[i] -= operands->rate * mean[i] * mean_scale /
                     (sqrtf(square[i] * square_scale) + ADAM_EPSILON);
    }
}
