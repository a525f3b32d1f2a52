/* SPDX-License-Identifier: MIT */
#include "search/rescue.h"

#include <math.h>

/* Numbers of GPUs tried of an octave, and as many between two of them. */
#define MAX_TRIES 24u
#define MAX_GPUS  131072u

/* The space with one axis replaced; borrows everything else. */
static bool
finds(const PsimSpace *space, const PsimSearchOptions *options, PsimFound *ret_found)
{
    PsimSearchOptions quiet = *options;
    GError *error = NULL;

    quiet.store = NULL;
    quiet.progress = NULL;
    quiet.n_best = 1;
    quiet.is_exhaustive = false;
    g_autoptr(PsimSearchAnswer) answer = psim_search_run(space, &quiet, &error);

    g_clear_error(&error);
    if (answer == NULL || answer->ranking.items->len == 0)
        return false;
    *ret_found = g_array_index(answer->ranking.items, PsimFound, 0);
    return true;
}

static void
say(GString *text, const char *what, const PsimFound *found, const PsimSpace *space)
{
    const PsimSite *site = g_ptr_array_index(space->sites, found->plan.site);
    g_autofree char *command = psim_found_command(found, site);

    g_string_append_printf(text, "%s: plansim run %s\n", what, command);
}

/* Whether so many GPUs of some cluster keep the cap on power, which more of them never do again. */
static bool
has_power(const PsimSpace *space, const PsimSearchOptions *options, uint32_t n_gpus)
{
    const double cap = options->limits.max_watts;

    for (guint i = 0; i < space->sites->len; i++) {
        const PsimSite *site = g_ptr_array_index(space->sites, i);

        if (!(cap > 0.0) || n_gpus * site->tdp_w <= cap)
            return true;
    }
    return false;
}

/* The space with another number of GPUs, whose divisors a free pipeline follows. */
static bool
finds_on(const PsimSpace *space, const PsimSearchOptions *options, uint32_t n_gpus, PsimFound *ret)
{
    PsimSpace wider = *space;
    g_autoptr(GArray) gpus = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_autoptr(GArray) pp = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    g_array_append_val(gpus, n_gpus);
    wider.gpus = gpus;
    if (space->is_pp_free) {
        wider.pp = pp;
        psim_space_fill(&wider);
    }
    return finds(&wider, options, ret);
}

/* The first number of GPUs from @low on, below @high, that has a plan. Returns: false: none. */
static bool
scan_gpus(const PsimSpace *space,
          const PsimSearchOptions *options,
          uint32_t low,
          uint32_t high,
          uint32_t step,
          PsimFound *ret_found)
{
    for (uint32_t n_gpus = low; n_gpus < high; n_gpus += step) {
        if (finds_on(space, options, n_gpus, ret_found))
            return true;
    }
    return false;
}

/* Doubles until there is a plan; then goes through the last octave, coarsely, and through the last
 * of those steps, node by node. */
static void
try_gpus(GString *text, const PsimSpace *space, const PsimSearchOptions *options)
{
    const PsimSite *site = g_ptr_array_index(space->sites, 0);
    const uint32_t node = MAX(site->gpus_per_node, 1);
    uint32_t low = 0;
    PsimFound found = {0};

    for (guint i = 0; i < space->gpus->len; i++)
        low = MAX(low, g_array_index(space->gpus, uint32_t, i));
    uint32_t high = low * 2;

    while (high <= MAX_GPUS && has_power(space, options, high) &&
           !finds_on(space, options, high, &found)) {
        low = high;
        high *= 2;
    }
    if (found.plan.n_gpus == 0)
        return;
    const uint32_t fine = low < node ? 1 : node;
    const uint32_t coarse = MAX(fine, low / MAX_TRIES / fine * fine);
    const uint32_t first = (low / fine + 1) * fine;

    (void)scan_gpus(space, options, first, high, coarse, &found);
    if (coarse > fine && found.plan.n_gpus > first)
        (void)scan_gpus(space, options, found.plan.n_gpus - coarse + fine, found.plan.n_gpus, fine,
                        &found);
    g_autofree char *what = g_strdup_printf("with %u GPUs", found.plan.n_gpus);

    say(text, what, &found, space);
}

/* An axis the user has pinned is set free. */
static void
try_axis(GString *text,
         const PsimSpace *space,
         const PsimSearchOptions *options,
         GArray **axis,
         const PsimSpace *copy,
         const char *what)
{
    g_autoptr(GArray) empty = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    PsimSpace wider = *copy;
    PsimFound found = {0};
    GArray *pinned = *axis;

    /* *axis is a member of the caller's copy. */
    *axis = empty;
    wider = *copy;
    psim_space_fill(&wider);
    if (empty->len > pinned->len && finds(&wider, options, &found))
        say(text, what, &found, space);
    *axis = pinned;
}

