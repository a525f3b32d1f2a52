/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../timeline/hand.h"
#include "engine/sweep.h"
#include "timeline/summary.h"

#include <math.h>

static void
fill_timeline(PsimResult *result, const Hand *hand)
{
    result->graph = hand_graph(hand, result->arena);
    result->replay = psim_sweep_run(result->graph, result->arena, NULL);
    result->step_ps = result->replay->makespan;
    result->n_ranks = result->graph->n_ranks;
    result->ranks = psim_summary_ranks(result->graph, result->replay, result->arena);
    result->breakdown = psim_summary_mean(result->ranks, result->n_ranks, result->step_ps);
}

static void
write_order(const void *order, uint32_t rank, GString *out)
{
    const char *const *orders = order;

    g_string_append(out, orders[rank]);
}

PsimResult *
fixture_schedule(PsimTime latency)
{
    PsimResult *result = psim_result_new(PSIM_RESULT_SCHEDULE);
    const Hand hand = {.orders = hand_1f1b,
                       .n_ranks = 3,
                       .forward = 1,
                       .backward = 2,
                       .latency = latency,
                       .by_bytes = true};

    fill_timeline(result, &hand);
    result->schedule = "1f1b";
    result->schedule_title = "1F1B";
    result->pp = 3;
    result->n_chunks = 1;
    result->n_microbatches = 4;
    result->order = hand_1f1b;
    result->write_order = write_order;
    result->bubble_ps = result->step_ps - 12;
    result->bubble_fraction = (double)result->bubble_ps / (double)result->step_ps;
    result->bubble_ratio_to_ideal = (double)result->bubble_ps / 12.0;
    result->ideal_bubble_fraction = 2.0 / 6.0;
    result->ideal_text = "(p-1)/(m+p-1)";
    return result;
}

PsimResult *
fixture_deadlock(void)
{
    static const char *const orders[] = {"F0 B0", "B0 F0", ""};
    static const PsimStuck stuck[] = {
        {0, "B0", "the backward of stage 1, microbatch 0, on rank 1"},
        {1, "B0", "the forward of stage 1, microbatch 0, on rank 1"},
        {2, NULL, NULL},
    };
    static const char *const ran[] = {"F0", "", ""};
    PsimResult *result = psim_result_new(PSIM_RESULT_SCHEDULE);
    const Hand hand = {.orders = ran, .n_ranks = 3, .forward = 1, .backward = 2};

    fill_timeline(result, &hand);
    result->schedule = "by-hand";
    result->n_chunks = 1;
    result->n_microbatches = 1;
    result->order = orders;
    result->write_order = write_order;
    result->stuck = stuck;
    result->n_stuck = G_N_ELEMENTS(stuck);
    return result;
}

static const PsimStageFigures stages[] = {
    {
        .stage = 0,
        .n_layers = 2,
        .layers_text = "0-1",
        .params = 1e9,
        .weights_bytes = 2e9,
        .gradients_bytes = 4e9,
        .optimizer_bytes = 12e9,
        .activations_bytes = 10e9,
        .comm_buffers_bytes = 1e9,
        .overhead_bytes = 1e9,
        .peak_bytes = 30e9,
        .peak_time_ps = PSIM_TIME_PER_S,
        .peak_event = "B of microbatch 0",
        .in_flight_max = 2,
        .busy_ps = 6 * PSIM_TIME_PER_S,
        .idle_ps = 3 * PSIM_TIME_PER_S + 200,
        .bubble_fraction = 1.0 / 3.0,
    },
    {
        .stage = 1,
        .n_layers = 3,
        .layers_text = "2-4",
        .params = 1e9,
        .weights_bytes = 2e9,
        .gradients_bytes = 4e9,
        .optimizer_bytes = 12e9,
        .activations_bytes = 5e9,
        .logits_bytes = 1.5e9,
        .comm_buffers_bytes = 1e9,
        .overhead_bytes = 1e9,
        .peak_bytes = 26.5e9,
        .peak_time_ps = 2 * PSIM_TIME_PER_S,
        .peak_event = "B of microbatch 1",
        .in_flight_max = 1,
        .busy_ps = 6 * PSIM_TIME_PER_S,
        .idle_ps = 3 * PSIM_TIME_PER_S + 200,
        .bubble_fraction = 1.0 / 3.0,
    },
};

static const PsimCollectiveFigures collectives[] = {
    {"all-reduce", "tp", 4, false, 1e8, 96, 0.25, 0.125},
    {"send", "pp", 2, true, 5e7, 4, 4e-10, 2e-10},
};

