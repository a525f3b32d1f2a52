/* SPDX-License-Identifier: MIT */
/* Memory of each pipeline rank at its peak, by term, and the verdict. */
#include "sim/fill.h"

#include <math.h>

/* Nearer to the capacity than that, published runs often ended otherwise than predicted: facts.c
 * says how often. */
#define TIGHT_FRACTION 0.15

/* Ranks of one stage are alike, so the first copy speaks for all. */
static const PsimRankFigures *
figures_of(const PsimRun *run, uint32_t rank)
{
    return &run->result->ranks[(size_t)rank * psim_workload_copies(&run->work->workload)];
}

/* "0-2" or, with chunks, "0-2, 12-14". */
static const char *
layers_text(const PsimRun *run, uint32_t rank, uint32_t *ret_n)
{
    const PsimOrder *order = run->work->workload.order;
    g_autoptr(GString) text = g_string_new(NULL);

    *ret_n = 0;
    for (uint32_t s = 0; s < order->n_stages; s++) {
        const PsimStage *stage = &run->work->stages[s];

        if (order->rank_of_stage[s] != rank || stage->n_layers == 0)
            continue;
        *ret_n += stage->n_layers;
        g_string_append_printf(text, "%s%u", text->len > 0 ? ", " : "", stage->layer_first);
        if (stage->n_layers > 1)
            g_string_append_printf(text, "-%u", stage->layer_first + stage->n_layers - 1);
    }
    return psim_arena_strdup(run->result->arena, text->str);
}

/* The part of the peak that is logits: all copies if the head runs then, the kept one for every
 * other microbatch in flight on its stage. */
static double
logits_at_peak(const PsimRun *run, uint32_t rank, const PsimLedgerPeak *peak)
{
    const PsimOrder *order = run->work->workload.order;
    double logits_bytes = 0.0;

    for (uint32_t s = 0; s < order->n_stages; s++) {
        if (order->rank_of_stage[s] == rank)
            logits_bytes += run->work->costs[s].memory.logits_bytes;
    }
    if (peak->peak_task == PSIM_TASK_NONE)
        return 0.0;
    return MIN(logits_bytes / order->n_slices, (double)peak->peak_bytes);
}

static const char *
event_text(const PsimRun *run, const PsimLedgerPeak *peak)
{
    const PsimGraph *graph = run->result->graph;

    if (peak->peak_task == PSIM_TASK_NONE)
        return NULL;
    const PsimTaskClass *class = psim_graph_class(graph, peak->peak_task);

    if (graph->microbatch[peak->peak_task] == PSIM_TASK_NONE)
        return class->op;
    return psim_arena_printf(run->result->arena, "%s of microbatch %u", class->op,
                             graph->microbatch[peak->peak_task]);
}

/* Activations at the peak. Where ranks hold them for one another, what counts is how many a rank
 * keeps after the transfers, not how many its own list has in flight. */
static double
activations_at_peak(const PsimRun *run, uint32_t rank, double logits_bytes)
{
    const PsimShape shape = psim_plan_shape(run->plan);
    const PsimLedgerPeak *peak = &figures_of(run, rank)->peak;
    const double working = MAX((double)peak->working_bytes, logits_bytes);
    const double kept = (double)peak->peak_bytes - working;

    if (run->plan->schedule->balanced_peak == NULL || peak->in_flight_max == 0)
        return (double)peak->peak_bytes - logits_bytes;
    const double share =
        (double)run->plan->schedule->balanced_peak(&shape, rank) / (double)peak->in_flight_max;

    return kept * share + working - logits_bytes;
}

