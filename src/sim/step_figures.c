/* SPDX-License-Identifier: MIT */
/* Step time and what follows from it: throughput, utilisation, bubble, the cost of a whole run. */
#include "base/text.h"
#include "base/time.h"
#include "sim/fill.h"

#include <math.h>

#define SECONDS_PER_HOUR 3600.0
#define SECONDS_PER_DAY  86400.0

/* Where a constant's error is unknown, a third of published rows of unmeasured devices lie further
 * off than this; a band must not look better than it is. */
#define UNKNOWN_ERROR 0.25
/* Mean error of the two-line collective fits over sizes from 32 B to 16 GiB: 2-8 %; and 7-16 %
 * where a sibling's were taken. */
#define COLLECTIVE_ERROR 0.10
/* The band is to hold nine in ten: the 90th percentile of held-out errors over their mean, median
 * of 27 fits of GEMM constants; of 40 fits of collectives 2.4. */
#define NINE_IN_TEN 2.2

static double
tokens_of_step(const PsimRun *run)
{
    return (double)run->result->global_batch * run->result->sequence;
}

/* FLOPs that are executed over those the model needs. Both are counted alike, causal attention in
 * full, so that HFU equals MFU where nothing is recomputed. */
static double
executed_ratio(const PsimRun *run)
{
    const PsimWork *work = run->work;
    double all = 0.0;
    double again = 0.0;

    for (uint32_t s = 0; s < work->n_stages; s++) {
        const double *flop = work->costs[s].cost.flop;

        for (size_t pass = 0; pass < PSIM_N_PASSES; pass++)
            all += flop[pass];
        again += flop[PSIM_PASS_RECOMPUTE];
    }
    return all > again ? all / (all - again) : 1.0;
}

static void
fill_utilisation(PsimRun *run)
{
    PsimResult *result = run->result;
    const PsimPlan *plan = run->plan;
    const double step_s = psim_time_to_s(result->step_ps);
    const double samples = (double)plan->global_batch;
    const double tokens = tokens_of_step(run);
    const bool is_transformer = plan->model->kind == PSIM_MODEL_TRANSFORMER;
    const double unit_flop =
        psim_layer_model_flop(plan->model, /* convention_full_attention= */ true);
    const double model_flop = unit_flop * (is_transformer ? tokens : samples);
    const double peak = plan->hardware->device.peak_flop_per_s[plan->precision];

    result->flop_per_token_model = model_flop / tokens;
    result->flop_per_token_hardware = result->flop_per_token_model * executed_ratio(run);
    result->flop_formula = is_transformer
                               ? "6 x matrix parameters + 12 L h s a token, attention in full "
                                 "(Korthikanti et al. 2022)"
                               : "forward + backward of every listed layer";
    if (result->step_ps == 0)
        return;
    result->tokens_per_s = tokens / step_s;
    result->model_flop_per_s_per_gpu = model_flop / step_s / plan->n_gpus;
    result->hardware_flop_per_s_per_gpu =
        result->flop_per_token_hardware * tokens / step_s / plan->n_gpus;
    result->mfu_fraction = result->model_flop_per_s_per_gpu / peak;
    result->hfu_fraction = result->hardware_flop_per_s_per_gpu / peak;
}

static void
fill_band(PsimRun *run)
{
    PsimResult *result = run->result;
    const PsimBreakdown *parts = &result->breakdown;
    const double step_s = psim_time_to_s(result->step_ps);
    const double known = run->plan->hardware->device.gemm.origin.error_fraction;
    const double kernel_error = isnan(known) ? UNKNOWN_ERROR : NINE_IN_TEN * known;
    const PsimTime exposed =
        parts->tp_exposed_ps + parts->pp_exposed_ps + parts->cp_exposed_ps + parts->dp_exposed_ps;
    const double exposed_s = psim_time_to_s(exposed);
    const double error_s =
        (step_s - exposed_s) * kernel_error + exposed_s * NINE_IN_TEN * COLLECTIVE_ERROR;

    result->time_low_s = step_s - error_s;
    result->time_high_s = step_s + error_s;
}

/* -- Bubble -- */

/* Slowest rank's work over the mean: what unequal stages cost. */
static double
imbalance(const PsimResult *result)
{
    PsimTime most = 0;
    double sum = 0.0;

    for (uint32_t rank = 0; rank < result->n_ranks; rank++) {
        most = MAX(most, result->ranks[rank].busy_ps);
        sum += (double)result->ranks[rank].busy_ps;
    }
    return sum > 0.0 ? (double)most * result->n_ranks / sum - 1.0 : 0.0;
}

