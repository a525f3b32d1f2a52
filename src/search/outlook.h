/* SPDX-License-Identifier: MIT */
/* outlook.h: what failures make of the best plan's whole run
 */
#pragma once

#include "search/found.h"
#include "search/reliability.h"

G_BEGIN_DECLS

/* What the whole pipeline says of a plan beyond its evaluation. */
typedef struct {
    double n_params;
    double step_low_s, step_high_s; /* by the errors of the constants */
} PsimDetails;

/** psim_outlook_details: Returns: false if the plan cannot be run. Cost: one simulation. */
bool psim_outlook_details(const PsimFound *found, const PsimSite *site, PsimDetails *ret_details);

/* What a user says of a cluster's failures. */
typedef struct {
    double gpu_mtbf_days;          /* 0: not asked                                    [d]   */
    double checkpoint_bytes_per_s; /* of the whole cluster to storage            [B/s] */
    double restart_days;           /*                                                 [d]   */
} PsimFailureOptions;

typedef struct {
    double checkpoint_bytes;
    double checkpoint_s;
    PsimReliability reliability;
} PsimOutlook;

/**
 * psim_outlook_find:
 * A checkpoint holds weights and optimizer state, by the runtime's bytes a parameter.
 *
 * Returns: false without tokens, failures or a result.
 */
bool psim_outlook_find(const PsimFound *found,
                       const PsimSite *site,
                       const PsimFailureOptions *options,
                       const PsimLimits *limits,
                       PsimOutlook *ret_outlook);

G_END_DECLS
