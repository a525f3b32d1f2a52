/* SPDX-License-Identifier: MIT */
/* Copies between host and device, from and to pinned memory, and within the device. */
#include "calibrate/cuda/cuda_job.h"
#include "calibrate/cuda/cuda_kernels.h"
#include "calibrate/cuda/cuda_status.h"

#include <math.h>
#include <string.h>

/* One direction: @from and @to, on the host or the device. */
typedef struct {
    void *from, *to;
    bool from_host, to_host;
} Way;

/* Both ways at once are two of them. */
typedef struct {
    Way way[2];
    unsigned n_ways;
} State;

static bool
new_buffer(void **ret_buffer, bool on_host, uint64_t bytes, GError **error)
{
    if (on_host)
        return TRY_CUDA(cudaHostAlloc(ret_buffer, bytes, cudaHostAllocDefault), error);
    return TRY_CUDA(cudaMalloc(ret_buffer, bytes), error);
}

/* Bits of the seed, so that a copy that did not happen is seen. */
static bool
fill(void *buffer, bool on_host, uint64_t bytes, cudaStream_t stream, GError **error)
{
    const PsimArraySpec bits = {.element = PSIM_ELEMENT_BYTE, .fill = PSIM_FILL_BIT, .n = bytes};

    if (!on_host)
        return TRY_CUDA(psim_cuda_kernels_fill(&bits, buffer, bytes, stream), error);

    uint64_t word = bytes;

    for (uint64_t i = 0; i < bytes; i++) {
        /* Knuth's linear congruential generator: cheap, and no byte like the next. */
        word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        ((unsigned char *)buffer)[i] = (unsigned char)(word >> 56);
    }
    return true;
}

static bool
open_way(Way *way, uint64_t bytes, cudaStream_t stream, GError **error)
{
    return new_buffer(&way->from, way->from_host, bytes, error) &&
           new_buffer(&way->to, way->to_host, bytes, error) &&
           fill(way->from, way->from_host, bytes, stream, error);
}

static PsimVerdict
prepare(PsimJob *self, GError **error)
{
    static const State ways[PSIM_N_MEMCPY_KINDS] = {
        [PSIM_MEMCPY_HOST_TO_DEVICE] = {{{.from_host = true}}, 1},
        [PSIM_MEMCPY_DEVICE_TO_HOST] = {{{.to_host = true}}, 1},
        [PSIM_MEMCPY_BOTH_WAYS] = {{{.from_host = true}, {.to_host = true}}, 2},
        [PSIM_MEMCPY_DEVICE_TO_DEVICE] = {{{0}}, 1},
    };
    State *state = g_new0(State, 1);

    *state = ways[self->what.memcpy.what];
    self->state = state;
    for (unsigned i = 0; i < state->n_ways; i++)
        if (!open_way(&state->way[i], self->what.memcpy.bytes, self->unit->stream, error))
            return PSIM_VERDICT_FAILED;
    return TRY_CUDA(cudaStreamSynchronize(self->unit->stream), error) ? PSIM_VERDICT_RIGHT
                                                                      : PSIM_VERDICT_FAILED;
}

static void
free_buffer(void *buffer, bool on_host)
{
    if (on_host)
        cudaFreeHost(buffer);
    else
        cudaFree(buffer);
}

static void
clear(PsimJob *self)
{
    State *state = (State *)self->state;

    for (unsigned i = 0; state != NULL && i < state->n_ways; i++) {
        free_buffer(state->way[i].from, state->way[i].from_host);
        free_buffer(state->way[i].to, state->way[i].to_host);
    }
    g_free(state);
}

static bool
copy_way(const Way *way, uint64_t bytes, cudaStream_t stream, GError **error)
{
    const enum cudaMemcpyKind kind = way->from_host ? cudaMemcpyHostToDevice
                                     : way->to_host ? cudaMemcpyDeviceToHost
                                                    : cudaMemcpyDeviceToDevice;

    return TRY_CUDA(cudaMemcpyAsync(way->to, way->from, bytes, kind, stream), error);
}

/* The second stream begins where the first is, and the first goes on when the second is through. */
static bool
enqueue(PsimJob *self, G_GNUC_UNUSED uint64_t copy, GError **error)
{
    const State *const state = (const State *)self->state;
    const PsimUnit *const unit = self->unit;
    const uint64_t bytes = self->what.memcpy.bytes;

    if (state->n_ways == 1)
        return copy_way(&state->way[0], bytes, unit->stream, error);
    return TRY_CUDA(cudaEventRecord(unit->fork, unit->stream), error) &&
           TRY_CUDA(cudaStreamWaitEvent(unit->second_stream, unit->fork, 0), error) &&
           copy_way(&state->way[0], bytes, unit->stream, error) &&
           copy_way(&state->way[1], bytes, unit->second_stream, error) &&
           TRY_CUDA(cudaEventRecord(unit->join, unit->second_stream), error) &&
           TRY_CUDA(cudaStreamWaitEvent(unit->stream, unit->join, 0), error);
}

static bool
fetch(const void *buffer, uint64_t bytes, void *to, GError **error)
{
    return TRY_CUDA(cudaMemcpy(to, buffer, bytes, cudaMemcpyDefault), error);
}

static bool
compare(PsimJob *self, double *ret_error, GError **error)
{
    const State *const state = (const State *)self->state;
    const uint64_t bytes = self->what.memcpy.bytes;
    g_autofree void *from = g_malloc(bytes);
    g_autofree void *to = g_malloc(bytes);

    *ret_error = 0.0;
    for (unsigned i = 0; i < state->n_ways; i++) {
        if (!fetch(state->way[i].from, bytes, from, error) ||
            !fetch(state->way[i].to, bytes, to, error))
            return false;
        if (memcmp(from, to, bytes) != 0)
            *ret_error = (double)INFINITY;
    }
    return true;
}

const PsimJobKind psim_cuda_memcpy = {
    .prepare = prepare,
    .enqueue = enqueue,
    .compare = compare,
    .clear = clear,
};
