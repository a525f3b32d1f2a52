/* SPDX-License-Identifier: MIT */
#include "search/search.h"

#include "search/share.h"
#include "search/wave.h"

/* Part of the answer: another size prunes otherwise. */
#define WAVE_SIZE 1024u

typedef struct {
    const PsimSpace *space;
    const PsimSearchOptions *options;
    PsimSearchAnswer *answer;
    PsimEvaluator **evaluators; /* (n_sites), for the checks of the space */
    PsimWaveItem *items;        /* (WAVE_SIZE) */
    GArray *rows;               /* PsimFound of one wave */
} Run;

/* -- The answer grows -- */

static PsimSearchAnswer *
new_answer(const PsimSpace *space, const PsimSearchOptions *options)
{
    PsimSearchAnswer *answer = g_new0(PsimSearchAnswer, 1);

    psim_ranking_init(&answer->ranking, options->n_best);
    answer->front = g_array_new(FALSE, FALSE, sizeof(PsimFound));
    answer->front_keys = g_array_new(FALSE, FALSE, sizeof(double));
    answer->groups = g_array_new(FALSE, TRUE, sizeof(PsimFound));
    g_array_set_size(answer->groups, space->sites->len * space->gpus->len);
    answer->n_candidates = psim_space_size(space);
    for (guint site = 0; site < space->sites->len; site++) {
        for (guint i = 0; i < space->gpus->len; i++) {
            PsimFound *group =
                &g_array_index(answer->groups, PsimFound, site * space->gpus->len + i);

            group->plan.site = site;
            group->plan.n_gpus = g_array_index(space->gpus, uint32_t, i);
        }
    }
    return answer;
}

void
psim_search_answer_free(PsimSearchAnswer *self)
{
    if (self == NULL)
        return;
    psim_ranking_clear(&self->ranking);
    g_array_unref(self->front);
    g_array_unref(self->front_keys);
    g_array_unref(self->groups);
    g_free(self);
}

static void
offer_group(const Run *run, const PsimFound *found)
{
    const guint n_gpus = run->space->gpus->len;

    for (guint i = 0; i < n_gpus; i++) {
        PsimFound *best =
            &g_array_index(run->answer->groups, PsimFound, found->plan.site * n_gpus + i);

        if (best->plan.n_gpus == found->plan.n_gpus &&
            found->evaluation.tokens_per_s > best->evaluation.tokens_per_s) {
            *best = *found;
            return;
        }
    }
}

static void
offer_miss(PsimSearchAnswer *answer, const PsimFound *found)
{
    if (answer->miss.plan.n_gpus == 0 ||
        found->evaluation.peak_bytes < answer->miss.evaluation.peak_bytes)
        answer->miss = *found;
}

/* Takes a plan that was run. */
static void
take(const PsimFound *found, void *user)
{
    const Run *run = user;
    PsimSearchAnswer *answer = run->answer;
    const PsimSite *site = g_ptr_array_index(run->space->sites, found->plan.site);
    const PsimLimits memory = {.max_bytes = run->options->limits.max_bytes};

    if (!psim_found_keeps(found, site, &memory)) {
        offer_miss(answer, found);
        return;
    }
    const double key = psim_found_key(found, site, run->options->rank_by);

    if (!psim_found_keeps(found, site, &run->options->limits)) {
        if (answer->slow.plan.n_gpus == 0 ||
            found->evaluation.tokens_per_s > answer->slow.evaluation.tokens_per_s)
            answer->slow = *found;
        return;
    }
    psim_ranking_offer(&answer->ranking, found, key);
    psim_front_offer(answer->front, answer->front_keys, found, key);
    offer_group(run, found);
}

/* -- Waves -- */

/* Returns: how many candidates the next wave has. */
static guint
fill_wave(Run *run)
{
    PsimStoreProgress *progress = &run->answer->progress;
    guint n = 0;

    while (n < WAVE_SIZE &&
           psim_space_next(run->space, run->evaluators, !run->options->is_exhaustive,
                           &progress->next_ordinal, progress->dropped, &run->items[n].found.plan))
        n++;
    return n;
}

