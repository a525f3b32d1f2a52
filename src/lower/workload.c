/* SPDX-License-Identifier: MIT */
#include "lower/workload.h"

#include <math.h>

PsimTime
psim_workload_slowed(const PsimWorkload *self, uint32_t stage, PsimTime compute_ps, unsigned beside)
{
    const PsimStageWork *work = &self->stages[stage];
    const PsimTime gather_ps = beside & PSIM_BESIDE_GATHER ? work->gather_ps : 0;
    const PsimTime reduce_ps = beside & PSIM_BESIDE_REDUCE ? work->reduce_ps : 0;
    const PsimTime segment_ps = compute_ps / work->n_segments;
    const double c = self->contention;

    return (PsimTime)llround(
        MIN(c * (double)(gather_ps + reduce_ps), (double)segment_ps * c / (1.0 - c)));
}
