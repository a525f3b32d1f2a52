/* SPDX-License-Identifier: MIT */
/* Attention by cuDNN. A backward pass has a forward pass before it, which fills O and stats.
 *
 * A check compares with plain loops on the host while the sequence is short, else with our own
 * tiles on the device. */
#include "calibrate/cuda/cuda_cudnn.h"
#include "calibrate/cuda/cuda_element.h"
#include "calibrate/cuda/cuda_job.h"
#include "calibrate/cuda/cuda_kernels.h"
#include "calibrate/cuda/cuda_reference.h"
#include "calibrate/cuda/cuda_status.h"
#include "plansim.h"

#include <math.h>

/* Longer sequences are compared with our tiles. */
#define LOOPS_SEQUENCE_MAX 512

typedef struct {
    PsimCudnnPlan *plan;
    void *workspace;
} State;

static PsimVerdict
verdict_of(GError *own, GError **error)
{
    const PsimVerdict verdict = psim_cuda_job_verdict(own);

    g_propagate_error(error, own);
    return verdict;
}

static bool
new_workspace(const PsimJob *job, const PsimCudnnPlan *plan, void **ret_workspace, GError **error)
{
    const uint64_t bytes = psim_cuda_cudnn_workspace(plan);

    *ret_workspace = NULL;
    if (bytes > job->memory_left) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_LIMIT,
                    "cuDNN needs %.3g GB of workspace, %.3g GB of the budget are left; raise the "
                    "budget or take a smaller shape",
                    (double)bytes / 1e9, (double)job->memory_left / 1e9);
        return false;
    }
    return bytes == 0 || TRY_CUDA(cudaMalloc(ret_workspace, bytes), error);
}

static bool
run_forward(PsimJob *self, PsimCudnnPlan *plan, void *workspace, GError **error)
{
    for (uint64_t copy = 0; copy < self->n_copies; copy++) {
        void *arrays[PSIM_MAX_ARRAYS];

        psim_cuda_job_arrays(self, copy, arrays);
        if (!psim_cuda_cudnn_run(self->unit->cudnn, plan, arrays, workspace, error))
            return false;
    }
    return TRY_CUDA(cudaStreamSynchronize(self->unit->stream), error);
}

static bool
fill_forward(PsimJob *self, GError **error)
{
    g_autoptr(PsimCudnnPlan) plan = psim_cuda_cudnn_plan(
        self->unit->cudnn, &self->what, /* backward= */ false, /* device_json= */ NULL, error);
    void *workspace = NULL;

    if (plan == NULL || !new_workspace(self, plan, &workspace, error))
        return false;

    const bool done = run_forward(self, plan, workspace, error);

    cudaFree(workspace);
    return done;
}

static PsimVerdict
prepare(PsimJob *self, GError **error)
{
    State *state = g_new0(State, 1);
    GError *own = NULL;

    self->state = state;
    if (self->what.attention.backward && !fill_forward(self, &own))
        return verdict_of(own, error);
    state->plan =
        psim_cuda_cudnn_plan(self->unit->cudnn, &self->what, self->what.attention.backward,
                             /* device_json= */ NULL, &own);
    if (state->plan == NULL || !new_workspace(self, state->plan, &state->workspace, &own))
        return verdict_of(own, error);
    return PSIM_VERDICT_RIGHT;
}

static void
clear(PsimJob *self)
{
    State *state = (State *)self->state;

    if (state == NULL)
        return;
    psim_cuda_cudnn_plan_free(state->plan);
    cudaFree(state->workspace);
    g_free(state);
}

static bool
enqueue(PsimJob *self, uint64_t copy, GError **error)
{
    const State *const state = (const State *)self->state;
    void *arrays[PSIM_MAX_ARRAYS];

    psim_cuda_job_arrays(self, copy, arrays);
    return psim_cuda_cudnn_run(self->unit->cudnn, state->plan, arrays, state->workspace, error);
}

/* -- Checking ---------------------------------------------------------------------------------- */

static bool
compare_with_loops(PsimJob *self, double *ret_error, GError **error)
{
    double *arrays[PSIM_MAX_ARRAYS] = {NULL};
    bool done = true;

    for (uint32_t i = 0; i < self->list.n && done; i++) {
        arrays[i] = psim_cuda_job_read(self, i, error);
        done = arrays[i] != NULL;
    }
    /* Nothing that is read is written, so that the same arrays serve as before and after. */
    if (done)
        *ret_error = psim_cuda_reference_error(&self->what, (const double *const *)arrays,
                                               (const double *const *)arrays);
    for (uint32_t i = 0; i < self->list.n; i++)
        g_free(arrays[i]);
    return done;
}

