/* SPDX-License-Identifier: MIT */
#include "kernels.h"

#include <math.h>
#include <string.h>

/* Sums run in as many lanes, so that they are vectors without leave to reorder floating point, and
 * the same bits come out whatever the compiler makes of them. */
#define LANES 16

#define NORM_EPSILON 1e-5F

/* e^x for x <= 88: 2^n times a polynomial of degree 6 on [-ln 2 / 2, ln 2 / 2], relative error
 * below 2e-7; 0 below -87. Cephes' expf without a branch, so that loops over it are vectors. */
static inline float
fast_exp(float x)
{
    const float magic = 12582912.0F; /* 1.5 x 2^23: the sum is rounded to a whole number */
    const float clipped = x < -87.0F ? -87.0F : x;
    const float shifted = clipped * 1.44269504F + magic;
    const float n = shifted - magic;
    const float r = (clipped - n * 0.693359375F) + n * 2.12194440e-4F;
    float p = 1.9875691500e-4F;
    int32_t bits;
    float power;

    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * r * r + r + 1.0F;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (int32_t)((uint32_t)bits << 23U) + 0x3F800000;
    memcpy(&power, &bits, sizeof power);
    return x < -87.0F ? 0.0F : p * power;
}

static float
fold(const float lanes[LANES])
{
    float sum = 0.0F;

    for (size_t l = 0; l < LANES; l++)
        sum += lanes[l];
    return sum;
}

static float
find_sum(size_t n, const float *x)
{
    float lanes[LANES] = {0.0F};
    size_t i = 0;

    for (; i + LANES <= n; i += LANES) {
        for (size_t l = 0; l < LANES; l++)
            lanes[l] += x[i + l];
    }
    for (; i < n; i++)
        lanes[0] += x[i];
    return fold(lanes);
}

static float
find_dot(size_t n, const float *x, const float *y)
{
    float lanes[LANES] = {0.0F};
    size_t i = 0;

    for (; i + LANES <= n; i += LANES) {
        for (size_t l = 0; l < LANES; l++)
            lanes[l] += x[i + l] * y[i + l];
    }
    for (; i < n; i++)
        lanes[0] += x[i] * y[i];
    return fold(lanes);
}

static float
find_square_deviation(size_t n, const float *x, float mean)
{
    float lanes[LANES] = {0.0F};
    size_t i = 0;

    for (; i + LANES <= n; i += LANES) {
        for (size_t l = 0; l < LANES; l++)
            lanes[l] += (x[i + l] - mean) * (x[i + l] - mean);
    }
    for (; i < n; i++)
        lanes[0] += (x[i] - mean) * (x[i] - mean);
    return fold(lanes);
}

static float
find_maximum(size_t n, const float *x)
{
    float lanes[LANES];
    float top = x[0];
    size_t i = 0;

    for (size_t l = 0; l < LANES; l++)
        lanes[l] = x[0];
    for (; i + LANES <= n; i += LANES) {
        for (size_t l = 0; l < LANES; l++)
            lanes[l] = x[i + l] > lanes[l] ? x[i + l] : lanes[l];
    }
    for (; i < n; i++)
        top = x[i] > top ? x[i] : top;
    for (size_t l = 0; l < LANES; l++)
        top = lanes[l] > top ? lanes[l] : top;
    return top;
}

/* x becomes e^(x - top) / sum. Returns: log of the sum. */
static float
normalise(size_t n, float *x, float top)
{
    for (size_t i = 0; i < n; i++)
        x[i] = fast_exp(x[i] - top);
    const float sum = find_sum(n, x);
    const float inverse = 1.0F / sum;
    for (size_t i = 0; i < n; i++)
        x[i] *= inverse;
    return logf(sum);
}

/* -- Norm -------------------------------------------------------------------------------------- */

void
tiny_norm_forward(const TinyNorm *norm, const float *x, float *y, TinyMoments *moments)
{
    const float n = (float)norm->width;

    for (size_t row = 0; row < norm->rows; row++, x += norm->width, y += norm->width) {
        const float mean = find_sum(norm->width, x) / n;
        const float variance = find_square_deviation(norm->width, x, mean) / n;
        const float inverse = 1.0F / sqrtf(variance + NORM_EPSILON);

        for (size_t i = 0; i < norm->width; i++)
            y[i] = (x[i] - mean) * inverse * norm->gain[i] + norm->bias[i];
        moments[row] = (TinyMoments){.mean = mean, .inverse_deviation = inverse};
    }
}

