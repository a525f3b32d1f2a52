/* SPDX-License-Identifier: MIT */
/* Stages whose rows would read alike stand in one row, "1-33". If rows are still many, those in the
 * middle are told by their range alone, but for the fullest one.
 */
#include "report/run_text.h"

#include "base/text.h"
#include "report/phrase.h"

#include <math.h>
#include <string.h>

/* Rows before the cut, and rows kept at either side of it. */
#define MAX_ROWS  16u
#define HEAD_ROWS 8u
#define TAIL_ROWS 4u

/* Stages from @first to @last read alike. */
typedef struct {
    uint32_t first, last;
} Range;

static void
append_gb(GString *out, double bytes)
{
    psim_text_fixed(out, bytes / 1e9, 1);
    g_string_append_c(out, '|');
}

/* A row but for its first cell; cells end with a bar. */
static char *
tell_stage(const PsimStageFigures *stage)
{
    GString *text = g_string_new(NULL);

    g_string_append_printf(text, "%u|", stage->n_layers);
    append_gb(text, stage->weights_bytes);
    append_gb(text, stage->gradients_bytes);
    append_gb(text, stage->optimizer_bytes);
    append_gb(text, stage->activations_bytes);
    append_gb(text, stage->logits_bytes);
    append_gb(text, stage->comm_buffers_bytes + stage->overhead_bytes);
    append_gb(text, stage->peak_bytes);
    g_string_append_printf(text, "%u|", stage->in_flight_max);
    return g_string_free(text, /* free_segment= */ FALSE);
}

static GArray *
list_ranges(const PsimResult *result)
{
    GArray *ranges = g_array_new(FALSE, FALSE, sizeof(Range));
    g_autofree char *before = NULL;

    for (uint32_t stage = 0; stage < result->n_stages; stage++) {
        g_autofree char *row = tell_stage(&result->stages[stage]);

        if (before != NULL && strcmp(row, before) == 0) {
            g_array_index(ranges, Range, ranges->len - 1).last = stage;
            continue;
        }
        const Range range = {.first = stage, .last = stage};

        g_array_append_val(ranges, range);
        g_free(before);
        before = g_steal_pointer(&row);
    }
    return ranges;
}

static void
add_row(const PsimResult *result, PsimTable *table, Range range)
{
    g_autofree char *row = tell_stage(&result->stages[range.first]);
    g_auto(GStrv) cells = g_strsplit(row, "|", -1);

    if (range.first == range.last)
        psim_table_cell(table, "%u", range.first);
    else
        psim_table_cell(table, "%u-%u", range.first, range.last);
    for (char **cell = cells; cell[1] != NULL; cell++)
        psim_table_cell(table, "%s", *cell);
}

/* "stages 8-30 between 60.1 GB and 70.2 GB" */
static void
append_between(const PsimResult *result, Range range, GString *out)
{
    double least = result->stages[range.first].peak_bytes;
    double most = 0.0;

    for (uint32_t stage = range.first; stage <= range.last; stage++) {
        least = MIN(least, result->stages[stage].peak_bytes);
        most = MAX(most, result->stages[stage].peak_bytes);
    }
    g_autofree char *low = psim_phrase_bytes(least);
    g_autofree char *high = psim_phrase_bytes(most);

    g_string_append_printf(out, "  stages %u-%u, left out: peaks from %s to %s\n", range.first,
                           range.last, low, high);
}

static bool
is_shown(const PsimResult *result, const GArray *ranges, guint index)
{
    const Range range = g_array_index(ranges, Range, index);

    return ranges->len <= MAX_ROWS || index < HEAD_ROWS || index + TAIL_ROWS >= ranges->len ||
           (range.first <= result->worst_stage && result->worst_stage <= range.last);
}

void
psim_memory_text_stages(const PsimResult *result, GString *out)
{
    if (result->n_stages == 0)
        return;
    g_autoptr(GArray) ranges = list_ranges(result);
    g_autoptr(PsimTable) table = psim_table_new(
        "stage|layers|weights|gradients|optimizer|activations|logits|other|peak|in flight\n"
        "||GB|GB|GB|GB|GB|GB|GB|microbatches");

    for (guint i = 0; i < ranges->len; i++) {
        if (is_shown(result, ranges, i))
            add_row(result, table, g_array_index(ranges, Range, i));
    }
    g_string_append(out, "\nmemory of a GPU, by stage, at the stage's peak\n");
    psim_table_render(table, out, 2);
    if (ranges->len > MAX_ROWS) {
        const Range between = {.first = g_array_index(ranges, Range, HEAD_ROWS).first,
                               .last =
                                   g_array_index(ranges, Range, ranges->len - TAIL_ROWS - 1).last};

        append_between(result, between, out);
    }
}

static void
append_peak(const PsimResult *result, GString *line)
{
    if (result->worst_stage >= result->n_stages)
        return;
    const PsimStageFigures *stage = &result->stages[result->worst_stage];

    if (stage->peak_event == NULL)
        return;
    g_string_append_printf(line, " during %s", stage->peak_event);
    if (psim_phrase_is_timed(result)) {
        g_autofree char *time = psim_phrase_time(stage->peak_time_ps);

        g_string_append_printf(line, " at %s", time);
    }
}

static void
append_fixes(const PsimResult *result, GString *out)
{
    g_autoptr(PsimTable) table = psim_table_new("change|peak|step");

    for (uint32_t i = 0; i < result->n_fixes; i++) {
        psim_table_cell(table, "%s", result->fixes[i].change);
        psim_table_cell_take(table, psim_phrase_bytes(result->fixes[i].peak_bytes));
        psim_table_cell_take(table, psim_phrase_seconds(result->fixes[i].step_s));
    }
    if (result->n_fixes == 0) {
        g_string_append(out, "  no change of the plan was found that makes it fit\n");
        return;
    }
    g_string_append(out, "  any one of these makes it fit:\n");
    psim_table_render(table, out, 4);
}

void
psim_memory_text_verdict(const PsimResult *result, GString *out)
{
    g_autofree char *peak = psim_phrase_bytes(result->worst_peak_bytes);
    g_autofree char *capacity = psim_phrase_bytes(result->capacity_bytes);
    g_autofree char *margin = psim_phrase_bytes(fabs(result->margin_bytes));
    g_autoptr(GString) line = g_string_new(NULL);

    g_string_append_printf(line, "%s: stage %u needs %s", result->fits ? "fits" : "DOES NOT FIT",
                           result->worst_stage, peak);
    append_peak(result, line);
    g_string_append_printf(line, "; %s usable, %s %s", capacity, margin,
                           result->fits ? "to spare" : "too little");
    if (result->binding_term != NULL)
        g_string_append_printf(line, "; the largest term is %s", result->binding_term);
    g_string_append(out, "\nverdict\n  ");
    psim_phrase_wrap(out, 4, line->str);
    if (result->state_arithmetic != NULL) {
        g_string_append(out, "  ");
        psim_phrase_wrap(out, 4, result->state_arithmetic);
    }
    if (!result->fits)
        append_fixes(result, out);
}
