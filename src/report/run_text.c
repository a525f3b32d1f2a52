/* SPDX-License-Identifier: MIT */
#include "report/run_text.h"

#include "base/text.h"
#include "base/time.h"
#include "report/phrase.h"

#include <math.h>

/* -- The plan ---------------------------------------------------------------------------------- */

/* "3", "2, 3 x 33, 4": runs of equal stages. */
static char *
tell_layers(const PsimResult *result)
{
    const uint32_t n_stages = result->layers_per_stage != NULL ? result->pp * result->n_chunks : 0;
    g_autoptr(GString) text = g_string_new(NULL);

    for (uint32_t i = 0; i < n_stages;) {
        uint32_t n_alike = 1;

        while (i + n_alike < n_stages &&
               result->layers_per_stage[i + n_alike] == result->layers_per_stage[i])
            n_alike++;
        g_string_append_printf(text, "%s%u", i > 0 ? ", " : "", result->layers_per_stage[i]);
        if (n_alike > 1 && n_alike < n_stages)
            g_string_append_printf(text, " x %u", n_alike);
        i += n_alike;
    }
    return g_string_free(g_steal_pointer(&text), /* free_segment= */ FALSE);
}

static void
append_model_line(const PsimResult *result, GString *out)
{
    g_autofree char *params = psim_phrase_count(result->params_total);
    g_autoptr(GString) line = g_string_new(NULL);

    g_string_append_printf(line, "%s parameters (%s), %s", params,
                           result->model_name != NULL ? result->model_name : "model",
                           result->precision != NULL ? result->precision : "-");
    if (result->sequence > 0)
        g_string_append_printf(line, ", sequence %u", result->sequence);
    g_string_append_printf(line, "; %u GPUs", result->n_gpus);
    if (result->device_name != NULL)
        g_string_append_printf(line, " %s", result->device_name);
    if (result->hardware_name != NULL)
        g_string_append_printf(line, " (%s)", result->hardware_name);
    if (result->runtime_name != NULL)
        g_string_append_printf(line, ", runtime %s", result->runtime_name);
    g_string_append(out, "  ");
    psim_phrase_wrap(out, 4, line->str);
}

static void
append_degrees_line(const PsimResult *result, GString *out)
{
    g_autofree char *microbatches = psim_phrase_plural(result->n_microbatches, "microbatch");
    g_autoptr(GString) line = g_string_new(NULL);

    g_string_append_printf(line, "DP %u x PP %u x ", result->dp, result->pp);
    if (result->cp > 1)
        g_string_append_printf(line, "CP %u x ", result->cp);
    g_string_append_printf(line, "TP %u", result->tp);
    g_string_append_printf(line, "; %s a pipeline: global batch %u / (DP %u x micro batch %u)",
                           microbatches, result->global_batch, result->dp, result->micro_batch);
    g_string_append(out, "  ");
    psim_phrase_wrap(out, 4, line->str);
}

static void
append_stages_line(const PsimResult *result, GString *out)
{
    g_autofree char *layers = tell_layers(result);
    g_autoptr(GString) line = g_string_new(NULL);

    g_string_append_printf(line, "layers a stage: %s", layers);
    if (result->n_chunks > 1)
        g_string_append_printf(line, " (%u stages, %u a rank)", result->pp * result->n_chunks,
                               result->n_chunks);
    g_string_append_printf(line, "; schedule %s, recompute %s%s, ZeRO stage %u%s",
                           result->schedule != NULL ? result->schedule : "-",
                           result->recompute != NULL ? result->recompute : "-",
                           result->recompute_extent != NULL ? result->recompute_extent : "",
                           result->zero_stage,
                           result->sequence_parallel ? ", sequence parallel" : "");
    g_string_append(out, "  ");
    psim_phrase_wrap(out, 4, line->str);
}

void
psim_run_text_plan(const PsimResult *result, GString *out)
{
    g_string_append(out, "\nplan\n");
    append_model_line(result, out);
    append_degrees_line(result, out);
    append_stages_line(result, out);
}

