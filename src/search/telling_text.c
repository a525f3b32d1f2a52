/* SPDX-License-Identifier: MIT */
/* For people: the answer, the table, the front, why not its neighbours, what was passed over. */
#include "search/neighbour.h"
#include "search/telling.h"

#include <math.h>

/* Neighbours are told of so many plans of the ranking. */
#define N_EXPLAINED 1u
#define N_FRONT     12u
/* More GPUs stop helping where a step takes longer than this share of linear scaling says. */
#define KNEE 0.8

static const char *const recompute_words[] = {"none", "selective", "full"};

static void
append_fixed(GString *text, double value, unsigned digits)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    const char format[] = {'%', '.', (char)('0' + digits), 'f', '\0'};

    g_string_append(text,
                    isfinite(value) ? g_ascii_formatd(buffer, sizeof buffer, format, value) : "-");
}

static void
append_cell(GString *text, double value, unsigned digits, int width)
{
    g_autoptr(GString) cell = g_string_new(NULL);

    append_fixed(cell, value, digits);
    g_string_append_printf(text, "%*s", width, cell->str);
}

static const PsimSite *
site_of(const PsimTelling *self, const PsimFound *found)
{
    return g_ptr_array_index(self->space->sites, found->plan.site);
}

/* -- Rows -- */

static void
append_head(const PsimTelling *self, GString *text)
{
    g_string_append(text, "    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  "
                          "schedule         recompute  ZeRO SP");
    g_string_append(text, self->space->sites->len > 1 || self->space->gpus->len > 1
                              ? "    GPUs  hardware"
                              : "");
    g_string_append(
        text, self->space->batches->len > 1 || self->space->is_batch_per_gpu ? "   batch" : "");
    g_string_append(text, self->options->limits.tokens > 0.0 ? "     days      kUSD\n" : "\n");
}

static void
append_row(const PsimTelling *self, GString *text, const PsimFound *found)
{
    const PsimChange *change = &found->plan.change;
    const PsimEvaluation *evaluation = &found->evaluation;
    const PsimSite *site = site_of(self, found);
    g_autofree char *schedule = g_strdup_printf("%s:%u%s", change->schedule, change->n_chunks,
                                                change->balanced > 0 ? " bal" : "");

    append_cell(text, (double)evaluation->step / (double)PSIM_TIME_PER_S, 3, 10);
    append_cell(text, evaluation->tokens_per_s / found->plan.n_gpus, 1, 11);
    append_cell(text, evaluation->mfu_fraction * 100.0, 1, 6);
    append_cell(text, (evaluation->capacity_bytes - evaluation->peak_bytes) / 0x1p30, 1, 11);
    g_string_append_printf(text, " %4u %4u %5u %5u %6u  %-16s %-10s %4d %-2s", change->tp,
                           change->pp, change->dp, change->micro_batch, evaluation->n_microbatches,
                           schedule, recompute_words[change->recompute], change->zero_stage,
                           change->sequence_parallel > 0 ? "y" : "-");
    if (self->space->sites->len > 1 || self->space->gpus->len > 1)
        g_string_append_printf(text, " %7u  %s", found->plan.n_gpus, site->name);
    if (self->space->batches->len > 1 || self->space->is_batch_per_gpu)
        g_string_append_printf(text, " %7u", change->global_batch);
    if (self->options->limits.tokens > 0.0) {
        const PsimWholeRun run = psim_found_whole_run(found, site, &self->options->limits);

        append_cell(text, run.days, 1, 9);
        append_cell(text, run.usd / 1000.0, 1, 10);
    }
    g_string_append_c(text, '\n');
}

static void
append_ranking(const PsimTelling *self, GString *text)
{
    const GArray *items = self->answer->ranking.items;

    g_string_append_printf(text, "\nThe best by %s\n",
                           psim_found_rank_words()[self->options->rank_by]);
    append_head(self, text);
    for (guint i = 0; i < MIN(items->len, self->n_shown); i++)
        append_row(self, text, &g_array_index(items, PsimFound, i));
}

