/* SPDX-License-Identifier: MIT */
/* cuda_elements.cuh: kernels that treat an array as one long row
 *
 * Packs of 16 bytes, many blocks striding over them, and a tail of less than a pack that the first
 * threads of the first block do one by one.
 */
#pragma once

#include "calibrate/cuda/cuda_device.cuh"

namespace psim
{

/* Calls work.pack(i) for each whole pack and work.one(i) for what is left. */
template <int n, typename Work>
__device__ inline void
for_each(uint64_t n_elements, const Work &work)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x * n;
    const uint64_t whole = n_elements / n * n;
    const uint64_t thread = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;

    for (uint64_t i = thread * n; i < whole; i += step)
        work.template run<n>(i);
    if (thread < n_elements - whole)
        work.template run<1>(whole + thread);
}

template <typename Work, int n>
__global__ void
run_elements(Work work, uint64_t n_elements)
{
    for_each<n>(n_elements, work);
}

/* -- Filling ----------------------------------------------------------------------------------- */

/* Box-Muller on the two halves of 64 random bits. */
__device__ inline float
random_normal(uint64_t seed, uint64_t index)
{
    const uint64_t bits = random_bits(seed, index);
    const float u = (static_cast<float>(static_cast<uint32_t>(bits >> 40)) + 1.0F) * 0x1p-24F;
    const float v = static_cast<float>(static_cast<uint32_t>(bits & 0xffffffU)) * 0x1p-24F;

    return sqrtf(-2.0F * logf(u)) * cosf(6.283185307F * v);
}

template <typename T> struct FillRandom {
    T *to;
    uint64_t seed;
    float scale;
    bool squared;

    template <int n> __device__ void run(uint64_t i) const
    {
        Pack<T, n> pack;

        for (int e = 0; e < n; e++) {
            const float value = random_normal(seed, i + static_cast<uint64_t>(e));

            pack.at[e] = from_float<T>(scale * (squared ? value * value : value));
        }
        store<n>(to + i, pack);
    }
};

struct FillBits {
    uint8_t *to;
    uint64_t seed;

    template <int n> __device__ void run(uint64_t i) const
    {
        Pack<uint8_t, n> pack;

        for (int e = 0; e < n; e++)
            pack.at[e] = random_bits(seed, i + static_cast<uint64_t>(e)) >> 63 ? 1 : 0;
        store<n>(to + i, pack);
    }
};

/* -- Streams ----------------------------------------------------------------------------------- */

template <typename T> struct Copy {
    const T *a;
    T *c;

    template <int n> __device__ void run(uint64_t i) const
    {
        store<n>(c + i, load<n>(a + i));
    }
};

template <typename T> struct Scale {
    const T *a;
    T *c;

    template <int n> __device__ void run(uint64_t i) const
    {
        Pack<T, n> pack = load<n>(a + i);

        for (int e = 0; e < n; e++)
            pack.at[e] = from_float<T>(PSIM_STREAM_FACTOR * to_float(pack.at[e]));
        store<n>(c + i, pack);
    }
};

template <typename T> struct Triad {
    const T *a, *b;
    T *c;

    template <int n> __device__ void run(uint64_t i) const
    {
        Pack<T, n> pack = load<n>(a + i);
        const Pack<T, n> other = load<n>(b + i);

        for (int e = 0; e < n; e++)
            pack.at[e] =
                from_float<T>(to_float(pack.at[e]) + PSIM_STREAM_FACTOR * to_float(other.at[e]));
        store<n>(c + i, pack);
    }
};

template <typename T> struct Sum {
    const T *a;
    float *sum;

    template <int n> __device__ void run(uint64_t i) const
    {
        const Pack<T, n> pack = load<n>(a + i);

        for (int e = 0; e < n; e++)
            *sum += to_float(pack.at[e]);
    }
};

