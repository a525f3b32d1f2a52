/* SPDX-License-Identifier: MIT */
/* Several results side by side, a row each, measured by the fastest that fits. */
#include "report/compare.h"

#include "base/text.h"
#include "base/time.h"
#include "report/phrase.h"
#include "report/png.h"
#include "report/svg.h"
#include "json/writer.h"

#include <math.h>

/* -- Figures -- */

/* Idle time inside each rank's own span, from its first start to its last end: what is left of the
 * bubble where ranks may start the next step without waiting for each other. */
static double
span_fraction(const PsimResult *result)
{
    double worst = 0.0;

    for (uint32_t r = 0; r < result->n_ranks; r++) {
        const PsimRankFigures *rank = &result->ranks[r];
        const PsimTime span = rank->last_end_ps - rank->first_start_ps;
        const PsimTime outside = result->step_ps - span;
        const PsimTime inside = MAX(rank->breakdown.bubble_ps - outside, 0);

        if (span > 0)
            worst = MAX(worst, (double)inside / (double)span);
    }
    return worst;
}

static double
weight_copies(const PsimResult *result)
{
    double held = 0.0;

    for (uint32_t s = 0; s < result->n_stages; s++)
        held += result->stages[s].params * result->stages[s].weight_versions;
    return result->params_total > 0.0 ? held * result->tp / result->params_total : (double)NAN;
}

static double
send_bytes(const PsimResult *result)
{
    for (uint32_t i = 0; i < result->n_collectives; i++) {
        const PsimCollectiveFigures *row = &result->collectives[i];

        if (g_str_equal(row->group, "pp"))
            return row->bytes * (double)row->count;
    }
    return 0.0;
}

static double
least_peak(const PsimResult *result)
{
    double least = result->worst_peak_bytes;

    for (uint32_t s = 0; s < result->n_stages; s++)
        least = MIN(least, result->stages[s].peak_bytes);
    return least;
}

static uint32_t
peak_chunks(const PsimResult *result)
{
    uint32_t peak = 0;

    for (uint32_t r = 0; r < result->n_ranks; r++)
        peak = MAX(peak, result->ranks[r].peak.in_flight_max);
    return peak;
}

PsimComparedRow
psim_compared_row(const PsimCandidate *candidate, const PsimResult *best)
{
    const PsimResult *result = candidate->result;

    return (PsimComparedRow){
        .label = candidate->label,
        .fits = result->fits,
        .deadlocks = result->n_stuck > 0,
        .step_ps = result->step_ps,
        .relative =
            best->step_ps > 0 ? (double)result->step_ps / (double)best->step_ps : (double)NAN,
        .bubble_fraction = result->bubble_fraction,
        .bubble_ratio = result->bubble_ratio_to_ideal,
        .span_fraction = span_fraction(result),
        .ideal_fraction = result->ideal_bubble_fraction,
        .peak_bytes = result->worst_peak_bytes,
        .least_bytes = least_peak(result),
        .weight_copies = weight_copies(result),
        .send_bytes = send_bytes(result),
        .unit_fraction = candidate->alone ? candidate->alone->bubble_fraction : (double)NAN,
        .unit_peak = candidate->alone ? peak_chunks(candidate->alone) : 0,
    };
}

/* What the others are measured by: the fastest that fits, else the first there is. */
static const PsimCandidate *
find_best(const PsimCandidate *candidates, size_t n_candidates)
{
    const PsimCandidate *best = NULL;

    for (size_t i = 0; i < n_candidates; i++) {
        const PsimResult *result = candidates[i].result;
        const bool better =
            result != NULL && (best == NULL || result->fits > best->result->fits ||
                               (result->fits && result->step_ps < best->result->step_ps));

        if (better)
            best = &candidates[i];
    }
    return best;
}

/* -- Text and Markdown -- */

static char *
percent_or_dash(double fraction)
{
    return isnan(fraction) ? g_strdup("-") : psim_phrase_percent(fraction);
}

static void
add_row(PsimTable *table, const PsimComparedRow *row)
{
    psim_table_cell(table, "%s", row->label);
    psim_table_cell_take(table, psim_phrase_time(row->step_ps));
    psim_table_cell_take(table, psim_phrase_fixed(row->relative, /* decimals= */ 3));
    psim_table_cell_take(table, psim_phrase_percent(row->bubble_fraction));
    psim_table_cell_take(table, psim_phrase_percent(row->bubble_ratio));
    psim_table_cell_take(table, psim_phrase_percent(row->span_fraction));
    psim_table_cell_take(table, percent_or_dash(row->ideal_fraction));
    psim_table_cell_take(table, percent_or_dash(row->unit_fraction));
    psim_table_cell_take(table, psim_phrase_fixed(row->peak_bytes / 1e9, /* decimals= */ 1));
    psim_table_cell_take(table, psim_phrase_fixed(row->least_bytes / 1e9, /* decimals= */ 1));
    psim_table_cell_take(table, psim_phrase_fixed(row->weight_copies, /* decimals= */ 2));
    psim_table_cell_take(table, psim_phrase_fixed(row->send_bytes / 1e9, /* decimals= */ 2));
    psim_table_cell(table, "%s", row->fits ? "yes" : row->deadlocks ? "deadlock" : "NO");
}

