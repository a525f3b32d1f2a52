/* SPDX-License-Identifier: MIT */
/* Which inputs move the answer, and how much: each is changed alone and the plan is run again.
 *
 * A constant goes 10 % down and up. A count goes to the next values the plan allows: a degree at
 * the cost of replicas, so that the GPUs stay; the micro batch at the cost of microbatches; layers
 * a stage with those of the model. The elasticity of the step is the slope between the two in
 * logarithms:
 *
 *     elasticity = ln(step(high) / step(low)) / ln(high / low)
 *
 * 1: the step grows as the input does; -1: it shrinks as the input grows; 0: it does not care.
 */
#include "base/time.h"
#include "sim/altered.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP_FRACTION 0.1
/* A count that has no legal neighbour so near has none worth telling. */
#define MAX_TRIES 64u

typedef struct {
    PsimRun *run;
    GArray *rows; /* PsimSensitivity */
} Probe;

/* -- Constants -- */

typedef struct {
    const char *name;
    const char *unit;
    double (*get)(const PsimPlan *plan);
    void (*scale)(PsimAltered *altered, double factor);
} Constant;

static double
get_gemm(const PsimPlan *plan)
{
    return plan->hardware->device.gemm.efficiency;
}

static bool
is_taken(const PsimAttentionConstants *row, const PsimPlan *plan)
{
    return g_strcmp0(row->kernel, plan->runtime.attention_kernel) == 0 &&
           row->head_dim == plan->model->head_dim && row->causal == plan->model->causal;
}

/* Of the unfused chain, or of the fused kernel that the runtime takes; where the device has it not
 * for such heads, of its first. */
static double
get_attention(const PsimPlan *plan)
{
    const PsimDevice *device = &plan->hardware->device;

    if (!plan->flash_attention || device->n_attention == 0)
        return device->attention_unfused_fraction;
    for (uint32_t i = 0; i < device->n_attention; i++) {
        if (is_taken(&device->attention[i], plan))
            return device->attention[i].forward.efficiency;
    }
    return device->attention[0].forward.efficiency;
}

static double
get_hbm(const PsimPlan *plan)
{
    return plan->hardware->device.memory_bytes_per_s;
}

static void
scale_hbm(PsimAltered *altered, double factor)
{
    altered->hardware.device.memory_bytes_per_s *= factor;
}

static double
get_capacity(const PsimPlan *plan)
{
    return plan->hardware->device.memory_usable_bytes;
}

static void
scale_capacity(PsimAltered *altered, double factor)
{
    altered->hardware.device.memory_usable_bytes *= factor;
}

static double
get_launch(const PsimPlan *plan)
{
    return plan->hardware->device.memory_bound.launch_s;
}

static void
scale_launch(PsimAltered *altered, double factor)
{
    altered->hardware.device.gemm.launch_s *= factor;
    altered->hardware.device.memory_bound.launch_s *= factor;
    altered->hardware.device.launch_floor_s *= factor;
}

static double
get_host(const PsimPlan *plan)
{
    return plan->runtime.host_layer_s;
}

static void
scale_host(PsimAltered *altered, double factor)
{
    altered->plan.runtime.host_layer_s *= factor;
    altered->plan.runtime.host_collective_s *= factor;
    altered->plan.runtime.host_send_s *= factor;
}

static double
get_scale_up(const PsimPlan *plan)
{
    return plan->hardware->scale_up_bytes_per_s;
}

static double
get_scale_up_latency(const PsimPlan *plan)
{
    return plan->hardware->scale_up_latency_s;
}

static void
scale_scale_up_latency(PsimAltered *altered, double factor)
{
    PsimHardware *hardware = &altered->hardware;

    hardware->scale_up_latency_s *= factor;
    for (uint32_t i = 0; i < hardware->n_collectives; i++) {
        hardware->collectives[i].a_s *= factor;
        hardware->collectives[i].step_s *= factor;
    }
}

static double
get_nic(const PsimPlan *plan)
{
    return plan->hardware->fabric_name != NULL ? plan->hardware->nic_bytes_per_s : 0.0;
}

static void
scale_nic(PsimAltered *altered, double factor)
{
    altered->hardware.nic_bytes_per_s *= factor;
}

static double
get_fabric_latency(const PsimPlan *plan)
{
    return plan->hardware->fabric_name != NULL ? plan->hardware->ring_step_s : 0.0;
}

static void
scale_fabric_latency(PsimAltered *altered, double factor)
{
    altered->hardware.ring_step_s *= factor;
    altered->hardware.scale_up_step_s *= factor;
    altered->hardware.fabric_latency_s *= factor;
}

