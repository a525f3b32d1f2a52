/* SPDX-License-Identifier: MIT */
/* work.h: plan -> workload: stages costed, seconds rounded to picoseconds, bytes to whole ones
 */
#pragma once

#include "cost/stage.h"
#include "lower/place.h"
#include "lower/workload.h"

G_BEGIN_DECLS

/* Memory that does not change during a step, one rank of a pipeline rank.        [B] */
typedef struct {
    double params; /* all chunks                                     [1] */
    PsimModelStates states;
    double comm_buffers_bytes;  /* pipeline buffers, gathered layers */
    double communicators_bytes; /* of collective groups */
    double overhead_bytes;      /* those and the runtime's own */
} PsimStaticMemory;

typedef struct {
    PsimWorkload workload;
    uint32_t n_stages;              /* S */
    const PsimStage *stages;        /* (S) */
    const PsimStageCost *costs;     /* (S) */
    const PsimStaticMemory *memory; /* (p) */
    PsimPlace place;
    bool pp_crosses; /* some transfer leaves a node */
    PsimCollective reduce_kind, gather_kind;
} PsimWork;

/**
 * psim_work_from_order:
 * The work of a plan in a given order. With lists that are still empty all but the order is there:
 * what stages take depends on their place alone.
 *
 * @order    kept by the work
 *
 * Errors: LIMIT (an operation longer than 106 days).
 */
PsimWork *psim_work_from_order(
    const PsimPlan *plan, const PsimOrder *order, bool unfold, PsimArena *arena, GError **error);

/**
 * psim_work_from_plan:
 * Errors: LIMIT (an operation longer than 106 days).
 * Cost: some hundred kernel formulas; equal stages are costed once.
 */
PsimWork *psim_work_from_plan(const PsimPlan *plan, bool unfold, PsimArena *arena, GError **error);

G_END_DECLS
