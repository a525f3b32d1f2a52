/* SPDX-License-Identifier: MIT */
/* Launches: which kernel, of which number type, how many blocks of how many threads. */
#include "calibrate/cuda/cuda_kernels.h"

#include "calibrate/cuda/cuda_elements.cuh"
#include "calibrate/cuda/cuda_rows.cuh"
#include "calibrate/cuda/cuda_tiles.cuh"

#include <math.h>

namespace
{

constexpr uint32_t element_threads = PSIM_STREAM_SUM_BYTES / 16;
/* Enough blocks to fill any device several times over; threads stride beyond that. */
constexpr uint64_t most_blocks = 65536;
constexpr uint32_t row_threads = 256;

using psim::Pack;

/* How many elements of T make 16 bytes. */
template <typename T> constexpr int per_load = static_cast<int>(16 / sizeof(T));

uint32_t
blocks_for(uint64_t n, int elements_a_thread)
{
    const uint64_t a_block =
        static_cast<uint64_t>(element_threads) * static_cast<uint64_t>(elements_a_thread);
    const uint64_t blocks = (n + a_block - 1) / a_block;

    return static_cast<uint32_t>(blocks == 0 ? 1 : blocks < most_blocks ? blocks : most_blocks);
}

template <int n, typename Work>
cudaError_t
launch_elements(const Work &work, uint64_t n_elements, cudaStream_t stream)
{
    auto *const kernel = psim::run_elements<Work, n>;

    PSIM_LAUNCH(kernel, blocks_for(n_elements, n), element_threads, 0, stream, work, n_elements);
    return cudaGetLastError();
}

/* -- Filling ----------------------------------------------------------------------------------- */

template <typename T>
cudaError_t
fill_random(const PsimArraySpec *spec, void *array, uint64_t seed, cudaStream_t stream)
{
    const psim::FillRandom<T> work = {static_cast<T *>(array), seed, spec->scale,
                                      spec->fill == PSIM_FILL_SQUARE};

    return launch_elements<per_load<T>>(work, spec->n, stream);
}

/* -- Streams ----------------------------------------------------------------------------------- */

template <typename T>
cudaError_t
run_stream(const PsimCase *what, void *const *arrays, cudaStream_t stream)
{
    const uint64_t n = what->stream.bytes / sizeof(T);
    const T *const a = static_cast<const T *>(arrays[PSIM_STREAM_A]);
    const T *const b = static_cast<const T *>(arrays[PSIM_STREAM_B]);
    T *const c = static_cast<T *>(arrays[PSIM_STREAM_C]);
    float *const sums = static_cast<float *>(arrays[PSIM_STREAM_SUMS]);
    auto *const sum = psim::sum_blocks<T, per_load<T>>;

    switch (what->stream.what) {
    case PSIM_STREAM_COPY:
        return launch_elements<per_load<T>>(psim::Copy<T>{a, c}, n, stream);
    case PSIM_STREAM_SCALE:
        return launch_elements<per_load<T>>(psim::Scale<T>{a, c}, n, stream);
    case PSIM_STREAM_TRIAD:
        return launch_elements<per_load<T>>(psim::Triad<T>{a, b, c}, n, stream);
    case PSIM_STREAM_SUM:
        PSIM_LAUNCH(sum, psim_stream_sum_blocks(what->stream.bytes), element_threads, 0, stream, a,
                    sums, n);
        return cudaGetLastError();
    }
    return cudaErrorInvalidValue;
}

/* -- Rows -------------------------------------------------------------------------------------- */

template <typename T, int n> struct Rows {
    uint32_t rows, width, threads;
    void *const *arrays;
    cudaStream_t stream;

    Rows(const PsimCase *what, void *const *arrays_, cudaStream_t stream_)
        : rows(static_cast<uint32_t>(what->kernel.rows)),
          width(static_cast<uint32_t>(what->kernel.width)),
          threads(psim_row_threads(width, n, row_threads)), arrays(arrays_), stream(stream_)
    {
    }

    T *at(int index) const
    {
        return static_cast<T *>(arrays[index]);
    }

    float *floats(int index) const
    {
        return static_cast<float *>(arrays[index]);
    }

    cudaError_t norm() const
    {
        auto *const kernel = psim::norm_forward<T, n>;

        PSIM_LAUNCH(kernel, rows, threads, 0, stream, at(PSIM_NORM_X), at(PSIM_NORM_GAMMA),
                    at(PSIM_NORM_BETA), at(PSIM_NORM_Y), floats(PSIM_NORM_MEAN),
                    floats(PSIM_NORM_RSTD), width);
        return cudaGetLastError();
    }

    /* Two blocks a multiprocessor: enough loads in flight, few strips to add up. */
    cudaError_t norm_back(uint32_t n_sms) const
    {
        auto *const kernel = psim::norm_backward<T, n>;
        const uint32_t most = 2 * n_sms < PSIM_NORM_MAX_STRIPS ? 2 * n_sms : PSIM_NORM_MAX_STRIPS;
        const uint32_t strips = rows < most ? rows : most;
        const uint32_t block = psim_row_threads(width, n, PSIM_NORM_BACK_THREADS);
        const size_t shared = 2 * psim_norm_back_floats(width, n) * sizeof(float);
        const cudaError_t status = cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                        static_cast<int>(shared));

        if (status != cudaSuccess)
            return status;
        PSIM_LAUNCH(kernel, strips, block, shared, stream, at(PSIM_NORM_BACK_X),
                    at(PSIM_NORM_BACK_GAMMA), at(PSIM_NORM_BACK_DY), floats(PSIM_NORM_BACK_MEAN),
                    floats(PSIM_NORM_BACK_RSTD), at(PSIM_NORM_BACK_DX),
                    floats(PSIM_NORM_BACK_PARTIAL), rows, width);

        const cudaError_t launched = cudaGetLastError();

        if (launched != cudaSuccess)
            return launched;
        PSIM_LAUNCH(psim::norm_gradient, (width + 31) / 32, 1024, 0, stream,
                    floats(PSIM_NORM_BACK_PARTIAL), floats(PSIM_NORM_BACK_DGAMMA),
                    floats(PSIM_NORM_BACK_DBETA), strips, width);
        return cudaGetLastError();
    }

