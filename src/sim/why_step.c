/* SPDX-License-Identifier: MIT */
/* The step and what it is made of: compute, recomputation, bubble, optimizer, the rest. */
#include "sim/why.h"

#include "base/text.h"
#include "base/time.h"
#include "report/phrase.h"

static const char *const shape_inputs[] = {"/parallel/pipeline",
                                           "/schedule/name",
                                           "/schedule/chunks",
                                           "/batch/micro",
                                           "/batch/global",
                                           "/parallel/data",
                                           NULL};
static const char *const block_inputs[] = {"/model",
                                           "/hardware",
                                           "/runtime",
                                           "/precision",
                                           "/batch/micro",
                                           "/parallel/tensor",
                                           "/parallel/context",
                                           "/parallel/context_communication",
                                           "/parallel/sequence_parallel",
                                           "/flash_attention",
                                           "/recompute",
                                           NULL};

/* -- The whole step -- */

static void
add_part(PsimTable *table, const PsimResult *result, const char *name, PsimTime time)
{
    psim_table_cell(table, "step.breakdown_s.%s", name);
    psim_table_cell_take(table, psim_phrase_time(time));
    psim_table_cell_take(table, psim_phrase_percent((double)time / (double)result->step_ps));
}

static void
append_parts(PsimWhy *why)
{
    const PsimResult *result = why->run->result;
    const PsimBreakdown *parts = &result->breakdown;
    g_autoptr(PsimTable) table = psim_table_new("part|time|share");

    add_part(table, result, "compute", parts->compute_ps);
    add_part(table, result, "recompute", parts->recompute_ps);
    add_part(table, result, "tp_exposed", parts->tp_exposed_ps);
    add_part(table, result, "pp_exposed", parts->pp_exposed_ps);
    add_part(table, result, "cp_exposed", parts->cp_exposed_ps);
    add_part(table, result, "ep_exposed", parts->ep_exposed_ps);
    add_part(table, result, "dp_exposed", parts->dp_exposed_ps);
    add_part(table, result, "bubble", parts->bubble_ps);
    add_part(table, result, "optimizer", parts->optimizer_ps);
    add_part(table, result, "other", parts->other_ps);
    g_string_append(why->out, "\nparts, each explained under its own name\n");
    psim_table_render(table, why->out, 2);
}

static void
append_band(PsimWhy *why)
{
    const PsimResult *result = why->run->result;
    g_autofree char *low = psim_phrase_seconds(result->time_low_s);
    g_autofree char *high = psim_phrase_seconds(result->time_high_s);
    g_autofree char *line = g_strdup_printf(
        "%s to %s: 2.2 times the mean error of the GEMM constants on rows they were not fitted to, "
        "which holds nine in ten of them (25%% where it is unknown), on what is not communication; "
        "and 22%% of exposed communication",
        low, high);

    g_string_append(why->out, "\nuncertainty\n  ");
    psim_phrase_wrap(why->out, 4, line);
}

static void
explain_step(PsimWhy *why)
{
    const PsimResult *result = why->run->result;

    psim_why_answer(why, psim_phrase_time(result->step_ps), "by replay of the plan's operations");
    psim_why_formula(why,
                     "when the last task of the replayed graph ends: each rank's operations in "
                     "the schedule's order, each after what it needs, transfers and collectives "
                     "on streams of their own; whole picoseconds, so the parts sum to it");
    append_parts(why);
    append_band(why);
    psim_why_inputs(why, shape_inputs);
    psim_why_constants(why, PSIM_WHY_PEAK | PSIM_WHY_GEMM | PSIM_WHY_MEMORY_BOUND | PSIM_WHY_HOST);
    psim_why_see(why, "step.breakdown_s.compute");
}

/* -- Compute -- */

typedef struct {
    PsimTime forward, backward, again;
    PsimTime own; /* collectives of the layers, TP and CP */
} StageTimes;

static StageTimes
time_stage(const PsimRun *run, uint32_t stage)
{
    const PsimOpWork *op = run->work->workload.stages[stage].op;

    return (StageTimes){
        .forward = op[PSIM_OP_FORWARD].compute_ps,
        .backward = op[PSIM_OP_BACKWARD].compute_ps,
        .again = op[PSIM_OP_BACKWARD].recompute_ps,
        .own = op[PSIM_OP_FORWARD].tp_ps + op[PSIM_OP_BACKWARD].tp_ps + op[PSIM_OP_FORWARD].cp_ps +
               op[PSIM_OP_BACKWARD].cp_ps,
    };
}

static bool
is_like(const PsimRun *run, uint32_t a, uint32_t b)
{
    const StageTimes left = time_stage(run, a);
    const StageTimes right = time_stage(run, b);

    return left.forward == right.forward && left.backward == right.backward &&
           left.again == right.again && left.own == right.own &&
           run->work->stages[a].n_layers == run->work->stages[b].n_layers;
}

