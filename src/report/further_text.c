/* SPDX-License-Identifier: MIT */
#include "report/further.h"

#include "base/text.h"
#include "base/time.h"
#include "report/phrase.h"

#include <math.h>
#include <string.h>

/* -- A measured step --------------------------------------------------------------------------- */

/* So many of them are worth reading. */
#define MAX_EXPLANATIONS 10u

static void
append_factor(const PsimGap *gap, GString *out)
{
    g_autofree char *factor = psim_phrase_significant(gap->efficiency_factor, /* digits= */ 3);
    g_autofree char *was = psim_phrase_significant(gap->efficiency, /* digits= */ 3);
    g_autofree char *would =
        psim_phrase_significant(gap->efficiency * gap->efficiency_factor, /* digits= */ 3);

    if (isnan(gap->efficiency_factor)) {
        g_string_append(out, "  no efficiency of the matrix products alone explains it\n");
        return;
    }
    if (gap->efficiency * gap->efficiency_factor > 1.0) {
        g_string_append_printf(out,
                               "  no efficiency of the matrix products alone explains it: it would "
                               "take %s of the peak\n",
                               would);
        return;
    }
    g_string_append_printf(out,
                           "  one factor that explains it alone: matrix products at %s of the "
                           "modelled efficiency,\n  %s of the peak instead of %s\n",
                           factor, would, was);
}

/* What the machine did in the measured step. */
static void
append_measured_rates(const PsimResult *result, GString *out)
{
    const PsimGap *gap = result->gap;
    g_autofree char *rate =
        psim_phrase_significant(gap->model_flop_per_s_per_gpu / 1e12, /* digits= */ 3);
    g_autofree char *mfu = psim_phrase_percent(gap->mfu_fraction);
    g_autofree char *tokens_per_s = psim_phrase_count(gap->tokens_per_s);

    g_string_append_printf(out, "  as measured: %s TFLOP/s a GPU, MFU %s, %s tokens/s", rate, mfu,
                           tokens_per_s);
    if (isfinite(gap->days)) {
        g_autofree char *tokens = psim_phrase_count(result->tokens);
        g_autofree char *days = psim_phrase_significant(gap->days, /* digits= */ 3);

        g_string_append_printf(out, "; %s tokens take %s days", tokens, days);
    }
    g_string_append_c(out, '\n');
}

void
psim_further_text_gap(const PsimResult *result, GString *out)
{
    const PsimGap *gap = result->gap;

    if (gap == NULL)
        return;
    g_autofree char *measured = psim_phrase_seconds(gap->step_s);
    g_autofree char *predicted = psim_phrase_time(result->step_ps);
    g_autofree char *ratio = psim_phrase_significant(gap->ratio, /* digits= */ 3);
    g_autoptr(PsimTable) table = psim_table_new("with this instead|step|measured/step|");

    g_string_append_printf(out, "\nmeasured %s a step, predicted %s: %s times the prediction\n",
                           measured, predicted, ratio);
    if (fabs(gap->ratio - 1.0) <= 0.05)
        g_string_append(out, "  the prediction as it is comes within 5%\n");
    append_measured_rates(result, out);
    append_factor(gap, out);
    for (uint32_t i = 0; i < MIN(gap->n_explanations, MAX_EXPLANATIONS); i++) {
        const PsimExplanation *explanation = &gap->explanations[i];

        psim_table_cell(table, "%s", explanation->change);
        psim_table_cell_take(table, psim_phrase_seconds(explanation->step_s));
        psim_table_cell_take(table, psim_phrase_fixed(explanation->ratio, /* decimals= */ 2));
        psim_table_cell(table, "%s%s", explanation->explains ? "within 5%" : "",
                        explanation->fits       ? ""
                        : explanation->explains ? ", but does not fit"
                                                : "does not fit");
    }
    if (gap->n_explanations > 0)
        psim_table_render(table, out, 2);
}

/* -- Sensitivity ------------------------------------------------------------------------------- */

static char *
tell_value(const char *unit, double value)
{
    if (isnan(value))
        return g_strdup("-");
    if (strcmp(unit, "s") == 0)
        return psim_phrase_seconds(value);
    if (strcmp(unit, "1") == 0)
        return value == floor(value) ? psim_phrase_fixed(value, /* decimals= */ 0)
                                     : psim_phrase_significant(value, /* digits= */ 3);
    g_autofree char *bytes = psim_phrase_bytes(value);

    return g_strconcat(bytes, strcmp(unit, "B/s") == 0 ? "/s" : "", NULL);
}

static void
add_input(PsimTable *table, const PsimResult *result, const PsimSensitivity *row)
{
    const double step_s = psim_time_to_s(result->step_ps);

    psim_table_cell(table, "%s", row->input);
    psim_table_cell_take(table, tell_value(row->unit, row->value));
    psim_table_cell_take(table, tell_value(row->unit, row->low_value));
    psim_table_cell_take(table, psim_phrase_percent(row->low_step_s / step_s - 1.0));
    psim_table_cell_take(table, tell_value(row->unit, row->high_value));
    psim_table_cell_take(table, psim_phrase_percent(row->high_step_s / step_s - 1.0));
    psim_table_cell_take(table, psim_phrase_fixed(row->elasticity, /* decimals= */ 3));
    psim_table_cell(table, "%s",
                    !row->changes_verdict ? ""
                    : result->fits        ? "does not fit"
                                          : "fits");
}

void
psim_further_text_sensitivity(const PsimResult *result, GString *out)
{
    if (result->n_sensitivity == 0)
        return;
    g_autoptr(PsimTable) table =
        psim_table_new("input|now|lower|step|higher|step|elasticity|verdict\n"
                       "||||||of the step|of one of them");

    for (uint32_t i = 0; i < result->n_sensitivity; i++)
        add_input(table, result, &result->sensitivity[i]);
    g_string_append(out, "\nwhat moves the answer, each input alone, by running the plan again\n");
    psim_table_render(table, out, 2);
}

/* -- Other stacks ------------------------------------------------------------------------------ */

void
psim_further_text_stacks(const PsimResult *result, GString *out)
{
    if (result->n_other_stacks == 0)
        return;
    g_autoptr(PsimTable) table = psim_table_new("runtime|step|of this one|MFU|peak|");

    for (uint32_t i = 0; i < result->n_other_stacks; i++) {
        const PsimOtherStack *stack = &result->other_stacks[i];

        psim_table_cell(table, "%s", stack->name);
        psim_table_cell_take(table, psim_phrase_seconds(stack->step_s));
        psim_table_cell_take(table,
                             psim_phrase_percent(stack->step_s / psim_time_to_s(result->step_ps)));
        psim_table_cell_take(table, psim_phrase_percent(stack->mfu_fraction));
        psim_table_cell_take(table, psim_phrase_bytes(stack->peak_bytes));
        psim_table_cell(table, "%s", stack->fits ? "" : "does not fit");
    }
    g_string_append_printf(out, "\nother stacks, on the same hardware; this is %s\n",
                           result->runtime_name != NULL ? result->runtime_name : "-");
    psim_table_render(table, out, 2);
}
