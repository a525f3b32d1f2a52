/* SPDX-License-Identifier: MIT */
/* A plan that does not fit: which change would make it fit, and at what price.
 *
 * Candidates are tried in order of how little they change; each is costed and replayed like a plan
 * of its own. If no single one is enough, each is tried again on top of full recomputation; if that
 * is not enough either, the smallest number of GPUs is sought, and of what is sharded over replicas
 * also the smallest number of replicas of the plan as it is.
 */
#include "base/limits.h"
#include "base/time.h"
#include "sim/altered.h"

#include <math.h>

#define MAX_FIXES 6u
#define MAX_TP    64u

typedef struct {
    PsimRun *run;
    const PsimPlan *base; /* what the changes are made to                       */
    const char *with;     /* what was changed in it already; NULL: the run's own */
    PsimFix fixes[MAX_FIXES];
    uint32_t n_fixes;
} Search;

/* -- Variants of the plan -- */

/* Replays a variant. Returns: whether it fits; the figures where it could be run at all. */
static bool
try_variant(const Search *search, PsimPlan *plan, bool keep_split, PsimFix *ret_fix)
{
    g_autoptr(PsimResult) result = psim_result_new(PSIM_RESULT_RUN);
    PsimOptions options = *search->run->options;
    PsimRun run = {.plan = plan, .options = &options, .result = result};

    options.unfold = false;
    options.event_loop = false;
    if ((!keep_split && !psim_altered_settle(plan, result->arena)) ||
        !psim_run_replay(&run, /* error= */ NULL))
        return false;
    psim_stage_figures_fill(&run);
    ret_fix->peak_bytes = result->worst_peak_bytes;
    ret_fix->step_s = psim_time_to_s(result->step_ps);
    return result->fits;
}

static void
consider(Search *search, PsimPlan variant, bool keep_split, const char *change)
{
    PsimFix fix = {0};

    if (search->n_fixes >= MAX_FIXES || !try_variant(search, &variant, keep_split, &fix))
        return;
    fix.change = search->with == NULL ? change
                                      : psim_arena_printf(search->run->result->arena, "%s, %s",
                                                          search->with, change);
    search->fixes[search->n_fixes++] = fix;
}

/* -- Single changes, the smallest first -- */

static void
try_recompute(Search *search)
{
    static const char *const changes[] = {NULL, "recompute=selective", "recompute=full"};
    const PsimPlan *plan = search->base;

    for (int recompute = (int)plan->recompute + 1; recompute <= PSIM_RECOMPUTE_FULL; recompute++) {
        PsimPlan variant = *plan;

        variant.recompute = (PsimRecompute)recompute;
        consider(search, variant, /* keep_split= */ true, changes[recompute]);
    }
}

static void
try_sharding(Search *search)
{
    const PsimPlan *plan = search->base;
    /* Runtimes refuse to shard gradients under a pipeline. */
    const uint32_t most = plan->pp > 1 ? 1 : 3;

    for (uint32_t zero = plan->zero_stage + 1; psim_plan_owners(plan) > 1 && zero <= most; zero++) {
        PsimPlan variant = *plan;

        variant.zero_stage = zero;
        consider(search, variant, /* keep_split= */ true,
                 psim_arena_printf(search->run->result->arena, "zero_stage=%u", zero));
    }
    if (plan->tp > 1 && !plan->sequence_parallel && plan->model->kind == PSIM_MODEL_TRANSFORMER &&
        psim_altered_divides(plan->tp * plan->cp, plan->model->sequence)) {
        PsimPlan variant = *plan;

        variant.sequence_parallel = true;
        consider(search, variant, /* keep_split= */ true, "sequence_parallel=true");
    }
}

static void
try_micro_batch(Search *search)
{
    const PsimPlan *plan = search->base;

    for (uint32_t micro = plan->micro_batch / 2; micro > 0; micro /= 2) {
        PsimPlan variant = *plan;
        const uint32_t n_before = search->n_fixes;

        variant.micro_batch = micro;
        consider(search, variant, /* keep_split= */ false,
                 psim_arena_printf(search->run->result->arena, "micro_batch=%u", micro));
        if (search->n_fixes > n_before)
            return;
    }
}

/* The same GPUs with wider tensor or deeper pipeline parallelism in place of replicas. */
static void
try_degrees(Search *search)
{
    const PsimPlan *plan = search->base;
    PsimArena *arena = search->run->result->arena;
    const uint32_t domain = plan->hardware->scale_up_size;

    for (uint32_t factor = 2; factor <= plan->dp; factor *= 2) {
        PsimPlan variant = *plan;

        if (!psim_altered_divides(factor, plan->dp))
            continue;
        variant.dp = plan->dp / factor;
        variant.tp = plan->tp * factor;
        if (variant.tp <= domain)
            consider(search, variant, /* keep_split= */ false,
                     psim_arena_printf(arena, "tp=%u, dp=%u", variant.tp, variant.dp));
        variant.tp = plan->tp;
        variant.pp = plan->pp * factor;
        consider(search, variant, /* keep_split= */ false,
                 psim_arena_printf(arena, "pp=%u, dp=%u", variant.pp, variant.dp));
    }
}

static void
try_same_gpus(Search *search)
{
    try_sharding(search);
    try_micro_batch(search);
    try_degrees(search);
}

/* -- More GPUs -- */

