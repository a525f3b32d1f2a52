/* SPDX-License-Identifier: MIT */
/* fill.h: the parts of a result, each filled by one file of this layer
 */
#pragma once

#include "lower/lower.h"
#include "lower/work.h"
#include "timeline/result.h"

G_BEGIN_DECLS

/* A run on its way to a result: what the filling functions read. Everything lives in the result's
 * arena. */
typedef struct {
    const PsimPlan *plan;
    const PsimOptions *options;
    const PsimWork *work;
    PsimResult *result;
} PsimRun;

/* sim/facts.c: question, model, plan, defaults, remarks. */
void psim_facts_fill(PsimRun *run);
/** psim_facts_untime: takes the times out of a result that was asked for memory alone. */
void psim_facts_untime(PsimResult *result);
/* sim/stage_figures.c: memory and time of each pipeline rank, verdict. */
void psim_stage_figures_fill(PsimRun *run);
/* sim/step_figures.c: step time, throughput, utilisation, bubble, the whole run's cost. */
void psim_step_figures_fill(PsimRun *run);
/* sim/traffic.c: one row a kind of collective. */
void psim_traffic_fill(PsimRun *run);
/* sim/assumption.c: what was assumed, from where. */
void psim_assumption_fill(PsimRun *run);
/* sim/fix.c: changes that would make the plan fit. */
void psim_fix_fill(PsimRun *run);

/* sim/sensitivity.c: which inputs move the answer. */
void psim_sensitivity_fill(PsimRun *run);
/* sim/other_stack.c: the step under other runtimes. */
void psim_other_stack_fill(PsimRun *run);
/* sim/gap.c: what would explain a measured step. Errors: VALUE (the measurement). */
bool psim_gap_fill(PsimRun *run, GError **error);

/**
 * psim_run_replay:
 * Costs, lowers and replays run->plan, and fills graph, replay, ranks and step of run->result.
 *
 * Errors: LIMIT, INFEASIBLE (deadlock), CANCELLED.
 */
bool psim_run_replay(PsimRun *run, GError **error);

/** psim_run_all: the same, and every other part of the result. Errors: also VALUE. */
bool psim_run_all(PsimRun *run, GError **error);

G_END_DECLS