static void
add_stage(PsimTable *table, const PsimRun *run, uint32_t first, uint32_t last)
{
    const StageTimes times = time_stage(run, first);

    if (first == last)
        psim_table_cell(table, "%u", first);
    else
        psim_table_cell(table, "%u to %u", first, last);
    psim_table_cell(table, "%u", run->work->stages[first].n_layers);
    psim_table_cell_take(table, psim_phrase_time(times.forward));
    psim_table_cell_take(table, psim_phrase_time(times.backward));
    psim_table_cell_take(table, psim_phrase_time(times.again));
    psim_table_cell_take(table, psim_phrase_time(times.own));
}

/* Runs of equal stages in one row. */
static void
append_stages(PsimWhy *why)
{
    const PsimRun *run = why->run;
    g_autoptr(PsimTable) table = psim_table_new(
        run->plan->cp > 1 ? "stage|layers|F|B|of it recomputation|TP and CP beside F and B"
                          : "stage|layers|F|B|of it recomputation|TP beside F and B");
    uint32_t first = 0;

    for (uint32_t s = 1; s <= run->work->n_stages; s++) {
        if (s < run->work->n_stages && is_like(run, s, first))
            continue;
        add_stage(table, run, first, s - 1);
        first = s;
    }
    g_string_append(why->out, "\nstages, one microbatch, one rank\n");
    psim_table_render(table, why->out, 2);
}

static char *
tell_count(const PsimRun *run)
{
    return g_strdup_printf("mean over %u ranks; %u microbatches a step", run->result->n_ranks,
                           run->result->n_microbatches);
}

static void
explain_compute(PsimWhy *why)
{
    g_autofree char *note = tell_count(why->run);

    psim_why_answer(why, psim_phrase_time(why->run->result->breakdown.compute_ps), note);
    psim_why_formula(why,
                     "microbatches x (F + B - recomputation) over the rank's stages, mean over "
                     "ranks; F and B are sums over the kernels of their layers, each at least as "
                     "long as the host needs to dispatch it");
    append_stages(why);
    psim_why_kernels(why, PSIM_BLOCK_LAYER, /* recomputed= */ false);
    psim_why_kernels(why, PSIM_BLOCK_EMBEDDING, /* recomputed= */ false);
    psim_why_kernels(why, PSIM_BLOCK_HEAD, /* recomputed= */ false);
    psim_why_inputs(why, block_inputs);
    psim_why_constants(why, PSIM_WHY_PEAK | PSIM_WHY_GEMM | PSIM_WHY_ATTENTION |
                                PSIM_WHY_MEMORY_BOUND | PSIM_WHY_HOST);
}

static void
explain_recompute(PsimWhy *why)
{
    static const char *const inputs[] = {"/recompute", "/flash_attention", "/batch/micro", NULL};
    g_autofree char *note = tell_count(why->run);

    psim_why_answer(why, psim_phrase_time(why->run->result->breakdown.recompute_ps), note);
    const PsimResult *result = why->run->result;
    g_autofree char *line = g_strdup_printf(
        "microbatches x what the backward runs again: nothing (none), the attention core or what "
        "the runtime chooses (selective), every layer's forward (full); here %s%s",
        result->recompute, result->recompute_extent);

    psim_why_formula(why, line);
    append_stages(why);
    psim_why_kernels(why, PSIM_BLOCK_LAYER, /* recomputed= */ true);
    psim_why_inputs(why, inputs);
    psim_why_constants(why, PSIM_WHY_PEAK | PSIM_WHY_GEMM | PSIM_WHY_MEMORY_BOUND);
}

/* -- Bubble -- */

/* Of many ranks these many at either end are told. */
#define END_RANKS 6u

static void
add_rank(PsimTable *table, const PsimRun *run, uint32_t rank)
{
    const PsimResult *result = run->result;
    const PsimRankFigures *figures =
        &result->ranks[(size_t)rank * psim_workload_copies(&run->work->workload)];
    const PsimTime idle = figures->breakdown.bubble_ps;

    psim_table_cell(table, "%u", rank);
    psim_table_cell_take(table, psim_phrase_time(figures->busy_ps));
    psim_table_cell_take(table, psim_phrase_time(idle));
    psim_table_cell_take(table, psim_phrase_percent((double)idle / (double)result->step_ps));
    psim_table_cell_take(table, psim_phrase_time(figures->first_start_ps));
    psim_table_cell_take(table, psim_phrase_time(figures->last_end_ps));
}

