/* SPDX-License-Identifier: MIT */
#include "search/found.h"

#include <math.h>

#define SECONDS_PER_HOUR 3600.0
#define HOURS_PER_DAY    24.0
/* More points than this nobody reads, and a front must not grow with the space. */
#define MAX_FRONT 1000u

const char *const *
psim_found_rank_words(void)
{
    static const char *const words[] = {"step", "throughput", "cost", "memory", NULL};

    return words;
}

PsimWholeRun
psim_found_whole_run(const PsimFound *self, const PsimSite *site, const PsimLimits *limits)
{
    const double speed = self->evaluation.tokens_per_s;
    const double ramped = self->rampup_s > 0.0 ? limits->rampup.samples * site->sequence : 0.0;
    PsimWholeRun run = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};

    if (!(limits->tokens > 0.0) || !(speed > 0.0))
        return run;
    const double time_s = self->rampup_s + (limits->tokens - ramped) / speed;

    run.days = time_s / SECONDS_PER_HOUR / HOURS_PER_DAY;
    run.gpu_hours = run.days * HOURS_PER_DAY * self->plan.n_gpus;
    if (site->usd_per_gpu_hour > 0.0)
        run.usd = run.gpu_hours * site->usd_per_gpu_hour;
    if (site->tdp_w > 0.0)
        run.mwh = run.gpu_hours * site->tdp_w * 1e-6;
    return run;
}

double
psim_found_key(const PsimFound *self, const PsimSite *site, PsimRankBy by)
{
    const PsimEvaluation *evaluation = &self->evaluation;
    const double price = site->usd_per_gpu_hour > 0.0 ? site->usd_per_gpu_hour : 1.0;

    switch (by) {
    case PSIM_RANK_STEP:
        return (double)evaluation->step;
    case PSIM_RANK_THROUGHPUT:
        return -evaluation->tokens_per_s / self->plan.n_gpus;
    case PSIM_RANK_COST:
        return price * self->plan.n_gpus / evaluation->tokens_per_s;
    case PSIM_RANK_MEMORY:
        return evaluation->peak_bytes - evaluation->capacity_bytes;
    }
    g_assert_not_reached();
}

bool
psim_found_keeps(const PsimFound *self, const PsimSite *site, const PsimLimits *limits)
{
    const PsimEvaluation *evaluation = &self->evaluation;
    const PsimWholeRun run = psim_found_whole_run(self, site, limits);

    if (!evaluation->fits ||
        (limits->max_bytes > 0.0 && evaluation->peak_bytes > limits->max_bytes))
        return false;
    if (limits->max_days > 0.0 && !(run.days <= limits->max_days))
        return false;
    if (limits->max_usd > 0.0 && !(run.usd <= limits->max_usd))
        return false;
    return !(limits->max_watts > 0.0) || self->plan.n_gpus * site->tdp_w <= limits->max_watts;
}

char *
psim_found_command(const PsimFound *self, const PsimSite *site)
{
    static const char *const recompute[] = {"none", "selective", "full"};
    const PsimChange *change = &self->plan.change;
    GString *text = g_string_new(NULL);

    g_string_append_printf(text, "%s --gpus %u --tp %u --pp %u --dp %u", site->subject,
                           self->plan.n_gpus, change->tp, change->pp, change->dp);
    if (site->cp > 1)
        g_string_append_printf(text, " --cp %u", site->cp);
    g_string_append_printf(text, " --micro-batch %u --global-batch %u --schedule %s:%u",
                           change->micro_batch, change->global_batch, change->schedule,
                           change->n_chunks);
    g_string_append_printf(text, " --recompute %s --zero %d", recompute[change->recompute],
                           change->zero_stage);
    if (change->sequence_parallel > 0)
        g_string_append(text, " --sequence-parallel");
    else if (site->is_sequence_parallel)
        g_string_append(text, " --set /parallel/sequence_parallel=false");
    if (change->balanced > 0)
        g_string_append(text, " --balance");
    else if (site->is_split)
        g_string_append(text, " --set /layers_per_stage=even");
    if (site->runtime != NULL)
        g_string_append_printf(text, " --runtime %s", site->runtime);
    g_string_append_printf(text, " --precision %s", site->precision);
    return g_string_free(text, /* free_segment= */ FALSE);
}

/* -- Ranking -- */

void
psim_ranking_init(PsimRanking *self, guint n_max)
{
    self->items = g_array_new(FALSE, FALSE, sizeof(PsimFound));
    self->keys = g_array_new(FALSE, FALSE, sizeof(double));
    self->n_max = n_max;
}

void
psim_ranking_clear(PsimRanking *self)
{
    g_array_unref(self->items);
    g_array_unref(self->keys);
}

/* First place whose key is greater. */
static guint
find_place(const GArray *keys, double key)
{
    guint low = 0;
    guint high = keys->len;

    while (low < high) {
        const guint middle = low + (high - low) / 2;

        if (g_array_index(keys, double, middle) <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void
psim_ranking_offer(PsimRanking *self, const PsimFound *found, double key)
{
    const guint place = find_place(self->keys, key);

    if (place >= self->n_max)
        return;
    g_array_insert_val(self->keys, place, key);
    g_array_insert_vals(self->items, place, found, 1);
    if (self->items->len > self->n_max) {
        g_array_set_size(self->items, self->n_max);
        g_array_set_size(self->keys, self->n_max);
    }
}

double
psim_ranking_worst(const PsimRanking *self)
{
    return self->keys->len < self->n_max ? (double)INFINITY
                                         : g_array_index(self->keys, double, self->n_max - 1);
}

/* -- Front -- */

bool
psim_front_beats(const GArray *front, const GArray *keys, double key, double peak_bytes)
{
    /* By key ascending, so peaks descend: the last one not behind in key has the least peak. */
    const guint place = find_place(keys, key);

    return place > 0 &&
           g_array_index(front, PsimFound, place - 1).evaluation.peak_bytes <= peak_bytes;
}

void
psim_front_offer(GArray *front, GArray *keys, const PsimFound *found, double key)
{
    guint place = find_place(keys, key);

    if (psim_front_beats(front, keys, key, found->evaluation.peak_bytes))
        return;
    while (place > 0 && !(g_array_index(keys, double, place - 1) < key))
        place--;
    guint end = place;

    while (end < front->len && g_array_index(front, PsimFound, end).evaluation.peak_bytes >=
                                   found->evaluation.peak_bytes)
        end++;
    if (end > place) {
        g_array_remove_range(front, place, end - place);
        g_array_remove_range(keys, place, end - place);
    }
    if (front->len >= MAX_FRONT)
        return;
    g_array_insert_vals(front, place, found, 1);
    g_array_insert_val(keys, place, key);
}
