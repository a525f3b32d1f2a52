/* SPDX-License-Identifier: MIT */
/* What was asked, in plain figures: the result must be able to say it without the plan. */
#include "base/text.h"
#include "base/time.h"
#include "sim/fill.h"
#include "json/reader.h"

#include <math.h>

static const char *const recompute_words[] = {"none", "selective", "full"};

static void
fill_question(PsimRun *run)
{
    PsimResult *result = run->result;
    PsimArena *arena = result->arena;
    const PsimPlan *plan = run->plan;
    const char **files = psim_arena_array(arena, const char *, plan->files->len);
    g_autofree char *resolved = psim_plan_write(plan);

    for (guint i = 0; i < plan->files->len; i++)
        files[i] = psim_arena_strdup(arena, g_ptr_array_index(plan->files, i));
    result->files = files;
    result->n_files = plan->files->len;
    result->plan_name = psim_arena_strdup(arena, plan->name);
    result->plan_about = psim_arena_strdup(arena, plan->about);
    result->model_name = psim_arena_strdup(arena, plan->model->name);
    result->hardware_name = psim_arena_strdup(arena, plan->hardware->name);
    result->device_name = psim_arena_strdup(arena, plan->hardware->device.name);
    result->runtime_name = psim_arena_strdup(arena, plan->runtime.name);
    result->resolved_json = psim_arena_strdup(arena, resolved);
    result->digest = psim_arena_strdup(arena, plan->digest);
}

static void
fill_defaults(PsimRun *run)
{
    PsimResult *result = run->result;
    const GPtrArray *list = run->plan->defaults;
    PsimDefaultUsed *defaults = psim_arena_array(result->arena, PsimDefaultUsed, list->len);

    for (guint i = 0; i < list->len; i++) {
        const PsimDefault *used = g_ptr_array_index(list, i);

        defaults[i] = (PsimDefaultUsed){
            .key = psim_arena_strdup(result->arena, used->pointer),
            .value = psim_arena_strdup(result->arena, used->value),
            .why = psim_arena_strdup(result->arena, used->why),
        };
    }
    result->defaults = defaults;
    result->n_defaults = list->len;
}

/* Without a flush the busiest rank never waits: its work is the period. */
static const char *
steady_state(const PsimResult *result)
{
    g_autoptr(GString) text =
        g_string_new("the schedule has no flush: the step told here fills and "
                     "drains the pipeline once, as a run does only at its "
                     "start and end; in between a step takes ");
    PsimTime most = 0;

    for (uint32_t rank = 0; rank < result->n_ranks; rank++)
        most = MAX(most, result->step_ps - result->ranks[rank].breakdown.bubble_ps);
    psim_text_human_time(text, psim_time_to_s(most));
    return psim_arena_strdup(result->arena, text->str);
}

/* What published statements about the plan's schedule get wrong, and what a step means where there
 * is no flush. */
static uint32_t
remark_on_schedule(const PsimRun *run, PsimRemark *remarks)
{
    const PsimScheduleType *type = run->plan->schedule;
    uint32_t n_remarks = 0;

    if (type->note != NULL)
        remarks[n_remarks++] =
            (PsimRemark){.code = "schedule-note", .severity = "note", .message = type->note};
    if (type->is_asynchronous)
        remarks[n_remarks++] = (PsimRemark){
            .code = "asynchronous",
            .severity = "note",
            .message = steady_state(run->result),
        };
    return n_remarks;
}

/* How often a verdict so near to the line was wrong, counted over the 176 published runs that
 * `plansim validate` predicts within 15 % of it: 24 of 134 ran out, and 7 of 42 did not. */
static uint32_t
remark_on_memory(const PsimRun *run, PsimRemark *remark)
{
    const PsimResult *result = run->result;
    g_autoptr(GString) text = g_string_new("the peak takes ");

    if (!result->tight)
        return 0;
    psim_text_fixed(text, 100.0 * result->worst_peak_bytes / result->capacity_bytes,
                    /* decimals= */ 0);
    g_string_append_printf(
        text, " %% of what is usable, %s the most of it: of published runs predicted so near, %s",
        result->binding_term,
        result->fits ? "one in six ran out of memory" : "one in six did not run out of memory");
    *remark = (PsimRemark){
        .code = "memory-tight",
        .severity = "warning",
        .message = psim_arena_strdup(result->arena, text->str),
        .fix = "try it before you rely on it, or leave 15 % to spare",
    };
    return 1;
}

static void
fill_remarks(PsimRun *run)
{
    PsimResult *result = run->result;
    const GPtrArray *list = run->plan->warnings;
    PsimRemark *remarks = psim_arena_array(result->arena, PsimRemark, list->len + 3);

    for (guint i = 0; i < list->len; i++) {
        const PsimWarning *warning = g_ptr_array_index(list, i);

        remarks[i] = (PsimRemark){
            .code = psim_arena_strdup(result->arena, warning->code),
            .severity = psim_arena_strdup(result->arena, warning->severity),
            .message = psim_arena_strdup(result->arena, warning->message),
            .fix = psim_arena_strdup(result->arena, warning->fix),
        };
    }
    result->warnings = remarks;
    result->n_warnings = list->len + remark_on_schedule(run, remarks + list->len);
    result->n_warnings += remark_on_memory(run, remarks + result->n_warnings);
}

