/* SPDX-License-Identifier: MIT */
/* rng.h: counter-based random numbers: (seed, id) -> value
 *
 * No state and no stream: a task's number does not change when another task is added. The mix is
 * SplitMix64's finaliser over both words. Source: Steele, Lea, Flood, "Fast splittable
 * pseudorandom number generators", OOPSLA 2014.
 */
#pragma once

#include <stdint.h>

static inline uint64_t
psim_rng_mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

/** psim_rng_u64: Returns: 64 random bits of (@seed, @id). */
static inline uint64_t
psim_rng_u64(uint64_t seed, uint64_t id)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);

    return psim_rng_mix(psim_rng_mix(seed + golden) + golden * (id + 1));
}

/** psim_rng_below: Returns: 0 .. @bound - 1, @bound >= 1; the bias is below 2^-32 for small bounds.
 */
static inline uint32_t
psim_rng_below(uint64_t seed, uint64_t id, uint32_t bound)
{
    return (uint32_t)(((psim_rng_u64(seed, id) >> 32) * bound) >> 32);
}

/** psim_rng_unit: Returns: [0, 1) with 53 bits. */
static inline double
psim_rng_unit(uint64_t seed, uint64_t id)
{
    return (double)(psim_rng_u64(seed, id) >> 11) * 0x1p-53;
}