    cudaError_t softmax() const
    {
        auto *const kernel = psim::softmax_forward<T, n>;

        PSIM_LAUNCH(kernel, rows, threads, 0, stream, at(PSIM_MAP_X), at(PSIM_MAP_Y), width);
        return cudaGetLastError();
    }

    cudaError_t softmax_back() const
    {
        auto *const kernel = psim::softmax_backward<T, n>;

        PSIM_LAUNCH(kernel, rows, threads, 0, stream, at(PSIM_MAP_BACK_X), at(PSIM_MAP_BACK_DY),
                    at(PSIM_MAP_BACK_DX), width);
        return cudaGetLastError();
    }

    cudaError_t swiglu() const
    {
        auto *const kernel = psim::swiglu_forward<T, n>;

        PSIM_LAUNCH(kernel, rows, threads, 0, stream, at(PSIM_MAP_X), at(PSIM_MAP_Y), width);
        return cudaGetLastError();
    }

    cudaError_t swiglu_back() const
    {
        auto *const kernel = psim::swiglu_backward<T, n>;

        PSIM_LAUNCH(kernel, rows, threads, 0, stream, at(PSIM_MAP_BACK_X), at(PSIM_MAP_BACK_DY),
                    at(PSIM_MAP_BACK_DX), width);
        return cudaGetLastError();
    }

    cudaError_t dropout() const
    {
        auto *const kernel = psim::dropout_add<T, n>;

        PSIM_LAUNCH(kernel, rows, threads, 0, stream, at(PSIM_DROP_X), at(PSIM_DROP_BIAS),
                    at(PSIM_DROP_RESIDUAL), at(PSIM_DROP_Y),
                    static_cast<uint8_t *>(arrays[PSIM_DROP_MASK]), width);
        return cudaGetLastError();
    }
};

template <typename T>
cudaError_t
run_adam(uint64_t n, void *const *arrays, cudaStream_t stream)
{
    const psim::Adam work = {
        static_cast<const float *>(arrays[PSIM_ADAM_GRADIENT]),
        static_cast<float *>(arrays[PSIM_ADAM_MASTER]),
        static_cast<float *>(arrays[PSIM_ADAM_M]),
        static_cast<float *>(arrays[PSIM_ADAM_V]),
        static_cast<__nv_bfloat16 *>(arrays[PSIM_ADAM_WEIGHT]),
    };

    return launch_elements<per_load<float>>(work, n, stream);
}

