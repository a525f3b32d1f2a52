/* SPDX-License-Identifier: MIT */
#include "report/run_text.h"

#include "base/text.h"
#include "report/phrase.h"

#include <math.h>
#include <string.h>

void
psim_remark_text_collectives(const PsimResult *result, GString *out)
{
    if (result->n_collectives == 0)
        return;
    g_autoptr(PsimTable) table = psim_table_new("what|group|GPUs|path|payload|count|time|exposed\n"
                                                "||||of one|a step|of all|");

    for (uint32_t i = 0; i < result->n_collectives; i++) {
        const PsimCollectiveFigures *collective = &result->collectives[i];

        psim_table_cell(table, "%s", collective->kind);
        psim_table_cell(table, "%s", collective->group);
        psim_table_cell(table, "%u", collective->group_size);
        psim_table_cell(table, "%s", collective->crosses_node ? "between nodes" : "in a node");
        psim_table_cell_take(table, psim_phrase_bytes(collective->bytes));
        psim_table_cell(table, "%" G_GUINT64_FORMAT, collective->count);
        psim_table_cell_take(table, psim_phrase_seconds(collective->time_s));
        psim_table_cell_take(table, psim_phrase_seconds(collective->exposed_s));
    }
    g_string_append(out, "\ncommunication of the busiest rank\n");
    psim_table_render(table, out, 2);
}

/* -- What it rests on -------------------------------------------------------------------------- */

static void
append_defaults(const PsimResult *result, GString *out)
{
    if (result->n_defaults == 0)
        return;
    g_string_append(out, "\ndefaults used\n");
    for (uint32_t i = 0; i < result->n_defaults; i++) {
        const PsimDefaultUsed *used = &result->defaults[i];
        g_autofree char *text =
            g_strdup_printf("%s = %s%s%s", used->key, used->value, used->why != NULL ? ": " : "",
                            used->why != NULL ? used->why : "");

        psim_phrase_item(out, text);
    }
}

/* The first assumption with the same source, or @index itself. */
static uint32_t
find_same_source(const PsimResult *result, uint32_t index)
{
    uint32_t first = 0;

    while (g_strcmp0(result->assumptions[first].source, result->assumptions[index].source) != 0)
        first++;
    return first;
}

static void
append_assumptions(const PsimResult *result, GString *out)
{
    if (result->n_assumptions == 0)
        return;
    g_string_append(out, "\nassumed, not computed\n");
    for (uint32_t i = 0; i < result->n_assumptions; i++) {
        const PsimAssumption *assumption = &result->assumptions[i];
        const uint32_t same = find_same_source(result, i);
        g_autoptr(GString) text = g_string_new(NULL);

        g_string_append_printf(text, "%s: %s", assumption->name, assumption->value);
        if (same < i)
            g_string_append_printf(text, " (source as %s)", result->assumptions[same].name);
        else if (assumption->source != NULL)
            g_string_append_printf(text, " (%s)", assumption->source);
        if (assumption->effect != NULL)
            g_string_append_printf(text, "; moves %s", assumption->effect);
        psim_phrase_item(out, text->str);
    }
}

static void
append_warnings(const PsimResult *result, GString *out)
{
    if (result->n_warnings == 0)
        return;
    g_string_append(out, "\nwarnings\n");
    for (uint32_t i = 0; i < result->n_warnings; i++) {
        const PsimRemark *warning = &result->warnings[i];
        g_autofree char *text = g_strdup_printf("%s [%s]%s%s", warning->message, warning->code,
                                                warning->fix != NULL ? "; " : "",
                                                warning->fix != NULL ? warning->fix : "");

        psim_phrase_item(out, text);
    }
}

void
psim_remark_text_notes(const PsimResult *result, GString *out)
{
    append_defaults(result, out);
    append_assumptions(result, out);
    append_warnings(result, out);
}

/* -- What to try next -------------------------------------------------------------------------- */

/* A loss worth a word takes this much of the step. */
#define NOTABLE_FRACTION 0.1

typedef struct {
    PsimTime time;
    const char *name;
    const char *advice;
} Loss;

