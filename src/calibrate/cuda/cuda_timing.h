/* SPDX-License-Identifier: MIT */
/* cuda_timing.h: how long a job takes
 *
 *     warm-up | flush | batch | flush | batch | ...      event . runs ... . event
 *
 * A batch repeats the job until it takes policy.batch_s, so that the events' own resolution and the
 * host's first launch do not count. The caches are flushed between batches if the policy is cold.
 */
#pragma once

#include "calibrate/cuda/cuda_job.h"

G_BEGIN_DECLS

/**
 * psim_cuda_timing_measure:
 * Fills @ret_samples as PsimBackend.measure() does. Samples that scatter or that were taken while
 * the clock moved are taken once more; what remains is flagged. Where the kind has several
 * algorithms, the best of them is timed too, as far as the budget goes. Errors: those of the
 * libraries; @ret_samples is cleared then.
 */
bool psim_cuda_timing_measure(PsimJob *job,
                              const PsimPolicy *policy,
                              PsimSamples *ret_samples,
                              GError **error);

G_END_DECLS