static void
fill_memory(const PsimRun *run, uint32_t rank, PsimStageFigures *ret_stage)
{
    const PsimStaticMemory *memory = &run->work->memory[rank];
    const PsimLedgerPeak *peak = &figures_of(run, rank)->peak;
    const double fragmentation = run->plan->runtime.fragmentation_fraction;
    const PsimShape shape = psim_plan_shape(run->plan);

    ret_stage->params = memory->params;
    ret_stage->weight_versions = run->plan->schedule->weight_versions != NULL
                                     ? run->plan->schedule->weight_versions(&shape, rank)
                                     : 1;
    ret_stage->weights_bytes = memory->states.weights_bytes;
    ret_stage->gradients_bytes = memory->states.gradients_bytes;
    ret_stage->optimizer_bytes = memory->states.optimizer_bytes;
    ret_stage->logits_bytes = logits_at_peak(run, rank, peak);
    ret_stage->activations_bytes = activations_at_peak(run, rank, ret_stage->logits_bytes);
    ret_stage->comm_buffers_bytes = memory->comm_buffers_bytes;
    ret_stage->communicators_bytes = memory->communicators_bytes;
    /* States are allocated once and do not fragment; what comes and goes does. */
    ret_stage->overhead_bytes =
        memory->overhead_bytes +
        fragmentation * ((double)peak->peak_bytes + memory->comm_buffers_bytes);
    ret_stage->peak_bytes = ret_stage->weights_bytes + ret_stage->gradients_bytes +
                            ret_stage->optimizer_bytes + ret_stage->activations_bytes +
                            ret_stage->logits_bytes + ret_stage->comm_buffers_bytes +
                            ret_stage->overhead_bytes;
    ret_stage->peak_time_ps = peak->peak_time;
    ret_stage->peak_event = event_text(run, peak);
    ret_stage->in_flight_max = run->plan->schedule->balanced_peak != NULL
                                   ? run->plan->schedule->balanced_peak(&shape, rank)
                                   : peak->in_flight_max;
}

static const char *
largest_term(const PsimStageFigures *stage)
{
    const struct {
        const char *name;
        double bytes;
    } terms[] = {
        {"weights", stage->weights_bytes},     {"gradients", stage->gradients_bytes},
        {"optimizer", stage->optimizer_bytes}, {"activations", stage->activations_bytes},
        {"logits", stage->logits_bytes},       {"comm_buffers", stage->comm_buffers_bytes},
        {"overhead", stage->overhead_bytes},
    };
    size_t largest = 0;

    for (size_t i = 1; i < G_N_ELEMENTS(terms); i++) {
        if (terms[i].bytes > terms[largest].bytes)
            largest = i;
    }
    return terms[largest].name;
}

static void
fill_verdict(PsimRun *run)
{
    PsimResult *result = run->result;

    result->worst_stage = 0;
    for (uint32_t rank = 1; rank < result->n_stages; rank++) {
        if (result->stages[rank].peak_bytes > result->stages[result->worst_stage].peak_bytes)
            result->worst_stage = rank;
    }
    const PsimStageFigures *worst = &result->stages[result->worst_stage];

    result->worst_peak_bytes = worst->peak_bytes;
    result->capacity_bytes = run->plan->hardware->device.memory_usable_bytes;
    result->margin_bytes = result->capacity_bytes - worst->peak_bytes;
    result->fits = result->margin_bytes >= 0.0;
    result->tight = fabs(result->margin_bytes) < TIGHT_FRACTION * result->capacity_bytes;
    result->binding_term = largest_term(worst);
}

void
psim_stage_figures_fill(PsimRun *run)
{
    PsimResult *result = run->result;
    const uint32_t n_ranks = run->work->workload.order->n_ranks;
    PsimStageFigures *stages = psim_arena_array(result->arena, PsimStageFigures, n_ranks);

    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        const PsimRankFigures *figures = figures_of(run, rank);
        PsimStageFigures *stage = &stages[rank];

        stage->stage = rank;
        stage->layers_text = layers_text(run, rank, &stage->n_layers);
        fill_memory(run, rank, stage);
        stage->busy_ps = figures->busy_ps;
        stage->idle_ps = figures->breakdown.bubble_ps;
        stage->bubble_fraction =
            result->step_ps > 0 ? (double)stage->idle_ps / (double)result->step_ps : 0.0;
    }
    result->stages = stages;
    result->n_stages = n_ranks;
    fill_verdict(run);
}