/* Sums of g and of g z, with g = dy gain and z the normalised input. */
static void
find_norm_sums(const TinyNorm *norm,
               const float *dy,
               const float *x,
               const TinyMoments *moments,
               float ret_sums[2])
{
    float plain[LANES] = {0.0F};
    float along[LANES] = {0.0F};
    size_t i = 0;

    for (; i + LANES <= norm->width; i += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            const float g = dy[i + l] * norm->gain[i + l];

            plain[l] += g;
            along[l] += g * (x[i + l] - moments->mean) * moments->inverse_deviation;
        }
    }
    for (; i < norm->width; i++) {
        const float g = dy[i] * norm->gain[i];

        plain[0] += g;
        along[0] += g * (x[i] - moments->mean) * moments->inverse_deviation;
    }
    ret_sums[0] = fold(plain);
    ret_sums[1] = fold(along);
}

void
tiny_norm_backward(const TinyNorm *norm,
                   const float *dy,
                   const float *x,
                   const TinyMoments *moments,
                   float *dx,
                   float *d_parameters)
{
    float *d_gain = d_parameters;
    float *d_bias = d_parameters + norm->width;
    const float n = (float)norm->width;

    for (size_t row = 0; row < norm->rows; row++) {
        const float mean = moments[row].mean;
        const float inverse = moments[row].inverse_deviation;
        float sums[2];

        find_norm_sums(norm, dy, x, &moments[row], sums);
        const float plain = sums[0] / n;
        const float along = sums[1] / n;
        for (size_t i = 0; i < norm->width; i++) {
            const float z = (x[i] - mean) * inverse;
            const float d = dy[i];

            d_gain[i] += d * z;
            d_bias[i] += d;
            dx[i] = (d * norm->gain[i] - plain - z * along) * inverse;
        }
        x += norm->width;
        dy += norm->width;
        dx += norm->width;
    }
}

/* -- Elementwise ------------------------------------------------------------------------------- */

/* gelu(x) = x / (1 + e^-2u), u = sqrt(2/pi) (x + 0.044715 x^3): x/2 (1 + tanh u). */
#define GELU_SLOPE 0.7978845608F
#define GELU_CUBIC 0.044715F

void
tiny_gelu_forward(size_t rows, size_t width, const float *x, const float *bias, float *restrict y)
{
    for (size_t row = 0; row < rows; row++, x += width, y += width) {
        for (size_t i = 0; i < width; i++) {
            const float v = x[i] + bias[i];
            const float u = GELU_SLOPE * (v + GELU_CUBIC * v * v * v);

            y[i] = v / (1.0F + fast_exp(u < -40.0F ? 80.0F : -2.0F * u));
        }
    }
}

void
tiny_gelu_backward(size_t rows, size_t width, const float *x, const float *bias, float *restrict dy)
{
    for (size_t row = 0; row < rows; row++, x += width, dy += width) {
        for (size_t i = 0; i < width; i++) {
            const float v = x[i] + bias[i];
            const float u = GELU_SLOPE * (v + GELU_CUBIC * v * v * v);
            const float slope = GELU_SLOPE * (1.0F + 3.0F * GELU_CUBIC * v * v);
            const float half = 1.0F / (1.0F + fast_exp(u < -40.0F ? 80.0F : -2.0F * u));

            dy[i] *= half + 2.0F * v * half * (1.0F - half) * slope;
        }
    }
}

void
tiny_residual_forward(
    size_t rows, size_t width, const float *x, const float *bias, float *restrict y)
{
    for (size_t row = 0; row < rows; row++, x += width, y += width) {
        for (size_t i = 0; i < width; i++)
            y[i] += x[i] + bias[i];
    }
}

void
tiny_add(size_t n, const float *x, float *restrict y)
{
    for (size_t i = 0; i < n; i++)
        y[i] += x[i];
}

void
tiny_bias_backward(size_t rows, size_t width, const float *dy, float *restrict d_bias)
{
    for (size_t row = 0; row < rows; row++, dy += width) {
        for (size_t i = 0; i < width; i++)
            d_bias[i] += dy[i];
    }
}

