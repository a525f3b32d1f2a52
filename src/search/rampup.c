/* SPDX-License-Identifier: MIT */
#include "search/rampup.h"

/* Beyond this a ramp-up is no ramp any more. */
#define MAX_LEVELS 1000u

uint32_t
psim_rampup_levels(const PsimRampup *self, uint32_t global_batch)
{
    if (self->start == 0 || self->start >= global_batch)
        return 0;
    const uint32_t rise = global_batch - self->start;

    return rise % self->increment == 0 ? rise / self->increment : 0;
}

char *
psim_rampup_refusal(const PsimRampup *self, uint32_t global_batch)
{
    const uint32_t n_levels = psim_rampup_levels(self, global_batch);

    if (self->start == 0 || self->start == global_batch || (n_levels > 0 && n_levels <= MAX_LEVELS))
        return NULL;
    if (self->start > global_batch)
        return g_strdup_printf("begins with %u, above the batch of %u", self->start, global_batch);
    if (n_levels > 0)
        return g_strdup_printf("has %u batches before that of %u; at most %u", n_levels,
                               global_batch, MAX_LEVELS);
    const uint32_t below = global_batch - (global_batch - self->start) % self->increment;

    return g_strdup_printf("from %u on, increments of %u miss the batch of %u; nearest: %u and %u",
                           self->start, self->increment, global_batch, below,
                           below + self->increment);
}

static PsimChange
level(const PsimRampup *self, const PsimChange *change, uint32_t index)
{
    PsimChange smaller = *change;

    smaller.global_batch = self->start + index * self->increment;
    return smaller;
}

bool
psim_rampup_is_valid(const PsimRampup *self, PsimEvaluator *evaluator, const PsimChange *change)
{
    const uint32_t n_levels = psim_rampup_levels(self, change->global_batch);
    g_autofree char *refusal = psim_rampup_refusal(self, change->global_batch);

    if (refusal != NULL)
        return false;
    for (uint32_t i = 0; i < n_levels; i++) {
        const PsimChange smaller = level(self, change, i);

        if (!psim_evaluator_is_valid(evaluator, &smaller))
            return false;
    }
    return true;
}

bool
psim_rampup_run(const PsimRampup *self,
                PsimEvaluator *evaluator,
                const PsimChange *change,
                double *ret_time_s)
{
    const uint32_t n_levels = psim_rampup_levels(self, change->global_batch);
    double time_s = 0.0;

    for (uint32_t i = 0; i < n_levels; i++) {
        const PsimChange smaller = level(self, change, i);
        PsimEvaluation evaluation = {.size = sizeof evaluation};

        if (!psim_evaluator_run(evaluator, &smaller, &evaluation, NULL))
            return false;
        const double n_steps = self->samples / n_levels / smaller.global_batch;

        time_s += n_steps * (double)evaluation.step / (double)PSIM_TIME_PER_S;
    }
    *ret_time_s = time_s;
    return true;
}
