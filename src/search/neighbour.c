/* SPDX-License-Identifier: MIT */
#include "search/neighbour.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    const PsimFound *found;
    const PsimSite *site;
    double limit_bytes;
    PsimEvaluator *evaluator;
    PsimSummary own;
    GArray *list;
} Look;

static void
clear_neighbour(void *data)
{
    PsimNeighbour *neighbour = data;

    g_free(neighbour->change);
    g_free(neighbour->why);
}

/* In tenths of a per cent, whatever the locale. */
static void
append_percent(GString *text, double fraction)
{
    const long tenths = lround(fraction * 1000.0);

    g_string_append_printf(text, "%s%ld.%ld %%", tenths < 0 ? "-" : "", labs(tenths) / 10,
                           labs(tenths) % 10);
}

static void
append_gib(GString *text, double bytes)
{
    const long tenths = lround(bytes / 0x1p30 * 10.0);

    g_string_append_printf(text, "%ld.%ld GiB", tenths / 10, tenths % 10);
}

static bool
summarise(const PsimSite *site, const PsimChange *change, PsimSummary *ret_summary)
{
    PsimOptions options = PSIM_OPTIONS_INIT;
    g_autoptr(PsimPlan) plan = psim_plan_derive(site->base, change, NULL);

    options.brief = true;
    g_autoptr(PsimResult) result = plan != NULL ? psim_simulate(plan, &options, NULL) : NULL;

    if (result == NULL)
        return false;
    ret_summary->size = sizeof *ret_summary;
    psim_result_summary(result, ret_summary);
    return true;
}

/* Share of what is computed that is computed again. */
static double
repeated_share(const PsimSummary *summary)
{
    return MAX(0.0, 1.0 - summary->mfu_fraction / summary->hfu_fraction);
}

/* What a step is made of: waiting, what is computed a second time, and the rest: work, collectives,
 * transfers. */
typedef enum {
    PART_BUBBLE,
    PART_REPEATED,
    PART_REST,
} Part;
#define N_PARTS 3

static void
divide(const PsimSummary *summary, double ret_parts[N_PARTS])
{
    const double step = (double)summary->step;

    ret_parts[PART_BUBBLE] = step * summary->bubble_fraction;
    ret_parts[PART_REPEATED] = (step - ret_parts[PART_BUBBLE]) * repeated_share(summary);
    ret_parts[PART_REST] = step - ret_parts[PART_BUBBLE] - ret_parts[PART_REPEATED];
}

/* The reason is the part that does most of the difference. */
static Part
find_reason(const double own[N_PARTS], const double other[N_PARTS])
{
    const double sign = other[0] + other[1] + other[2] < own[0] + own[1] + own[2] ? -1.0 : 1.0;
    Part reason = PART_REST;

    for (unsigned part = 0; part < N_PARTS; part++) {
        if (sign * (other[part] - own[part]) > sign * (other[reason] - own[reason]))
            reason = (Part)part;
    }
    return reason;
}

static void
append_reason(GString *text, const PsimSummary *own, const PsimSummary *other)
{
    double own_parts[N_PARTS];
    double other_parts[N_PARTS];

    divide(own, own_parts);
    divide(other, other_parts);
    const double ratio = other_parts[PART_REST] / own_parts[PART_REST];

    switch (find_reason(own_parts, other_parts)) {
    case PART_BUBBLE:
        g_string_append(text, "bubble ");
        append_percent(text, other->bubble_fraction);
        g_string_append(text, " instead of ");
        append_percent(text, own->bubble_fraction);
        break;
    case PART_REPEATED:
        append_percent(text, repeated_share(other));
        g_string_append(text, " of its FLOPs are recomputation, here ");
        append_percent(text, repeated_share(own));
        break;
    case PART_REST:
        g_string_append(text, "kernels and collectives take ");
        append_percent(text, fabs(ratio - 1.0));
        g_string_append(text, ratio < 1.0 ? " less" : " more");
        break;
    }
}