static PsimTable *
make_table(const PsimCandidate *candidates, size_t n_candidates)
{
    const PsimCandidate *best = find_best(candidates, n_candidates);
    PsimTable *table = psim_table_new(
        "schedule|step|to best|bubble|to busy|own span|formula|unit times|peak|least|weights|sent|"
        "fits\n"
        "|||of step|||of step|of total|GB|GB|copies|GB|");

    for (size_t i = 0; i < n_candidates; i++) {
        if (candidates[i].result == NULL)
            continue;
        const PsimComparedRow row = psim_compared_row(&candidates[i], best->result);

        add_row(table, &row);
    }
    return table;
}

static void
append_refused(const PsimCandidate *candidates, size_t n_candidates, GString *out)
{
    bool is_first = true;

    for (size_t i = 0; i < n_candidates; i++) {
        if (candidates[i].result != NULL)
            continue;
        g_string_append(out, is_first ? "\nnot valid for this plan\n" : "");
        is_first = false;
        g_autofree char *line =
            g_strdup_printf("%s: %s", candidates[i].label, candidates[i].refused);

        psim_phrase_item(out, line);
    }
}

static void
append_best(const PsimCandidate *candidates, size_t n_candidates, GString *out)
{
    const PsimCandidate *best = find_best(candidates, n_candidates);

    if (best == NULL || !best->result->fits) {
        g_string_append(out, best == NULL ? "none of them is valid\n\n" : "none of them fits\n\n");
        return;
    }
    g_autofree char *step = psim_phrase_time(best->result->step_ps);

    g_string_append_printf(out, "fastest that fits: %s, %s a step\n\n", best->label, step);
}

/* What the rows have in common, where it is one plan under several schedules. */
static void
append_question(const PsimCandidate *candidates, size_t n_candidates, GString *out)
{
    const PsimCandidate *best = find_best(candidates, n_candidates);

    if (best == NULL)
        return;
    const PsimResult *first = best->result;

    for (size_t i = 0; i < n_candidates; i++) {
        const PsimResult *result = candidates[i].result;

        if (result != NULL && (g_strcmp0(result->plan_name, first->plan_name) != 0 ||
                               result->n_microbatches != first->n_microbatches))
            return;
    }
    g_autofree char *context =
        first->cp > 1 ? g_strdup_printf("CP %u x ", first->cp) : g_strdup("");

    g_string_append_printf(out, "%s: %s on %u GPUs %s, DP %u x PP %u x %sTP %u, %u microbatches\n",
                           first->plan_name, first->model_name, first->n_gpus, first->hardware_name,
                           first->dp, first->pp, context, first->tp, first->n_microbatches);
}

static bool
is_about_schedule(const PsimRemark *remark)
{
    return g_str_equal(remark->code, "schedule-note") || g_str_equal(remark->code, "asynchronous");
}

static void
append_notes(const PsimCandidate *candidates, size_t n_candidates, GString *out)
{
    bool is_first = true;

    for (size_t i = 0; i < n_candidates; i++) {
        const PsimResult *result = candidates[i].result;

        for (uint32_t k = 0; result != NULL && k < result->n_warnings; k++) {
            if (!is_about_schedule(&result->warnings[k]))
                continue;
            g_autofree char *line =
                g_strdup_printf("%s: %s", candidates[i].label, result->warnings[k].message);

            g_string_append(out, is_first ? "\nnotes\n" : "");
            psim_phrase_item(out, line);
            is_first = false;
        }
    }
}

static void
append_text(const PsimCandidate *candidates, size_t n_candidates, GString *out)
{
    g_autoptr(PsimTable) table = make_table(candidates, n_candidates);

    append_question(candidates, n_candidates, out);
    append_best(candidates, n_candidates, out);
    if (find_best(candidates, n_candidates) != NULL)
        psim_table_render(table, out, /* indent= */ 2);
    g_string_append(out, "\n");
    psim_phrase_wrap(
        out, 0,
        "bubble: waiting that no communication of the rank explains, mean over ranks, as "
        "share of the step and in proportion to the busy time; own span: the worst rank "
        "between its first and last operation; formula: closed form for equal stages and "
        "free communication; unit times: the schedule alone with F = I = W; least: the "
        "emptiest stage's peak; sent: between stages by the busiest rank, a step.");
    append_notes(candidates, n_candidates, out);
    append_refused(candidates, n_candidates, out);
}

static void
append_markdown(const PsimCandidate *candidates, size_t n_candidates, GString *out)
{
    g_autoptr(PsimTable) table = make_table(candidates, n_candidates);

    psim_table_render_markdown(table, out);
    append_refused(candidates, n_candidates, out);
}