/* The arithmetic that decides most questions before any simulation. */
static const char *
state_arithmetic(const PsimRun *run, double params)
{
    const double capacity = run->plan->hardware->device.memory_bytes;
    const bool is_wide = psim_plan_weight_bytes(run->plan) == 4.0;
    g_autoptr(GString) text = g_string_new(NULL);

    psim_text_human_count(text, params);
    g_string_append(text, " parameters x 4 B = ");
    psim_text_human_bytes(text, params * 4.0);
    g_string_append_printf(text, " of fp32 weights; x %u B = ", is_wide ? 8U : 12U);
    psim_text_human_bytes(text, params * (is_wide ? 8.0 : 12.0));
    g_string_append_printf(text, " of Adam state (%stwo moments); one ",
                           is_wide ? "" : "fp32 master copy and ");
    g_string_append(text, run->plan->hardware->device.name);
    g_string_append(text, " has ");
    psim_text_human_bytes(text, capacity);
    return psim_arena_strdup(run->result->arena, text->str);
}

static void
fill_model(PsimRun *run)
{
    PsimResult *result = run->result;
    const PsimModelParams params = psim_model_params(run->plan->model);
    static const char *const names[] = {"embedding", "attention", "mlp", "norms", "head", "other"};
    const double values[] = {params.embedding, params.attention, params.mlp,
                             params.norms,     params.head,      params.other};
    double *parts = psim_arena_array(result->arena, double, G_N_ELEMENTS(values));

    for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
        parts[i] = values[i];
    result->params_total = params.total;
    result->params_active = params.total;
    result->part_names = names;
    result->part_params = parts;
    result->n_parts = G_N_ELEMENTS(names);
    result->state_arithmetic = state_arithmetic(run, params.total);
}

/* What `recompute` alone does not say. */
static const char *
recompute_extent(const PsimRun *run)
{
    const PsimPlan *plan = run->plan;
    g_autoptr(GString) text = g_string_new(NULL);

    if (plan->recompute != PSIM_RECOMPUTE_FULL)
        return "";
    if (plan->recompute_layers < psim_model_layer_count(plan->model))
        g_string_append_printf(text, ", the first %u layers of a stage", plan->recompute_layers);
    if (plan->recompute_group > 1)
        g_string_append_printf(text, ", %u at once", plan->recompute_group);
    return psim_arena_strdup(run->result->arena, text->str);
}

static void
fill_plan(PsimRun *run)
{
    PsimResult *result = run->result;
    const PsimPlan *plan = run->plan;
    const uint32_t n_stages = psim_plan_stage_count(plan);
    uint32_t *layers = psim_arena_array(result->arena, uint32_t, n_stages);
    const bool is_transformer = plan->model->kind == PSIM_MODEL_TRANSFORMER;

    for (uint32_t s = 0; s < n_stages; s++)
        layers[s] = plan->layers_per_stage[s];
    result->layers_per_stage = layers;
    result->n_gpus = plan->n_gpus;
    result->tp = plan->tp;
    result->cp = plan->cp;
    result->pp = plan->pp;
    result->dp = plan->dp;
    result->n_chunks = plan->n_chunks;
    result->zero_stage = plan->zero_stage;
    result->micro_batch = plan->micro_batch;
    result->global_batch = plan->global_batch;
    result->n_microbatches = plan->n_microbatches;
    result->sequence = is_transformer ? plan->model->sequence : plan->model->sample_tokens;
    result->vocabulary = is_transformer ? plan->model->vocabulary : 0;
    result->schedule = psim_arena_strdup(result->arena, psim_plan_schedule_name(plan));
    result->schedule_title = plan->schedule->title;
    result->recompute = recompute_words[plan->recompute];
    result->recompute_extent = recompute_extent(run);
    result->precision = psim_precision_words()[plan->precision];
    result->sequence_parallel = plan->sequence_parallel;
}

void
psim_facts_fill(PsimRun *run)
{
    fill_question(run);
    fill_defaults(run);
    fill_remarks(run);
    fill_model(run);
    fill_plan(run);
}

void
psim_facts_untime(PsimResult *result)
{
    PsimFix *fixes = psim_arena_array(result->arena, PsimFix, MAX(result->n_fixes, 1));

    for (uint32_t i = 0; i < result->n_fixes; i++) {
        fixes[i] = result->fixes[i];
        fixes[i].step_s = (double)NAN;
    }
    result->fixes = fixes;
    result->step_ps = 0;
    result->breakdown = (PsimBreakdown){0};
    result->n_collectives = 0;
    result->time_low_s = result->time_high_s = (double)NAN;
    result->tokens_per_s = result->mfu_fraction = result->hfu_fraction = (double)NAN;
    result->model_flop_per_s_per_gpu = result->hardware_flop_per_s_per_gpu = (double)NAN;
    result->bubble_fraction = result->bubble_ratio_to_ideal = (double)NAN;
    result->bubble_reason = NULL;
    result->days = result->gpu_hours = result->cost = (double)NAN;
}
