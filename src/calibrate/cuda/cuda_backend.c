/* SPDX-License-Identifier: MIT */
/* The one function that this module exports, and the table behind it. */
#include "calibrate/backend.h"

#include "calibrate/cuda/cuda_job.h"
#include "calibrate/cuda/cuda_status.h"
#include "calibrate/cuda/cuda_timing.h"
#include "calibrate/cuda/cuda_unit.h"

#include <math.h>

__attribute__((visibility("default"))) const PsimBackend *psim_backend(void);

/* Runs a small twin of @what. Libraries may have no algorithm for odd sizes where they have one for
 * the case itself: that says nothing of the case. */
static PsimVerdict
check_twin(PsimUnit *self,
           const PsimCase *what,
           const PsimPolicy *policy,
           unsigned round,
           double *ret_error,
           GError **error)
{
    const PsimCase small = psim_cuda_case_shrink(what, round);
    PsimVerdict verdict = PSIM_VERDICT_FAILED;
    g_autoptr(GError) own = NULL;
    g_autoptr(PsimJob) job =
        psim_cuda_job_new(self, &small, policy, /* cold= */ false, &verdict, &own);

    *ret_error = 0.0;
    if (job != NULL)
        verdict = psim_cuda_job_check(job, ret_error, &own);
    if (verdict == PSIM_VERDICT_UNSUPPORTED && round > 0)
        return PSIM_VERDICT_RIGHT;
    if (own != NULL)
        g_propagate_error(error, g_steal_pointer(&own));
    return verdict;
}

/* The worst of the twins counts. */
static PsimVerdict
check(PsimUnit *self,
      const PsimCase *what,
      const PsimPolicy *policy,
      double *ret_error,
      GError **error)
{
    PsimVerdict verdict = psim_cuda_case_judge(what, policy, &self->traits, error);

    *ret_error = 0.0;
    if (verdict == PSIM_VERDICT_RIGHT && !TRY_CUDA(cudaSetDevice(self->number), error))
        verdict = PSIM_VERDICT_FAILED;
    for (unsigned round = 0; round < PSIM_N_CHECKS && verdict == PSIM_VERDICT_RIGHT; round++) {
        double worst = 0.0;

        verdict = check_twin(self, what, policy, round, &worst, error);
        *ret_error = fmax(*ret_error, worst);
    }
    return verdict;
}

static PsimVerdict
measure(PsimUnit *self,
        const PsimCase *what,
        const PsimPolicy *policy,
        PsimSamples *ret_samples,
        GError **error)
{
    PsimVerdict verdict = PSIM_VERDICT_FAILED;

    *ret_samples = (PsimSamples){0};
    if (!TRY_CUDA(cudaSetDevice(self->number), error))
        return PSIM_VERDICT_FAILED;

    g_autoptr(PsimJob) job = psim_cuda_job_new(self, what, policy, policy->cold, &verdict, error);

    if (job == NULL)
        return verdict;
    return psim_cuda_timing_measure(job, policy, ret_samples, error) ? PSIM_VERDICT_RIGHT
                                                                     : PSIM_VERDICT_FAILED;
}

const PsimBackend *
psim_backend(void)
{
    static const PsimBackend backend = {
        .abi = PSIM_BACKEND_ABI,
        .name = "cuda",
        .open = psim_cuda_unit_open,
        .close = psim_cuda_unit_close,
        .describe = psim_cuda_unit_describe,
        .check = check,
        .measure = measure,
    };

    return &backend;
}
