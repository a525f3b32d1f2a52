/* SPDX-License-Identifier: MIT */
#include "sim/altered.h"

#include "base/limits.h"
#include "schedule/partition.h"

#include <string.h>

/* -- Copies -- */

PsimAltered *
psim_altered_make(const PsimPlan *plan, PsimArena *arena)
{
    const PsimHardware *hardware = plan->hardware;
    const PsimDevice *device = &hardware->device;
    PsimAltered *self = psim_arena_array(arena, PsimAltered, 1);
    PsimAttentionConstants *attention =
        psim_arena_array(arena, PsimAttentionConstants, MAX(device->n_attention, 1));
    PsimCollectiveConstants *collectives =
        psim_arena_array(arena, PsimCollectiveConstants, MAX(hardware->n_collectives, 1));

    for (uint32_t i = 0; i < device->n_attention; i++)
        attention[i] = device->attention[i];
    for (uint32_t i = 0; i < hardware->n_collectives; i++)
        collectives[i] = hardware->collectives[i];
    self->plan = *plan;
    self->hardware = *hardware;
    self->hardware.device.attention = attention;
    self->hardware.collectives = collectives;
    self->plan.hardware = &self->hardware;
    return self;
}

/* -- Degrees and batches -- */

bool
psim_altered_divides(uint32_t divisor, uint32_t whole)
{
    return divisor > 0 && whole % divisor == 0;
}

static bool
suits_context(const PsimPlan *plan)
{
    const PsimModel *model = plan->model;
    const uint32_t ranks = plan->tp * plan->cp;

    if (plan->cp == 1)
        return true;
    return psim_altered_divides((model->causal ? 2 : 1) * plan->cp, model->sequence) &&
           (plan->context_communication != PSIM_CONTEXT_A2A ||
            (psim_altered_divides(ranks, model->n_heads) &&
             psim_altered_divides(ranks, model->n_kv_heads)));
}

/* Whether the degrees suit the model, as spec/crosscheck demands of a written plan. */
static bool
suits_model(const PsimPlan *plan)
{
    const PsimModel *model = plan->model;

    if (model->kind == PSIM_MODEL_LAYER_LIST)
        return true;
    return psim_altered_divides(plan->tp, model->n_heads) &&
           psim_altered_divides(plan->tp, model->ffn_hidden) &&
           (psim_altered_divides(plan->tp, model->n_kv_heads) ||
            psim_altered_divides(model->n_kv_heads, plan->tp)) &&
           (!plan->sequence_parallel ||
            psim_altered_divides(plan->tp * plan->cp, model->sequence)) &&
           suits_context(plan);
}

bool
psim_altered_settle(PsimPlan *plan, PsimArena *arena)
{
    const uint32_t n_layers = psim_model_layer_count(plan->model);
    const uint64_t n_gpus = (uint64_t)plan->tp * plan->cp * plan->pp * plan->dp;
    const uint64_t unit = (uint64_t)plan->micro_batch * plan->dp;
    const uint32_t most = plan->hardware->max_nodes * plan->hardware->gpus_per_node;
    g_autoptr(GString) complaints = g_string_new(NULL);

    if (n_gpus > PSIM_LIMIT_GPUS || (most > 0 && n_gpus > most) || plan->global_batch % unit != 0 ||
        !suits_model(plan))
        return false;
    plan->n_gpus = (uint32_t)n_gpus;
    plan->n_microbatches = (uint32_t)(plan->global_batch / unit);
    if (plan->group == 0 || plan->schedule->max_chunks == 1)
        plan->group = plan->pp;
    plan->layers_per_stage = psim_arena_array(arena, uint32_t, psim_plan_stage_count(plan));
    if (plan->split == PSIM_SPLIT_BALANCED)
        psim_partition_nearly_even(n_layers, psim_plan_stage_count(plan), plan->layers_per_stage);
    else if (!psim_partition_even(n_layers, psim_plan_stage_count(plan), plan->layers_per_stage))
        return false;
    const PsimShape shape = psim_plan_shape(plan);

    if (plan->schedule->check != NULL)
        plan->schedule->check(&shape, plan->runtime.interleave == PSIM_INTERLEAVE_PYTORCH,
                              complaints);
    return complaints->len == 0;
}

/* -- Constants -- */

void
psim_altered_scale_gemm(PsimAltered *self, double factor)
{
    PsimDevice *device = &self->hardware.device;

    device->gemm.efficiency *= factor;
    device->gemm.efficiency_fp8 *= factor;
    device->gemm.rows_ratio /= factor;
}

void
psim_altered_scale_attention(PsimAltered *self, double factor)
{
    PsimDevice *device = &self->hardware.device;

    device->attention_unfused_fraction *= factor;
    for (uint32_t i = 0; i < device->n_attention; i++) {
        device->attention[i].forward.efficiency *= factor;
        device->attention[i].backward.efficiency *= factor;
    }
}

void
psim_altered_scale_products(PsimAltered *self, double factor)
{
    psim_altered_scale_gemm(self, factor);
    psim_altered_scale_attention(self, factor);
}

void
psim_altered_scale_scale_up(PsimAltered *self, double factor)
{
    PsimHardware *hardware = &self->hardware;

    hardware->scale_up_bytes_per_s *= factor;
    hardware->pair_bytes_per_s *= factor;
    for (uint32_t i = 0; i < hardware->n_collectives; i++) {
        hardware->collectives[i].low_bytes_per_s *= factor;
        hardware->collectives[i].high_bytes_per_s *= factor;
    }
}

/* Whether the plan says nothing of its own there and follows its runtime. */
static bool
is_default(const PsimPlan *plan, const char *pointer)
{
    for (guint i = 0; i < plan->defaults->len; i++) {
        const PsimDefault *used = g_ptr_array_index(plan->defaults, i);

        if (strcmp(used->pointer, pointer) == 0)
            return true;
    }
    return false;
}

void
psim_altered_set_runtime(PsimAltered *self, const PsimRuntime *runtime)
{
    PsimPlan *plan = &self->plan;

    plan->runtime = *runtime;
    if (is_default(plan, "/flash_attention"))
        plan->flash_attention = runtime->flash_attention;
    if (is_default(plan, "/overlap/data"))
        plan->overlap_dp = runtime->overlap_dp;
    if (is_default(plan, "/overlap/pipeline"))
        plan->overlap_pp = runtime->overlap_pp;
    if (is_default(plan, "/overlap/tensor"))
        plan->overlap_tp = runtime->overlap_tp;
    if (is_default(plan, "/parallel/context_communication"))
        plan->context_communication = runtime->context_communication;
}

/* -- The answer -- */

bool
psim_altered_is_legal(const PsimPlan *plan)
{
    return plan->cp == 1 || plan->flash_attention;
}

bool
psim_altered_replay(const PsimPlan *plan, const PsimOptions *options, PsimAnswer *ret_answer)
{
    g_autoptr(PsimResult) result = psim_result_new(PSIM_RESULT_RUN);
    PsimOptions plain = PSIM_OPTIONS_INIT;
    PsimRun run = {.plan = plan, .options = &plain, .result = result};

    if (options->cancelled != NULL && options->cancelled(options->user))
        return false;
    plain.cancelled = options->cancelled;
    plain.user = options->user;
    if (!psim_run_replay(&run, /* error= */ NULL))
        return false;
    psim_stage_figures_fill(&run);
    *ret_answer = (PsimAnswer){
        .step_ps = result->step_ps,
        .peak_bytes = result->worst_peak_bytes,
        .fits = result->fits,
    };
    return true;
}
