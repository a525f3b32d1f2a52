/* SPDX-License-Identifier: MIT */
/* cuda_tiles.cuh: attention a tile at a time, in fp32, to compare a library with
 *
 *     block   16 queries of one head: 4 warps of 4 queries
 *     tile    32 keys in shared memory, a key a lane
 *     sums    a lane keeps every 32nd dimension of its warp's queries
 *
 * Source: Dao et al. (2022), "FlashAttention", for the running maximum and sum. Nothing here is
 * meant to be fast.
 */
#pragma once

#include "calibrate/cuda/cuda_device.cuh"

namespace psim
{

constexpr uint32_t tile_warps = 4;
constexpr uint32_t queries_a_warp = 4;
constexpr uint32_t queries_a_block = tile_warps * queries_a_warp;
constexpr uint32_t tile_threads = tile_warps * warp_size;

/* Tensors are (batch, sequence, heads, head dimension). */
struct Heads {
    uint32_t n_heads, sequence, head_dim;
    bool causal;
    float scale;

    /* Where row @i of head @bh begins; bh counts heads of all batches. */
    __host__ __device__ uint64_t row(uint32_t bh, uint32_t i) const
    {
        const uint64_t token = static_cast<uint64_t>(bh / n_heads) * sequence + i;

        return (token * n_heads + bh % n_heads) * head_dim;
    }

    /* How many keys the last query of a block sees. */
    __host__ __device__ uint32_t n_keys(uint32_t first_query) const
    {
        const uint32_t last = first_query + queries_a_block;

        return causal && last < sequence ? last : sequence;
    }

