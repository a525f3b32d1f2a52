/* SPDX-License-Identifier: MIT */
/* What follows from the step: rates, utilisation, the whole run; and counts of the model. */
#include "sim/why.h"

#include "base/text.h"
#include "base/time.h"
#include "report/phrase.h"

#include <math.h>

static const char *const rate_inputs[] = {"/batch/global", "/gpus", "/precision", NULL};

/* -- Use of the machine -- */

static void
append_flop(PsimWhy *why, double flop_per_token, const char *what)
{
    const PsimResult *result = why->run->result;
    g_autofree char *each = psim_phrase_significant(flop_per_token / 1e9, /* digits= */ 3);
    g_autofree char *tokens =
        psim_phrase_count((double)result->global_batch * (double)result->sequence);
    g_autofree char *step = psim_phrase_time(result->step_ps);
    g_autofree char *line =
        g_strdup_printf("%s GFLOP a token (%s) x %s tokens a step / (%s x %u GPUs)", each, what,
                        tokens, step, result->n_gpus);

    g_string_append(why->out, "\nwith numbers\n  ");
    psim_phrase_wrap(why->out, 4, line);
}

static void
explain_mfu(PsimWhy *why)
{
    psim_why_answer(why, psim_phrase_percent(why->run->result->mfu_fraction),
                    "of the dense peak at the plan's precision");
    psim_why_formula(why, "model FLOPs of a step / (step x GPUs x dense peak); model FLOPs: "
                          "forward and backward, nothing that is recomputed");
    append_flop(why, why->run->result->flop_per_token_model, "model");
    psim_why_formula(why, why->run->result->flop_formula);
    psim_why_inputs(why, rate_inputs);
    psim_why_constants(why, PSIM_WHY_PEAK);
    psim_why_see(why, "step.time_s");
}

static void
explain_hfu(PsimWhy *why)
{
    psim_why_answer(why, psim_phrase_percent(why->run->result->hfu_fraction),
                    "of the dense peak at the plan's precision");
    psim_why_formula(why, "FLOPs that are executed, recomputation included / (step x GPUs x dense "
                          "peak)");
    append_flop(why, why->run->result->flop_per_token_hardware, "executed");
    psim_why_inputs(why, rate_inputs);
    psim_why_constants(why, PSIM_WHY_PEAK);
    psim_why_see(why, "step.time_s");
}

static void
explain_model_tflops(PsimWhy *why)
{
    g_autofree char *value =
        psim_phrase_significant(why->run->result->model_flop_per_s_per_gpu / 1e12, /* digits= */ 3);

    psim_why_answer(why, g_strdup_printf("%s TFLOP/s a GPU", value), NULL);
    psim_why_formula(why, "model FLOPs of a step / (step x GPUs)");
    append_flop(why, why->run->result->flop_per_token_model, "model");
    psim_why_inputs(why, rate_inputs);
    psim_why_see(why, "step.time_s");
}

static void
explain_hardware_tflops(PsimWhy *why)
{
    g_autofree char *value = psim_phrase_significant(
        why->run->result->hardware_flop_per_s_per_gpu / 1e12, /* digits= */ 3);

    psim_why_answer(why, g_strdup_printf("%s TFLOP/s a GPU", value), NULL);
    psim_why_formula(why, "FLOPs that are executed, recomputation included / (step x GPUs)");
    append_flop(why, why->run->result->flop_per_token_hardware, "executed");
    psim_why_inputs(why, rate_inputs);
    psim_why_see(why, "step.time_s");
}

static void
explain_tokens_per_s(PsimWhy *why)
{
    g_autofree char *value = psim_phrase_count(why->run->result->tokens_per_s);

    psim_why_answer(why, g_strdup_printf("%s tokens/s", value), NULL);
    psim_why_formula(why, "global batch x tokens of a sample / step");
    psim_why_inputs(why, rate_inputs);
    psim_why_see(why, "step.time_s");
}

/* -- The whole run -- */

