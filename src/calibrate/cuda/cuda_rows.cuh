/* SPDX-License-Identifier: MIT */
/* cuda_rows.cuh: kernels of a row a block
 *
 * n elements at once where the width is a multiple of 16 bytes; else rows begin anywhere, and n
 * is 1. A row is read twice, the second time from the L1 cache.
 */
#pragma once

#include "calibrate/cuda/cuda_device.cuh"

namespace psim
{

/* -- Norm -------------------------------------------------------------------------------------- */

/* Sums of x - x0 and its square in one pass: the first element is near enough to the mean that the
 * variance does not cancel. */
template <typename T, int n>
__global__ void
norm_forward(
    const T *x, const T *gamma, const T *beta, T *y, float *means, float *rstds, uint32_t width)
{
    __shared__ float slots[warp_size];
    const uint64_t row = static_cast<uint64_t>(blockIdx.x) * width;
    const uint32_t step = blockDim.x * n;
    const float shift = to_float(x[row]);
    float sum = 0.0F;
    float squares = 0.0F;

    for (uint32_t c = threadIdx.x * n; c < width; c += step) {
        const Pack<T, n> pack = load<n>(x + row + c);

        for (int e = 0; e < n; e++) {
            const float d = to_float(pack.at[e]) - shift;

            sum += d;
            squares += d * d;
        }
    }
    sum = reduce_block<Add>(sum, slots) / static_cast<float>(width);
    squares = reduce_block<Add>(squares, slots) / static_cast<float>(width);

    const float mean = shift + sum;
    const float rstd = rsqrtf(fmaxf(squares - sum * sum, 0.0F) + PSIM_NORM_EPSILON);

    for (uint32_t c = threadIdx.x * n; c < width; c += step) {
        Pack<T, n> pack = load<n>(x + row + c);
        const Pack<T, n> g = load<n>(gamma + c);
        const Pack<T, n> b = load<n>(beta + c);

        for (int e = 0; e < n; e++)
            pack.at[e] = from_float<T>((to_float(pack.at[e]) - mean) * rstd * to_float(g.at[e]) +
                                       to_float(b.at[e]));
        store<n>(y + row + c, pack);
    }
    if (threadIdx.x == 0) {
        means[blockIdx.x] = mean;
        rstds[blockIdx.x] = rstd;
    }
}

/* A block takes every gridDim-th row and keeps its share of the weight gradient in shared memory:
 * columns are always the same thread's, so that no barrier is needed, and lie so that a warp meets
 * 32 banks. partial (strip, 2, width) gets dgamma and dbeta. */
template <typename T, int n>
__global__ void
norm_backward(const T *x,
              const T *gamma,
              const T *dy,
              const float *means,
              const float *rstds,
              T *dx,
              float *partial,
              uint32_t rows,
              uint32_t width)
{
    __shared__ float slots[warp_size];
    PSIM_DYNAMIC_SHARED(sums);
    const uint32_t step = blockDim.x * n;
    const uint32_t padded = (width + step - 1) / step * step;
    float *const dgamma = sums;
    float *const dbeta = sums + padded;

    for (uint32_t i = threadIdx.x; i < 2 * padded; i += blockDim.x)
        sums[i] = 0.0F;
    __syncthreads();
    for (uint32_t r = blockIdx.x; r < rows; r += gridDim.x) {
        const uint64_t row = static_cast<uint64_t>(r) * width;
        const float mean = means[r];
        const float rstd = rstds[r];
        float a = 0.0F;
        float b = 0.0F;

        for (uint32_t c = threadIdx.x * n; c < width; c += step) {
            const Pack<T, n> input = load<n>(x + row + c);
            const Pack<T, n> slope = load<n>(dy + row + c);
            const Pack<T, n> g = load<n>(gamma + c);

            for (int e = 0; e < n; e++) {
                const float weighted = to_float(slope.at[e]) * to_float(g.at[e]);

                a += weighted;
                b += weighted * (to_float(input.at[e]) - mean) * rstd;
            }
        }
        a = reduce_block<Add>(a, slots) / static_cast<float>(width);
        b = reduce_block<Add>(b, slots) / static_cast<float>(width);
        for (uint32_t c = threadIdx.x * n; c < width; c += step) {
            const Pack<T, n> input = load<n>(x + row + c);
            const Pack<T, n> slope = load<n>(dy + row + c);
            const Pack<T, n> g = load<n>(gamma + c);
            const uint32_t first = c - threadIdx.x * n + threadIdx.x;
            Pack<T, n> pack;

            for (uint32_t e = 0; e < n; e++) {
                const float s = to_float(slope.at[e]);
                const float normal = (to_float(input.at[e]) - mean) * rstd;

                pack.at[e] = from_float<T>(rstd * (s * to_float(g.at[e]) - a - normal * b));
                dgamma[first + e * blockDim.x] += s * normal;
                dbeta[first + e * blockDim.x] += s;
            }
            store<n>(dx + row + c, pack);
        }
    }

    float *const strip = partial + static_cast<uint64_t>(blockIdx.x) * 2 * width;

    for (uint32_t c = threadIdx.x * n; c < width; c += step) {
        const uint32_t first = c - threadIdx.x * n + threadIdx.x;

        for (uint32_t e = 0; e < n; e++) {
            strip[c + e] = dgamma[first + e * blockDim.x];
            strip[width + c + e] = dbeta[first + e * blockDim.x];
        }
    }
}

/* Adds up the strips: 32 columns a block, 32 strips at once. */
__global__ void
norm_gradient(const float *partial, float *dgamma, float *dbeta, uint32_t n_strips, uint32_t width)
{
    __shared__ float lines[2][warp_size][warp_size + 1];
    const uint32_t lane = threadIdx.x % warp_size;
    const uint32_t line = threadIdx.x / warp_size;
    const uint32_t column = blockIdx.x * warp_size + lane;
    float a = 0.0F;
    float b = 0.0F;

    for (uint32_t s = line; column < width && s < n_strips; s += warp_size) {
        a += partial[static_cast<uint64_t>(s) * 2 * width + column];
        b += partial[(static_cast<uint64_t>(s) * 2 + 1) * width + column];
    }
    lines[0][line][lane] = a;
    lines[1][line][lane] = b;
    __syncthreads();
    /* Each warp now has one column: lane and line change places. */
    a = reduce_warp<Add>(lines[0][lane][line]);
    b = reduce_warp<Add>(lines[1][lane][line]);

    const uint32_t mine = blockIdx.x * warp_size + line;

    if (lane == 0 && mine < width) {
        dgamma[mine] = a;
        dbeta[mine] = b;
    }
}

/* -- Softmax ----------------------------------------------------------------------------------- */

/* The maximum and the sum of exponentials in one pass. Source: Milakov and Gimelshein (2018),
 * "Online normalizer calculation for softmax". */
template <typename T, int n>
__global__ void
softmax_forward(const T *x, T *y, uint32_t width)
{
    __shared__ float slots[warp_size];
    const uint64_t row = static_cast<uint64_t>(blockIdx.x) * width;
    const uint32_t step = blockDim.x * n;
    float top = Max::neutral;
    float sum = 0.0F;

    for (uint32_t c = threadIdx.x * n; c < width; c += step) {
        const Pack<T, n> pack = load<n>(x + row + c);
        float higher = top;

        for (int e = 0; e < n; e++)
            higher = fmaxf(higher, to_float(pack.at[e]));
        sum *= __expf(top - higher);
        top = higher;
        for (int e = 0; e < n; e++)
            sum += __expf(to_float(pack.at[e]) - top);
    }

    const float highest = reduce_block<Max>(top, slots);
    const float whole = reduce_block<Add>(sum * __expf(top - highest), slots);

    for (uint32_t c = threadIdx.x * n; c < width; c += step) {
        Pack<T, n> pack = load<n>(x + row + c);

        for (int e = 0; e < n; e++)
            pack.at[e] = from_float<T>(__fdividef(__expf(to_float(pack.at[e]) - highest), whole));
        store<n>(y + row + c, pack);
    }
}

template <typename T, int n>
__global__ void
softmax_backward(const T *y, const T *dy, T *dx, uint32_t width)
{
    __shared__ float slots[warp_size];
    const uint64_t row = static_cast<uint64_t>(blockIdx.x) * width;
    const uint32_t step = blockDim.x * n;
    float dot = 0.0F;

    for (uint32_t c = threadIdx.x * n; c < width; c += step) {
        const Pack<T, n> output = load<n>(y + row + c);
        const Pack<T, n> slope = load<n>(dy + row + c);

        for (int e = 0; e < n; e++)
            dot += to_float(output.at[e]) * to_float(slope.at[e]);
    }
    dot = reduce_block<Add>(dot, slots);
    for (uint32_t c = threadIdx.x * n; c < width; c += step) {
        const Pack<T, n> output = load<n>(y + row + c);
        Pack<T, n> pack = load<n>(dy + row + c);

        for (int e = 0; e < n; e++)
            pack.at[e] = from_float<T>(to_float(output.at[e]) * (to_float(pack.at[e]) - dot));
        store<n>(dx + row + c, pack);
    }
}

/* -- SwiGLU: y = x1 sigmoid(x1) x2, x1 and x2 the halves of a row -------------------------------
 */

template <typename T, int n>
__global__ void
swiglu_forward(const T *x, T *y, uint32_t width)
{
    const uint64_t row = static_cast<uint64_t>(blockIdx.x) * width;

    for (uint32_t c = threadIdx.x * n; c < width; c += blockDim.x * n) {
        const Pack<T, n> gate = load<n>(x + 2 * row + c);
        Pack<T, n> pack = load<n>(x + 2 * row + width + c);

        for (int e = 0; e < n; e++) {
            const float g = to_float(gate.at[e]);

            pack.at[e] = from_float<T>(g * fast_sigmoid(g) * to_float(pack.at[e]));
        }
        store<n>(y + row + c, pack);
    }
}

template <typename T, int n>
__global__ void
swiglu_backward(const T *x, const T *dy, T *dx, uint32_t width)
{
    const uint64_t row = static_cast<uint64_t>(blockIdx.x) * width;

    for (uint32_t c = threadIdx.x * n; c < width; c += blockDim.x * n) {
        Pack<T, n> gate = load<n>(x + 2 * row + c);
        Pack<T, n> other = load<n>(x + 2 * row + width + c);
        const Pack<T, n> slope = load<n>(dy + row + c);

        for (int e = 0; e < n; e++) {
            const float g = to_float(gate.at[e]);
            const float s = fast_sigmoid(g);
            const float d = to_float(slope.at[e]);

            gate.at[e] = from_float<T>(d * to_float(other.at[e]) * s * (1.0F + g * (1.0F - s)));
            other.at[e] = from_float<T>(d * g * s);
        }
        store<n>(dx + 2 * row + c, gate);
        store<n>(dx + 2 * row + width + c, other);
    }
}

/* -- Bias, dropout, residual ------------------------------------------------------------------- */

/* 16 random bits an element: one draw is enough for four neighbours. */
template <typename T, int n>
__global__ void
dropout_add(const T *x, const T *bias, const T *residual, T *y, uint8_t *mask, uint32_t width)
{
    const uint64_t row = static_cast<uint64_t>(blockIdx.x) * width;
    constexpr uint64_t seed = 0x706c616eULL;
    constexpr uint32_t bound = static_cast<uint32_t>(PSIM_DROPOUT_KEEP * 65536.0F);

    for (uint32_t c = threadIdx.x * n; c < width; c += blockDim.x * n) {
        const Pack<T, n> input = load<n>(x + row + c);
        const Pack<T, n> shift = load<n>(bias + c);
        Pack<T, n> pack = load<n>(residual + row + c);
        Pack<uint8_t, n> kept;
        uint64_t bits = 0;

        for (uint32_t e = 0; e < n; e++) {
            const uint64_t index = row + c + e;
            const float value =
                (to_float(input.at[e]) + to_float(shift.at[e])) * (1.0F / PSIM_DROPOUT_KEEP);

            /* A pack of four or more begins at a multiple of four. */
            if (n == 1 || e % 4 == 0)
                bits = random_bits(seed, index / 4);
            kept.at[e] = ((bits >> (16 * (index % 4))) & 0xffffU) < bound ? 1 : 0;
            pack.at[e] = from_float<T>(to_float(pack.at[e]) + (kept.at[e] ? value : 0.0F));
        }
        store<n>(y + row + c, pack);
        store<n>(mask + row + c, kept);
    }
}

} /* namespace psim */