static void
append_front(const PsimTelling *self, GString *text)
{
    const GArray *front = self->answer->front;

    if (front->len < 2 || self->options->rank_by == PSIM_RANK_MEMORY)
        return;
    g_string_append_printf(text, "\nLess memory for more time (Pareto front, %u of %u)\n",
                           MIN(front->len, N_FRONT), front->len);
    append_head(self, text);
    for (guint i = 0; i < MIN(front->len, N_FRONT); i++)
        append_row(
            self, text,
            &g_array_index(front, PsimFound,
                           front->len <= N_FRONT ? i : i * (front->len - 1) / (N_FRONT - 1)));
}

static void
append_neighbours(const PsimTelling *self, GString *text)
{
    const GArray *items = self->answer->ranking.items;

    for (guint i = 0; self->with_neighbours && i < MIN(items->len, N_EXPLAINED); i++) {
        const PsimFound *found = &g_array_index(items, PsimFound, i);
        g_autoptr(GArray) list = psim_neighbour_list(found, site_of(self, found));

        g_string_append(text, "\nOne step away from the best\n");
        for (guint n = 0; n < list->len; n++) {
            const PsimNeighbour *neighbour = &g_array_index(list, PsimNeighbour, n);

            g_string_append_printf(text, "  %-24s %s\n", neighbour->change, neighbour->why);
        }
    }
}

/* -- Sizing -- */

/* Whether going to this number of GPUs from the first one that works keeps most of what it should
 * bring. */
static bool
is_before_knee(const PsimFound *first, const PsimFound *found)
{
    const double per_gpu = found->evaluation.tokens_per_s / found->plan.n_gpus;

    return per_gpu >= KNEE * first->evaluation.tokens_per_s / first->plan.n_gpus;
}

/* Days by the errors of the constants, as run tells them for a step. */
static void
append_band(const PsimTelling *self, GString *text, const PsimFound *found, double days)
{
    const double step_s = (double)found->evaluation.step / (double)PSIM_TIME_PER_S;
    g_autoptr(GString) band = g_string_new(NULL);
    PsimDetails details;

    if (isfinite(days) && psim_outlook_details(found, site_of(self, found), &details)) {
        append_fixed(band, days * details.step_low_s / step_s, 1);
        g_string_append(band, " to ");
        append_fixed(band, days * details.step_high_s / step_s, 1);
    }
    g_string_append_printf(text, "%17s", band->len > 0 ? band->str : "-");
}

static void
append_sizing_row(const PsimTelling *self,
                  GString *text,
                  const PsimFound *first,
                  const PsimFound *found)
{
    const PsimSite *site = site_of(self, found);
    const PsimWholeRun run = psim_found_whole_run(found, site, &self->options->limits);
    const double per_gpu = found->evaluation.tokens_per_s / found->plan.n_gpus;

    g_string_append_printf(text, "%8u", found->plan.n_gpus);
    append_cell(text, (double)found->evaluation.step / (double)PSIM_TIME_PER_S, 3, 10);
    append_cell(text, found->evaluation.mfu_fraction * 100.0, 1, 7);
    append_cell(text, per_gpu * first->plan.n_gpus / first->evaluation.tokens_per_s * 100.0, 1, 9);
    append_cell(text, run.days, 1, 9);
    append_band(self, text, found, run.days);
    append_cell(text, run.gpu_hours / 1000.0, 1, 12);
    append_cell(text, run.usd / 1000.0, 1, 11);
    append_cell(text, run.mwh, 1, 10);
    g_string_append_printf(text, "  %u x %u x %u, batch %u\n", found->plan.change.tp,
                           found->plan.change.pp, found->plan.change.dp,
                           found->plan.change.global_batch);
}

