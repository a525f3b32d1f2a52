/* SPDX-License-Identifier: MIT */
/* Memory of one stage at its peak, term by term, and the verdict. */
#include "sim/why.h"

#include "base/text.h"
#include "cost/context.h"
#include "cost/memory.h"
#include "cost/widths.h"
#include "report/phrase.h"

static const char *const state_inputs[] = {
    "/runtime",           "/zero_stage", "/parallel/data", "/parallel/context", "/parallel/tensor",
    "/parallel/pipeline", NULL};

static const PsimStageFigures *
stage_of(const PsimWhy *why)
{
    return &why->run->result->stages[why->stage];
}

static void
answer_bytes(PsimWhy *why, double bytes)
{
    g_autofree char *note =
        g_strdup_printf("on stage %u%s", why->stage,
                        why->stage == why->run->result->worst_stage ? ", the fullest" : "");

    psim_why_answer(why, psim_phrase_bytes(bytes), note);
}

/* -- States -- */

static void
explain_state(PsimWhy *why, double bytes, double each, bool sharded)
{
    const PsimPlan *plan = why->run->plan;
    g_autofree char *params = psim_phrase_count(stage_of(why)->params);
    g_autofree char *line = g_strdup_printf(
        "parameters of a rank x bytes of each%s = %s x %g B%s%s",
        !sharded       ? ""
        : plan->cp > 1 ? " / (DP x CP)"
                       : " / DP",
        params, each,
        sharded ? psim_arena_printf(why->run->result->arena, " / %u", psim_plan_owners(plan)) : "",
        plan->schedule->weight_versions != NULL && each == psim_plan_kept_weight_bytes(plan)
            ? ", times the schedule's copies of the weights"
            : "");

    answer_bytes(why, bytes);
    psim_why_formula(why, line);
    psim_why_inputs(why, state_inputs);
    psim_why_constants(why, PSIM_WHY_BYTES);
}

static void
explain_weights(PsimWhy *why)
{
    const PsimPlan *plan = why->run->plan;

    explain_state(why, stage_of(why)->weights_bytes, psim_plan_kept_weight_bytes(plan),
                  plan->runtime.shards_weights[plan->zero_stage]);
}

static void
explain_gradients(PsimWhy *why)
{
    const PsimPlan *plan = why->run->plan;

    explain_state(why, stage_of(why)->gradients_bytes, psim_plan_gradient_bytes(plan),
                  plan->runtime.shards_gradients[plan->zero_stage]);
}

static void
explain_optimizer(PsimWhy *why)
{
    const PsimPlan *plan = why->run->plan;

    explain_state(why, stage_of(why)->optimizer_bytes, psim_plan_optimizer_bytes(plan),
                  plan->runtime.shards_optimizer[plan->zero_stage]);
}

static void
explain_params(PsimWhy *why)
{
    static const char *const inputs[] = {"/model", "/parallel/tensor", "/parallel/pipeline", NULL};
    g_autofree char *note = g_strdup_printf("on one rank of stage %u", why->stage);

    psim_why_answer(why, psim_phrase_count(stage_of(why)->params), note);
    psim_why_formula(why, "the elements of the stage's layers, with the embedding on the first and "
                          "the head on the last, over TP");
    psim_why_inputs(why, inputs);
    psim_why_see(why, "model.params_total");
}

/* -- Activations -- */

static const char *
tell_fate(const PsimPlan *plan, const PsimTensor *tensor, guint index)
{
    switch (plan->recompute) {
    case PSIM_RECOMPUTE_NONE:
        return "kept";
    case PSIM_RECOMPUTE_SELECTIVE:
        return tensor->again ? "made again" : "kept";
    case PSIM_RECOMPUTE_FULL:
        return index == 0 ? "kept" : "made again";
    }
    g_assert_not_reached();
}

/* What attention holds of other context-parallel ranks. */
static void
append_context(PsimWhy *why)
{
    const double buffer_bytes = psim_context_buffer_bytes(why->run->plan);
    g_autofree char *bytes = psim_phrase_bytes(buffer_bytes);

    if (buffer_bytes > 0.0)
        g_string_append_printf(why->out,
                               "  the backward of attention holds %s of keys and values that are "
                               "under way, and of their gradients\n",
                               bytes);
}

/* Where not every layer is made again, or several are at once. */
static void
append_others(PsimWhy *why)
{
    const PsimPlan *plan = why->run->plan;

    if (*why->run->result->recompute_extent == '\0')
        return;
    PsimPlan kept = *plan;

    kept.recompute = PSIM_RECOMPUTE_NONE;
    const PsimBlockMemory memory = psim_memory_block(&kept, PSIM_BLOCK_LAYER, /* layer= */ 0);
    g_autofree char *stored = psim_phrase_bytes(memory.stored_bytes);

    if (plan->recompute_layers < stage_of(why)->n_layers)
        g_string_append_printf(why->out, "  that is of the first %u layers; another keeps %s\n",
                               plan->recompute_layers, stored);
    if (plan->recompute_group > 1)
        g_string_append_printf(why->out,
                               "  of %u layers one input is kept, and all of them are whole while "
                               "their backward runs\n",
                               plan->recompute_group);
}

