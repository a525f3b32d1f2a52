/* SPDX-License-Identifier: MIT */
/* emulate.h: enough of a device that kernels run on the host, a thread of a block a fibre
 *
 * Blocks run one after the other, the threads of a block in turn: a fibre runs until it meets a
 * barrier, and goes on when all that take part are there. Barriers that not all threads reach, and
 * shuffles among threads that are not there, end the program. Shared memory begins as NaN.
 *
 * Include this before the kernels.
 */
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime_api.h>

#include <functional>
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <vector>

/* Called at each launch, if there is one: how an imitated device counts time. */
extern "C" {
extern void (*psim_emulate_on_launch)(void);
}

namespace emulate
{

enum class State { ready, at_block_barrier, at_warp_barrier, done };

struct Index {
    uint32_t x;
};

/* Begun by a context, which asks the kernel for its signal mask each time, and changed by jumps,
 * which do not. */
struct Fibre {
    ucontext_t context;
    jmp_buf place;
    bool begun;
    std::vector<char> stack;
    State state;
    uint32_t thread;
    float word; /* what a shuffle offers */
};

struct Device {
    std::vector<Fibre> fibres; /* only ever grows; the first n_threads take part */
    uint32_t n_threads = 0;
    std::function<void()> kernel;
    std::vector<float> shared;
    jmp_buf scheduler;
    Fibre *running = nullptr;
    Index block_index = {0};
    Index block_size = {0};
    Index grid_size = {0};
};

inline Device device;

inline Index
thread_index()
{
    return {device.running->thread};
}

inline void
wait(State state)
{
    Fibre *const self = device.running;

    self->state = state;
    if (_setjmp(self->place) == 0)
        _longjmp(device.scheduler, 1);
}

inline void
sync_block()
{
    wait(State::at_block_barrier);
}

/* Every thread of the warp offers a value, then each takes one. */
inline float
shuffle(float value, uint32_t from)
{
    const uint32_t warp = device.running->thread / 32 * 32;

    device.running->word = value;
    wait(State::at_warp_barrier);

    const Fibre &source = device.fibres[warp + from % 32];
    const float taken = source.word;

    if (source.state == State::done) {
        fprintf(stderr, "a shuffle reads from a thread that has ended\n");
        abort();
    }
    wait(State::at_warp_barrier);
    return taken;
}

inline void
enter()
{
    device.kernel();
    device.running->state = State::done;
    _longjmp(device.scheduler, 1);
}

/* Lets threads first..first+n go on if all that have not ended wait at @state. */
inline bool
release(State state, size_t first, size_t n)
{
    bool any = false;

    for (size_t i = first; i < first + n; i++) {
        const State is = device.fibres[i].state;

        if (is == State::ready || (is != state && is != State::done))
            return false;
        any = any || is == state;
    }
    for (size_t i = first; any && i < first + n; i++)
        if (device.fibres[i].state == state)
            device.fibres[i].state = State::ready;
    return any;
}

inline bool
release_any()
{
    bool any = release(State::at_block_barrier, 0, device.n_threads);

    for (size_t warp = 0; warp < device.n_threads; warp += 32)
        any = release(State::at_warp_barrier, warp, 32) || any;
    return any;
}

inline void
resume(Fibre *fibre)
{
    device.running = fibre;
    if (_setjmp(device.scheduler) != 0)
        return;
    if (fibre->begun)
        _longjmp(fibre->place, 1);
    fibre->begun = true;
    setcontext(&fibre->context);
}

inline bool
run_ready()
{
    bool all_done = true;

    for (uint32_t i = 0; i < device.n_threads; i++) {
        Fibre &fibre = device.fibres[i];

        if (fibre.state == State::ready)
            resume(&fibre);
        all_done = all_done && fibre.state == State::done;
    }
    return all_done;
}

inline void
run_block(uint32_t block)
{
    device.block_index = {block};
    for (float &word : device.shared)
        word = NAN;
    for (uint32_t i = 0; i < device.n_threads; i++) {
        Fibre &fibre = device.fibres[i];

        fibre.state = State::ready;
        fibre.thread = i;
        getcontext(&fibre.context);
        fibre.context.uc_stack.ss_sp = fibre.stack.data();
        fibre.context.uc_stack.ss_size = fibre.stack.size();
        fibre.context.uc_link = nullptr;
        fibre.begun = false;
        makecontext(&fibre.context, enter, 0);
    }
    while (!run_ready())
        if (!release_any()) {
            fprintf(stderr, "threads of a block wait for each other at different barriers\n");
            abort();
        }
}

inline void
launch(uint64_t grid, uint32_t block, size_t shared_bytes, std::function<void()> kernel)
{
    if (block == 0 || block % 32 != 0 || block > 1024 || grid == 0 || grid > 0x7fffffff) {
        fprintf(stderr, "a launch of %u threads in %llu blocks\n", block,
                static_cast<unsigned long long>(grid));
        abort();
    }
    if (psim_emulate_on_launch != nullptr)
        psim_emulate_on_launch();
    device.kernel = std::move(kernel);
    device.n_threads = block;
    if (device.fibres.size() < block)
        device.fibres.resize(block);
    for (Fibre &fibre : device.fibres)
        fibre.stack.resize(64 * 1024);
    device.shared.assign(shared_bytes / sizeof(float), NAN);
    device.block_size = {block};
    device.grid_size = {static_cast<uint32_t>(grid)};
    for (uint64_t i = 0; i < grid; i++)
        run_block(static_cast<uint32_t>(i));
}

} /* namespace emulate */

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#define __global__
#define __device__
#define __host__
/* One block runs at a time, so that what its threads share may be static. */
#define __shared__ static

#define threadIdx emulate::thread_index()
#define blockIdx  emulate::device.block_index
#define blockDim  emulate::device.block_size
#define gridDim   emulate::device.grid_size

#define __syncthreads()                        emulate::sync_block()
#define __shfl_xor_sync(mask, value, distance) emulate::shuffle(value, threadIdx.x ^ (distance))
#define __shfl_sync(mask, value, lane)         emulate::shuffle(value, static_cast<uint32_t>(lane))
#define __expf(x)                              expf(x)
#define __fdividef(a, b)                       ((a) / (b))
#define rsqrtf(x)                              (1.0F / sqrtf(x))

template <typename T>
inline void
atomicAdd(T *sum, T value)
{
    *sum += value;
}

#define PSIM_LAUNCH(function, grid, block, shared, stream, ...)                                    \
    ((void)(stream), emulate::launch(grid, block, shared, [&] { function(__VA_ARGS__); }))
#define PSIM_DYNAMIC_SHARED(name) float *const name = emulate::device.shared.data()

#define cudaGetLastError()                        cudaSuccess
#define cudaFuncSetAttribute(kernel, what, value) ((void)(kernel), (void)(value), cudaSuccess)
#define cudaMemsetAsync(to, value, bytes, stream)                                                  \
    ((void)(stream), memset(to, value, bytes), cudaSuccess)
