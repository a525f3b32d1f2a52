/* SPDX-License-Identifier: MIT */
/* derive.h: a plan's own members, and what follows from those that were left out
 */
#pragma once

#include "spec/parts.h"
#include "spec/plan.h"
#include "json/reader.h"

G_BEGIN_DECLS

/* What the user said, where a contradiction is worded by it. */
typedef struct {
    bool gpus;
    bool data;
    bool sequence; /* the model's sequence was replaced for this plan */
} PsimGiven;

/**
 * psim_derive_plan:
 * Reads everything but the parts, which must have been read; every default is recorded with its
 * reason. Contradictions are left to psim_crosscheck_plan(): degrees and batches then hold legal
 * stand-ins, and layers_per_stage what the user wrote, or NULL.
 *
 * @context        where a schedule file is looked for
 * @ret_n_split    entries of layers_per_stage
 */
void psim_derive_plan(PsimPlan *plan,
                      PsimReader *reader,
                      const PsimPartsContext *context,
                      PsimGiven *given,
                      uint32_t *ret_n_split);

G_END_DECLS
