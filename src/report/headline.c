/* SPDX-License-Identifier: MIT */
#include "report/headline.h"

#include "report/phrase.h"

#include <math.h>

/* " (8 s to 10.5 s)", or nothing where no error is known. */
static char *
tell_band(const PsimResult *result)
{
    g_autofree char *low = psim_phrase_seconds(result->time_low_s);
    g_autofree char *high = psim_phrase_seconds(result->time_high_s);
    const bool known = isfinite(result->time_low_s) && isfinite(result->time_high_s);

    return known ? g_strdup_printf(" (%s to %s)", low, high) : g_strdup("");
}

static void
append_misfit(const PsimResult *result, GString *out)
{
    g_autofree char *peak = psim_phrase_bytes(result->worst_peak_bytes);
    g_autofree char *capacity = psim_phrase_bytes(result->capacity_bytes);
    g_autofree char *step = psim_phrase_time(result->step_ps);
    g_autofree char *band = tell_band(result);

    g_string_append_printf(out, "DOES NOT FIT: %s needs %s of %s on stage %u",
                           psim_phrase_name(result), peak, capacity, result->worst_stage);
    if (psim_phrase_is_timed(result))
        g_string_append_printf(out, "; a step would take %s%s", step, band);
    g_string_append_c(out, '\n');
}

static void
append_fit(const PsimResult *result, GString *out)
{
    g_autofree char *peak = psim_phrase_bytes(result->worst_peak_bytes);
    g_autofree char *capacity = psim_phrase_bytes(result->capacity_bytes);
    g_autofree char *step = psim_phrase_time(result->step_ps);
    g_autofree char *band = tell_band(result);
    g_autofree char *rate =
        psim_phrase_significant(result->hardware_flop_per_s_per_gpu / 1e12, /* digits= */ 3);

    g_string_append_printf(out, "%s: ", psim_phrase_name(result));
    if (psim_phrase_is_timed(result))
        g_string_append_printf(out, "%s a step%s, %s TFLOP/s a GPU, ", step, band, rate);
    g_string_append_printf(out, "fits %s %s (peak %s on stage %u)\n",
                           result->tight ? "tightly in" : "in", capacity, peak,
                           result->worst_stage);
}

/* "1F1B, 4 ranks, 8 microbatches" */
static void
append_shape(const PsimResult *result, GString *out)
{
    g_autofree char *ranks = psim_phrase_plural(result->n_ranks, "rank");
    g_autofree char *microbatches = psim_phrase_plural(result->n_microbatches, "microbatch");

    g_string_append_printf(out, "%s, %s, %s", psim_phrase_name(result), ranks, microbatches);
    if (result->n_chunks > 1)
        g_string_append_printf(out, ", %u chunks a rank", result->n_chunks);
}

static uint32_t
count_stuck(const PsimResult *result)
{
    uint32_t n_stuck = 0;

    for (uint32_t i = 0; i < result->n_stuck; i++)
        n_stuck += result->stuck[i].head != NULL;
    return n_stuck;
}

static void
append_schedule(const PsimResult *result, GString *out)
{
    g_autofree char *makespan = psim_phrase_plural((uint64_t)result->step_ps, "tick");
    g_autofree char *share = psim_phrase_percent(result->bubble_fraction);

    append_shape(result, out);
    if (result->n_stuck > 0) {
        g_string_append_printf(out, ": DEADLOCK, %u of %u ranks cannot go on\n",
                               count_stuck(result), result->n_ranks);
        return;
    }
    g_string_append_printf(out, ": makespan %s, bubble %" G_GINT64_FORMAT " = %s of the total\n",
                           makespan, result->bubble_ps, share);
}

void
psim_headline_append(const PsimResult *result, GString *out)
{
    switch (result->kind) {
    case PSIM_RESULT_RUN:
        if (result->fits)
            append_fit(result, out);
        else
            append_misfit(result, out);
        return;
    case PSIM_RESULT_SCHEDULE:
        append_schedule(result, out);
        return;
    }
}