/* -- JSON -- */

static void
write_row(PsimWriter *writer, const PsimComparedRow *row)
{
    psim_writer_flag(writer, "fits", row->fits);
    psim_writer_seconds(writer, "step_s", row->step_ps);
    psim_writer_integer(writer, "step_ps", row->step_ps);
    psim_writer_number(writer, "step_to_best", row->relative);
    psim_writer_number(writer, "bubble_fraction", row->bubble_fraction);
    psim_writer_number(writer, "bubble_ratio_to_ideal", row->bubble_ratio);
    psim_writer_number(writer, "bubble_own_span_fraction", row->span_fraction);
    psim_writer_number(writer, "ideal_bubble_fraction", row->ideal_fraction);
    psim_writer_number(writer, "unit_bubble_fraction", row->unit_fraction);
    if (isnan(row->unit_fraction))
        psim_writer_null(writer, "unit_peak_chunks");
    else
        psim_writer_count(writer, "unit_peak_chunks", row->unit_peak);
    psim_writer_number(writer, "peak_bytes_max", row->peak_bytes);
    psim_writer_number(writer, "peak_bytes_min", row->least_bytes);
    psim_writer_number(writer, "weight_copies", row->weight_copies);
    psim_writer_number(writer, "send_bytes", row->send_bytes);
}

static void
write_stages(PsimWriter *writer, const PsimResult *result)
{
    psim_writer_begin_list(writer, "stage_peak_bytes");
    for (uint32_t s = 0; s < result->n_stages; s++)
        psim_writer_number(writer, /* key= */ NULL, result->stages[s].peak_bytes);
    psim_writer_end_array(writer);
}

/* What the text says under "notes". */
static void
write_notes(PsimWriter *writer, const PsimResult *result)
{
    psim_writer_begin_array(writer, "notes");
    for (uint32_t i = 0; i < result->n_warnings; i++) {
        if (is_about_schedule(&result->warnings[i]))
            psim_writer_string(writer, /* key= */ NULL, result->warnings[i].message);
    }
    psim_writer_end_array(writer);
}

static void
append_json(const PsimCandidate *candidates, size_t n_candidates, GString *out)
{
    const PsimCandidate *best = find_best(candidates, n_candidates);
    g_autoptr(PsimWriter) writer = psim_writer_new(/* pretty= */ true);

    psim_writer_begin_object(writer, /* key= */ NULL);
    psim_writer_string(writer, "schema", "plansim.comparison/1");
    psim_writer_begin_array(writer, "candidates");
    for (size_t i = 0; i < n_candidates; i++) {
        psim_writer_begin_object(writer, /* key= */ NULL);
        psim_writer_string(writer, "label", candidates[i].label);
        psim_writer_string(writer, "refused", candidates[i].result ? NULL : candidates[i].refused);
        if (candidates[i].result != NULL) {
            const PsimComparedRow row = psim_compared_row(&candidates[i], best->result);

            write_row(writer, &row);
            write_stages(writer, candidates[i].result);
            write_notes(writer, candidates[i].result);
        }
        psim_writer_end_object(writer);
    }
    psim_writer_end_array(writer);
    psim_writer_end_object(writer);
    g_autofree char *text = psim_writer_finish(writer);

    g_string_append(out, text);
}

typedef void (*Append)(const PsimCandidate *candidates, size_t n_candidates, GString *out);

static const struct {
    const char *name;
    Append append;
} formats[] = {{"text", append_text}, {"json", append_json}, {"markdown", append_markdown}};

static Append
find_format(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        if (g_str_equal(formats[i].name, name))
            return formats[i].append;
    }
    return NULL;
}

/* -- Pictures -- */

typedef struct {
    const PsimCandidate *candidates;
    size_t n_candidates;
} Candidates;

static void
draw_picture(const void *user, PsimSink *sink)
{
    const Candidates *self = user;

    psim_svg_compare(self->candidates, self->n_candidates, sink);
}

bool
psim_compare_write(const PsimCandidate *candidates,
                   size_t n_candidates,
                   const char *format,
                   PsimWrite write,
                   void *user,
                   GError **error)
{
    g_return_val_if_fail(candidates != NULL && format != NULL && write != NULL, false);

    g_autoptr(GString) out = g_string_new(NULL);
    const Append append = find_format(format);
    PsimSink sink = {.buffer = out, .write = write, .user = user};

    if (append != NULL)
        append(candidates, n_candidates, out);
    else if (g_str_equal(format, "svg"))
        psim_svg_compare(candidates, n_candidates, &sink);
    else if (g_str_equal(format, "png"))
        psim_png_write(draw_picture, &(Candidates){candidates, n_candidates}, &sink);
    else {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED,
                    "no format \"%s\" for a comparison; there are text, json, markdown, svg, png",
                    format);
        return false;
    }
    return psim_report_end(&sink, "cannot write the comparison", error);
}
