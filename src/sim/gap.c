/* SPDX-License-Identifier: MIT */
/* A measured step beside the predicted one: what would close the gap.
 *
 * Each explanation is the plan with one thing changed, run again: what people turn out to have had
 * otherwise than they said. The nearest come first. Beside them stands the one factor on the
 * efficiency of large products, GEMM and attention, with which the prediction meets the
 * measurement; it is what a calibration from one log line would set.
 */
#include "base/time.h"
#include "base/units.h"
#include "sim/gap_change.h"
#include "sim/other_stack.h"
#include "sim/sibling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So near is agreement. */
#define NEAR_FRACTION 0.05
/* What moves the step less explains nothing. */
#define MOVED_FRACTION 0.005
/* Beyond these no calibration is believable, and none is sought. */
#define MAX_SLOWDOWN 64.0
#define MAX_SPEEDUP  64.0
#define MAX_HALVINGS 40u

typedef struct {
    PsimRun *run;
    double measured_s;
    GArray *found; /* PsimExplanation */
} Search;

/* -- Explanations -- */

static void
consider(Search *search, const PsimPlan *altered, const char *change)
{
    const PsimResult *result = search->run->result;
    const double predicted_s = psim_time_to_s(result->step_ps);
    PsimAnswer answer = {0};

    if (!psim_altered_is_legal(altered) ||
        !psim_altered_replay(altered, search->run->options, &answer) || answer.step_ps == 0)
        return;
    const double step_s = psim_time_to_s(answer.step_ps);
    const PsimExplanation explanation = {
        .change = change,
        .step_s = step_s,
        .ratio = search->measured_s / step_s,
        .explains = fabs(search->measured_s / step_s - 1.0) <= NEAR_FRACTION,
        .fits = answer.fits,
    };

    if (fabs(step_s / predicted_s - 1.0) >= MOVED_FRACTION)
        g_array_append_val(search->found, explanation);
}

static void
consider_changes(Search *search)
{
    size_t n_changes = 0;
    const PsimGapChange *changes = psim_gap_changes(&n_changes);

    for (size_t i = 0; i < n_changes; i++) {
        g_autoptr(PsimArena) arena = psim_arena_new();
        PsimAltered *altered = psim_altered_make(search->run->plan, arena);

        if (changes[i].apply(altered, arena))
            consider(search, &altered->plan, changes[i].change);
    }
}

static void
consider_stacks(Search *search)
{
    PsimArena *arena = search->run->result->arena;
    g_autoptr(GArray) runtimes = psim_other_stack_load(search->run->plan);

    for (guint i = 0; i < runtimes->len; i++) {
        const PsimRuntime *runtime = &g_array_index(runtimes, PsimRuntime, i);
        PsimAltered *altered = psim_altered_make(search->run->plan, arena);

        psim_altered_set_runtime(altered, runtime);
        consider(search, &altered->plan, psim_arena_printf(arena, "runtime %s", runtime->name));
    }
}

/* The card of the same name that sits in a PCIe slot: fewer watts, and no links but the slot's. */
static void
consider_sibling(Search *search)
{
    PsimArena *arena = search->run->result->arena;
    PsimAltered *altered = psim_altered_make(search->run->plan, arena);
    PsimDevice sibling = {0};

    if (!psim_sibling_load(&search->run->plan->hardware->device, &sibling))
        return;
    altered->hardware.device = sibling;
    if (psim_gap_use_pcie(altered, arena))
        consider(search, &altered->plan, psim_arena_printf(arena, "device %s", sibling.name));
    psim_device_clear(&sibling);
}

/* Nearest first, wherever it lies. */
static int
compare_explanations(const void *left, const void *right)
{
    const PsimExplanation *a = left;
    const PsimExplanation *b = right;
    const double distance_a = fabs(log(a->ratio));
    const double distance_b = fabs(log(b->ratio));

    if (distance_a != distance_b)
        return distance_a < distance_b ? -1 : 1;
    return strcmp(a->change, b->change);
}

/* -- The one factor -- */

/* How long the step is too long with products that take @slowdown times as long, [s]. */
static bool
find_excess(const Search *search, double slowdown, double *ret_excess_s)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimAltered *altered = psim_altered_make(search->run->plan, arena);
    PsimAnswer answer = {0};

    psim_altered_scale_products(altered, 1.0 / slowdown);
    if (!psim_altered_replay(&altered->plan, search->run->options, &answer))
        return false;
    *ret_excess_s = psim_time_to_s(answer.step_ps) - search->measured_s;
    return true;
}

/* The step grows with the time of its products, so halving the range of it finds the one that
 * meets the measurement. */
static double
find_factor(const Search *search)
{
    double fast = 1.0 / MAX_SPEEDUP;
    double slow = MAX_SLOWDOWN;
    double excess_s = 0.0;

    if (!find_excess(search, fast, &excess_s) || excess_s > 0.0 ||
        !find_excess(search, slow, &excess_s) || excess_s < 0.0)
        return (double)NAN;
    for (uint32_t i = 0; i < MAX_HALVINGS; i++) {
        const double middle = sqrt(fast * slow);

        if (!find_excess(search, middle, &excess_s))
            return (double)NAN;
        if (excess_s > 0.0)
            slow = middle;
        else
            fast = middle;
        if (fabs(excess_s) < 1e-6 * search->measured_s)
            return 1.0 / middle;
    }
    return 1.0 / sqrt(fast * slow);
}

/* -- All of it -- */

static bool
read_measurement(const PsimRun *run, double *ret_measured_s, GError **error)
{
    const PsimOptions *options = run->options;
    const PsimResult *result = run->result;
    g_autofree char *message = NULL;

    *ret_measured_s = psim_time_to_s(result->step_ps) * result->model_flop_per_s_per_gpu /
                      (options->measured_tflops * 1e12);
    if (options->measured_step == NULL)
        return true;
    if (!psim_units_parse(options->measured_step, PSIM_DIMENSION_TIME, ret_measured_s, &message)) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_VALUE, "measured step: %s", message);
        return false;
    }
    if (*ret_measured_s > 0.0)
        return true;
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_VALUE,
                "the measured step is \"%s\"; must be more than 0 s", options->measured_step);
    return false;
}

bool
psim_gap_fill(PsimRun *run, GError **error)
{
    PsimResult *result = run->result;
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(PsimExplanation));
    Search search = {.run = run, .found = found};

    if (!read_measurement(run, &search.measured_s, error))
        return false;
    if (result->step_ps == 0)
        return true;
    consider_changes(&search);
    consider_sibling(&search);
    consider_stacks(&search);
    qsort(found->data, found->len, sizeof(PsimExplanation), compare_explanations);

    PsimGap *gap = psim_arena_array(result->arena, PsimGap, 1);
    PsimExplanation *kept = psim_arena_array(result->arena, PsimExplanation, MAX(found->len, 1));

    if (found->len > 0)
        memcpy(kept, found->data, found->len * sizeof *kept);
    const double ratio = search.measured_s / psim_time_to_s(result->step_ps);

    *gap = (PsimGap){
        .step_s = search.measured_s,
        .ratio = ratio,
        .model_flop_per_s_per_gpu = result->model_flop_per_s_per_gpu / ratio,
        .mfu_fraction = result->mfu_fraction / ratio,
        .tokens_per_s = result->tokens_per_s / ratio,
        .days = result->days * ratio,
        .efficiency = run->plan->hardware->device.gemm.efficiency,
        .efficiency_factor = find_factor(&search),
        .explanations = kept,
        .n_explanations = found->len,
    };
    result->gap = gap;
    return true;
}
