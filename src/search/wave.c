/* SPDX-License-Identifier: MIT */
#include "search/wave.h"

#include "search/share.h"

/* Items a thread takes at a time. */
#define SLICE 32u

/* Evaluators of all sites, lent to a thread for one slice. */
typedef struct {
    GPtrArray *evaluators; /* PsimEvaluator, one a site, made when first used */
} Kit;

struct PsimWaves {
    PsimWaveContext context;
    GThreadPool *pool;
    GAsyncQueue *kits;
    PsimWaveItem *items;
    guint n_items;
    uint32_t process, n_processes;
    GMutex lock;
    GCond done;
    guint n_left;
};

static void
free_evaluator(void *evaluator)
{
    psim_evaluator_free(evaluator);
}

static void
free_kit(void *data)
{
    Kit *kit = data;

    g_ptr_array_unref(kit->evaluators);
    g_free(kit);
}

static PsimEvaluator *
evaluator_of(const PsimWaves *self, Kit *kit, uint32_t site)
{
    const PsimSite *at = g_ptr_array_index(self->context.space->sites, site);

    if (g_ptr_array_index(kit->evaluators, site) == NULL)
        g_ptr_array_index(kit->evaluators, site) = psim_evaluator_new(at->base);
    return g_ptr_array_index(kit->evaluators, site);
}

/* -- One candidate -- */

/* Whether a plan whose step is no shorter than @bound can still be told of. */
static bool
is_hopeless(const PsimWaves *self, const PsimFound *found, double bytes, PsimTime bound)
{
    const PsimSearchAnswer *answer = self->context.answer;
    const PsimSite *site = g_ptr_array_index(self->context.space->sites, found->plan.site);
    const guint group = found->plan.site * self->context.space->gpus->len;
    PsimFound hopeful = *found;

    if (bound <= 0)
        return false;
    hopeful.evaluation.step = bound;
    hopeful.evaluation.tokens_per_s = (double)found->plan.change.global_batch * site->sequence /
                                      ((double)bound / (double)PSIM_TIME_PER_S) * (1.0 + 1e-12);
    hopeful.evaluation.peak_bytes = bytes;
    hopeful.evaluation.capacity_bytes = site->capacity_bytes;
    const double key = psim_found_key(&hopeful, site, self->context.options->rank_by);

    if (key <= psim_ranking_worst(&answer->ranking) ||
        !psim_front_beats(answer->front, answer->front_keys, key, bytes))
        return false;
    for (guint i = 0; i < self->context.space->gpus->len; i++) {
        const PsimFound *best = &g_array_index(answer->groups, PsimFound, group + i);

        if (best->plan.n_gpus == found->plan.n_gpus)
            return best->evaluation.tokens_per_s >= hopeful.evaluation.tokens_per_s;
    }
    return false;
}

/* The cheap answers. Returns: PSIM_WAVE_RUN if only a simulation can tell more. */
static PsimWaveVerdict
prune(const PsimWaves *self, PsimEvaluator *evaluator, PsimFound *found)
{
    const PsimChange *change = &found->plan.change;
    double bytes = 0.0;
    PsimTime bound = 0;

    if (!psim_evaluator_bytes(evaluator, change, &bytes, NULL))
        return PSIM_WAVE_FAILED;
    found->evaluation.peak_bytes = bytes;
    if (bytes > psim_space_limit(self->context.space, found->plan.site))
        return PSIM_WAVE_MEMORY;
    return psim_evaluator_bound(evaluator, change, &bound, NULL) &&
                   is_hopeless(self, found, bytes, bound)
               ? PSIM_WAVE_BOUND
               : PSIM_WAVE_RUN;
}

static void
run_item(const PsimWaves *self, Kit *kit, PsimWaveItem *item)
{
    const PsimSearchOptions *options = self->context.options;
    const PsimRampup *rampup = &options->limits.rampup;
    PsimFound *found = &item->found;
    PsimEvaluator *evaluator = evaluator_of(self, kit, found->plan.site);

    found->rampup_s = 0.0;
    item->verdict = PSIM_WAVE_RULES;
    if (!psim_rampup_is_valid(rampup, evaluator, &found->plan.change))
        return;
    item->verdict = options->is_exhaustive ? PSIM_WAVE_RUN : prune(self, evaluator, found);
    if (item->verdict != PSIM_WAVE_RUN)
        return;
    if (!psim_evaluator_run(evaluator, &found->plan.change, &found->evaluation, NULL) ||
        !psim_rampup_run(rampup, evaluator, &found->plan.change, &found->rampup_s))
        item->verdict = PSIM_WAVE_FAILED;
}

/* -- Threads -- */

static void
run_slice(void *task, void *user)
{
    PsimWaves *self = user;
    const guint begin = (guint)((const PsimWaveItem *)task - self->items);
    const guint end = MIN(begin + SLICE, self->n_items);
    Kit *kit = g_async_queue_pop(self->kits);

    for (guint i = begin; i < end; i++) {
        if (i % self->n_processes == self->process)
            run_item(self, kit, &self->items[i]);
    }
    g_async_queue_push(self->kits, kit);
    g_mutex_lock(&self->lock);
    if (--self->n_left == 0)
        g_cond_signal(&self->done);
    g_mutex_unlock(&self->lock);
}

PsimWaves *
psim_waves_new(const PsimWaveContext *context)
{
    PsimWaves *self = g_new0(PsimWaves, 1);
    const guint n_threads = MAX(context->options->n_threads, 1);

    self->context = *context;
    self->process = psim_share_rank();
    self->n_processes = psim_share_size();
    self->kits = g_async_queue_new_full(free_kit);
    g_mutex_init(&self->lock);
    g_cond_init(&self->done);
    for (guint i = 0; i < n_threads; i++) {
        Kit *kit = g_new0(Kit, 1);

        kit->evaluators = g_ptr_array_new_with_free_func(free_evaluator);
        g_ptr_array_set_size(kit->evaluators, (gint)context->space->sites->len);
        g_async_queue_push(self->kits, kit);
    }
    self->pool = g_thread_pool_new(run_slice, self, (gint)n_threads, /* exclusive= */ TRUE, NULL);
    return self;
}

void
psim_waves_free(PsimWaves *self)
{
    if (self == NULL)
        return;
    g_thread_pool_free(self->pool, /* immediate= */ FALSE, /* wait_= */ TRUE);
    g_async_queue_unref(self->kits);
    g_mutex_clear(&self->lock);
    g_cond_clear(&self->done);
    g_free(self);
}

void
psim_waves_run(PsimWaves *self, PsimWaveItem *items, guint n_items)
{
    const guint n_slices = (n_items + SLICE - 1) / SLICE;

    self->items = items;
    self->n_items = n_items;
    self->n_left = n_slices;
    for (guint i = 0; i < n_slices; i++)
        g_thread_pool_push(self->pool, &items[(size_t)i * SLICE], NULL);
    g_mutex_lock(&self->lock);
    while (self->n_left > 0)
        g_cond_wait(&self->done, &self->lock);
    g_mutex_unlock(&self->lock);
    psim_share_exchange(items, n_items);
}
