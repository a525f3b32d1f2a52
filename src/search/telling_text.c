/* SPDX-License-Identifier: MIT */
/* For people: the answer, the table, the front, why not its neighbours, what was passed over. */
#include "search/neighbour.h"
#include "search/telling_parts.h"

#include <math.h>

#define N_FRONT 12u

static const char *const recompute_words[] = {"none", "selective", "full"};

void
psim_telling_fixed(GString *text, double value, unsigned digits)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    const char format[] = {'%', '.', (char)('0' + digits), 'f', '\0'};

    g_string_append(text,
                    isfinite(value) ? g_ascii_formatd(buffer, sizeof buffer, format, value) : "-");
}

void
psim_telling_cell(GString *text, double value, unsigned digits, int width)
{
    g_autoptr(GString) cell = g_string_new(NULL);

    psim_telling_fixed(cell, value, digits);
    g_string_append_printf(text, "%*s", width, cell->str);
}

const PsimSite *
psim_telling_site(const PsimTelling *self, const PsimFound *found)
{
    return g_ptr_array_index(self->space->sites, found->plan.site);
}

const PsimFound *
psim_telling_best(const PsimTelling *self)
{
    const GArray *items = self->answer->ranking.items;

    return items->len > 0 ? &g_array_index(items, PsimFound, 0) : NULL;
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
    const PsimSite *site = psim_telling_site(self, found);
    g_autofree char *schedule = g_strdup_printf("%s:%u%s", change->schedule, change->n_chunks,
                                                change->balanced > 0 ? " bal" : "");

    psim_telling_cell(text, (double)evaluation->step / (double)PSIM_TIME_PER_S, 3, 10);
    psim_telling_cell(text, evaluation->tokens_per_s / found->plan.n_gpus, 1, 11);
    psim_telling_cell(text, evaluation->mfu_fraction * 100.0, 1, 6);
    psim_telling_cell(text, (evaluation->capacity_bytes - evaluation->peak_bytes) / 0x1p30, 1, 11);
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

        psim_telling_cell(text, run.days, 1, 9);
        psim_telling_cell(text, run.usd / 1000.0, 1, 10);
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

/* The plan that is number @index + 1 of the ranking. */
static void
append_neighbours(const PsimTelling *self, GString *text, guint index)
{
    const PsimFound *found = &g_array_index(self->answer->ranking.items, PsimFound, index);
    g_autoptr(GArray) list = psim_neighbour_list(found, psim_telling_site(self, found),
                                                 psim_space_limit(self->space, found->plan.site));

    if (index == 0)
        g_string_append(text, "\nOne step away from the best\n");
    else
        g_string_append_printf(text, "\nOne step away from number %u\n", index + 1);
    for (guint i = 0; i < list->len; i++) {
        const PsimNeighbour *neighbour = &g_array_index(list, PsimNeighbour, i);

        g_string_append_printf(text, "  %-24s ", neighbour->change);
        if (self->options->rank_by == PSIM_RANK_MEMORY && isfinite(neighbour->ratio)) {
            g_string_append(text, neighbour->more_bytes > 0.0 ? "+" : "");
            psim_telling_fixed(text, neighbour->more_bytes / 0x1p30, 1);
            g_string_append(text, " GiB; step ");
        }
        g_string_append_printf(text, "%s\n", neighbour->why);
    }
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
    if (self->pruned_by != NULL && progress->dropped[PSIM_DROP_BOUND] > 0)
        g_string_append_printf(text,
                               "The bound was that of a ranking by %s: what only this one would "
                               "rank was not run. --exhaustive runs all.\n",
                               self->pruned_by);
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
        if (self->reason != NULL)
            g_string_append_printf(text, "\nWhy none is valid\n%s\n", self->reason);
        if (self->rescue != NULL && *self->rescue != '\0')
            g_string_append_printf(text, "\nWhat would make one\n%s", self->rescue);
        return;
    }
    const PsimFound *best = &g_array_index(items, PsimFound, 0);
    const PsimSite *site = psim_telling_site(self, best);
    g_autofree char *command = psim_found_command(best, site);

    PsimDetails details;

    g_string_append(text, "Best: ");
    psim_telling_fixed(text, (double)best->evaluation.step / (double)PSIM_TIME_PER_S, 3);
    g_string_append(text, " s a step");
    if (psim_outlook_details(best, site, &details)) {
        g_string_append(text, " (");
        psim_telling_fixed(text, details.step_low_s, 1);
        g_string_append(text, " to ");
        psim_telling_fixed(text, details.step_high_s, 1);
        g_string_append_c(text, ')');
    }
    g_string_append(text, ", ");
    psim_telling_fixed(text, best->evaluation.tokens_per_s / best->plan.n_gpus, 1);
    g_string_append(text, " tokens/s a GPU, MFU ");
    psim_telling_fixed(text, best->evaluation.mfu_fraction * 100.0, 1);
    g_string_append(text, " %");
    if (self->options->limits.tokens > 0.0) {
        const PsimWholeRun run = psim_found_whole_run(best, site, &self->options->limits);

        g_string_append(text, ", ");
        psim_telling_fixed(text, run.days, 1);
        g_string_append(text, " days, ");
        psim_telling_fixed(text, run.usd / 1000.0, 1);
        g_string_append(text, " kUSD");
    }
    g_string_append_printf(text, "\n  plansim run %s\n", command);
}

char *
psim_telling_text(const PsimTelling *self)
{
    GString *text = g_string_new(NULL);
    const guint n_found = self->answer->ranking.items->len;

    append_answer(self, text);
    psim_telling_whole_run(self, text);
    if (n_found > 0) {
        append_ranking(self, text);
        append_front(self, text);
    }
    for (guint i = 0; i < MIN(n_found, self->n_explained); i++)
        append_neighbours(self, text, i);
    append_counts(self, text);
    return g_string_free(text, /* free_segment= */ FALSE);
}