static void
append_site(const PsimTelling *self, GString *text, guint site_index)
{
    const PsimSite *site = g_ptr_array_index(self->space->sites, site_index);
    const guint n_gpus = self->space->gpus->len;
    const PsimFound *first = NULL;
    const PsimFound *knee = NULL;

    g_string_append_printf(text, "\n%s", site->name);
    if (site->usd_per_gpu_hour > 0.0) {
        g_string_append(text, ", ");
        append_fixed(text, site->usd_per_gpu_hour, 2);
        g_string_append_printf(text, " USD a GPU-hour (%s)",
                               site->price_date != NULL ? site->price_date : "as given");
    }
    g_string_append(text,
                    "\n    GPUs    step s   MFU %  scaling %     days             band k GPU-hours"
                    "       kUSD       MWh  tp x pp x dp\n");
    for (guint i = 0; i < n_gpus; i++) {
        const PsimFound *found =
            &g_array_index(self->answer->groups, PsimFound, site_index * n_gpus + i);

        if (!(found->evaluation.tokens_per_s > 0.0)) {
            g_string_append_printf(text, "%8u  none within the limits\n", found->plan.n_gpus);
            continue;
        }
        first = first != NULL ? first : found;
        knee = is_before_knee(first, found) ? found : knee;
        append_sizing_row(self, text, first, found);
    }
    if (knee != NULL && n_gpus > 1)
        g_string_append_printf(text,
                               "Knee: to %u GPUs each brings at least 80 %% of what the first "
                               "ones do.\n",
                               knee->plan.n_gpus);
}

static void
append_sizing(const PsimTelling *self, GString *text)
{
    for (guint i = 0; self->with_sizing && i < self->space->sites->len; i++)
        append_site(self, text, i);
}

/* -- Failures -- */

#define SECONDS_PER_DAY 86400.0

static void
append_outlook(const PsimTelling *self, GString *text)
{
    const GArray *items = self->answer->ranking.items;
    const PsimFound *best = items->len > 0 ? &g_array_index(items, PsimFound, 0) : NULL;
    PsimOutlook outlook;

    if (best == NULL || !psim_outlook_find(best, site_of(self, best), &self->failures,
                                           &self->options->limits, &outlook))
        return;
    const PsimReliability *found = &outlook.reliability;

    g_string_append(text, "\nWith failures: one in ");
    append_fixed(text, found->mtbf_s / 3600.0, 1);
    g_string_append_printf(text, " hours on %u GPUs; a checkpoint of ", best->plan.n_gpus);
    append_fixed(text, outlook.checkpoint_bytes / 1e12, 2);
    g_string_append(text, " TB takes ");
    append_fixed(text, outlook.checkpoint_s, 0);
    g_string_append(text, " s\n  write one every ");
    append_fixed(text, found->daly_s / 60.0, 0);
    g_string_append(text, " min (Young ");
    append_fixed(text, found->young_s / 60.0, 0);
    g_string_append(text, ", Daly ");
    append_fixed(text, found->daly_s / 60.0, 0);
    g_string_append(text, ", best simulated ");
    append_fixed(text, found->simulated_s / 60.0, 0);
    g_string_append(text, "); goodput ");
    append_fixed(text, found->goodput_fraction * 100.0, 1);
    g_string_append(text, " %, ");
    append_fixed(text, found->n_failures, 0);
    g_string_append(text, " failures\n  ");
    append_fixed(text, found->middle_s / SECONDS_PER_DAY, 1);
    g_string_append(text, " days (5 % to 95 %: ");
    append_fixed(text, found->low_s / SECONDS_PER_DAY, 1);
    g_string_append(text, " to ");
    append_fixed(text, found->high_s / SECONDS_PER_DAY, 1);
    g_string_append(text, "), of 1000 simulated runs\n");
}

/* -- The whole -- */

