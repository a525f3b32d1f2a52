/* SPDX-License-Identifier: MIT */
/* The row that people paste into threads, and the line that their logs have, so that the two can be
 * compared without arithmetic.
 */
#include "base/time.h"
#include "report/formats.h"
#include "report/phrase.h"

#include "base/text.h"

static void
write_row(const PsimResult *result, GString *out)
{
    g_autoptr(PsimTable) table = psim_table_new("GPUs|size|DP|TP|PP|MBS|GBS|Mem|sec/it|TFLOPs");
    const bool timed = psim_phrase_is_timed(result);
    g_autofree char *step =
        timed ? psim_phrase_significant(psim_time_to_s(result->step_ps), /* digits= */ 3)
              : g_strdup("-");

    psim_table_cell(table, "%u", result->n_gpus);
    psim_table_cell_take(table, psim_phrase_count(result->params_total));
    if (result->cp > 1)
        psim_table_cell(table, "%u, CP %u", result->dp, result->cp);
    else
        psim_table_cell(table, "%u", result->dp);
    psim_table_cell(table, "%u", result->tp);
    psim_table_cell(table, "%u", result->pp);
    psim_table_cell(table, "%u", result->micro_batch);
    psim_table_cell(table, "%u", result->global_batch);
    psim_table_cell_take(table, psim_phrase_bytes(result->worst_peak_bytes));
    psim_table_cell(table, "%s%s", step, result->fits ? "" : " (does not fit)");
    psim_table_cell_take(table,
                         psim_phrase_significant(result->hardware_flop_per_s_per_gpu / 1e12, 3));
    psim_table_render_markdown(table, out);
}

static void
write_log_line(const PsimResult *result, GString *out)
{
    g_autofree char *step_ms =
        psim_phrase_fixed(psim_time_to_s(result->step_ps) * 1e3, /* decimals= */ 1);
    g_autofree char *rate =
        psim_phrase_fixed(result->hardware_flop_per_s_per_gpu / 1e12, /* decimals= */ 1);

    g_string_append_printf(out,
                           "\n```\n iteration        1/       1 | consumed samples: %12u | "
                           "elapsed time per iteration (ms): %s | "
                           "throughput per GPU (TFLOP/s/GPU): %s | global batch size: %5u |%s\n"
                           "```\n",
                           result->global_batch, step_ms, rate, result->global_batch,
                           result->fits ? "" : " does not fit |");
}

static void
write_run(const PsimResult *result, PsimSink *sink)
{
    write_row(result, sink->buffer);
    if (psim_phrase_is_timed(result))
        write_log_line(result, sink->buffer);
}

static uint32_t
find_peak(const PsimResult *result)
{
    uint32_t peak = 0;

    for (uint32_t rank = 0; rank < result->n_ranks; rank++)
        peak = MAX(peak, result->ranks[rank].peak.in_flight_max);
    return peak;
}

static void
write_schedule(const PsimResult *result, PsimSink *sink)
{
    g_autoptr(PsimTable) table = psim_table_new(
        "schedule|ranks|microbatches|chunks|makespan|bubble|of the total|of the ideal|peak chunks");
    const bool stuck = result->n_stuck > 0;

    psim_table_cell(table, "%s", psim_phrase_name(result));
    psim_table_cell(table, "%u", result->n_ranks);
    psim_table_cell(table, "%u", result->n_microbatches);
    psim_table_cell(table, "%u", result->n_chunks);
    if (stuck) {
        psim_table_cell(table, "deadlock");
        for (int i = 0; i < 4; i++)
            psim_table_cell(table, "-");
    } else {
        psim_table_cell(table, "%" G_GINT64_FORMAT, result->step_ps);
        psim_table_cell(table, "%" G_GINT64_FORMAT, result->bubble_ps);
        psim_table_cell_take(table, psim_phrase_percent(result->bubble_fraction));
        psim_table_cell_take(table, psim_phrase_percent(result->bubble_ratio_to_ideal));
        psim_table_cell(table, "%u", find_peak(result));
    }
    psim_table_render_markdown(table, sink->buffer);
}

const PsimReportType psim_markdown_report = {
    .name = "markdown",
    .summary = "the table row of issue threads, and the line of a training log",
    .write_run = write_run,
    .write_schedule = write_schedule,
};