static void
append_loss(const PsimResult *result, const Loss *loss, GString *out)
{
    const double share = (double)loss->time / (double)result->step_ps;
    g_autofree char *percent = psim_phrase_percent(share);
    g_autofree char *text =
        g_strdup_printf("%s takes %s of the step: %s", loss->name, percent, loss->advice);

    if (share >= NOTABLE_FRACTION)
        psim_phrase_item(out, text);
}

static void
append_losses(const PsimResult *result, GString *out)
{
    const PsimBreakdown *parts = &result->breakdown;
    const Loss losses[] = {
        {parts->bubble_ps, "the bubble",
         "more microbatches (a smaller micro batch, a larger global batch), fewer pipeline stages, "
         "or schedule interleaved"},
        {parts->recompute_ps, "recomputation", "recompute selective or none, if memory allows"},
        {parts->tp_exposed_ps, "exposed tensor parallelism",
         "a smaller TP, or TP inside a node only"},
        {parts->cp_exposed_ps, "exposed context parallelism",
         "a smaller CP, or context_communication p2p, which hides behind attention"},
        {parts->pp_exposed_ps, "exposed pipeline transfers",
         "overlap them with compute, or fewer chunks"},
        {parts->dp_exposed_ps, "exposed gradient reduction",
         "overlap it with the backward pass, or a larger global batch"},
    };

    for (size_t i = 0; psim_phrase_is_timed(result) && i < G_N_ELEMENTS(losses); i++)
        append_loss(result, &losses[i], out);
}

/* Weights, gradients and optimizer, however many microbatches are in flight. */
static double
states_of(const PsimStageFigures *stage)
{
    return stage->weights_bytes + stage->gradients_bytes + stage->optimizer_bytes;
}

/* Embedding and head make the ends of a pipeline heavier than the stages between, whose layers are
 * as many. */
static void
append_heavy_end(const PsimResult *result, uint32_t end, uint32_t beside, GString *out)
{
    const PsimStageFigures *stage = &result->stages[end];
    const double more = states_of(stage) - states_of(&result->stages[beside]);
    g_autofree char *bytes = psim_phrase_bytes(more);
    g_autofree char *text = g_strdup_printf(
        "stage %u holds the %s: %s more than stage %u; fewer layers there (layers_per_stage) even "
        "it out",
        end, end == 0 ? "embedding" : "LM head", bytes, beside);

    if (stage->n_layers >= result->stages[beside].n_layers &&
        more > NOTABLE_FRACTION * result->worst_peak_bytes)
        psim_phrase_item(out, text);
}

static void
append_heavy_ends(const PsimResult *result, GString *out)
{
    const uint32_t n_stages = result->n_chunks == 1 ? result->n_stages : 0;

    if (n_stages < 3)
        return;
    append_heavy_end(result, 0, 1, out);
    append_heavy_end(result, n_stages - 1, n_stages - 2, out);
}

/* Questions that go on from here. They add to the command that was given, whatever options it has.
 */
static void
append_further(const PsimResult *result, GString *out)
{
    const bool timed = psim_phrase_is_timed(result);
    g_autofree char *why =
        g_strdup_printf("\"show why %s\" in place of \"run\", for where that comes from",
                        timed ? "step.time_s" : "verdict.fits");

    psim_phrase_item(out, "add -f chrome -o trace.json, and open that in Perfetto");
    psim_phrase_item(out, why);
    if (timed)
        psim_phrase_item(out,
                         "add --sensitivity, for what moves it and what other stacks would give");
    psim_phrase_item(out, "add --json, for every figure");
}

void
psim_remark_text_next(const PsimResult *result, GString *out)
{
    g_string_append(out, "\nwhat to try next\n");
    if (!result->fits && result->n_fixes > 0) {
        g_autofree char *peak = psim_phrase_bytes(result->fixes[0].peak_bytes);
        g_autofree char *fix =
            g_strdup_printf("%s: the peak falls to %s", result->fixes[0].change, peak);

        psim_phrase_item(out, fix);
    }
    append_losses(result, out);
    append_heavy_ends(result, out);
    append_further(result, out);
}