static void
append_reason(GString *text, const char *before, double fraction, const char *after)
{
    if (!(fraction > 5e-4))
        return;
    g_string_append(text, text->len > 0 ? "; " : "");
    g_string_append(text, before);
    psim_text_fixed(text, fraction * 100.0, 1);
    g_string_append(text, after);
}

/* The closed form assumes equal stages, free transfers and nothing but the pipeline in the step. */
static const char *
bubble_reason(const PsimResult *result)
{
    const PsimBreakdown *parts = &result->breakdown;
    const double step = (double)result->step_ps;
    const double unequal = imbalance(result);
    const double transfers = (double)parts->pp_exposed_ps / step;
    const double tail =
        (double)(parts->dp_exposed_ps + parts->optimizer_ps + parts->other_ps) / step;
    g_autoptr(GString) text = g_string_new(NULL);

    if (isnan(result->ideal_bubble_fraction) ||
        fabs(result->bubble_fraction - result->ideal_bubble_fraction) < 5e-5)
        return NULL;
    append_reason(text, "stages are unequal: the slowest has ", unequal,
                  " % more work than the mean");
    append_reason(text, "transfers between stages are exposed for ", transfers, " % of the step");
    append_reason(text, "gradient reduction and optimizer take ", tail,
                  " % of the step, outside the pipeline");
    return text->len > 0 ? psim_arena_strdup(result->arena, text->str) : NULL;
}

static void
fill_bubble(PsimRun *run)
{
    PsimResult *result = run->result;
    const PsimShape shape = psim_plan_shape(run->plan);
    const PsimScheduleType *type = run->plan->schedule;
    const PsimTime busy = result->breakdown.compute_ps + result->breakdown.recompute_ps +
                          result->breakdown.tp_exposed_ps + result->breakdown.cp_exposed_ps;
    uint64_t numerator = 0;
    uint64_t denominator = 1;

    result->bubble_ps = result->breakdown.bubble_ps;
    result->bubble_fraction =
        result->step_ps > 0 ? (double)result->bubble_ps / (double)result->step_ps : 0.0;
    result->bubble_ratio_to_ideal = busy > 0 ? (double)result->bubble_ps / (double)busy : 0.0;
    result->ideal_bubble_fraction = (double)NAN;
    if (type->ideal_bubble != NULL && type->ideal_bubble(&shape, &numerator, &denominator)) {
        const double bubble = (double)numerator / (double)denominator;

        result->ideal_bubble_fraction = bubble / (shape.n_microbatches + bubble);
        result->ideal_text = type->ideal_text;
    }
    result->bubble_reason = bubble_reason(result);
}

/* -- The whole run -- */

static void
fill_price(PsimRun *run)
{
    PsimResult *result = run->result;
    const PsimDevice *device = &run->plan->hardware->device;
    g_autoptr(GString) text = g_string_new(NULL);
    const bool is_given = run->options->usd_per_gpu_hour > 0.0 || run->plan->usd_per_gpu_hour > 0.0;

    result->usd_per_gpu_hour = run->options->usd_per_gpu_hour > 0.0 ? run->options->usd_per_gpu_hour
                               : run->plan->usd_per_gpu_hour > 0.0  ? run->plan->usd_per_gpu_hour
                                                                    : device->usd_per_gpu_hour;
    if (!(result->usd_per_gpu_hour > 0.0))
        return;
    psim_text_fixed(text, result->usd_per_gpu_hour, 2);
    g_string_append(text, " USD a GPU-hour");
    if (is_given)
        g_string_append(text, ", as given");
    else
        g_string_append_printf(text, ", %s, %s",
                               device->price_date ? device->price_date : "undated",
                               device->price_source ? device->price_source : "default");
    result->price_text = psim_arena_strdup(result->arena, text->str);
}

static void
fill_whole_run(PsimRun *run)
{
    PsimResult *result = run->result;
    const double tokens = run->options->tokens > 0.0 ? run->options->tokens : run->plan->tokens;

    result->tokens = result->days = result->gpu_hours = result->cost = (double)NAN;
    fill_price(run);
    if (!(tokens > 0.0) || !(result->tokens_per_s > 0.0))
        return;
    const double seconds = tokens / result->tokens_per_s;

    result->tokens = tokens;
    result->days = seconds / SECONDS_PER_DAY;
    result->gpu_hours = seconds / SECONDS_PER_HOUR * run->plan->n_gpus;
    if (result->usd_per_gpu_hour > 0.0)
        result->cost = result->gpu_hours * result->usd_per_gpu_hour;
}

void
psim_step_figures_fill(PsimRun *run)
{
    fill_utilisation(run);
    fill_band(run);
    fill_bubble(run);
    fill_whole_run(run);
}
