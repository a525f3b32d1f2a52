/* SPDX-License-Identifier: MIT */
/* rampup.h: a batch that grows at the beginning of a run
 *
 * As Megatron-LM's --rampup-batch-size has it: from a first batch to the whole one in equal
 * increments, each of the smaller batches for an equal share of so many samples.
 *
 *   samples a step
 *   whole  |            ,----------------------
 *          |        ,---'
 *          |    ,---'      each level lasts samples / levels
 *   start  |----'
 *          +----------------------------------- samples seen
 *               <- samples ->
 */
#pragma once

#include "plansim.h"

G_BEGIN_DECLS

typedef struct {
    uint32_t start;     /* samples of a step at first; 0: the batch is whole from the first step */
    uint32_t increment; /* samples of a step, from one level to the next */
    double samples;     /* seen until the batch is whole */
} PsimRampup;

/**
 * psim_rampup_levels:
 * Returns: how many batches smaller than @global_batch there are; 0 without a ramp-up, or where the
 *          increments miss @global_batch.
 */
uint32_t psim_rampup_levels(const PsimRampup *self, uint32_t global_batch);

/**
 * psim_rampup_refusal:
 * Returns: why no plan with that batch has such a ramp-up; NULL if one may. The caller frees.
 */
char *psim_rampup_refusal(const PsimRampup *self, uint32_t global_batch);

/** psim_rampup_is_valid: Returns: whether the plan can run every level; true without a ramp-up. */
bool
psim_rampup_is_valid(const PsimRampup *self, PsimEvaluator *evaluator, const PsimChange *change);

/**
 * psim_rampup_run:
 * What the steps of all smaller batches take together, each level simulated. A level may end
 * inside a step, which then counts in part.
 *
 * @ret_time_s    0 without a ramp-up                                           [s]
 *
 * Returns: false if a level cannot be run.
 * Cost: a simulation a level.
 */
bool psim_rampup_run(const PsimRampup *self,
                     PsimEvaluator *evaluator,
                     const PsimChange *change,
                     double *ret_time_s);

G_END_DECLS