/* -- Attention --------------------------------------------------------------------------------- */

void
tiny_softmax_forward(size_t s, float *scores)
{
    for (size_t row = 0; row < s; row++, scores += s) {
        const size_t seen = row + 1;

        (void)normalise(seen, scores, find_maximum(seen, scores));
        memset(scores + seen, 0, (s - seen) * sizeof *scores);
    }
}

void
tiny_softmax_backward(size_t s, const float *probabilities, float *restrict d)
{
    for (size_t row = 0; row < s; row++, probabilities += s, d += s) {
        const size_t seen = row + 1;
        const float along = find_dot(seen, probabilities, d);

        for (size_t i = 0; i < seen; i++)
            d[i] = probabilities[i] * (d[i] - along);
        memset(d + seen, 0, (s - seen) * sizeof *d);
    }
}

/* Where a token's queries, keys and values lie among the heads': part @h of 3 x heads. */
static size_t
find_part(const TinyHeads *heads, size_t token, size_t h)
{
    const size_t sample = token / heads->sequence;
    const size_t row = (sample * 3 * heads->heads + h) * heads->sequence + token % heads->sequence;

    return row * heads->dimension;
}

void
tiny_heads_split(const TinyHeads *heads,
                 const float *joined,
                 const float *bias,
                 float *restrict split)
{
    const size_t d = heads->dimension;

    for (size_t token = 0; token < heads->samples * heads->sequence; token++) {
        for (size_t h = 0; h < 3 * heads->heads; h++, joined += d) {
            float *part = split + find_part(heads, token, h);

            for (size_t i = 0; i < d; i++)
                part[i] = joined[i] + bias[h * d + i];
        }
    }
}

void
tiny_heads_join(const TinyHeads *heads, const float *split, float *restrict joined)
{
    const size_t d = heads->dimension;

    for (size_t token = 0; token < heads->samples * heads->sequence; token++) {
        for (size_t h = 0; h < 3 * heads->heads; h++, joined += d)
            memcpy(joined, split + find_part(heads, token, h), d * sizeof *joined);
    }
}

/* -- Loss -------------------------------------------------------------------------------------- */

double
tiny_loss_forward(size_t rows, size_t vocabulary, const uint32_t *targets, float *logits)
{
    double loss = 0.0;

    for (size_t row = 0; row < rows; row++, logits += vocabulary) {
        const float top = find_maximum(vocabulary, logits);
        const float hit = logits[targets[row]] - top;

        loss += (double)normalise(vocabulary, logits, top) - (double)hit;
    }
    return loss;
}

void
tiny_loss_backward(
    size_t rows, size_t vocabulary, const uint32_t *targets, float scale, float *logits)
{
    for (size_t row = 0; row < rows; row++, logits += vocabulary) {
        for (size_t i = 0; i < vocabulary; i++)
            logits[i] *= scale;
        logits[targets[row]] -= scale;
    }
}

/* -- Optimizer --------------------------------------------------------------------------------- */

TinyAdam
tiny_adam_at(double learning_rate, uint32_t step)
{
    const double beta_1 = 0.9;
    const double beta_2 = 0.999;
    const double t = (double)step + 1.0;
    const double correction = sqrt(1.0 - pow(beta_2, t)) / (1.0 - pow(beta_1, t));

    return (TinyAdam){
        .rate = (float)(learning_rate * correction),
        .beta_1 = (float)beta_1,
        .beta_2 = (float)beta_2,
        .epsilon = 1e-8F,
    };
}

void
tiny_adam_step(const TinyAdam *adam,
               size_t n,
               float *restrict weights,
               float *restrict gradients,
               float *moments[2])
{
    const TinyAdam a = *adam;
    float *restrict first = moments[0];
    float *restrict second = moments[1];

    for (size_t i = 0; i < n; i++) {
        const float g = gradients[i];
        const float m = a.beta_1 * first[i] + (1.0F - a.beta_1) * g;
        const float v = a.beta_2 * second[i] + (1.0F - a.beta_2) * g * g;

        first[i] = m;
        second[i] = v;
        gradients[i] = 0.0F;
        weights[i] -= a.rate * m / (sqrtf(v) + a.epsilon);
    }
}
