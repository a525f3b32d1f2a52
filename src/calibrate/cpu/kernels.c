/* SPDX-License-Identifier: MIT */
#include "calibrate/cpu/kernels.h"

#include <math.h>

#define EPSILON 1e-5f

/* -- Normalisation -- */

typedef struct {
    float mean;
    float inverse; /* 1 / standard deviation */
} Moments;

static Moments
find_moments(const float *x, size_t width)
{
    const float share = 1.0f / (float)width;
    float sum = 0.0f;
    float squares = 0.0f;

    for (size_t i = 0; i < width; i++)
        sum += x[i];
    const float mean = sum * share;

    for (size_t i = 0; i < width; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return (Moments){mean, 1.0f / sqrtf(squares * share + EPSILON)};
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
    const float *x = self->x + first;
    const float *dy = self->dy + first;
    float *dx = self->dx + first;
    const Moments moments = find_moments(x, width);
    float sum = 0.0f;
    float product = 0.0f;

    for (size_t i = 0; i < width; i++) {
        const float h = (x[i] - moments.mean) * moments.inverse;
        const float g = dy[i] * self->gain[i];

        sum += g;
        product += g * h;
        self->dgain[i] += dy[i] * h;
        self->dshift[i] += dy[i];
    }
    sum /= (float)width;
    product /= (float)width;
    for (size_t i = 0; i < width; i++) {
        const float h = (x[i] - moments.mean) * moments.inverse;

        dx[i] = moments.inverse * (dy[i] * self->gain[i] - sum - h * product);
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
        float top = x[0];
        float sum = 0.0f;

        for (size_t i = 1; i < width; i++)
            top = x[i] > top ? x[i] : top;
        for (size_t i = 0; i < width; i++) {
            y[i] = expf(x[i] - top);
            sum += y[i];
        }
        const float scale = 1.0f / sum;

        for (size_t i = 0; i < width; i++)
            y[i] *= scale;
    }
}

void
psim_cpu_softmax_backward(const float *y, const float *dy, float *dx, size_t rows, size_t width)
{
    for (size_t row = 0; row < rows; row++, y += width, dy += width, dx += width) {
        float sum = 0.0f;

        for (size_t i = 0; i < width; i++)
            sum += y[i] * dy[i];
        for (size_t i = 0; i < width; i++)
            dx[i] = y[i] * (dy[i] - sum);
    }
}

/* -- Activations -- */

#define GELU_SCALE 0.7978845608f /* sqrt(2 / pi) */
#define GELU_CUBIC 0.044715f

void
psim_cpu_gelu_forward(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float inner = GELU_SCALE * (x[i] + GELU_CUBIC * x[i] * x[i] * x[i]);

        y[i] = 0.5f * x[i] * (1.0f + tanhf(inner));
    }
}

void
psim_cpu_gelu_backward(const float *x, const float *dy, float *dx, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float inner = GELU_SCALE * (x[i] + GELU_CUBIC * x[i] * x[i] * x[i]);
        const float slope = GELU_SCALE * (1.0f + 3.0f * GELU_CUBIC * x[i] * x[i]);
        const float t = tanhf(inner);

        dx[i] = dy[i] * (0.5f * (1.0f + t) + 0.5f * x[i] * (1.0f - t * t) * slope);
    }
}

void
psim_cpu_swiglu_forward(const float *x, float *y, size_t rows, size_t width)
{
    for (size_t row = 0; row < rows; row++, x += 2 * width, y += width)
        for (size_t i = 0; i < width; i++)
            y[i] = x[width + i] * x[i] / (1.0f + expf(-x[i]));
}

void
psim_cpu_swiglu_backward(const float *x, const float *dy, float *dx, size_t rows, size_t width)
{
    for (size_t row = 0; row < rows; row++, x += 2 * width, dx += 2 * width, dy += width)
        for (size_t i = 0; i < width; i++) {
            const float gate = x[i];
            const float sigmoid = 1.0f / (1.0f + expf(-gate));
            const float silu = gate * sigmoid;

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