static void
append_ranks(PsimWhy *why)
{
    const uint32_t n_ranks = why->run->result->n_stages;
    const bool all = n_ranks <= 2 * END_RANKS;
    g_autoptr(PsimTable) table =
        psim_table_new("rank|busy|idle|idle / step|first starts|last ends");

    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        if (all || rank < END_RANKS || rank + END_RANKS >= n_ranks)
            add_rank(table, why->run, rank);
    }
    g_string_append(why->out, "\nranks\n");
    psim_table_render(table, why->out, 2);
    if (!all)
        g_string_append_printf(why->out, "  ranks %u to %u are left out\n", END_RANKS,
                               n_ranks - END_RANKS - 1);
}

static void
append_ideal(PsimWhy *why)
{
    const PsimResult *result = why->run->result;
    g_autofree char *ideal = psim_phrase_percent(result->ideal_bubble_fraction);

    if (result->ideal_text == NULL)
        return;
    g_string_append_printf(why->out,
                           "\nclosed form\n  %s of the step, %s: equal stages, free "
                           "communication, p = %u, m = %u\n",
                           ideal, result->ideal_text, result->pp, result->n_microbatches);
    if (result->bubble_reason != NULL) {
        g_string_append(why->out, "  ");
        psim_phrase_wrap(why->out, 4, result->bubble_reason);
    }
}

static void
explain_gaps(PsimWhy *why)
{
    psim_why_formula(why,
                     "time in which a rank waits for another's work, mean over ranks, over the "
                     "step; waiting for a transfer or a collective is not bubble but exposed "
                     "communication");
    append_ideal(why);
    append_ranks(why);
    psim_why_inputs(why, shape_inputs);
    psim_why_see(why, "step.breakdown_s.compute, for the times of the stages");
}

static void
explain_bubble_fraction(PsimWhy *why)
{
    psim_why_answer(why, psim_phrase_percent(why->run->result->bubble_fraction),
                    "idle / step, mean over ranks");
    explain_gaps(why);
}

static void
explain_bubble(PsimWhy *why)
{
    psim_why_answer(why, psim_phrase_time(why->run->result->bubble_ps), "mean over ranks");
    explain_gaps(why);
}

static void
explain_ideal(PsimWhy *why)
{
    psim_why_answer(why, psim_phrase_percent(why->run->result->ideal_bubble_fraction),
                    why->run->result->ideal_text != NULL ? why->run->result->ideal_text
                                                         : "the schedule has no closed form");
    psim_why_formula(why, "the schedule's closed form in p and m, as a share of the step");
    append_ideal(why);
    psim_why_inputs(why, shape_inputs);
}

/* -- Tail -- */

static void
explain_optimizer(PsimWhy *why)
{
    static const char *const inputs[] = {"/runtime",
                                         "/zero_stage",
                                         "/parallel/data",
                                         "/parallel/context",
                                         "/parallel/tensor",
                                         "/parallel/pipeline",
                                         NULL};
    const PsimPlan *plan = why->run->plan;
    const double params = why->run->work->memory[why->stage].params;
    const double owners =
        plan->runtime.shards_optimizer[plan->zero_stage] ? (double)psim_plan_owners(plan) : 1.0;
    g_autofree char *count = psim_phrase_count(params);
    g_autofree char *line = g_strdup_printf(
        "launch + bytes moved / (HBM bandwidth x the optimizer's share of it); on stage %u: %s "
        "parameters x %g B / %g owners",
        why->stage, count, plan->runtime.optimizer_traffic_bytes, owners);

    psim_why_answer(why, psim_phrase_time(why->run->result->breakdown.optimizer_ps),
                    "mean over ranks");
    psim_why_formula(why, line);
    psim_why_inputs(why, inputs);
    psim_why_constants(why, PSIM_WHY_MEMORY_BOUND | PSIM_WHY_BYTES);
}

static void
explain_other(PsimWhy *why)
{
    static const char *const inputs[] = {"/runtime", "/gpus", NULL};

    psim_why_answer(why, psim_phrase_time(why->run->result->breakdown.other_ps), "mean over ranks");
    psim_why_formula(why,
                     "what is none of the other parts: barriers, such as the all-reduce of the "
                     "gradient norm over all ranks before the optimizer");
    psim_why_inputs(why, inputs);
    psim_why_constants(why, PSIM_WHY_FABRIC | PSIM_WHY_HOST);
}

const PsimWhyMember psim_why_step_members[] = {
    {"step.time_s", explain_step},
    {"step.breakdown_s.compute", explain_compute},
    {"step.breakdown_s.recompute", explain_recompute},
    {"step.breakdown_s.bubble", explain_bubble},
    {"step.breakdown_s.optimizer", explain_optimizer},
    {"step.breakdown_s.other", explain_other},
    {"pipeline.bubble_fraction", explain_bubble_fraction},
    {"pipeline.bubble_s", explain_bubble},
    {"pipeline.ideal_bubble_fraction", explain_ideal},
    {0},
};