static void
take_wave(Run *run, guint n_items)
{
    PsimStoreProgress *progress = &run->answer->progress;

    g_array_set_size(run->rows, 0);
    for (guint i = 0; i < n_items; i++) {
        const PsimWaveItem *item = &run->items[i];

        switch (item->verdict) {
        case PSIM_WAVE_RUN:
            progress->n_run++;
            g_array_append_val(run->rows, item->found);
            take(&item->found, run);
            break;
        case PSIM_WAVE_MEMORY:
            progress->dropped[PSIM_DROP_MEMORY]++;
            offer_miss(run->answer, &item->found);
            break;
        case PSIM_WAVE_BOUND:
            progress->dropped[PSIM_DROP_BOUND]++;
            break;
        case PSIM_WAVE_RULES:
            progress->dropped[PSIM_DROP_RULES]++;
            break;
        case PSIM_WAVE_FAILED:
            progress->n_failed++;
            break;
        }
    }
}

static bool
keep_wave(const Run *run, GError **error)
{
    const GArray *rows = run->rows;

    const bool failed =
        run->options->store != NULL &&
        !psim_store_write(run->options->store, (const PsimFound *)(const void *)rows->data,
                          rows->len, &run->answer->progress, error);

    const bool any = psim_share_any(failed);

    if (any && !failed)
        g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_IO,
                            "another process cannot write its file");
    return !any;
}

static bool
is_cancelled(const PsimSearchOptions *options)
{
    return options->cancelled != NULL && options->cancelled(options->user);
}

static bool
run_waves(Run *run, GError **error)
{
    const PsimWaveContext context = {run->space, run->options, run->answer};
    PsimStoreProgress *progress = &run->answer->progress;
    g_autoptr(PsimWaves) waves = psim_waves_new(&context);

    while (!progress->is_done) {
        const guint n_items = fill_wave(run);

        psim_waves_run(waves, run->items, n_items);
        if (psim_share_any(is_cancelled(run->options))) {
            g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_CANCELLED,
                                "interrupted; with -o the search goes on where it was");
            return false;
        }
        progress->is_done = n_items < WAVE_SIZE;
        take_wave(run, n_items);
        if (!keep_wave(run, error))
            return false;
        if (run->options->progress != NULL)
            run->options->progress(progress->next_ordinal, run->answer->n_candidates,
                                   progress->n_run, run->options->user);
    }
    return true;
}

/* A row as the other processes need it: the plan follows from its ordinal. */
typedef struct {
    uint64_t ordinal;
    PsimEvaluation evaluation;
    double rampup_s;
} SharedRow;

static void
note_row(const PsimFound *found, void *user)
{
    const SharedRow row = {found->plan.ordinal, found->evaluation, found->rampup_s};

    g_array_append_val((GArray *)user, row);
}

/* What the first process has in its file, all must know. */
static void
share_rows(Run *run, GArray *rows)
{
    guint n_rows = rows->len;

    psim_share_broadcast(&n_rows, sizeof n_rows);
    psim_share_broadcast(&run->answer->progress, sizeof run->answer->progress);
    g_array_set_size(rows, n_rows);
    psim_share_broadcast(rows->data, n_rows * sizeof(SharedRow));
    for (guint i = 0; i < n_rows; i++) {
        const SharedRow *row = &g_array_index(rows, SharedRow, i);
        PsimFound found = {.evaluation = row->evaluation, .rampup_s = row->rampup_s};

        psim_space_at(run->space, row->ordinal, &found.plan);
        take(&found, run);
    }
}

static bool
resume(Run *run, GError **error)
{
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(SharedRow));
    const bool failed =
        run->options->store != NULL &&
        !psim_store_read(run->options->store, note_row, rows, &run->answer->progress, error);

    if (psim_share_any(failed)) {
        if (!failed)
            g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_IO,
                                "another process cannot read its file");
        return false;
    }
    share_rows(run, rows);
    run->answer->was_resumed = run->answer->progress.next_ordinal > 0;
    return true;
}

