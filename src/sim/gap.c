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

/* -- Changes: each says whether it changes anything -- */

static bool
set_flag(bool *flag, bool value)
{
    const bool changes = *flag != value;

    *flag = value;
    return changes;
}

static bool
set_recompute(PsimAltered *altered, PsimRecompute recompute)
{
    const bool changes = altered->plan.recompute != recompute;

    altered->plan.recompute = recompute;
    return changes;
}

static bool
recompute_none(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_recompute(altered, PSIM_RECOMPUTE_NONE);
}

static bool
recompute_selective(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return altered->plan.model->kind == PSIM_MODEL_TRANSFORMER &&
           set_recompute(altered, PSIM_RECOMPUTE_SELECTIVE);
}

static bool
recompute_full(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_recompute(altered, PSIM_RECOMPUTE_FULL);
}

static bool
overlap_data(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_flag(&altered->plan.overlap_dp, true);
}

static bool
expose_data(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_flag(&altered->plan.overlap_dp, false);
}

static bool
overlap_pipeline(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_flag(&altered->plan.overlap_pp, true);
}

static bool
expose_pipeline(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_flag(&altered->plan.overlap_pp, false);
}

static bool
overlap_tensor(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_flag(&altered->plan.overlap_tp, true);
}

static bool
expose_tensor(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_flag(&altered->plan.overlap_tp, false);
}

static bool
fuse_attention(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_flag(&altered->plan.flash_attention, true);
}

static bool
unfuse_attention(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_flag(&altered->plan.flash_attention, false);
}

static bool
unfuse_kernels(PsimAltered *altered, PsimArena *arena)
{
    PsimRuntime *runtime = &altered->plan.runtime;

    (void)arena;
    runtime->fused_norm = runtime->fused_softmax = runtime->fused_bias_gelu = false;
    runtime->fused_cross_entropy = runtime->fused_gradient_accumulation = false;
    return true;
}

static bool
dispatch_slowly(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    altered->plan.runtime.host_layer_s = MAX(altered->plan.runtime.host_layer_s, 1e-3);
    return true;
}

static bool
set_precision(PsimAltered *altered, PsimPrecision precision)
{
    const bool changes = altered->plan.precision != precision &&
                         altered->hardware.device.peak_flop_per_s[precision] > 0.0;

    altered->plan.precision = precision;
    return changes;
}

static bool
compute_in_fp32(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_precision(altered, PSIM_PRECISION_FP32);
}

static bool
compute_in_tf32(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_precision(altered, PSIM_PRECISION_TF32);
}

static bool
scale_peak(PsimAltered *altered, double factor)
{
    for (size_t i = 0; i < PSIM_N_PRECISIONS; i++)
        altered->hardware.device.peak_flop_per_s[i] *= factor;
    altered->hardware.device.gemm.rows_ratio /= factor;
    return true;
}

static bool
halve_peak(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return scale_peak(altered, 0.5);
}

static bool
double_peak(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return scale_peak(altered, 2.0);
}

/* The measured collectives are the switch's; over PCIe a ring is left. */
static bool
use_pcie(PsimAltered *altered, PsimArena *arena)
{
    PsimHardware *hardware = &altered->hardware;
    const double pcie = hardware->device.pcie_bytes_per_s;

    (void)arena;
    if (!(pcie > 0.0) || pcie >= hardware->scale_up_bytes_per_s)
        return false;
    hardware->scale_up_bytes_per_s = pcie;
    hardware->pair_bytes_per_s = MIN(hardware->pair_bytes_per_s, pcie);
    hardware->n_collectives = 0;
    return true;
}

static bool
slow_network(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    altered->hardware.nic_bytes_per_s /= 10.0;
    return altered->hardware.fabric_name != NULL;
}

static bool
use_one_nic(PsimAltered *altered, PsimArena *arena)
{
    const bool changes = altered->hardware.nics_per_node > 1;

    (void)arena;
    altered->hardware.nics_per_node = 1;
    return changes;
}

static bool
set_micro(PsimAltered *altered, uint32_t micro, PsimArena *arena)
{
    altered->plan.micro_batch = micro;
    return micro > 0 && altered->plan.schedule_file == NULL &&
           psim_altered_settle(&altered->plan, arena);
}

static bool
double_micro(PsimAltered *altered, PsimArena *arena)
{
    return set_micro(altered, altered->plan.micro_batch * 2, arena);
}

static bool
halve_micro(PsimAltered *altered, PsimArena *arena)
{
    return set_micro(altered, altered->plan.micro_batch / 2, arena);
}

static bool
set_schedule(PsimAltered *altered, const char *name, PsimArena *arena)
{
    PsimPlan *plan = &altered->plan;
    const PsimScheduleType *type = psim_schedule_find(name);

    if (plan->pp < 2 || plan->schedule_file != NULL || plan->schedule == type)
        return false;
    plan->schedule = type;
    plan->n_chunks = 1;
    plan->n_slices = 1;
    plan->group = plan->pp;
    return psim_altered_settle(plan, arena);
}

static bool
one_at_a_time(PsimAltered *altered, PsimArena *arena)
{
    return set_schedule(altered, "naive", arena);
}

static bool
no_interleaving(PsimAltered *altered, PsimArena *arena)
{
    return set_schedule(altered, "1f1b", arena);
}

static const struct {
    const char *change;
    bool (*apply)(PsimAltered *altered, PsimArena *arena);
} changes[] = {
    {"recompute none", recompute_none},
    {"recompute selective", recompute_selective},
    {"recompute full", recompute_full},
    {"gradient reduction beside the backward", overlap_data},
    {"gradient reduction after the backward", expose_data},
    {"pipeline transfers beside compute", overlap_pipeline},
    {"pipeline transfers that a rank waits for", expose_pipeline},
    {"TP collectives beside the products", overlap_tensor},
    {"TP collectives that nothing hides", expose_tensor},
    {"fused attention", fuse_attention},
    {"unfused attention", unfuse_attention},
    {"unfused norms, softmax, activation, loss", unfuse_kernels},
    {"host dispatch of 1 ms a layer", dispatch_slowly},
    {"products in fp32", compute_in_fp32},
    {"products in tf32", compute_in_tf32},
    {"half the peak: the figure counts sparsity", halve_peak},
    {"twice the peak: the figure is too low", double_peak},
    {"GPUs of a node over PCIe", use_pcie},
    {"network at a tenth of its bandwidth", slow_network},
    {"one NIC a node", use_one_nic},
    {"twice the micro batch, half the microbatches", double_micro},
    {"half the micro batch, twice the microbatches", halve_micro},
    {"one microbatch in the pipeline at a time", one_at_a_time},
    {"schedule 1f1b", no_interleaving},
};

/* -- Explanations -- */

static void
consider(Search *search, const PsimPlan *altered, const char *change)
{
    const PsimResult *result = search->run->result;
    const double predicted_s = psim_time_to_s(result->step_ps);
    PsimAnswer answer = {0};

    if (!psim_altered_replay(altered, search->run->options, &answer) || answer.step_ps == 0)
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
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
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
    if (use_pcie(altered, arena))
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
    *gap = (PsimGap){
        .step_s = search.measured_s,
        .ratio = search.measured_s / psim_time_to_s(result->step_ps),
        .efficiency = run->plan->hardware->device.gemm.efficiency,
        .efficiency_factor = find_factor(&search),
        .explanations = kept,
        .n_explanations = found->len,
    };
    result->gap = gap;
    return true;
}
