/* SPDX-License-Identifier: MIT */
/* psim_plan_derive(): the base plan's own text with other numbers, read like any plan. So its
 * rules, messages, defaults and digest are those of a file; a search that wants a million answers
 * asks an evaluator.
 */
#include "spec/plan.h"

#include <string.h>

#define MAX_OVERRIDES 16u

typedef struct {
    PsimOverride items[MAX_OVERRIDES];
    char *values[MAX_OVERRIDES];
    size_t n;
} List;

static void
clear_list(List *list)
{
    for (size_t i = 0; i < list->n; i++)
        g_free(list->values[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(List, clear_list)

/* Takes @value. */
static void
add(List *list, const char *pointer, char *value)
{
    g_assert(list->n < MAX_OVERRIDES);
    list->values[list->n] = value;
    list->items[list->n++] = (PsimOverride){.pointer = pointer, .value = value};
}

static void
add_count(List *list, const char *pointer, uint32_t count)
{
    if (count > 0)
        add(list, pointer, g_strdup_printf("%u", count));
}

static void
add_schedule(List *list, const PsimPlan *base, const PsimChange *change)
{
    const PsimScheduleType *type =
        change->schedule != NULL ? psim_schedule_find(change->schedule) : base->schedule;
    uint32_t n_chunks = change->schedule == NULL ? base->n_chunks
                        : type != NULL           ? type->default_chunks
                                                 : 1;

    if (base->schedule_file != NULL && change->schedule == NULL)
        return;
    n_chunks = change->n_chunks > 0 ? change->n_chunks : n_chunks;
    add(list, "/schedule", g_strdup("{}"));
    add(list, "/schedule/name",
        g_strdup_printf("\"%s\"", change->schedule != NULL ? change->schedule : type->name));
    add_count(list, "/schedule/chunks", n_chunks);
    if (change->schedule == NULL)
        add_count(list, "/schedule/slices", base->n_slices);
}

static void
add_words(List *list, const PsimChange *change)
{
    static const char *const recompute[] = {"\"none\"", "\"selective\"", "\"full\""};

    if (change->recompute >= 0 && (size_t)change->recompute < G_N_ELEMENTS(recompute))
        add(list, "/recompute", g_strdup(recompute[change->recompute]));
    if (change->zero_stage >= 0)
        add(list, "/zero_stage", g_strdup_printf("%d", change->zero_stage));
    if (change->sequence_parallel >= 0)
        add(list, "/parallel/sequence_parallel",
            g_strdup(change->sequence_parallel > 0 ? "true" : "false"));
    if (change->balanced >= 0)
        add(list, "/layers_per_stage",
            g_strdup(change->balanced > 0 ? "\"balanced\"" : "\"even\""));
}

PsimPlan *
psim_plan_derive(PsimPlan *base, const PsimChange *change, GError **error)
{
    g_return_val_if_fail(base != NULL && change != NULL, NULL);

    const uint32_t tp = change->tp > 0 ? change->tp : base->tp;
    const uint32_t pp = change->pp > 0 ? change->pp : base->pp;
    const uint32_t dp = change->dp > 0 ? change->dp : base->dp;
    const uint64_t n_gpus = MIN((uint64_t)tp * base->cp * pp * dp, UINT32_MAX);
    g_autofree char *text = psim_plan_write(base);
    g_auto(List) list = {.n = 0};

    add_count(&list, "/gpus", (uint32_t)n_gpus);
    add_count(&list, "/parallel/tensor", tp);
    add_count(&list, "/parallel/pipeline", pp);
    add_count(&list, "/parallel/data", dp);
    add_count(&list, "/batch/micro", change->micro_batch);
    add_count(&list, "/batch/global", change->global_batch);
    add_schedule(&list, base, change);
    add_words(&list, change);
    return psim_plan_parse(text, strlen(text), base->name, list.items, list.n, error);
}