static const Constant constants[] = {
    {"gemm_efficiency", "1", get_gemm, psim_altered_scale_gemm},
    {"attention_efficiency", "1", get_attention, psim_altered_scale_attention},
    {"hbm_bandwidth", "B/s", get_hbm, scale_hbm},
    {"memory_capacity", "B", get_capacity, scale_capacity},
    {"kernel_launch", "s", get_launch, scale_launch},
    {"host_dispatch", "s", get_host, scale_host},
    {"scale_up_bandwidth", "B/s", get_scale_up, psim_altered_scale_scale_up},
    {"scale_up_latency", "s", get_scale_up_latency, scale_scale_up_latency},
    {"nic_bandwidth", "B/s", get_nic, scale_nic},
    {"fabric_latency", "s", get_fabric_latency, scale_fabric_latency},
};

static bool
run_constant(
    const Probe *probe, const Constant *constant, double factor, PsimArena *arena, PsimAnswer *ret)
{
    PsimAltered *altered = psim_altered_make(probe->run->plan, arena);

    constant->scale(altered, factor);
    return psim_altered_replay(&altered->plan, probe->run->options, ret);
}

/* -- Counts -- */

typedef struct {
    const char *name;
    uint32_t (*get)(const PsimPlan *plan);
    /* Sets the @try-th value beyond today's, up or down. Returns: false if there is none. */
    bool (*move)(PsimPlan *plan, bool up, uint32_t try, PsimArena *arena);
} Count;

static uint32_t
get_micro(const PsimPlan *plan)
{
    return plan->micro_batch;
}

static bool
move_by(uint32_t *value, bool up, uint32_t distance)
{
    if (!up && *value <= distance)
        return false;
    *value = up ? *value + distance : *value - distance;
    return true;
}

static bool
move_micro(PsimPlan *plan, bool up, uint32_t try, PsimArena *arena)
{
    (void)arena;
    return move_by(&plan->micro_batch, up, try);
}

static uint32_t
get_microbatches(const PsimPlan *plan)
{
    return plan->n_microbatches;
}

static bool
move_microbatches(PsimPlan *plan, bool up, uint32_t try, PsimArena *arena)
{
    (void)arena;
    return move_by(&plan->global_batch, up, try * plan->micro_batch * plan->dp);
}

static uint32_t
get_pp(const PsimPlan *plan)
{
    return plan->pp;
}

static uint32_t
get_tp(const PsimPlan *plan)
{
    return plan->tp;
}

/* A degree grows at the cost of replicas: both together hold the same GPUs. */
static bool
trade(uint32_t *degree, uint32_t *replicas, bool up, uint32_t try)
{
    const uint32_t both = *degree * *replicas;

    if (!move_by(degree, up, try) || !psim_altered_divides(*degree, both))
        return false;
    *replicas = both / *degree;
    return true;
}

static bool
move_pp(PsimPlan *plan, bool up, uint32_t try, PsimArena *arena)
{
    (void)arena;
    return trade(&plan->pp, &plan->dp, up, try);
}

static bool
move_tp(PsimPlan *plan, bool up, uint32_t try, PsimArena *arena)
{
    (void)arena;
    return trade(&plan->tp, &plan->dp, up, try);
}

static uint32_t
get_chunks(const PsimPlan *plan)
{
    return plan->n_chunks;
}

static bool
move_chunks(PsimPlan *plan, bool up, uint32_t try, PsimArena *arena)
{
    (void)arena;
    return move_by(&plan->n_chunks, up, try) && plan->n_chunks >= plan->schedule->min_chunks &&
           plan->n_chunks <= plan->schedule->max_chunks;
}

/* Where all stages have as many. */
static uint32_t
get_layers(const PsimPlan *plan)
{
    return psim_model_layer_count(plan->model) / psim_plan_stage_count(plan);
}

/* The same blocks, so many more or fewer of them on every stage: another model. */
static bool
move_layers(PsimPlan *plan, bool up, uint32_t try, PsimArena *arena)
{
    const uint32_t n_stages = psim_plan_stage_count(plan);
    PsimModel *model = psim_arena_array(arena, PsimModel, 1);

    *model = *plan->model;
    plan->model = model;
    return model->kind == PSIM_MODEL_TRANSFORMER && plan->split == PSIM_SPLIT_EVEN &&
           move_by(&model->n_layers, up, try * n_stages) && model->n_layers > 0;
}

static uint32_t
get_cp(const PsimPlan *plan)
{
    return plan->cp;
}

/* Only where a sequence is split already: who has no need of it is not told of it. */
static bool
move_cp(PsimPlan *plan, bool up, uint32_t try, PsimArena *arena)
{
    (void)arena;
    return plan->cp > 1 && trade(&plan->cp, &plan->dp, up, try);
}