/* Kernels that do not know of rows. */
template <typename T>
cudaError_t
run_flat(const PsimCase *what, void *const *arrays, cudaStream_t stream)
{
    const uint64_t n = what->kernel.rows * what->kernel.width;
    T *const *const typed = reinterpret_cast<T *const *>(arrays);

    switch (what->kernel.what) {
    case PSIM_KERNEL_GELU_FORWARD:
        return launch_elements<per_load<T>>(psim::Gelu<T>{typed[PSIM_MAP_X], typed[PSIM_MAP_Y]}, n,
                                            stream);
    case PSIM_KERNEL_GELU_BACKWARD:
        return launch_elements<per_load<T>>(psim::GeluBack<T>{typed[PSIM_MAP_BACK_X],
                                                              typed[PSIM_MAP_BACK_DY],
                                                              typed[PSIM_MAP_BACK_DX]},
                                            n, stream);
    case PSIM_KERNEL_DROPOUT_ADD_BACKWARD:
        return launch_elements<per_load<T>>(
            psim::DropoutBack<T>{typed[PSIM_DROP_BACK_DY],
                                 static_cast<const uint8_t *>(arrays[PSIM_DROP_BACK_MASK]),
                                 typed[PSIM_DROP_BACK_DX]},
            n, stream);
    case PSIM_KERNEL_ADAM:
        return run_adam<T>(n, arrays, stream);
    case PSIM_KERNEL_NORM_FORWARD:
    case PSIM_KERNEL_NORM_BACKWARD:
    case PSIM_KERNEL_SOFTMAX_FORWARD:
    case PSIM_KERNEL_SOFTMAX_BACKWARD:
    case PSIM_KERNEL_SWIGLU_FORWARD:
    case PSIM_KERNEL_SWIGLU_BACKWARD:
    case PSIM_KERNEL_DROPOUT_ADD_FORWARD:
        break;
    }
    return cudaErrorInvalidValue;
}

template <typename T, int n>
cudaError_t
run_rows(const PsimCase *what, void *const *arrays, uint32_t n_sms, cudaStream_t stream)
{
    const Rows<T, n> rows(what, arrays, stream);

    switch (what->kernel.what) {
    case PSIM_KERNEL_NORM_FORWARD:
        return rows.norm();
    case PSIM_KERNEL_NORM_BACKWARD:
        return rows.norm_back(n_sms);
    case PSIM_KERNEL_SOFTMAX_FORWARD:
        return rows.softmax();
    case PSIM_KERNEL_SOFTMAX_BACKWARD:
        return rows.softmax_back();
    case PSIM_KERNEL_SWIGLU_FORWARD:
        return rows.swiglu();
    case PSIM_KERNEL_SWIGLU_BACKWARD:
        return rows.swiglu_back();
    case PSIM_KERNEL_DROPOUT_ADD_FORWARD:
        return rows.dropout();
    case PSIM_KERNEL_GELU_FORWARD:
    case PSIM_KERNEL_GELU_BACKWARD:
    case PSIM_KERNEL_DROPOUT_ADD_BACKWARD:
    case PSIM_KERNEL_ADAM:
        break;
    }
    return run_flat<T>(what, arrays, stream);
}

template <typename T>
cudaError_t
run_kernel(const PsimCase *what, void *const *arrays, uint32_t n_sms, cudaStream_t stream)
{
    if (what->kind == PSIM_CASE_STREAM)
        return run_stream<T>(what, arrays, stream);
    if (psim_elements_a_load(what->kernel.width, sizeof(T)) == 1)
        return run_rows<T, 1>(what, arrays, n_sms, stream);
    return run_rows<T, per_load<T>>(what, arrays, n_sms, stream);
}

/* -- Attention --------------------------------------------------------------------------------- */

psim::Heads
heads_of(const PsimCase *what)
{
    return {
        static_cast<uint32_t>(what->attention.n_heads),
        static_cast<uint32_t>(what->attention.sequence),
        static_cast<uint32_t>(what->attention.head_dim),
        what->attention.causal,
        1.0F / sqrtf(static_cast<float>(what->attention.head_dim)),
    };
}

uint32_t
tiles_of(const PsimCase *what)
{
    const uint64_t tiles =
        (what->attention.sequence + psim::queries_a_block - 1) / psim::queries_a_block;

    return static_cast<uint32_t>(what->attention.batch * what->attention.n_heads * tiles);
}

template <typename T, int d>
cudaError_t
attend_with(const PsimCase *what, void *const *arrays, cudaStream_t stream)
{
    T *const *const typed = reinterpret_cast<T *const *>(arrays);
    auto *const kernel = psim::attend<T, d>;

    PSIM_LAUNCH(kernel, tiles_of(what), psim::tile_threads, 0, stream, typed[PSIM_ATTENTION_Q],
                typed[PSIM_ATTENTION_K], typed[PSIM_ATTENTION_V], typed[PSIM_ATTENTION_O],
                static_cast<float *>(arrays[PSIM_ATTENTION_STATS]), heads_of(what));
    return cudaGetLastError();
}