static void
append_counts(const PsimTelling *self, GString *text)
{
    const PsimStoreProgress *progress = &self->answer->progress;

    g_string_append_printf(text,
                           "\n%" G_GUINT64_FORMAT " candidates: %" G_GUINT64_FORMAT
                           " against the rules, %" G_GUINT64_FORMAT
                           " like another, %" G_GUINT64_FORMAT " too large, %" G_GUINT64_FORMAT
                           " cannot win by their lower bound; %" G_GUINT64_FORMAT " simulated.\n",
                           self->answer->n_candidates, progress->dropped[PSIM_DROP_RULES],
                           progress->dropped[PSIM_DROP_ALIKE], progress->dropped[PSIM_DROP_MEMORY],
                           progress->dropped[PSIM_DROP_BOUND], progress->n_run);
    if (progress->n_failed > 0)
        g_string_append_printf(text, "%" G_GUINT64_FORMAT " could not be run.\n",
                               progress->n_failed);
}

static void
append_answer(const PsimTelling *self, GString *text)
{
    const GArray *items = self->answer->ranking.items;

    if (items->len == 0) {
        g_string_append(text, "No plan fits.\n");
        if (self->rescue != NULL && *self->rescue != '\0')
            g_string_append_printf(text, "\nWhat would make one\n%s", self->rescue);
        return;
    }
    const PsimFound *best = &g_array_index(items, PsimFound, 0);
    const PsimSite *site = site_of(self, best);
    g_autofree char *command = psim_found_command(best, site);

    PsimDetails details;

    g_string_append(text, "Best: ");
    append_fixed(text, (double)best->evaluation.step / (double)PSIM_TIME_PER_S, 3);
    g_string_append(text, " s a step");
    if (psim_outlook_details(best, site, &details)) {
        g_string_append(text, " (");
        append_fixed(text, details.step_low_s, 1);
        g_string_append(text, " to ");
        append_fixed(text, details.step_high_s, 1);
        g_string_append_c(text, ')');
    }
    g_string_append(text, ", ");
    append_fixed(text, best->evaluation.tokens_per_s / best->plan.n_gpus, 1);
    g_string_append(text, " tokens/s a GPU, MFU ");
    append_fixed(text, best->evaluation.mfu_fraction * 100.0, 1);
    g_string_append(text, " %");
    if (self->options->limits.tokens > 0.0) {
        const PsimWholeRun run = psim_found_whole_run(best, site, &self->options->limits);

        g_string_append(text, ", ");
        append_fixed(text, run.days, 1);
        g_string_append(text, " days, ");
        append_fixed(text, run.usd / 1000.0, 1);
        g_string_append(text, " kUSD");
    }
    g_string_append_printf(text, "\n  plansim run %s\n", command);
}

static void
append_rampup(const PsimTelling *self, GString *text)
{
    const PsimRampup *rampup = &self->options->limits.rampup;
    const GArray *items = self->answer->ranking.items;
    const PsimFound *best = items->len > 0 ? &g_array_index(items, PsimFound, 0) : NULL;

    if (best == NULL || !(best->rampup_s > 0.0))
        return;
    const double whole_s =
        rampup->samples * site_of(self, best)->sequence / best->evaluation.tokens_per_s;

    g_string_append_printf(text,
                           "\nRamp-up: batches of %u, then %u more each time, %u before the whole "
                           "one,\n  over ",
                           rampup->start, rampup->increment,
                           psim_rampup_levels(rampup, best->plan.change.global_batch));
    append_fixed(text, rampup->samples, 0);
    g_string_append(text, " samples: ");
    append_fixed(text, best->rampup_s / SECONDS_PER_DAY, 1);
    g_string_append(text, " days; the whole batch takes ");
    append_fixed(text, whole_s / SECONDS_PER_DAY, 1);
    g_string_append(text, " for as many\n");
}

char *
psim_telling_text(const PsimTelling *self)
{
    GString *text = g_string_new(NULL);

    append_answer(self, text);
    append_rampup(self, text);
    append_outlook(self, text);
    append_sizing(self, text);
    if (self->answer->ranking.items->len > 0) {
        append_ranking(self, text);
        append_front(self, text);
        append_neighbours(self, text);
    }
    append_counts(self, text);
    return g_string_free(text, /* free_segment= */ FALSE);
}