static void
add(Look *look, const PsimChange *change, char *words)
{
    PsimEvaluation evaluation = {.size = sizeof evaluation};
    PsimNeighbour neighbour = {.change = words, .ratio = (double)NAN};
    g_autoptr(GString) why = g_string_new(NULL);
    PsimSummary other = {.size = sizeof other};

    if (!psim_evaluator_is_valid(look->evaluator, change) ||
        !psim_evaluator_run(look->evaluator, change, &evaluation, NULL)) {
        g_free(words);
        return;
    }
    if (!evaluation.fits || evaluation.peak_bytes > look->limit_bytes) {
        g_string_append(why, "does not fit: ");
        append_gib(why, evaluation.peak_bytes);
        g_string_append(why, " of ");
        append_gib(why, MIN(evaluation.capacity_bytes, look->limit_bytes));
    } else {
        neighbour.ratio = (double)evaluation.step / (double)look->found->evaluation.step;
        g_string_append(why, neighbour.ratio >= 1.0 ? "+" : "");
        append_percent(why, neighbour.ratio - 1.0);
        if (neighbour.ratio != 1.0 && summarise(look->site, change, &other)) {
            g_string_append(why, ": ");
            append_reason(why, &look->own, &other);
        }
    }
    neighbour.more_bytes = evaluation.peak_bytes - look->found->evaluation.peak_bytes;
    neighbour.why = g_strdup(why->str);
    g_array_append_val(look->list, neighbour); /* its words are freed with the list */
    /* cppcheck-suppress memleak */
}

static void
add_degrees(Look *look)
{
    const PsimChange *own = &look->found->plan.change;
    PsimChange change = *own;

    if (own->tp % 2 == 0) {
        change.tp = own->tp / 2;
        change.dp = own->dp * 2;
        add(look, &change, g_strdup_printf("tp %u, dp %u", change.tp, change.dp));
    }
    change = *own;
    if (own->dp % 2 == 0) {
        change.tp = own->tp * 2;
        change.dp = own->dp / 2;
        add(look, &change, g_strdup_printf("tp %u, dp %u", change.tp, change.dp));
    }
    change = *own;
    if (own->pp % 2 == 0) {
        change.pp = own->pp / 2;
        change.dp = own->dp * 2;
        add(look, &change, g_strdup_printf("pp %u, dp %u", change.pp, change.dp));
    }
    change = *own;
    if (own->dp % 2 == 0) {
        change.pp = own->pp * 2;
        change.dp = own->dp / 2;
        add(look, &change, g_strdup_printf("pp %u, dp %u", change.pp, change.dp));
    }
}

static void
add_batches(Look *look)
{
    PsimChange change = look->found->plan.change;
    const uint32_t micro = change.micro_batch;

    if (micro % 2 == 0) {
        change.micro_batch = micro / 2;
        add(look, &change, g_strdup_printf("micro batch %u", change.micro_batch));
    }
    change.micro_batch = micro * 2;
    add(look, &change, g_strdup_printf("micro batch %u", change.micro_batch));
}

static void
add_schedules(Look *look)
{
    static const struct {
        const char *schedule;
        uint32_t n_chunks;
    } others[] = {{"1f1b", 1}, {"interleaved", 2}, {"zb-h1", 1}};
    const PsimChange *own = &look->found->plan.change;

    for (size_t i = 0; own->pp > 1 && i < G_N_ELEMENTS(others); i++) {
        PsimChange change = *own;

        change.schedule = others[i].schedule;
        change.n_chunks = others[i].n_chunks;
        if (g_strcmp0(change.schedule, own->schedule) != 0 || change.n_chunks != own->n_chunks)
            add(look, &change, g_strdup_printf("schedule %s:%u", change.schedule, change.n_chunks));
    }
}

static void
add_savings(Look *look)
{
    static const char *const recompute[] = {"none", "selective", "full"};
    const PsimChange *own = &look->found->plan.change;

    for (int value = 0; value <= 2; value++) {
        PsimChange change = *own;

        change.recompute = value;
        if (value != own->recompute)
            add(look, &change, g_strdup_printf("recompute %s", recompute[value]));
    }
    for (int value = 0; own->dp * look->site->cp > 1 && value <= 1; value++) {
        PsimChange change = *own;

        change.zero_stage = value;
        if (value != own->zero_stage)
            add(look, &change, g_strdup_printf("ZeRO %d", value));
    }
    if (own->tp > 1) {
        PsimChange change = *own;

        change.sequence_parallel = !own->sequence_parallel;
        add(look, &change,
            g_strdup(own->sequence_parallel ? "no sequence parallelism" : "sequence parallelism"));
    }
}

GArray *
psim_neighbour_list(const PsimFound *found, const PsimSite *site, double limit_bytes)
{
    Look look = {.found = found,
                 .site = site,
                 .limit_bytes = limit_bytes,
                 .evaluator = psim_evaluator_new(site->base),
                 .list = g_array_new(FALSE, FALSE, sizeof(PsimNeighbour))};

    g_array_set_clear_func(look.list, clear_neighbour);
    if (summarise(site, &found->plan.change, &look.own)) {
        add_degrees(&look);
        add_batches(&look);
        add_schedules(&look);
        add_savings(&look);
    }
    psim_evaluator_free(look.evaluator);
    return look.list;
}
