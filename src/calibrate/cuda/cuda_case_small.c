/* SPDX-License-Identifier: MIT */
/* The small twins of a case that a check runs. */
#include "calibrate/cuda/cuda_case.h"

/* At most @cap plus a remainder, so that alignment stays; @cap is a multiple of 16. */
static uint64_t
shrink(uint64_t size, uint64_t cap)
{
    return size <= cap ? size : cap + size % 16;
}

static uint64_t
make_odd(uint64_t size)
{
    return size | 1;
}

static void
shrink_gemm(PsimCase *small, bool odd)
{
    small->gemm.m = shrink(small->gemm.m, 160);
    small->gemm.n = shrink(small->gemm.n, 144);
    small->gemm.k = shrink(small->gemm.k, 192);
    /* fp8 takes multiples of 16 only. */
    if (odd && small->number != PSIM_NUMBER_FP8) {
        small->gemm.m = make_odd(small->gemm.m);
        small->gemm.n = make_odd(small->gemm.n + 2);
        small->gemm.k = make_odd(small->gemm.k + 4);
    }
}

static void
shrink_kernel(PsimCase *small, bool odd)
{
    const bool flat = small->kernel.what == PSIM_KERNEL_ADAM;

    small->kernel.rows = flat ? 1 : shrink(small->kernel.rows, 32);
    small->kernel.width = shrink(small->kernel.width, flat ? 100000 : 16384);
    if (odd) {
        small->kernel.rows = flat ? 1 : make_odd(small->kernel.rows);
        small->kernel.width = make_odd(small->kernel.width > 2048 ? 2048 : small->kernel.width);
    }
}

/* Two heads and one or two hundred tokens; the second round takes a longer sequence, which our own
 * tiles on the device can afford. An odd one no trainer has. */
static void
shrink_attention(PsimCase *small, bool longer)
{
    const uint64_t cap = longer ? 1024 : 128;

    small->attention.batch = 1;
    small->attention.n_heads = MIN(small->attention.n_heads, 2);
    if (small->attention.sequence > cap)
        small->attention.sequence = cap + small->attention.sequence % 128;
}

PsimCase
psim_cuda_case_shrink(const PsimCase *what, unsigned round)
{
    PsimCase small = *what;
    const bool odd = round > 0;

    switch (what->kind) {
    case PSIM_CASE_LAUNCH:
        small.launch.n_launches = odd ? make_odd(MIN(what->launch.n_launches, 100)) : 64;
        break;
    case PSIM_CASE_STREAM:
        small.stream.bytes = shrink(what->stream.bytes, 1 << 20);
        if (odd)
            small.stream.bytes += 3 * psim_number_bytes(what->number);
        break;
    case PSIM_CASE_GEMM:
        shrink_gemm(&small, odd);
        break;
    case PSIM_CASE_KERNEL:
        shrink_kernel(&small, odd);
        break;
    case PSIM_CASE_ATTENTION:
        shrink_attention(&small, odd);
        break;
    case PSIM_CASE_MEMCPY:
        small.memcpy.bytes = make_odd(shrink(what->memcpy.bytes, 1 << 20));
        break;
    case PSIM_CASE_COLLECTIVE:
        small.collective.bytes = shrink(what->collective.bytes, 1 << 20);
        break;
    }
    return small;
}
