/* SPDX-License-Identifier: MIT */
/* The rules are those of spec/crosscheck, which words them for a reader of a file; here a search
 * asks a million times and wants a yes or a no.
 */
#include "sim/numbers.h"

#include "base/limits.h"
#include "schedule/partition.h"

static bool
divides(uint64_t divisor, uint64_t whole)
{
    return divisor > 0 && whole % divisor == 0;
}

void
psim_numbers_take(PsimPlan *plan, const PsimChange *change)
{
    plan->tp = change->tp > 0 ? change->tp : plan->tp;
    plan->pp = change->pp > 0 ? change->pp : plan->pp;
    plan->dp = change->dp > 0 ? change->dp : plan->dp;
    plan->micro_batch = change->micro_batch > 0 ? change->micro_batch : plan->micro_batch;
    plan->global_batch = change->global_batch > 0 ? change->global_batch : plan->global_batch;
    if (change->recompute >= 0)
        plan->recompute = (PsimRecompute)change->recompute;
    if (change->zero_stage >= 0)
        plan->zero_stage = (uint32_t)change->zero_stage;
    if (change->sequence_parallel >= 0)
        plan->sequence_parallel = change->sequence_parallel > 0;
    if (change->balanced >= 0)
        plan->split = change->balanced > 0 ? PSIM_SPLIT_BALANCED : PSIM_SPLIT_EVEN;
}

/* Another schedule brings its own chunks and slices, as on the command line. */
static bool
take_schedule(PsimPlan *plan, const PsimChange *change)
{
    if (change->schedule != NULL) {
        plan->schedule = psim_schedule_find(change->schedule);
        if (plan->schedule == NULL)
            return false;
        plan->schedule_file = NULL;
        plan->n_slices = MAX(plan->schedule->default_slices, 1);
        plan->n_chunks = plan->schedule->default_chunks;
    }
    if (change->n_chunks > 0)
        plan->n_chunks = change->n_chunks;
    return plan->schedule_file == NULL;
}

/* As spec/derive chooses it: PyTorch cuts the microbatches into equal rounds. */
static uint32_t
choose_group(const PsimPlan *plan)
{
    const uint32_t n_rounds = MAX(1, plan->n_microbatches / plan->pp);

    if (plan->runtime.interleave == PSIM_INTERLEAVE_PYTORCH && plan->n_chunks > 1 &&
        plan->n_microbatches % n_rounds == 0)
        return plan->n_microbatches / n_rounds;
    return plan->pp;
}

static bool
suits_cluster(const PsimPlan *plan)
{
    const uint64_t n_gpus = (uint64_t)plan->tp * plan->cp * plan->pp * plan->dp;
    const uint64_t most = (uint64_t)plan->hardware->max_nodes * plan->hardware->gpus_per_node;

    return n_gpus <= PSIM_LIMIT_GPUS && (most == 0 || n_gpus <= most) &&
           plan->tp <= PSIM_LIMIT_DEGREE && plan->pp <= PSIM_LIMIT_DEGREE &&
           plan->dp <= PSIM_LIMIT_DEGREE;
}

/* The sequence and the kernel are the base plan's; the heads of an all-to-all depend on TP. */
static bool
suits_context(const PsimPlan *plan)
{
    const uint64_t ranks = (uint64_t)plan->tp * plan->cp;

    return plan->cp == 1 || plan->context_communication != PSIM_CONTEXT_A2A ||
           (divides(ranks, plan->model->n_heads) && divides(ranks, plan->model->n_kv_heads));
}

static bool
suits_model(const PsimPlan *plan)
{
    const PsimModel *model = plan->model;

    if (model->kind == PSIM_MODEL_LAYER_LIST)
        return true;
    return divides(plan->tp, model->n_heads) && divides(plan->tp, model->ffn_hidden) &&
           (divides(plan->tp, model->n_kv_heads) || divides(model->n_kv_heads, plan->tp)) &&
           (!plan->sequence_parallel || divides((uint64_t)plan->tp * plan->cp, model->sequence)) &&
           suits_context(plan);
}

static bool
split_layers(PsimPlan *plan, PsimArena *arena)
{
    const uint64_t n_stages = (uint64_t)plan->pp * plan->n_chunks;
    const uint32_t n_layers = psim_model_layer_count(plan->model);

    if (n_stages > PSIM_LIMIT_STAGES || plan->split == PSIM_SPLIT_EXPLICIT)
        return false;
    if (plan->split == PSIM_SPLIT_EVEN && n_layers % n_stages != 0)
        return false;
    plan->layers_per_stage = psim_arena_array(arena, uint32_t, n_stages);
    if (plan->split == PSIM_SPLIT_EVEN)
        return psim_partition_even(n_layers, (uint32_t)n_stages, plan->layers_per_stage);
    psim_partition_nearly_even(n_layers, (uint32_t)n_stages, plan->layers_per_stage);
    return true;
}

static bool
suits_schedule(const PsimPlan *plan)
{
    const PsimScheduleType *type = plan->schedule;
    const PsimShape shape = psim_plan_shape(plan);

    if (plan->n_chunks < type->min_chunks || plan->n_chunks > type->max_chunks)
        return false;
    if (type->check == NULL)
        return true;
    g_autoptr(GString) complaints = g_string_new(NULL);

    type->check(&shape, plan->runtime.interleave == PSIM_INTERLEAVE_PYTORCH, complaints);
    return complaints->len == 0;
}

bool
psim_numbers_make(const PsimPlan *base,
                  const PsimChange *change,
                  PsimArena *arena,
                  PsimPlan *ret_plan)
{
    PsimPlan *plan = ret_plan;

    *plan = *base;
    psim_numbers_take(plan, change);
    const uint64_t unit = (uint64_t)plan->micro_batch * plan->dp;

    if (!take_schedule(plan, change) || !divides(unit, plan->global_batch) ||
        plan->global_batch / unit > PSIM_LIMIT_MICROBATCHES || !suits_cluster(plan) ||
        !suits_model(plan) || plan->recompute > PSIM_RECOMPUTE_FULL || plan->zero_stage > 3)
        return false;
    plan->n_gpus = plan->tp * plan->cp * plan->pp * plan->dp;
    plan->n_microbatches = (uint32_t)(plan->global_batch / unit);
    plan->group = choose_group(plan);
    return suits_schedule(plan) && split_layers(plan, arena);
}