/* -- The step ---------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    double factor_s;
} Unit;

/* One unit for all rows, so that they can be compared by eye. */
static Unit
choose_unit(PsimTime step)
{
    static const Unit units[] = {{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    size_t i = 0;

    while (i + 1 < G_N_ELEMENTS(units) && psim_time_to_s(step) < units[i].factor_s)
        i++;
    return units[i];
}

typedef struct {
    PsimTable *table;
    PsimTime step;
    Unit unit;
} StepRows;

static void
add_part(const StepRows *rows, const char *name, PsimTime time, bool always)
{
    const double share = (double)time / (double)rows->step;

    if (time == 0 && !always)
        return;
    psim_table_cell(rows->table, "%s", name);
    psim_table_cell_take(rows->table,
                         psim_phrase_fixed(psim_time_to_s(time) / rows->unit.factor_s, 3));
    psim_table_cell_take(rows->table, psim_phrase_fixed(100.0 * share, 1));
}

void
psim_run_text_step(const PsimResult *result, GString *out)
{
    if (!psim_phrase_is_timed(result))
        return;
    const PsimBreakdown *parts = &result->breakdown;
    const Unit unit = choose_unit(result->step_ps);
    g_autofree char *headings = g_strdup_printf("part|time|share\n|%s|%%", unit.name);
    g_autoptr(PsimTable) table = psim_table_new(headings);
    const StepRows rows = {.table = table, .step = result->step_ps, .unit = unit};

    add_part(&rows, "compute", parts->compute_ps, /* always= */ true);
    add_part(&rows, "recompute", parts->recompute_ps, /* always= */ false);
    add_part(&rows, "TP, exposed", parts->tp_exposed_ps, /* always= */ false);
    add_part(&rows, "PP, exposed", parts->pp_exposed_ps, /* always= */ false);
    add_part(&rows, "CP, exposed", parts->cp_exposed_ps, /* always= */ false);
    add_part(&rows, "EP, exposed", parts->ep_exposed_ps, /* always= */ false);
    add_part(&rows, "DP, exposed", parts->dp_exposed_ps, /* always= */ false);
    add_part(&rows, "bubble", parts->bubble_ps, /* always= */ true);
    add_part(&rows, "optimizer", parts->optimizer_ps, /* always= */ false);
    add_part(&rows, "other", parts->other_ps, /* always= */ false);
    add_part(&rows, "step", result->step_ps, /* always= */ true);
    g_string_append(out, result->fits
                             ? "\nwhere the step goes, mean over ranks\n"
                             : "\nwhere the step would go if it fitted, mean over ranks\n");
    psim_table_render(table, out, 2);
}

void
psim_run_text_pipeline(const PsimResult *result, GString *out)
{
    if (!psim_phrase_is_timed(result) || result->pp < 2)
        return;
    g_autofree char *bubble = psim_phrase_time(result->bubble_ps);
    g_autofree char *of_total = psim_phrase_percent(result->bubble_fraction);
    g_autofree char *of_ideal = psim_phrase_percent(result->bubble_ratio_to_ideal);
    g_autofree char *ideal = psim_phrase_percent(result->ideal_bubble_fraction);

    g_string_append_printf(out,
                           "\npipeline bubble, idle time mean over ranks\n"
                           "  %s = %s of the step = %s of the busy time\n",
                           bubble, of_total, of_ideal);
    if (isfinite(result->ideal_bubble_fraction))
        g_string_append_printf(
            out, "  closed form: %s of the step with equal stages and free communication%s%s\n",
            ideal, result->ideal_text != NULL ? "; " : "",
            result->ideal_text != NULL ? result->ideal_text : "");
    if (result->bubble_reason != NULL) {
        g_string_append(out, "  why they differ: ");
        psim_phrase_wrap(out, 4, result->bubble_reason);
    }
}

/* -- Use of the machine, and the whole run ------------------------------------------------------
 */

static void
append_rates(const PsimResult *result, GString *out)
{
    g_autofree char *mfu = psim_phrase_percent(result->mfu_fraction);
    g_autofree char *hfu = psim_phrase_percent(result->hfu_fraction);
    g_autofree char *model =
        psim_phrase_significant(result->model_flop_per_s_per_gpu / 1e12, /* digits= */ 3);
    g_autofree char *hardware =
        psim_phrase_significant(result->hardware_flop_per_s_per_gpu / 1e12, /* digits= */ 3);
    g_autofree char *tokens = psim_phrase_count(result->tokens_per_s);
    g_autofree char *each =
        psim_phrase_significant(result->tokens_per_s / result->n_gpus, /* digits= */ 3);

    g_string_append_printf(
        out,
        "  MFU %s (%s TFLOP/s a GPU) = model FLOPs / (step x GPUs x dense peak)\n"
        "  HFU %s (%s TFLOP/s a GPU), with what is recomputed\n"
        "  %s tokens/s, %s a GPU\n",
        mfu, model, hfu, hardware, tokens, each);
    if (result->flop_formula != NULL) {
        g_string_append(out, "  FLOPs: ");
        psim_phrase_wrap(out, 4, result->flop_formula);
    }
}

static void
append_whole_run(const PsimResult *result, GString *out)
{
    if (!isfinite(result->tokens))
        return;
    g_autofree char *tokens = psim_phrase_count(result->tokens);
    g_autofree char *days = psim_phrase_significant(result->days, /* digits= */ 3);
    g_autofree char *gpu_hours = psim_phrase_count(result->gpu_hours);
    g_autofree char *cost = psim_phrase_count(result->cost);
    g_autoptr(GString) line = g_string_new(NULL);

    g_string_append_printf(line, "%s tokens: %s days, %s GPU-hours", tokens, days, gpu_hours);
    if (isfinite(result->cost))
        g_string_append_printf(line, ", %s USD%s%s", cost, result->price_text != NULL ? " at " : "",
                               result->price_text != NULL ? result->price_text : "");
    if (!result->fits)
        g_string_append(line, "; it does not fit");
    g_string_append(out, "  ");
    psim_phrase_wrap(out, 4, line->str);
}

void
psim_run_text_use(const PsimResult *result, GString *out)
{
    if (!psim_phrase_is_timed(result))
        return;
    g_string_append(out, "\nuse of the machine\n");
    append_rates(result, out);
    append_whole_run(result, out);
}