static void
try_rampup(GString *text, const PsimSpace *space, const PsimSearchOptions *options)
{
    PsimSearchOptions whole = *options;
    PsimFound found = {0};

    whole.limits.rampup = (PsimRampup){.start = 0};
    if (options->limits.rampup.start > 0 && finds(space, &whole, &found))
        say(text, "without the ramp-up", &found, space);
}

static void
try_axes(GString *text, const PsimSpace *space, const PsimSearchOptions *options)
{
    PsimSpace copy = *space;

    try_axis(text, space, options, &copy.tp, &copy, "with tp free");
    try_axis(text, space, options, &copy.pp, &copy, "with pp free");
    try_axis(text, space, options, &copy.micro, &copy, "with the micro batch free");
    try_axis(text, space, options, &copy.recompute, &copy, "with recomputation free");
    try_axis(text, space, options, &copy.zero, &copy, "with ZeRO free");
    if (space->no_cross_node_tp) {
        PsimFound found = {0};

        copy.no_cross_node_tp = false;
        if (finds(&copy, options, &found))
            say(text, "with tensor parallelism across nodes", &found, space);
    }
}

/* The plan that needs least. If all were dropped by their states alone, none was looked at yet. */
static PsimFound
find_leanest(const PsimSpace *space,
             const PsimSearchOptions *options,
             const PsimSearchAnswer *answer)
{
    PsimSearchOptions all = *options;
    GError *error = NULL;

    if (answer->miss.plan.n_gpus > 0)
        return answer->miss;
    all.store = NULL;
    all.progress = NULL;
    all.is_exhaustive = true;
    g_autoptr(PsimSearchAnswer) whole = psim_search_run(space, &all, &error);

    g_clear_error(&error);
    return whole != NULL ? whole->miss : (PsimFound){.plan = {.n_gpus = 0}};
}

static void
tell_memory(GString *text,
            const PsimSpace *space,
            const PsimSearchOptions *options,
            const PsimSearchAnswer *answer)
{
    const PsimFound leanest = find_leanest(space, options, answer);
    const PsimFound *miss = &leanest;

    if (miss->plan.n_gpus == 0)
        return;
    const long tenths = (long)ceil(miss->evaluation.peak_bytes / 0x1p30 * 10.0);
    const long has = (long)floor(psim_space_limit(space, miss->plan.site) / 0x1p30 * 10.0);
    g_autofree char *what = g_strdup_printf("with %ld.%ld GiB a GPU instead of %ld.%ld",
                                            tenths / 10, tenths % 10, has / 10, has % 10);

    say(text, what, miss, space);
}

static void
tell_limits(GString *text,
            const PsimSpace *space,
            const PsimSearchOptions *options,
            const PsimSearchAnswer *answer)
{
    const PsimFound *slow = &answer->slow;
    const PsimSite *site = g_ptr_array_index(space->sites, slow->plan.site);
    const PsimWholeRun run = psim_found_whole_run(slow, site, &options->limits);
    g_autoptr(GString) what = g_string_new("with");

    if (options->limits.max_days > 0.0 && run.days > options->limits.max_days)
        g_string_append_printf(what, " %ld days", (long)ceil(run.days));
    if (options->limits.max_usd > 0.0 && run.usd > options->limits.max_usd)
        g_string_append_printf(what, " %ld USD", (long)ceil(run.usd));
    if (options->limits.max_watts > 0.0 &&
        slow->plan.n_gpus * site->tdp_w > options->limits.max_watts)
        g_string_append_printf(what, " %ld kW",
                               (long)ceil(slow->plan.n_gpus * site->tdp_w / 1000.0));
    say(text, what->str, slow, space);
}

char *
psim_rescue_text(const PsimSpace *space,
                 const PsimSearchOptions *options,
                 const PsimSearchAnswer *answer)
{
    GString *text = g_string_new(NULL);
    const bool can_run = space->orders->len > 0; /* a file's rows are all there is */

    if (answer->slow.plan.n_gpus > 0)
        tell_limits(text, space, options, answer);
    else if (can_run || answer->miss.plan.n_gpus > 0)
        tell_memory(text, space, options, answer);
    if (can_run && answer->slow.plan.n_gpus == 0) {
        try_axes(text, space, options);
        try_rampup(text, space, options);
    }
    if (can_run)
        try_gpus(text, space, options);
    return g_string_free(text, /* free_segment= */ FALSE);
}
