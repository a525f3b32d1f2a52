/* SPDX-License-Identifier: MIT */
/* cuda_device.cuh: what the kernels have in common: packs of 16 bytes, sums over a block, numbers
 *
 * A test compiles the kernels for the host, with these macros of its own; see
 * tests/calibrate/cuda/emulate.h.
 */
#pragma once

#include "calibrate/cuda/cuda_case.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime_api.h>

#ifndef PSIM_LAUNCH
#define PSIM_LAUNCH(function, grid, block, shared, stream, ...)                                    \
    function<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__)
#define PSIM_DYNAMIC_SHARED(name) extern __shared__ float name[]
#endif

namespace psim
{

constexpr uint32_t warp_size = 32;
constexpr uint32_t whole_warp = 0xffffffffU;

/* -- Numbers ----------------------------------------------------------------------------------- */

__host__ __device__ inline float
to_float(float value)
{
    return value;
}

__host__ __device__ inline float
to_float(__half value)
{
    return __half2float(value);
}

__host__ __device__ inline float
to_float(__nv_bfloat16 value)
{
    return __bfloat162float(value);
}

template <typename T> __host__ __device__ inline T from_float(float value);

template <>
__host__ __device__ inline float
from_float<float>(float value)
{
    return value;
}

template <>
__host__ __device__ inline __half
from_float<__half>(float value)
{
    return __float2half_rn(value);
}

template <>
__host__ __device__ inline __nv_bfloat16
from_float<__nv_bfloat16>(float value)
{
    return __float2bfloat16_rn(value);
}

template <>
__host__ __device__ inline __nv_fp8_e4m3
from_float<__nv_fp8_e4m3>(float value)
{
    return __nv_fp8_e4m3(value);
}

/* -- Packs ------------------------------------------------------------------------------------- */

/* The word that moves so many bytes in one access. */
template <int bytes> struct Word;
template <> struct Word<1> {
    using Type = unsigned char;
};
template <> struct Word<2> {
    using Type = unsigned short;
};
template <> struct Word<4> {
    using Type = unsigned int;
};
template <> struct Word<8> {
    using Type = uint2;
};
template <> struct Word<16> {
    using Type = uint4;
};

/* n neighbours, moved at once. */
template <typename T, int n> struct alignas(sizeof(T) * n) Pack {
    T at[n];
};

template <int n, typename T>
__device__ inline Pack<T, n>
load(const T *from)
{
    using Bytes = typename Word<sizeof(T) * n>::Type;
    const Bytes word = *reinterpret_cast<const Bytes *>(from);
    Pack<T, n> pack;

    memcpy(&pack, &word, sizeof pack);
    return pack;
}

template <int n, typename T>
__device__ inline void
store(T *to, const Pack<T, n> &pack)
{
    using Bytes = typename Word<sizeof(T) * n>::Type;
    Bytes word;

    memcpy(&word, &pack, sizeof word);
    *reinterpret_cast<Bytes *>(to) = word;
}

/* -- Sums over a block ------------------------------------------------------------------------- */

struct Add {
    static constexpr float neutral = 0.0F;

    __device__ static float join(float a, float b)
    {
        return a + b;
    }
};

struct Max {
    static constexpr float neutral = -3.0e38F;

    __device__ static float join(float a, float b)
    {
        return fmaxf(a, b);
    }
};

template <typename Operation>
__device__ inline float
reduce_warp(float value)
{
    for (uint32_t distance = warp_size / 2; distance > 0; distance /= 2)
        value = Operation::join(value, __shfl_xor_sync(whole_warp, value, distance));
    return value;
}

/* Every thread of the block gets the result. @slots (32) in shared memory; blocks are whole warps.
 */
template <typename Operation>
__device__ inline float
reduce_block(float value, float *slots)
{
    const uint32_t lane = threadIdx.x % warp_size;
    const uint32_t n_warps = blockDim.x / warp_size;

    value = reduce_warp<Operation>(value);
    if (lane == 0)
        slots[threadIdx.x / warp_size] = value;
    __syncthreads();
    value = reduce_warp<Operation>(lane < n_warps ? slots[lane] : Operation::neutral);
    __syncthreads();
    return value;
}

/* -- Functions --------------------------------------------------------------------------------- */

/* Bits that depend on (seed, index) alone: the finalizer of SplitMix64. Source: Steele, Lea and
 * Flood (2014), "Fast splittable pseudorandom number generators". */
__host__ __device__ inline uint64_t
random_bits(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ULL;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/* 1 - 2/(1 + e^2x) needs one exponential and one division, and has its limits right. */
__device__ inline float
fast_tanh(float x)
{
    return 1.0F - __fdividef(2.0F, 1.0F + __expf(2.0F * x));
}

__device__ inline float
fast_sigmoid(float x)
{
    return __fdividef(1.0F, 1.0F + __expf(-x));
}

} /* namespace psim */