static const Count counts[] = {
    {"micro_batch", get_micro, move_micro},
    {"microbatches", get_microbatches, move_microbatches},
    {"pp_for_dp", get_pp, move_pp},
    {"tp_for_dp", get_tp, move_tp},
    {"cp_for_dp", get_cp, move_cp},
    {"chunks", get_chunks, move_chunks},
    {"layers_per_stage", get_layers, move_layers},
};

/* The nearest value that makes a legal plan, and its answer. */
static bool
run_count(const Probe *probe, const Count *count, bool up, double *ret_value, PsimAnswer *ret)
{
    g_autoptr(PsimArena) arena = psim_arena_new();

    for (uint32_t try = 1; try <= MAX_TRIES; try++) {
        PsimPlan plan = *probe->run->plan;

        if (!count->move(&plan, up, try, arena) || !psim_altered_settle(&plan, arena))
            continue;
        *ret_value = count->get(&plan);
        return psim_altered_replay(&plan, probe->run->options, ret);
    }
    return false;
}

/* -- Rows -- */

static double
slope(double low_step, double high_step, double low, double high)
{
    return low_step > 0.0 && high_step > 0.0 ? log(high_step / low_step) / log(high / low)
                                             : (double)NAN;
}

/* Of one side only, the plan itself is the other end of the slope. */
static void
add_row(Probe *probe, PsimSensitivity row, const PsimAnswer *low, const PsimAnswer *high)
{
    const PsimResult *result = probe->run->result;
    const double step_s = psim_time_to_s(result->step_ps);
    const bool has_low = !isnan(row.low_value);
    const bool has_high = !isnan(row.high_value);

    if (!has_low && !has_high)
        return;
    row.low_step_s = has_low ? psim_time_to_s(low->step_ps) : (double)NAN;
    row.high_step_s = has_high ? psim_time_to_s(high->step_ps) : (double)NAN;
    row.low_fits = has_low ? low->fits : result->fits;
    row.high_fits = has_high ? high->fits : result->fits;
    row.changes_verdict = row.low_fits != result->fits || row.high_fits != result->fits;
    row.elasticity =
        slope(has_low ? row.low_step_s : step_s, has_high ? row.high_step_s : step_s,
              has_low ? row.low_value : row.value, has_high ? row.high_value : row.value);
    g_array_append_val(probe->rows, row);
}

static void
probe_constant(Probe *probe, const Constant *constant)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const double value = constant->get(probe->run->plan);
    PsimSensitivity row = {.input = constant->name, .unit = constant->unit, .value = value};
    PsimAnswer low = {0};
    PsimAnswer high = {0};

    if (!(value > 0.0))
        return;
    row.low_value = run_constant(probe, constant, 1.0 - STEP_FRACTION, arena, &low)
                        ? value * (1.0 - STEP_FRACTION)
                        : (double)NAN;
    row.high_value = run_constant(probe, constant, 1.0 + STEP_FRACTION, arena, &high)
                         ? value * (1.0 + STEP_FRACTION)
                         : (double)NAN;
    add_row(probe, row, &low, &high);
}

static void
probe_count(Probe *probe, const Count *count)
{
    PsimSensitivity row = {
        .input = count->name,
        .unit = "1",
        .value = count->get(probe->run->plan),
        .low_value = (double)NAN,
        .high_value = (double)NAN,
    };
    PsimAnswer low = {0};
    PsimAnswer high = {0};
    double value = 0.0;

    if (run_count(probe, count, /* up= */ false, &value, &low))
        row.low_value = value;
    if (run_count(probe, count, /* up= */ true, &value, &high))
        row.high_value = value;
    add_row(probe, row, &low, &high);
}

/* Strongest first; of equals by name, so that the order is one. */
static int
compare_rows(const void *left, const void *right)
{
    const PsimSensitivity *a = left;
    const PsimSensitivity *b = right;
    const double strength_a = fabs(a->elasticity);
    const double strength_b = fabs(b->elasticity);

    if (strength_a != strength_b)
        return strength_a > strength_b ? -1 : 1;
    return strcmp(a->input, b->input);
}

void
psim_sensitivity_fill(PsimRun *run)
{
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(PsimSensitivity));
    Probe probe = {.run = run, .rows = rows};

    for (size_t i = 0; i < G_N_ELEMENTS(constants); i++)
        probe_constant(&probe, &constants[i]);
    /* A schedule file has its own ranks and microbatches. */
    for (size_t i = 0; run->plan->schedule_file == NULL && i < G_N_ELEMENTS(counts); i++)
        probe_count(&probe, &counts[i]);
    if (rows->len == 0)
        return;
    PsimSensitivity *kept = psim_arena_array(run->result->arena, PsimSensitivity, rows->len);

    qsort(rows->data, rows->len, sizeof *kept, compare_rows);
    memcpy(kept, rows->data, rows->len * sizeof *kept);
    run->result->sensitivity = kept;
    run->result->n_sensitivity = rows->len;
}