/* A partial sum a block, so that one launch does it and the order of additions is fixed. */
template <typename T, int n>
__global__ void
sum_blocks(const T *a, float *sums, uint64_t n_elements)
{
    __shared__ float slots[warp_size];
    float sum = 0.0F;

    for_each<n>(n_elements, Sum<T>{a, &sum});
    sum = reduce_block<Add>(sum, slots);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

/* -- GeLU -------------------------------------------------------------------------------------- */

/* tanh form. Source: Hendrycks and Gimpel (2016), "Gaussian error linear units". */
constexpr float gelu_slope = 0.7978845608F;
constexpr float gelu_cubic = 0.044715F;

template <typename T> struct Gelu {
    const T *x;
    T *y;

    template <int n> __device__ void run(uint64_t i) const
    {
        Pack<T, n> pack = load<n>(x + i);

        for (int e = 0; e < n; e++) {
            const float v = to_float(pack.at[e]);
            const float t = fast_tanh(gelu_slope * (v + gelu_cubic * v * v * v));

            pack.at[e] = from_float<T>(0.5F * v * (1.0F + t));
        }
        store<n>(y + i, pack);
    }
};

template <typename T> struct GeluBack {
    const T *x, *dy;
    T *dx;

    template <int n> __device__ void run(uint64_t i) const
    {
        const Pack<T, n> input = load<n>(x + i);
        Pack<T, n> pack = load<n>(dy + i);

        for (int e = 0; e < n; e++) {
            const float v = to_float(input.at[e]);
            const float t = fast_tanh(gelu_slope * (v + gelu_cubic * v * v * v));
            const float inner = gelu_slope * (1.0F + 3.0F * gelu_cubic * v * v);
            const float slope = 0.5F * (1.0F + t) + 0.5F * v * (1.0F - t * t) * inner;

            pack.at[e] = from_float<T>(to_float(pack.at[e]) * slope);
        }
        store<n>(dx + i, pack);
    }
};

/* -- Dropout, backward ------------------------------------------------------------------------- */

template <typename T> struct DropoutBack {
    const T *dy;
    const uint8_t *mask;
    T *dx;

    template <int n> __device__ void run(uint64_t i) const
    {
        Pack<T, n> pack = load<n>(dy + i);
        const Pack<uint8_t, n> kept = load<n>(mask + i);

        for (int e = 0; e < n; e++)
            pack.at[e] = from_float<T>(
                kept.at[e] ? to_float(pack.at[e]) * (1.0F / PSIM_DROPOUT_KEEP) : 0.0F);
        store<n>(dx + i, pack);
    }
};

/* -- Adam -------------------------------------------------------------------------------------- */

/* With weight decay apart from the gradient; the weight of the model is a rounded copy of the
 * master. Source: Loshchilov and Hutter (2019), "Decoupled weight decay regularization". */
struct Adam {
    const float *gradient;
    float *master, *m, *v;
    __nv_bfloat16 *weight;

    template <int n> __device__ void run(uint64_t i) const
    {
        const Pack<float, n> g = load<n>(gradient + i);
        Pack<float, n> p = load<n>(master + i);
        Pack<float, n> first = load<n>(m + i);
        Pack<float, n> second = load<n>(v + i);
        Pack<__nv_bfloat16, n> rounded;

        for (int e = 0; e < n; e++) {
            first.at[e] = PSIM_ADAM_BETA1 * first.at[e] + (1.0F - PSIM_ADAM_BETA1) * g.at[e];
            second.at[e] =
                PSIM_ADAM_BETA2 * second.at[e] + (1.0F - PSIM_ADAM_BETA2) * g.at[e] * g.at[e];

            const float mean = first.at[e] * (1.0F / PSIM_ADAM_CORRECTION1);
            const float square = second.at[e] * (1.0F / PSIM_ADAM_CORRECTION2);

            p.at[e] -= PSIM_ADAM_RATE * (__fdividef(mean, sqrtf(square) + PSIM_ADAM_EPSILON) +
                                         PSIM_ADAM_DECAY * p.at[e]);
            rounded.at[e] = from_float<__nv_bfloat16>(p.at[e]);
        }
        store<n>(master + i, p);
        store<n>(m + i, first);
        store<n>(v + i, second);
        store<n>(weight + i, rounded);
    }
};

} /* namespace psim */