    __host__ __device__ bool sees(uint32_t query, uint32_t key) const
    {
        return key < sequence && !(causal && key > query);
    }
};

/* A line more than its length, so that a column falls on 32 banks. */
template <int d> struct Tile {
    float at[warp_size][d + 1];
};

/* Rows beyond the sequence are zeros. */
template <typename T, int d>
__device__ inline void
load_tile(Tile<d> &tile, const T *from, const Heads &heads, uint32_t bh, uint32_t first)
{
    for (uint32_t i = threadIdx.x; i < warp_size * d; i += tile_threads) {
        const uint32_t row = first + i / d;

        tile.at[i / d][i % d] =
            row < heads.sequence ? to_float(from[heads.row(bh, row) + i % d]) : 0.0F;
    }
}

template <typename T, int d>
__device__ inline void
load_queries(float (&queries)[queries_a_block][d],
             const T *from,
             const Heads &heads,
             uint32_t bh,
             uint32_t first)
{
    for (uint32_t i = threadIdx.x; i < queries_a_block * d; i += tile_threads) {
        const uint32_t row = first + i / d;

        queries[i / d][i % d] =
            row < heads.sequence ? to_float(from[heads.row(bh, row) + i % d]) : 0.0F;
    }
}

template <int d>
__device__ inline float
dot(const float *a, const float *b)
{
    float sum = 0.0F;

    for (int i = 0; i < d; i++)
        sum += a[i] * b[i];
    return sum;
}

template <typename T, int d>
__global__ void
attend(const T *q, const T *k, const T *v, T *o, float *stats, Heads heads)
{
    __shared__ Tile<d> keys;
    __shared__ Tile<d> values;
    __shared__ float queries[queries_a_block][d];
    const uint32_t n_tiles = (heads.sequence + queries_a_block - 1) / queries_a_block;
    const uint32_t bh = blockIdx.x / n_tiles;
    const uint32_t first = blockIdx.x % n_tiles * queries_a_block;
    const uint32_t lane = threadIdx.x % warp_size;
    const uint32_t mine = threadIdx.x / warp_size * queries_a_warp;
    float top[queries_a_warp];
    float sum[queries_a_warp] = {};
    float out[queries_a_warp][d / warp_size] = {};

    for (uint32_t i = 0; i < queries_a_warp; i++)
        top[i] = Max::neutral;
    load_queries<T, d>(queries, q, heads, bh, first);
    for (uint32_t t = 0; t < heads.n_keys(first); t += warp_size) {
        load_tile<T, d>(keys, k, heads, bh, t);
        load_tile<T, d>(values, v, heads, bh, t);
        __syncthreads();
        for (uint32_t i = 0; i < queries_a_warp; i++) {
            const bool seen = heads.sees(first + mine + i, t + lane);
            const float score =
                seen ? dot<d>(queries[mine + i], keys.at[lane]) * heads.scale : Max::neutral;
            const float higher = fmaxf(top[i], reduce_warp<Max>(score));
            const float p = seen ? expf(score - higher) : 0.0F;
            const float shrink = expf(top[i] - higher);

            top[i] = higher;
            sum[i] = sum[i] * shrink + reduce_warp<Add>(p);
            for (uint32_t c = 0; c < d / warp_size; c++)
                out[i][c] *= shrink;
            for (uint32_t key = 0; key < warp_size; key++) {
                const float weight = __shfl_sync(whole_warp, p, static_cast<int>(key));

                for (uint32_t c = 0; c < d / warp_size; c++)
                    out[i][c] += weight * values.at[key][c * warp_size + lane];
            }
        }
        __syncthreads();
    }
    for (uint32_t i = 0; i < queries_a_warp; i++) {
        const uint32_t query = first + mine + i;

        if (query >= heads.sequence)
            continue;
        for (uint32_t c = 0; c < d / warp_size; c++)
            o[heads.row(bh, query) + c * warp_size + lane] = from_float<T>(out[i][c] / sum[i]);
        if (lane == 0)
            stats[static_cast<uint64_t>(bh) * heads.sequence + query] = top[i] + logf(sum[i]);
    }
}

/* The inputs of a backward pass. */
template <typename T> struct Forward {
    const T *q, *k, *v, *o;
    const float *stats;
    const T *gradient; /* of o */
};

/* dV = P^T dO;  dS = P (dO V^T - sum(O dO));  dQ = dS K scale;  dK = dS^T Q scale. */
template <typename T, int d>
__global__ void
attend_back(Forward<T> in, float *dq, float *dk, float *dv, Heads heads)
{
    __shared__ Tile<d> tile; /* of keys, then of values */
    __shared__ float queries[queries_a_block][d];
    __shared__ float slopes[queries_a_block][d];
    const uint32_t n_tiles = (heads.sequence + queries_a_block - 1) / queries_a_block;
    const uint32_t bh = blockIdx.x / n_tiles;
    const uint32_t first = blockIdx.x % n_tiles * queries_a_block;
    const uint32_t lane = threadIdx.x % warp_size;
    const uint32_t mine = threadIdx.x / warp_size * queries_a_warp;
    float delta[queries_a_warp] = {};
    float sums[queries_a_warp][d / warp_size] = {};

    load_queries<T, d>(queries, in.q, heads, bh, first);
    load_queries<T, d>(slopes, in.gradient, heads, bh, first);
    __syncthreads();
    for (uint32_t i = 0; i < queries_a_warp; i++) {
        const uint32_t query = first + mine + i;
        float part = 0.0F;

        for (uint32_t c = lane; query < heads.sequence && c < d; c += warp_size)
            part += to_float(in.o[heads.row(bh, query) + c]) * slopes[mine + i][c];
        delta[i] = reduce_warp<Add>(part);
    }
    for (uint32_t t = 0; t < heads.n_keys(first); t += warp_size) {
        float p[queries_a_warp] = {};
        float ds[queries_a_warp] = {};

        load_tile<T, d>(tile, in.v, heads, bh, t);
        __syncthreads();
        for (uint32_t i = 0; i < queries_a_warp; i++)
            ds[i] = dot<d>(slopes[mine + i], tile.at[lane]) - delta[i];
        __syncthreads();
        load_tile<T, d>(tile, in.k, heads, bh, t);
        __syncthreads();
        for (uint32_t i = 0; i < queries_a_warp; i++) {
            const uint32_t query = first + mine + i;

            if (query < heads.sequence && heads.sees(query, t + lane)) {
                const float score = dot<d>(queries[mine + i], tile.at[lane]) * heads.scale;
                const uint64_t at = static_cast<uint64_t>(bh) * heads.sequence + query;

                p[i] = expf(score - in.stats[at]);
            }
            ds[i] *= p[i] * heads.scale;
        }
        for (uint32_t key = 0; key < warp_size; key++) {
            float key_sum[d / warp_size] = {};
            float value_sum[d / warp_size] = {};

            for (uint32_t i = 0; i < queries_a_warp; i++) {
                const float weight = __shfl_sync(whole_warp, p[i], static_cast<int>(key));
                const float slope = __shfl_sync(whole_warp, ds[i], static_cast<int>(key));

                for (uint32_t c = 0; c < d / warp_size; c++) {
                    sums[i][c] += slope * tile.at[key][c * warp_size + lane];
                    key_sum[c] += slope * queries[mine + i][c * warp_size + lane];
                    value_sum[c] += weight * slopes[mine + i][c * warp_size + lane];
                }
            }
            for (uint32_t c = 0; t + key < heads.sequence && c < d / warp_size; c++) {
                const uint64_t at = heads.row(bh, t + key) + c * warp_size + lane;

                atomicAdd(&dk[at], key_sum[c]);
                atomicAdd(&dv[at], value_sum[c]);
            }
        }
        __syncthreads();
    }
    for (uint32_t i = 0; i < queries_a_warp; i++)
        for (uint32_t c = 0; first + mine + i < heads.sequence && c < d / warp_size; c++)
            dq[heads.row(bh, first + mine + i) + c * warp_size + lane] = sums[i][c];
}

} /* namespace psim */