static void
fill_question(PsimResult *result)
{
    static const char *const files[] = {"plans/tiny.json"};
    static const char *const parts[] = {"embedding", "layers"};
    static const double params[] = {0.5e9, 7.5e9};
    static const uint32_t layers[] = {2, 3};
    static const PsimDefaultUsed defaults[] = {{"/precision", "bf16", "what the runtime uses"}};

    result->plan_name = "tiny";
    result->model_name = "toy-8b";
    result->hardware_name = "box";
    result->device_name = "GPU-1";
    result->runtime_name = "megatron";
    result->files = files;
    result->n_files = 1;
    result->digest = "abc";
    result->resolved_json = "{\"name\":\"tiny\"}";
    result->defaults = defaults;
    result->n_defaults = 1;
    result->params_total = result->params_active = 8e9;
    result->part_names = parts;
    result->part_params = params;
    result->n_parts = 2;
    result->flop_per_token_model = 48e9;
    result->flop_per_token_hardware = 64e9;
    result->state_arithmetic = "8 B parameters x 4 B = 32 GB of fp32 weights";
    result->n_gpus = 16;
    result->tp = 4;
    result->cp = 1;
    result->pp = 2;
    result->dp = 2;
    result->n_chunks = 1;
    result->zero_stage = 1;
    result->micro_batch = 1;
    result->global_batch = 4;
    result->n_microbatches = 2;
    result->sequence = 2048;
    result->layers_per_stage = layers;
    result->schedule = "1f1b";
    result->schedule_title = "1F1B";
    result->recompute = "full";
    result->precision = "bf16";
}

static void
fill_answer(PsimResult *result)
{
    static const PsimAssumption assumptions[] = {
        {"gemm_efficiency", "0.8", "measured", "compute time"}};
    static const PsimRemark warnings[] = {
        {"few-microbatches", "warning", "2 microbatches fill a pipeline of 2 badly", "use 8"}};

    result->worst_peak_bytes = 30e9;
    result->binding_term = "optimizer";
    result->tokens_per_s = 910.0;
    result->mfu_fraction = 0.375;
    result->hfu_fraction = 0.5;
    result->model_flop_per_s_per_gpu = 117e12;
    result->hardware_flop_per_s_per_gpu = 156e12;
    result->bubble_ps = result->breakdown.bubble_ps;
    result->bubble_fraction = 0.333;
    result->bubble_ratio_to_ideal = 0.5;
    result->ideal_bubble_fraction = 1.0 / 3.0;
    result->ideal_text = "(p-1)/(m+p-1)";
    result->bubble_reason = "transfers take part of it";
    result->stages = stages;
    result->n_stages = 2;
    result->collectives = collectives;
    result->n_collectives = 2;
    result->tokens = 300e9;
    result->days = 12.5;
    result->gpu_hours = 4800.0;
    result->cost = 8640.0;
    result->usd_per_gpu_hour = 1.8;
    result->price_text = "1.80 USD per GPU-hour, 2026-03";
    result->assumptions = assumptions;
    result->n_assumptions = 1;
    result->warnings = warnings;
    result->n_warnings = 1;
}

PsimResult *
fixture_run(bool fits)
{
    static const char *const orders[] = {"F0 F1 B0 B1", "F0 B0 F1 B1"};
    static const PsimFix fixes[] = {{"zero_stage=3", 20e9, 9.5}, {"tp=8, dp=1", 18e9, (double)NAN}};
    PsimResult *result = psim_result_new(PSIM_RESULT_RUN);
    const Hand hand = {.orders = orders,
                       .n_ranks = 2,
                       .forward = PSIM_TIME_PER_S,
                       .backward = 2 * PSIM_TIME_PER_S,
                       .latency = 100,
                       .by_bytes = true};

    fill_timeline(result, &hand);
    fill_question(result);
    fill_answer(result);
    result->fits = fits;
    result->capacity_bytes = fits ? 40e9 : 24e9;
    result->margin_bytes = result->capacity_bytes - result->worst_peak_bytes;
    result->fixes = fixes;
    result->n_fixes = fits ? 0 : 2;
    return result;
}

static bool
collect(const char *bytes, size_t n_bytes, void *user)
{
    g_string_append_len(user, bytes, (gssize)n_bytes);
    return true;
}

char *
fixture_tell(const PsimResult *result, const char *format)
{
    GString *text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    if (!psim_result_write(result, format, collect, text, &error))
        g_error("%s", error->message);
    return g_string_free(text, /* free_segment= */ FALSE);
}