/* The input of the first norm is the input of the layer: the one tensor that is always kept. */
static void
append_tensors(PsimWhy *why)
{
    const PsimPlan *plan = why->run->plan;
    g_autoptr(GArray) tensors = g_array_new(FALSE, FALSE, sizeof(PsimTensor));
    g_autoptr(PsimTable) table = psim_table_new("tensor|bytes|until the backward");
    const PsimBlockMemory memory = psim_memory_block(plan, PSIM_BLOCK_LAYER, /* layer= */ 0);
    g_autofree char *stored = psim_phrase_bytes(memory.stored_bytes);
    g_autofree char *working = psim_phrase_bytes(memory.working_bytes);
    g_autofree char *gradients = psim_phrase_bytes(memory.gradient_bytes);

    psim_memory_tensors(plan, tensors);
    for (guint i = 0; i < tensors->len; i++) {
        const PsimTensor *tensor = &g_array_index(tensors, PsimTensor, i);

        psim_table_cell(table, "%s", tensor->name);
        psim_table_cell_take(table, psim_phrase_bytes(tensor->bytes));
        psim_table_cell(table, "%s", tell_fate(plan, tensor, i));
    }
    g_string_append_printf(
        why->out,
        "\none layer, one microbatch, one rank: %s kept; while its backward runs, "
        "%s made again and %s of gradients\n",
        stored, working, gradients);
    if (tensors->len > 0)
        psim_table_render(table, why->out, 2);
    append_context(why);
    append_others(why);
}

static void
explain_activations(PsimWhy *why)
{
    static const char *const inputs[] = {"/batch/micro",
                                         "/parallel/tensor",
                                         "/parallel/context",
                                         "/parallel/context_communication",
                                         "/parallel/sequence_parallel",
                                         "/recompute",
                                         "/flash_attention",
                                         "/schedule/name",
                                         "/parallel/pipeline",
                                         NULL};
    const PsimStageFigures *stage = stage_of(why);
    const PsimResult *result = why->run->result;
    g_autofree char *line = g_strdup_printf(
        "microbatches in flight x layers x what a layer keeps, and what one layer needs while its "
        "backward runs; here %u in flight x %u layers (recompute %s%s), at %s",
        stage->in_flight_max, stage->n_layers, result->recompute, result->recompute_extent,
        stage->peak_event != NULL ? stage->peak_event : "no event");

    answer_bytes(why, stage->activations_bytes);
    psim_why_formula(why, line);
    append_tensors(why);
    psim_why_inputs(why, inputs);
    g_string_append(why->out, "\nsource\n  ");
    psim_phrase_wrap(
        why->out, 4,
        "Korthikanti et al. 2022 (arXiv 2205.05198), s b h (34 + 5 a s/h) a layer and "
        "its TP, SP, selective and full forms; counted by the tensors that each kernel "
        "saves");
}

static void
explain_logits(PsimWhy *why)
{
    static const char *const inputs[] = {
        "/model", "/batch/micro", "/parallel/tensor", "/parallel/context", "/runtime", NULL};
    const PsimPlan *plan = why->run->plan;
    g_autofree char *line = g_strdup_printf(
        "tokens x vocabulary / TP x %g B a logit, all copies that live at once; only the stage "
        "with the head has any",
        plan->runtime.logits_bytes);

    answer_bytes(why, stage_of(why)->logits_bytes);
    psim_why_formula(why, line);
    psim_why_inputs(why, inputs);
    psim_why_constants(why, PSIM_WHY_OVERHEAD);
}

static void
explain_buffers(PsimWhy *why)
{
    static const char *const inputs[] = {"/batch/micro", "/parallel/tensor", "/parallel/context",
                                         "/zero_stage", NULL};

    answer_bytes(why, stage_of(why)->comm_buffers_bytes);
    psim_why_formula(why,
                     "a buffer to send and one to receive for each chunk; with sharded weights "
                     "two layers that are gathered");
    psim_why_inputs(why, inputs);
}

static void
explain_overhead(PsimWhy *why)
{
    static const char *const inputs[] = {"/runtime", "/hardware", NULL};

    answer_bytes(why, stage_of(why)->overhead_bytes);
    psim_why_formula(why,
                     "the framework's own + communicators + its fragmentation x (activations + "
                     "logits + buffers)");
    psim_why_inputs(why, inputs);
    psim_why_constants(why, PSIM_WHY_OVERHEAD);
}