/* The largest difference over what roundings may make of it: of the element itself, and of terms as
 * large as the array's root mean square. */
static double
difference(const double *got, const float *want, uint64_t n, double epsilon)
{
    double square = 0.0;
    double worst = 0.0;

    for (uint64_t i = 0; i < n; i++)
        square += (double)want[i] * (double)want[i] / (double)n;
    for (uint64_t i = 0; i < n; i++) {
        const double bound = epsilon * (4.0 * fabs((double)want[i]) + 8.0 * sqrt(square)) + 1e-6;
        const double over = fabs(got[i] - (double)want[i]) / bound;

        if (!isfinite(over))
            return (double)INFINITY;
        worst = fmax(worst, over);
    }
    return worst;
}

/* Buffers of our own: O and stats, or three gradients; fp32 but for O. */
typedef struct {
    void *buffer[3];
} Tiles;

static bool
run_tiles(PsimJob *self, Tiles *tiles, uint64_t n, GError **error)
{
    void *arrays[PSIM_MAX_ARRAYS];

    for (unsigned i = 0; i < 3; i++)
        if (!TRY_CUDA(cudaMalloc(&tiles->buffer[i], n * sizeof(float)), error) ||
            !TRY_CUDA(cudaMemsetAsync(tiles->buffer[i], 0, n * sizeof(float), self->unit->stream),
                      error))
            return false;
    psim_cuda_job_arrays(self, 0, arrays);
    if (self->what.attention.backward)
        return TRY_CUDA(psim_cuda_kernels_attend_back(
                            &self->what, arrays, (float *const *)tiles->buffer, self->unit->stream),
                        error) &&
               TRY_CUDA(cudaStreamSynchronize(self->unit->stream), error);
    arrays[PSIM_ATTENTION_O] = tiles->buffer[0];
    arrays[PSIM_ATTENTION_STATS] = tiles->buffer[1];
    return TRY_CUDA(psim_cuda_kernels_attend(&self->what, arrays, self->unit->stream), error) &&
           TRY_CUDA(cudaStreamSynchronize(self->unit->stream), error);
}

/* What the tiles say of array @index, which is their buffer @which. */
static bool
compare_array(PsimJob *self,
              const Tiles *tiles,
              uint32_t index,
              unsigned which,
              double *ret_error,
              GError **error)
{
    const PsimArraySpec *const spec = &self->list.array[index];
    const PsimElement element = self->what.attention.backward ? PSIM_ELEMENT_FP32 : spec->element;
    const uint64_t bytes = spec->n * psim_element_bytes(element);
    g_autofree double *got = psim_cuda_job_read(self, index, error);
    g_autofree void *raw = g_malloc0(bytes);
    g_autofree float *want = g_new0(float, spec->n);

    if (got == NULL ||
        !TRY_CUDA(cudaMemcpy(raw, tiles->buffer[which], bytes, cudaMemcpyDeviceToHost), error))
        return false;
    for (uint64_t i = 0; i < spec->n; i++)
        want[i] = (float)psim_cuda_element_read(raw, element, i);
    *ret_error =
        fmax(*ret_error, difference(got, want, spec->n, psim_cuda_element_epsilon(spec->element)));
    return true;
}

static bool
compare_with_tiles(PsimJob *self, double *ret_error, GError **error)
{
    Tiles tiles = {{NULL}};
    bool done = run_tiles(self, &tiles, self->list.array[PSIM_ATTENTION_Q].n, error);

    if (!self->what.attention.backward)
        done = done && compare_array(self, &tiles, PSIM_ATTENTION_O, 0, ret_error, error);
    else
        for (unsigned i = 0; i < 3 && done; i++)
            done = compare_array(self, &tiles, PSIM_ATTENTION_DQ + i, i, ret_error, error);
    for (unsigned i = 0; i < 3; i++)
        cudaFree(tiles.buffer[i]);
    return done;
}

static bool
compare(PsimJob *self, double *ret_error, GError **error)
{
    *ret_error = 0.0;
    if (self->what.attention.sequence > LOOPS_SEQUENCE_MAX)
        return compare_with_tiles(self, ret_error, error);
    return compare_with_loops(self, ret_error, error);
}

const PsimJobKind psim_cuda_attention = {
    .compare = compare,
    .prepare = prepare,
    .enqueue = enqueue,
    .clear = clear,
};
