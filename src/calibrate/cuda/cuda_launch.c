/* SPDX-License-Identifier: MIT */
/* Kernels that do nothing. A check counts them, and times an event pair around nothing: a clock
 * that adds 10 us of its own is no good for what follows. */
#include "calibrate/cuda/cuda_job.h"
#include "calibrate/cuda/cuda_kernels.h"
#include "calibrate/cuda/cuda_status.h"

#include <math.h>

#define EVENT_PAIR_S_MAX 10e-6
#define N_PAIRS          20

typedef struct {
    unsigned *counter; /* on the device, while a check runs */
    bool counts;
} State;

static PsimVerdict
prepare(PsimJob *self, GError **error)
{
    State *state = g_new0(State, 1);

    self->state = state;
    if (!TRY_CUDA(cudaMalloc((void **)&state->counter, sizeof *state->counter), error) ||
        !TRY_CUDA(cudaMemsetAsync(state->counter, 0, sizeof *state->counter, self->unit->stream),
                  error))
        return PSIM_VERDICT_FAILED;
    return PSIM_VERDICT_RIGHT;
}

static void
clear(PsimJob *self)
{
    State *state = (State *)self->state;

    if (state != NULL)
        cudaFree(state->counter);
    g_free(state);
}

static bool
enqueue(PsimJob *self, G_GNUC_UNUSED uint64_t copy, GError **error)
{
    const State *const state = (const State *)self->state;
    unsigned *const counter = state->counts ? state->counter : NULL;

    for (uint64_t i = 0; i < self->what.launch.n_launches; i++)
        if (!TRY_CUDA(psim_cuda_kernels_nothing(counter, self->unit->stream), error))
            return false;
    return true;
}

static bool
time_nothing(PsimUnit *unit, double *ret_s, GError **error)
{
    double best_s = (double)INFINITY;

    for (int i = 0; i < N_PAIRS; i++) {
        float ms = 0.0F;

        if (!TRY_CUDA(cudaEventRecord(unit->start, unit->stream), error) ||
            !TRY_CUDA(cudaEventRecord(unit->stop, unit->stream), error) ||
            !TRY_CUDA(cudaEventSynchronize(unit->stop), error) ||
            !TRY_CUDA(cudaEventElapsedTime(&ms, unit->start, unit->stop), error))
            return false;
        best_s = fmin(best_s, (double)ms * 1e-3);
    }
    *ret_s = best_s;
    return true;
}

/* Replays the launches with a counter, after the plain run that the caller made. */
static bool
compare(PsimJob *self, double *ret_error, GError **error)
{
    State *state = (State *)self->state;
    unsigned n = 0;
    double nothing_s = 0.0;

    state->counts = true;

    const bool ran = enqueue(self, 0, error);

    state->counts = false;
    if (!ran || !TRY_CUDA(cudaStreamSynchronize(self->unit->stream), error) ||
        !TRY_CUDA(cudaMemcpy(&n, state->counter, sizeof n, cudaMemcpyDeviceToHost), error) ||
        !time_nothing(self->unit, &nothing_s, error))
        return false;
    *ret_error =
        n == self->what.launch.n_launches ? nothing_s / EVENT_PAIR_S_MAX : (double)INFINITY;
    return true;
}

const PsimJobKind psim_cuda_launch = {
    .prepare = prepare,
    .enqueue = enqueue,
    .compare = compare,
    .clear = clear,
};