static void
explain_communicators(PsimWhy *why)
{
    static const char *const inputs[] = {"/parallel/tensor", "/parallel/context",
                                         "/parallel/pipeline", "/parallel/data", NULL};

    answer_bytes(why, stage_of(why)->communicators_bytes);
    const PsimPlan *plan = why->run->plan;
    const double channels = plan->hardware->device.sms_taken_by_collective;
    const double bytes = psim_memory_communicators(plan);
    const double group_bytes = channels * PSIM_MEMORY_CHANNEL_BYTES;
    g_autofree char *line = g_strdup_printf(
        "groups of the rank (tensor, pipeline, context, all shards of a model, and, where that is "
        "not all ranks, the ranks that share gradients) x channels of NCCL x 3 connections x 9.6 "
        "MB; here %.0f groups of %g channels",
        group_bytes > 0.0 ? bytes / group_bytes : 0.0, channels);

    psim_why_formula(why, line);
    psim_why_inputs(why, inputs);
}

/* -- The peak and the verdict -- */

static void
append_term(PsimTable *table, const PsimStageFigures *stage, const char *name, double bytes)
{
    psim_table_cell(table, "stages[%u].%s_bytes", stage->stage, name);
    psim_table_cell_take(table, psim_phrase_bytes(bytes));
    psim_table_cell_take(table, psim_phrase_percent(bytes / stage->peak_bytes));
}

static void
append_terms(PsimWhy *why)
{
    const PsimStageFigures *stage = stage_of(why);
    g_autoptr(PsimTable) table = psim_table_new("term|bytes|share");

    append_term(table, stage, "weights", stage->weights_bytes);
    append_term(table, stage, "gradients", stage->gradients_bytes);
    append_term(table, stage, "optimizer", stage->optimizer_bytes);
    append_term(table, stage, "activations", stage->activations_bytes);
    append_term(table, stage, "logits", stage->logits_bytes);
    append_term(table, stage, "comm_buffers", stage->comm_buffers_bytes);
    append_term(table, stage, "overhead", stage->overhead_bytes);
    g_string_append(why->out, "\nterms, each explained under its own name\n");
    psim_table_render(table, why->out, 2);
}

static void
explain_peak(PsimWhy *why)
{
    answer_bytes(why, stage_of(why)->peak_bytes);
    psim_why_formula(why, "the sum of the terms, at the moment when most is held: activations and "
                          "logits are followed through the replay");
    append_terms(why);
    psim_why_inputs(why, state_inputs);
}

static void
explain_capacity(PsimWhy *why)
{
    static const char *const inputs[] = {"/hardware", NULL};

    psim_why_answer(why, psim_phrase_bytes(why->run->result->capacity_bytes), "of a device");
    psim_why_formula(why, "the device's memory less what context and libraries take");
    psim_why_inputs(why, inputs);
    psim_why_constants(why, PSIM_WHY_USABLE);
}

static void
append_verdict(PsimWhy *why)
{
    const PsimResult *result = why->run->result;
    g_autofree char *capacity = psim_phrase_bytes(result->capacity_bytes);
    g_autofree char *peak = psim_phrase_bytes(result->worst_peak_bytes);
    g_autofree char *line = g_strdup_printf(
        "the fullest stage must not need more than a device has: %s on stage %u, %s usable; the "
        "largest term is %s",
        peak, result->worst_stage, capacity, result->binding_term);

    why->stage = result->worst_stage;
    psim_why_formula(why, line);
    append_terms(why);
    psim_why_inputs(why, state_inputs);
    psim_why_constants(why, PSIM_WHY_USABLE | PSIM_WHY_BYTES | PSIM_WHY_OVERHEAD);
}

static void
explain_fits(PsimWhy *why)
{
    psim_why_answer(why, g_strdup(why->run->result->fits ? "true" : "false"), NULL);
    append_verdict(why);
}

static void
explain_margin(PsimWhy *why)
{
    psim_why_answer(why, psim_phrase_bytes(why->run->result->margin_bytes),
                    "usable memory less the fullest stage's peak");
    append_verdict(why);
}

static void
explain_worst_peak(PsimWhy *why)
{
    why->stage = why->run->result->worst_stage;
    explain_peak(why);
}

const PsimWhyMember psim_why_memory_members[] = {
    {"verdict.fits", explain_fits},
    {"verdict.margin_bytes", explain_margin},
    {"verdict.worst_peak_bytes", explain_worst_peak},
    {"verdict.capacity_bytes", explain_capacity},
    {"stages.params", explain_params},
    {"stages.weights_bytes", explain_weights},
    {"stages.gradients_bytes", explain_gradients},
    {"stages.optimizer_bytes", explain_optimizer},
    {"stages.activations_bytes", explain_activations},
    {"stages.logits_bytes", explain_logits},
    {"stages.comm_buffers_bytes", explain_buffers},
    {"stages.overhead_bytes", explain_overhead},
    {"stages.communicators_bytes", explain_communicators},
    {"stages.peak_bytes", explain_peak},
    {0},
};