static void
make_evaluators(const PsimSpace *space, PsimEvaluator **evaluators)
{
    for (guint i = 0; i < space->sites->len; i++) {
        const PsimSite *site = g_ptr_array_index(space->sites, i);

        evaluators[i] = psim_evaluator_new(site->base);
    }
}

PsimSearchAnswer *
psim_search_run(const PsimSpace *space, const PsimSearchOptions *options, GError **error)
{
    g_autoptr(PsimSearchAnswer) answer = new_answer(space, options);
    g_autofree PsimWaveItem *items = g_new0(PsimWaveItem, WAVE_SIZE);
    g_autofree PsimEvaluator **evaluators = g_new0(PsimEvaluator *, space->sites->len);
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(PsimFound));
    Run run = {space, options, answer, evaluators, items, rows};

    make_evaluators(space, evaluators);
    const bool is_done = resume(&run, error) && run_waves(&run, error);

    for (guint i = 0; i < space->sites->len; i++)
        psim_evaluator_free(evaluators[i]);
    return is_done ? g_steal_pointer(&answer) : NULL;
}

/* -- From a file -- */

PsimSearchAnswer *
psim_search_report(const PsimSpace *space,
                   PsimStore *store,
                   const PsimSearchOptions *options,
                   GError **error)
{
    g_autoptr(PsimSearchAnswer) answer = new_answer(space, options);
    PsimStoreProgress *progress = &answer->progress;
    Run run = {.space = space, .options = options, .answer = answer};

    if (!psim_store_read(store, take, &run, progress, error))
        return NULL;
    answer->n_candidates = progress->n_run + progress->n_failed;
    for (int i = 0; i < PSIM_N_DROPS; i++)
        answer->n_candidates += progress->dropped[i];
    return g_steal_pointer(&answer);
}

/* -- Digest -- */

static void
add_axis(GString *text, const char *name, const GArray *axis)
{
    g_string_append(text, name);
    for (guint i = 0; i < axis->len; i++)
        g_string_append_printf(text, " %u", g_array_index(axis, uint32_t, i));
    g_string_append_c(text, '\n');
}

static void
add_number(GString *text, const char *name, double number)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    g_string_append_printf(text, "%s %s\n", name, g_ascii_dtostr(buffer, sizeof buffer, number));
}

char *
psim_search_key(const PsimSpace *space, const PsimSearchOptions *options)
{
    g_autoptr(GString) text = g_string_new(psim_version());

    for (guint i = 0; i < space->sites->len; i++)
        g_string_append(text, ((const PsimSite *)g_ptr_array_index(space->sites, i))->digest_text);
    add_axis(text, "gpus", space->gpus);
    add_axis(text, "batches", space->batches);
    add_axis(text, "tp", space->tp);
    add_axis(text, "pp", space->pp);
    add_axis(text, "zero", space->zero);
    add_axis(text, "sequence", space->sequence_parallel);
    add_axis(text, "recompute", space->recompute);
    add_axis(text, "micro", space->micro);
    add_axis(text, "split", space->split);
    for (guint i = 0; i < space->orders->len; i++) {
        const PsimSpaceOrder *order = &g_array_index(space->orders, PsimSpaceOrder, i);

        g_string_append_printf(text, "%s:%u\n", order->schedule, order->n_chunks);
    }
    g_string_append_printf(text, "flags %d %d %d %d\n", space->is_batch_per_gpu,
                           space->no_cross_node_tp, space->pipelined_sharding,
                           options->is_exhaustive);
    g_string_append_printf(text, "rank %d %u\n", options->rank_by, options->n_best);
    add_number(text, "bytes", space->max_bytes);
    add_number(text, "tokens", options->limits.tokens);
    add_number(text, "days", options->limits.max_days);
    add_number(text, "usd", options->limits.max_usd);
    add_number(text, "watts", options->limits.max_watts);
    g_string_append_printf(text, "ramp-up %u %u\n", options->limits.rampup.start,
                           options->limits.rampup.increment);
    add_number(text, "samples", options->limits.rampup.samples);
    return g_compute_checksum_for_string(G_CHECKSUM_SHA256, text->str, (gssize)text->len);
}
