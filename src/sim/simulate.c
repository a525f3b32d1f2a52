/* SPDX-License-Identifier: MIT */
/* The whole pipeline. Read this second, after plansim.h. */
#include "base/time.h"
#include "engine/sweep.h"
#include "lower/balance.h"
#include "sim/fill.h"
#include "timeline/summary.h"

static const PsimOptions default_options = PSIM_OPTIONS_INIT;

/* Says which ranks hang, with what they wait for. */
static void
set_deadlock(const PsimRun *run, const PsimLowered *lowered, GError **error)
{
    const PsimOrder *order = run->work->workload.order;
    PsimArena *arena = run->result->arena;
    g_autoptr(GString) text = g_string_new(NULL);

    g_string_append_printf(text, "schedule %s deadlocks", psim_plan_schedule_name(run->plan));
    for (uint32_t rank = 0; rank < order->n_ranks; rank++) {
        const char *head = psim_lower_head(order, lowered, rank, arena);

        if (head != NULL)
            g_string_append_printf(text, "\nrank %u: %s waits for %s", rank, head,
                                   psim_lower_missing(order, lowered, rank, arena));
    }
    g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_INFEASIBLE, text->str);
}

/* A split that is ours to choose is chosen now: the run goes on with a plan that has it. */
static void
resolve_split(PsimRun *run)
{
    PsimArena *arena = run->result->arena;

    if (run->plan->split != PSIM_SPLIT_BALANCED)
        return;
    PsimPlan *plan = psim_arena_array(arena, PsimPlan, 1);

    *plan = *run->plan;
    plan->layers_per_stage = psim_balance_plan(run->plan, arena);
    run->plan = plan;
}

bool
psim_run_replay(PsimRun *run, GError **error)
{
    PsimResult *result = run->result;
    PsimArena *arena = result->arena;
    const PsimOptions *options = run->options;

    resolve_split(run);

    /* Plan -> seconds and bytes of every stage -> whole picoseconds. */
    run->work = psim_work_from_plan(run->plan, options->unfold, arena, error);
    if (run->work == NULL)
        return false;

    /* Lists of operations -> task graph. */
    const PsimLowered *lowered = psim_lower(&run->work->workload, arena, error);

    if (lowered == NULL)
        return false;
    if (lowered->deadlock) {
        set_deadlock(run, lowered, error);
        return false;
    }
    result->graph = lowered->graph;
    result->unfolded = options->unfold;

    /* When each task runs. */
    const PsimObserver observer = {.cancelled = options->cancelled, .user = options->user};

    result->replay = options->event_loop ? psim_engine_run(result->graph, arena, &observer, error)
                                         : psim_sweep_run(result->graph, arena, error);
    if (result->replay == NULL)
        return false;

    /* Where the time went. */
    result->step_ps = result->replay->makespan;
    result->n_ranks = result->graph->n_ranks;
    result->ranks = psim_summary_ranks(result->graph, result->replay, arena);
    result->breakdown = psim_summary_mean(result->ranks, result->n_ranks, result->step_ps);
    return true;
}

/* What else was asked; each runs the plan again, changed. */
static bool
answer_further(PsimRun *run, GError **error)
{
    const PsimOptions *options = run->options;

    if (options->memory_only)
        return true;
    if (options->sensitivity)
        psim_sensitivity_fill(run);
    if (options->other_stacks)
        psim_other_stack_fill(run);
    if ((options->measured_step != NULL || options->measured_tflops > 0.0) &&
        !psim_gap_fill(run, error))
        return false;
    if (options->cancelled == NULL || !options->cancelled(options->user))
        return true;
    g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_CANCELLED, "interrupted");
    return false;
}

bool
psim_run_all(PsimRun *run, GError **error)
{
    if (!psim_run_replay(run, error))
        return false;
    psim_stage_figures_fill(run);
    psim_facts_fill(run);
    psim_step_figures_fill(run);
    psim_traffic_fill(run);
    psim_assumption_fill(run);
    if (!run->result->fits && !run->options->brief)
        psim_fix_fill(run);
    if (run->options->memory_only)
        psim_facts_untime(run->result);
    return answer_further(run, error);
}

PsimResult *
psim_simulate(PsimPlan *plan, const PsimOptions *options, GError **error)
{
    g_return_val_if_fail(plan != NULL, NULL);

    g_autoptr(PsimResult) result = psim_result_new(PSIM_RESULT_RUN);
    PsimRun run = {
        .plan = plan,
        .options = options != NULL ? options : &default_options,
        .result = result,
    };

    return psim_run_all(&run, error) ? g_steal_pointer(&result) : NULL;
}