static void
append_run(PsimWhy *why)
{
    const PsimResult *result = why->run->result;
    g_autofree char *tokens = psim_phrase_count(result->tokens);
    g_autofree char *rate = psim_phrase_count(result->tokens_per_s);
    g_autofree char *hours = psim_phrase_count(result->gpu_hours);
    g_autofree char *line = NULL;

    if (isnan(result->tokens))
        line = g_strdup("no budget of tokens was given, so there is none: --tokens 300e9");
    else
        line = g_strdup_printf("%s tokens / %s tokens/s x %u GPUs = %s GPU-hours, at %s", tokens,
                               rate, result->n_gpus, hours,
                               result->price_text != NULL ? result->price_text : "no price");
    g_string_append(why->out, "\nwith numbers\n  ");
    psim_phrase_wrap(why->out, 4, line);
}

/* Takes @value, which counts only if there is a budget. */
static void
answer_run(PsimWhy *why, char *value)
{
    const bool is_known = !isnan(why->run->result->tokens);

    psim_why_answer(why, g_strdup(is_known ? value : "null"), is_known ? NULL : "not asked for");
    g_free(value);
}

static void
explain_run(PsimWhy *why, char *value, const char *formula)
{
    static const char *const inputs[] = {"/run/tokens", "/run/usd_per_gpu_hour", "/gpus", NULL};

    answer_run(why, value);
    psim_why_formula(why, formula);
    append_run(why);
    psim_why_inputs(why, inputs);
    psim_why_see(why, "step.tokens_per_s");
}

static void
explain_cost(PsimWhy *why)
{
    g_autofree char *cost = psim_phrase_count(why->run->result->cost);

    explain_run(why, g_strdup_printf("%s USD", cost), "GPU-hours x price of a GPU-hour");
}

static void
explain_days(PsimWhy *why)
{
    g_autofree char *days = psim_phrase_significant(why->run->result->days, /* digits= */ 3);

    explain_run(why, g_strdup_printf("%s days", days), "tokens / (tokens/s) / 86400 s");
}

static void
explain_gpu_hours(PsimWhy *why)
{
    g_autofree char *hours = psim_phrase_count(why->run->result->gpu_hours);

    explain_run(why, g_strdup_printf("%s GPU-hours", hours),
                "tokens / (tokens/s) / 3600 s x GPUs; no failures, restarts or evaluation");
}

/* -- Counts of the model -- */

static void
explain_params(PsimWhy *why)
{
    static const char *const inputs[] = {"/model", NULL};
    const PsimResult *result = why->run->result;
    g_autoptr(PsimTable) table = psim_table_new("part|parameters|share");

    psim_why_answer(why, psim_phrase_count(result->params_total), NULL);
    psim_why_formula(why, "the elements of every matrix and vector of the model, by its shapes; a "
                          "tied head is counted once");
    for (uint32_t i = 0; i < result->n_parts; i++) {
        psim_table_cell(table, "%s", result->part_names[i]);
        psim_table_cell_take(table, psim_phrase_count(result->part_params[i]));
        psim_table_cell_take(table,
                             psim_phrase_percent(result->part_params[i] / result->params_total));
    }
    g_string_append(why->out, "\nparts\n");
    psim_table_render(table, why->out, 2);
    psim_why_inputs(why, inputs);
}

static void
explain_flop(PsimWhy *why)
{
    static const char *const inputs[] = {"/model", NULL};

    psim_why_answer(why, psim_phrase_count(why->run->result->flop_per_token_model),
                    "forward and backward, nothing recomputed");
    psim_why_formula(why, why->run->result->flop_formula);
    psim_why_inputs(why, inputs);
    psim_why_see(why, "model.params_total");
}

const PsimWhyMember psim_why_rate_members[] = {
    {"step.mfu_fraction", explain_mfu},
    {"step.hfu_fraction", explain_hfu},
    {"step.model_tflops_per_gpu", explain_model_tflops},
    {"step.hw_tflops_per_gpu", explain_hardware_tflops},
    {"step.tokens_per_s", explain_tokens_per_s},
    {"run.cost", explain_cost},
    {"run.days", explain_days},
    {"run.gpu_hours", explain_gpu_hours},
    {"model.params_total", explain_params},
    {"model.flops_per_token_model", explain_flop},
    {0},
};