/* Fewer GPUs win, then the shorter step. */
static void
try_grid(const Search *search, uint32_t tp, uint32_t pp, PsimFix *best, uint64_t *best_gpus)
{
    PsimPlan variant = *search->run->plan;
    PsimFix fix = {0};
    const uint64_t n_gpus = (uint64_t)tp * variant.cp * pp * variant.dp;

    if (n_gpus <= variant.n_gpus || n_gpus > *best_gpus)
        return;
    variant.tp = tp;
    variant.pp = pp;
    variant.recompute = PSIM_RECOMPUTE_FULL;
    if (!try_variant(search, &variant, /* keep_split= */ false, &fix) ||
        (n_gpus == *best_gpus && fix.step_s >= best->step_s))
        return;
    *best = fix;
    *best_gpus = n_gpus;
    best->change =
        psim_arena_printf(search->run->result->arena,
                          "gpus=%" G_GUINT64_FORMAT ", tp=%u, pp=%u, dp=%u, recompute=full", n_gpus,
                          tp, pp, variant.dp);
}

/* The fewest GPUs, with full recomputation: tensor parallelism inside a node, then pipeline. */
static void
try_more_gpus(Search *search)
{
    const PsimPlan *plan = search->run->plan;
    const uint32_t n_layers = psim_model_layer_count(plan->model);
    const uint32_t domain = CLAMP(plan->hardware->scale_up_size, 1, MAX_TP);
    PsimFix best = {.step_s = (double)INFINITY};
    uint64_t best_gpus = PSIM_LIMIT_GPUS;

    for (uint32_t pp = 1; pp <= n_layers; pp++) {
        for (uint32_t tp = 1; tp <= domain && psim_altered_divides(pp, n_layers); tp *= 2)
            try_grid(search, tp, pp, &best, &best_gpus);
    }
    if (best.change != NULL)
        search->fixes[search->n_fixes++] = best;
}

/* How many replicas there may be at most. */
static uint32_t
most_replicas(const PsimPlan *plan)
{
    const PsimHardware *hardware = plan->hardware;
    const uint64_t nodes = (uint64_t)hardware->max_nodes * hardware->gpus_per_node;
    const uint64_t n_gpus = nodes > 0 ? MIN(nodes, PSIM_LIMIT_GPUS) : PSIM_LIMIT_GPUS;
    const uint64_t by_gpus = n_gpus / ((uint64_t)plan->tp * plan->cp * plan->pp);
    const uint64_t by_batch = G_MAXUINT32 / ((uint64_t)plan->micro_batch * plan->n_microbatches);

    return (uint32_t)MIN(MIN(by_gpus, by_batch), PSIM_LIMIT_DEGREE);
}

/* The plan with other replicas, each with as many microbatches as before. */
static PsimPlan
with_replicas(const PsimPlan *plan, uint32_t dp)
{
    PsimPlan variant = *plan;

    variant.dp = dp;
    variant.n_gpus = plan->tp * plan->cp * plan->pp * dp;
    variant.global_batch = dp * plan->micro_batch * plan->n_microbatches;
    return variant;
}

/* What is sharded over replicas shrinks as they grow in number: doubled until it fits, then halved
 * back to where it just does. Returns: 0 if no number fits. */
static uint32_t
find_replicas(const Search *search, PsimFix *ret_fix)
{
    const PsimPlan *plan = search->run->plan;
    const uint32_t most = most_replicas(plan);
    uint32_t too_few = plan->dp;
    uint32_t enough = 0;

    for (uint32_t dp = 2 * too_few; dp <= most && enough == 0; dp *= 2) {
        PsimPlan variant = with_replicas(plan, dp);

        if (try_variant(search, &variant, /* keep_split= */ true, ret_fix))
            enough = dp;
        else
            too_few = dp;
    }
    while (enough > too_few + 1) {
        const uint32_t middle = (too_few + enough) / 2;
        PsimPlan variant = with_replicas(plan, middle);
        PsimFix fix = {0};

        if (!try_variant(search, &variant, /* keep_split= */ true, &fix)) {
            too_few = middle;
            continue;
        }
        enough = middle;
        *ret_fix = fix;
    }
    return enough;
}

static void
try_more_replicas(Search *search)
{
    PsimFix fix = {0};
    const uint32_t dp = search->run->plan->zero_stage > 0 ? find_replicas(search, &fix) : 0;

    if (dp == 0 || search->n_fixes >= MAX_FIXES)
        return;
    const PsimPlan variant = with_replicas(search->run->plan, dp);

    fix.change = psim_arena_printf(search->run->result->arena, "gpus=%u, dp=%u, global_batch=%u",
                                   variant.n_gpus, variant.dp, variant.global_batch);
    search->fixes[search->n_fixes++] = fix;
}

void
psim_fix_fill(PsimRun *run)
{
    PsimResult *result = run->result;
    PsimPlan recomputed = *run->plan;
    Search search = {.run = run, .base = run->plan};

    try_recompute(&search);
    try_same_gpus(&search);
    if (search.n_fixes == 0 && recomputed.recompute != PSIM_RECOMPUTE_FULL) {
        recomputed.recompute = PSIM_RECOMPUTE_FULL;
        search.base = &recomputed;
        search.with = "recompute=full";
        try_same_gpus(&search);
    }
    if (search.n_fixes == 0) {
        try_more_gpus(&search);
        try_more_replicas(&search);
    }

    PsimFix *fixes = psim_arena_array(result->arena, PsimFix, MAX_FIXES);

    for (uint32_t i = 0; i < search.n_fixes; i++)
        fixes[i] = search.fixes[i];
    result->fixes = fixes;
    result->n_fixes = search.n_fixes;
}
