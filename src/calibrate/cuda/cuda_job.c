/* SPDX-License-Identifier: MIT */
#include "calibrate/cuda/cuda_job.h"

#include "calibrate/cuda/cuda_element.h"
#include "calibrate/cuda/cuda_kernels.h"
#include "calibrate/cuda/cuda_reference.h"
#include "calibrate/cuda/cuda_status.h"
#include "plansim.h"

#include <math.h>

/* Arrays are aligned as cudaMalloc() aligns them. */
#define ALIGNMENT UINT64_C(256)

static const PsimJobKind *
kind_of(PsimCaseKind kind)
{
    switch (kind) {
    case PSIM_CASE_LAUNCH:
        return &psim_cuda_launch;
    case PSIM_CASE_STREAM:
    case PSIM_CASE_KERNEL:
        return &psim_cuda_memory;
    case PSIM_CASE_GEMM:
        return &psim_cuda_gemm;
    case PSIM_CASE_ATTENTION:
        return &psim_cuda_attention;
    case PSIM_CASE_MEMCPY:
        return &psim_cuda_memcpy;
    case PSIM_CASE_COLLECTIVE:
        return &psim_cuda_collective;
    }
    return NULL;
}

/* -- Arrays ------------------------------------------------------------------------------------ */

static uint64_t
aligned_bytes(const PsimArraySpec *spec)
{
    return (spec->n * psim_element_bytes(spec->element) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* psim_cuda_case_judge() has made sure that one copy fits and that nothing overflows. */
static void
plan_copies(PsimJob *self, const PsimPolicy *policy, bool cold)
{
    uint64_t rotated = 0;
    uint64_t scratch = psim_cuda_case_bytes(&self->what);

    for (uint32_t i = 0; i < self->list.n; i++)
        if (!self->list.array[i].scratch)
            rotated += aligned_bytes(&self->list.array[i]);
    scratch = scratch > rotated ? scratch - rotated : 0;
    self->n_copies = 1;
    if (cold && rotated > 0) {
        const uint64_t wanted = 2 * self->unit->l2_bytes / rotated + 1;
        const uint64_t affordable = (policy->memory_bytes - scratch) / rotated;

        self->n_copies = MAX(1, MIN(wanted, affordable));
    }

    const uint64_t used = scratch + self->n_copies * rotated;

    self->memory_left = policy->memory_bytes > used ? policy->memory_bytes - used : 0;
}

static bool
allocate(PsimJob *self, uint64_t seed, GError **error)
{
    for (uint32_t i = 0; i < self->list.n; i++) {
        PsimArraySpec whole = self->list.array[i];
        const uint64_t bytes = aligned_bytes(&whole);
        const uint64_t copies = whole.scratch ? 1 : self->n_copies;

        if (bytes == 0)
            continue;
        self->stride[i] = whole.scratch ? 0 : bytes;
        if (!TRY_CUDA(cudaMalloc(&self->base[i], bytes * copies), error))
            return false;
        /* All copies at once, with what lies between them. */
        whole.n = bytes * copies / psim_element_bytes(whole.element);
        if (!TRY_CUDA(psim_cuda_kernels_fill(&whole, self->base[i], seed + i, self->unit->stream),
                      error))
            return false;
    }
    return TRY_CUDA(cudaStreamSynchronize(self->unit->stream), error);
}

void
psim_cuda_job_arrays(const PsimJob *self, uint64_t copy, void **ret_arrays)
{
    for (uint32_t i = 0; i < PSIM_MAX_ARRAYS; i++)
        ret_arrays[i] =
            self->base[i] == NULL ? NULL : (char *)self->base[i] + copy * self->stride[i];
}

/* -- Jobs -------------------------------------------------------------------------------------- */

PsimVerdict
psim_cuda_job_verdict(const GError *error)
{
    if (g_error_matches(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED))
        return PSIM_VERDICT_UNSUPPORTED;
    if (g_error_matches(error, PSIM_ERROR, PSIM_ERROR_LIMIT))
        return PSIM_VERDICT_TOO_LARGE;
    return PSIM_VERDICT_FAILED;
}

PsimJob *
psim_cuda_job_new(PsimUnit *unit,
                  const PsimCase *what,
                  const PsimPolicy *policy,
                  bool cold,
                  PsimVerdict *ret_verdict,
                  GError **error)
{
    g_autoptr(PsimJob) self = g_new0(PsimJob, 1);

    *ret_verdict = psim_cuda_case_judge(what, policy, &unit->traits, error);
    if (*ret_verdict != PSIM_VERDICT_RIGHT)
        return NULL;
    self->unit = unit;
    self->what = *what;
    self->kind = kind_of(what->kind);
    self->n_variants = 1;
    psim_cuda_case_arrays(what, &self->list);
    plan_copies(self, policy, cold);
    *ret_verdict = PSIM_VERDICT_FAILED;
    if (!allocate(self, policy->seed, error))
        return NULL;
    if (self->kind->prepare != NULL)
        *ret_verdict = self->kind->prepare(self, error);
    else
        *ret_verdict = PSIM_VERDICT_RIGHT;
    return *ret_verdict == PSIM_VERDICT_RIGHT ? g_steal_pointer(&self) : NULL;
}

/* Errors here belong to what was queued before, and were reported where it was waited for. */
void
psim_cuda_job_free(PsimJob *self)
{
    if (self == NULL)
        return;
    if (self->kind != NULL && self->kind->clear != NULL)
        self->kind->clear(self);
    for (uint32_t i = 0; i < self->list.n; i++)
        cudaFree(self->base[i]);
    g_free(self);
}

bool
psim_cuda_job_enqueue(PsimJob *self, uint64_t index, GError **error)
{
    return self->kind->enqueue(self, index % self->n_copies, error);
}

/* -- Checking ---------------------------------------------------------------------------------- */

double *
psim_cuda_job_read(const PsimJob *self, uint32_t index, GError **error)
{
    const PsimArraySpec *const spec = &self->list.array[index];
    const uint64_t bytes = spec->n * psim_element_bytes(spec->element);
    g_autofree void *raw = g_malloc0(bytes + 1);

    if (bytes > 0 &&
        !TRY_CUDA(cudaMemcpy(raw, self->base[index], bytes, cudaMemcpyDeviceToHost), error))
        return NULL;
    return psim_cuda_element_read_all(raw, spec->element, spec->n);
}

static bool
read_all(const PsimJob *self, double **arrays, GError **error)
{
    for (uint32_t i = 0; i < self->list.n; i++) {
        arrays[i] = psim_cuda_job_read(self, i, error);
        if (arrays[i] == NULL)
            return false;
    }
    return true;
}

static bool
run_once(PsimJob *self, GError **error)
{
    return psim_cuda_job_enqueue(self, 0, error) &&
           TRY_CUDA(cudaStreamSynchronize(self->unit->stream), error);
}

static bool
run_and_compare(PsimJob *self, double *ret_error, GError **error)
{
    double *before[PSIM_MAX_ARRAYS] = {NULL};
    double *after[PSIM_MAX_ARRAYS] = {NULL};
    const bool ran =
        read_all(self, before, error) && run_once(self, error) && read_all(self, after, error);

    if (ran)
        *ret_error = psim_cuda_reference_error(&self->what, (const double *const *)before,
                                               (const double *const *)after);
    for (uint32_t i = 0; i < PSIM_MAX_ARRAYS; i++) {
        g_free(before[i]);
        g_free(after[i]);
    }
    return ran;
}

PsimVerdict
psim_cuda_job_check(PsimJob *self, double *ret_error, GError **error)
{
    g_autoptr(GError) own = NULL;
    bool ran = false;

    *ret_error = 0.0;
    if (self->kind->compare != NULL)
        ran = run_once(self, &own) && self->kind->compare(self, ret_error, &own);
    else
        ran = run_and_compare(self, ret_error, &own);
    if (!ran) {
        const PsimVerdict verdict = psim_cuda_job_verdict(own);

        g_propagate_error(error, g_steal_pointer(&own));
        return verdict;
    }
    return *ret_error <= 1.0 ? PSIM_VERDICT_RIGHT : PSIM_VERDICT_WRONG;
}
