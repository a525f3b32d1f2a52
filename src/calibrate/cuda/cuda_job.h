/* SPDX-License-Identifier: MIT */
/* cuda_job.h: a case made ready to run: arrays on the device, and what its kind keeps
 *
 *     copy 0 | copy 1 | copy 2 ...      of each array, 256-byte aligned
 *
 * A cold case runs over as many copies as make twice the L2 cache, so that a repetition finds
 * nothing of the one before; a warm one has a single copy.
 */
#pragma once

#include "calibrate/cuda/cuda_unit.h"

G_BEGIN_DECLS

typedef struct PsimJob PsimJob;

/* How a kind of cases is run. Everything but enqueue may be NULL. */
typedef struct {
    /* Makes ready what the arrays are not; they are filled already. */
    PsimVerdict (*prepare)(PsimJob *self, GError **error);
    /* Queues one run on the unit's stream, on copy @copy of the arrays. */
    bool (*enqueue)(PsimJob *self, uint64_t copy, GError **error);
    /* Sets @ret_error after one run on copy 0; NULL: psim_cuda_reference_error() of the arrays. */
    bool (*compare)(PsimJob *self, double *ret_error, GError **error);
    /* Chooses one of n_variants algorithms; 0 is the one that is fitted. */
    void (*choose)(PsimJob *self, uint32_t variant);
    /* Times @n runs; NULL: events around them on the unit's stream. */
    bool (*time)(PsimJob *self, uint64_t n, double *ret_s, GError **error);
    void (*clear)(PsimJob *self);
} PsimJobKind;

struct PsimJob {
    PsimUnit *unit;
    PsimCase what;
    const PsimJobKind *kind;
    PsimArrayList list;
    uint64_t n_copies;
    uint64_t memory_left; /* of the budget, behind the arrays */
    void *base[PSIM_MAX_ARRAYS];
    uint64_t stride[PSIM_MAX_ARRAYS]; /* from a copy to the next, 0 for scratch */
    uint32_t n_variants;
    void *state; /* of the kind */
};

/**
 * psim_cuda_job_new:
 * @cold  copies as above, else one
 * Returns: a job that is ready, or NULL with @ret_verdict and @error saying why not.
 */
PsimJob *psim_cuda_job_new(PsimUnit *unit,
                           const PsimCase *what,
                           const PsimPolicy *policy,
                           bool cold,
                           PsimVerdict *ret_verdict,
                           GError **error);
void psim_cuda_job_free(PsimJob *self);

/** psim_cuda_job_arrays: where copy @copy of each array begins. */
void psim_cuda_job_arrays(const PsimJob *self, uint64_t copy, void **ret_arrays);

/** psim_cuda_job_enqueue: run number @index, on the copy whose turn it is. */
bool psim_cuda_job_enqueue(PsimJob *self, uint64_t index, GError **error);

/** psim_cuda_job_check: runs once and compares; see PsimBackend.check. */
PsimVerdict psim_cuda_job_check(PsimJob *self, double *ret_error, GError **error);

/** psim_cuda_job_read: Returns: copy 0 of array @index on the host, as double; or NULL. */
double *psim_cuda_job_read(const PsimJob *self, uint32_t index, GError **error);

/** psim_cuda_job_verdict: Returns: what an error says of the case: UNSUPPORTED, TOO_LARGE, FAILED.
 */
PsimVerdict psim_cuda_job_verdict(const GError *error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimJob, psim_cuda_job_free)

/* The kinds, a file each. */
extern const PsimJobKind psim_cuda_attention;
extern const PsimJobKind psim_cuda_gemm;
extern const PsimJobKind psim_cuda_launch;
extern const PsimJobKind psim_cuda_memcpy;
extern const PsimJobKind psim_cuda_memory; /* STREAM and KERNEL */
extern const PsimJobKind psim_cuda_collective;

/** psim_cuda_collective_is_built_in: Returns: whether there is NCCL in this module. */
bool psim_cuda_collective_is_built_in(void);

/** psim_cuda_collective_version: Returns: ", NCCL 2.28.9", or "". Caller frees. */
char *psim_cuda_collective_version(void);

G_END_DECLS