template <typename T, int d>
cudaError_t
attend_back_with(const PsimCase *what,
                 void *const *arrays,
                 float *const *gradients,
                 cudaStream_t stream)
{
    T *const *const typed = reinterpret_cast<T *const *>(arrays);
    const psim::Forward<T> in = {
        typed[PSIM_ATTENTION_Q],
        typed[PSIM_ATTENTION_K],
        typed[PSIM_ATTENTION_V],
        typed[PSIM_ATTENTION_O],
        static_cast<const float *>(arrays[PSIM_ATTENTION_STATS]),
        typed[PSIM_ATTENTION_DO],
    };
    auto *const kernel = psim::attend_back<T, d>;

    PSIM_LAUNCH(kernel, tiles_of(what), psim::tile_threads, 0, stream, in, gradients[0],
                gradients[1], gradients[2], heads_of(what));
    return cudaGetLastError();
}

__global__ void
do_nothing(unsigned *counter)
{
    if (counter != nullptr && threadIdx.x == 0)
        atomicAdd(counter, 1U);
}

} /* namespace */

/* -- What the host code calls ------------------------------------------------------------------ */

cudaError_t
psim_cuda_kernels_fill(const PsimArraySpec *spec, void *array, uint64_t seed, cudaStream_t stream)
{
    if (spec->n == 0 || spec->fill == PSIM_FILL_NONE)
        return cudaSuccess;
    if (spec->fill == PSIM_FILL_ZERO)
        return cudaMemsetAsync(array, 0, spec->n * psim_element_bytes(spec->element), stream);
    switch (spec->element) {
    case PSIM_ELEMENT_FP32:
        return fill_random<float>(spec, array, seed, stream);
    case PSIM_ELEMENT_FP16:
        return fill_random<__half>(spec, array, seed, stream);
    case PSIM_ELEMENT_BF16:
        return fill_random<__nv_bfloat16>(spec, array, seed, stream);
    case PSIM_ELEMENT_FP8:
        return fill_random<__nv_fp8_e4m3>(spec, array, seed, stream);
    case PSIM_ELEMENT_BYTE:
        return launch_elements<16>(psim::FillBits{static_cast<uint8_t *>(array), seed}, spec->n,
                                   stream);
    }
    return cudaErrorInvalidValue;
}

cudaError_t
psim_cuda_kernels_flush(void *buffer, uint64_t bytes, cudaStream_t stream)
{
    const uint64_t half = bytes / 2 / 16 * 16;
    const uint8_t *const from = static_cast<const uint8_t *>(buffer);

    /* Read one half and write the other: both lie in the cache afterwards. */
    return launch_elements<16>(psim::Copy<uint8_t>{from, static_cast<uint8_t *>(buffer) + half},
                               half, stream);
}

cudaError_t
psim_cuda_kernels_nothing(unsigned *counter, cudaStream_t stream)
{
    PSIM_LAUNCH(do_nothing, 1, psim::warp_size, 0, stream, counter);
    return cudaGetLastError();
}

cudaError_t
psim_cuda_kernels_run(const PsimCase *what,
                      void *const *arrays,
                      uint32_t n_sms,
                      cudaStream_t stream)
{
    switch (psim_element_of(what->number)) {
    case PSIM_ELEMENT_FP32:
        return run_kernel<float>(what, arrays, n_sms, stream);
    case PSIM_ELEMENT_FP16:
        return run_kernel<__half>(what, arrays, n_sms, stream);
    case PSIM_ELEMENT_BF16:
        return run_kernel<__nv_bfloat16>(what, arrays, n_sms, stream);
    case PSIM_ELEMENT_FP8:
    case PSIM_ELEMENT_BYTE:
        break;
    }
    return cudaErrorInvalidValue;
}

cudaError_t
psim_cuda_kernels_attend(const PsimCase *what, void *const *arrays, cudaStream_t stream)
{
    const bool is_half = what->number == PSIM_NUMBER_FP16;

    if (what->attention.head_dim == 64)
        return is_half ? attend_with<__half, 64>(what, arrays, stream)
                       : attend_with<__nv_bfloat16, 64>(what, arrays, stream);
    return is_half ? attend_with<__half, 128>(what, arrays, stream)
                   : attend_with<__nv_bfloat16, 128>(what, arrays, stream);
}

cudaError_t
psim_cuda_kernels_attend_back(const PsimCase *what,
                              void *const *arrays,
                              float *const *gradients,
                              cudaStream_t stream)
{
    const bool is_half = what->number == PSIM_NUMBER_FP16;

    if (what->attention.head_dim == 64)
        return is_half ? attend_back_with<__half, 64>(what, arrays, gradients, stream)
                       : attend_back_with<__nv_bfloat16, 64>(what, arrays, gradients, stream);
    return is_half ? attend_back_with<__half, 128>(what, arrays, gradients, stream)
                   : attend_back_with<__nv_bfloat16, 128>(what, arrays, gradients, stream);
}
