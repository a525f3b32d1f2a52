/* SPDX-License-Identifier: MIT */
#include "search/reason.h"

#include <string.h>

#define MAX_PLANS 500u

/* What was looked at so far. */
typedef struct {
    char *text;    /* of the plan with the fewest complaints; NULL: none has one */
    guint n_least; /* its complaints */
    bool divides;  /* tp x pp of some plan divides its GPUs */
} Look;

static bool
has_valid_plan(const PsimSpace *space)
{
    g_autoptr(GPtrArray) evaluators =
        g_ptr_array_new_with_free_func((GDestroyNotify)psim_evaluator_free);
    uint64_t dropped[PSIM_N_DROPS] = {0};
    uint64_t ordinal = 0;
    PsimCandidatePlan plan;

    for (guint i = 0; i < space->sites->len; i++) {
        const PsimSite *site = g_ptr_array_index(space->sites, i);

        g_ptr_array_add(evaluators, psim_evaluator_new(site->base));
    }
    return psim_space_next(space, (PsimEvaluator *const *)evaluators->pdata, /* prunes= */ false,
                           &ordinal, dropped, &plan);
}

/* Coprime to the size of the space, so that every axis takes all its values. */
static uint64_t
choose_stride(uint64_t size)
{
    uint64_t stride = size / MAX_PLANS + 1;

    for (;; stride++) {
        uint64_t a = size;
        uint64_t b = stride;

        while (b > 0) {
            const uint64_t rest = a % b;

            a = b;
            b = rest;
        }
        if (a == 1)
            return stride;
    }
}

static char *
name_plan(const PsimChange *change)
{
    return g_strdup_printf("tp %u, pp %u, dp %u, micro batch %u, %s:%u", change->tp, change->pp,
                           change->dp, change->micro_batch, change->schedule, change->n_chunks);
}

/* The search's own rules, as space.c has them. Returns: NULL if the plan keeps them. */
static char *
find_own_rule(const PsimSpace *space, const PsimSite *site, const PsimChange *change)
{
    if (space->no_cross_node_tp && change->tp > MAX(site->scale_up_size, 1))
        return g_strdup_printf("tp %u is more than the %u GPUs of a scale-up domain", change->tp,
                               MAX(site->scale_up_size, 1));
    if ((uint64_t)change->pp * change->n_chunks > site->n_layers)
        return g_strdup_printf("pp %u x %u chunks are more stages than %u layers", change->pp,
                               change->n_chunks, site->n_layers);
    if (change->balanced > 0 && change->n_chunks > 1)
        return g_strdup_printf("layers of %u chunks a rank are split evenly only",
                               change->n_chunks);
    return NULL;
}

/* "--set /gpus=16: /gpus: is 16; ...": what was set is ours, not the user's. */
static const char *
skip_place(const char *complaint)
{
    const char *colon = strstr(complaint, ": ");

    return g_str_has_prefix(complaint, "--set ") && colon != NULL ? colon + strlen(": ")
                                                                  : complaint;
}

/* What only the search refuses is nearer than any plan that has complaints. Returns: how many it
 * has; @ret_first is the first, or NULL for a plan without. */
static guint
find_complaints(const PsimSpace *space,
                const PsimSite *site,
                const PsimChange *change,
                char **ret_first)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimPlan) plan = psim_plan_derive(site->base, change, &error);

    if (plan != NULL) {
        *ret_first = find_own_rule(space, site, change);
        return 0;
    }
    g_auto(GStrv) lines = g_strsplit(error->message, "\n", -1);

    *ret_first = g_strdup(skip_place(lines[0]));
    return g_strv_length(lines);
}

static void
look_at(const PsimSpace *space, uint64_t ordinal, Look *look)
{
    PsimCandidatePlan at;
    g_autofree char *first = NULL;

    psim_space_at(space, ordinal, &at);
    const PsimSite *site = g_ptr_array_index(space->sites, at.site);

    if (at.n_gpus % psim_space_ranks(site, &at.change) != 0)
        return;
    const guint n_complaints = find_complaints(space, site, &at.change, &first);

    look->divides = true;
    if (first == NULL || n_complaints >= look->n_least)
        return;
    g_autofree char *name = name_plan(&at.change);

    look->n_least = n_complaints;
    g_free(look->text);
    look->text = g_strdup_printf("%s: %s", name, first);
}

char *
psim_reason_text(const PsimSpace *space)
{
    const uint64_t size = psim_space_size(space);
    const uint64_t stride = choose_stride(size);
    Look look = {.n_least = G_MAXUINT};

    if (has_valid_plan(space))
        return NULL;
    for (uint64_t i = 0; i < MIN(size, MAX_PLANS); i++)
        look_at(space, i * stride % size, &look);
    return look.divides ? look.text : g_strdup("no number of GPUs is a multiple of tp x pp");
}
