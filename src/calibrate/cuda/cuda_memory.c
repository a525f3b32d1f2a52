/* SPDX-License-Identifier: MIT */
/* Kernels that move memory: streams, and those between the matrix products of a transformer. */
#include "calibrate/cuda/cuda_job.h"
#include "calibrate/cuda/cuda_kernels.h"
#include "calibrate/cuda/cuda_status.h"

static bool
enqueue(PsimJob *self, uint64_t copy, GError **error)
{
    void *arrays[PSIM_MAX_ARRAYS];

    psim_cuda_job_arrays(self, copy, arrays);
    return TRY_CUDA(
        psim_cuda_kernels_run(&self->what, arrays, self->unit->n_sms, self->unit->stream), error);
}

const PsimJobKind psim_cuda_memory = {.enqueue = enqueue};
