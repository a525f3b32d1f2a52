/* SPDX-License-Identifier: MIT */
/* What scripts read. Names and their order are a promise, kept as long as "schema" keeps its
 * number. Units are in the names, what is not modelled is null, and the breakdown sums to the step
 * exactly: in picoseconds, and so in the decimals of seconds made from them.
 */
#include "json/writer.h"

#include "report/formats.h"
#include "report/further.h"
#include "report/phrase.h"

#include <math.h>

/* Hands the finished text to the sink. */
static void
finish(PsimWriter *writer, PsimSink *sink)
{
    g_autofree char *text = psim_writer_finish(writer);

    g_string_append(sink->buffer, text);
    psim_report_flush(sink, /* all= */ false);
}

static void
write_strings(PsimWriter *writer, const char *key, const char *const *strings, uint32_t n_strings)
{
    psim_writer_begin_array(writer, key);
    for (uint32_t i = 0; i < n_strings; i++)
        psim_writer_string(writer, /* key= */ NULL, strings[i]);
    psim_writer_end_array(writer);
}

static void
write_input(PsimWriter *writer, const PsimResult *result)
{
    psim_writer_begin_object(writer, "input");
    write_strings(writer, "files", result->files, result->n_files);
    if (result->resolved_json != NULL)
        psim_writer_raw(writer, "resolved", result->resolved_json);
    else
        psim_writer_null(writer, "resolved");
    psim_writer_begin_array(writer, "defaults_used");
    for (uint32_t i = 0; i < result->n_defaults; i++) {
        psim_writer_begin_row(writer, /* key= */ NULL);
        psim_writer_string(writer, "key", result->defaults[i].key);
        psim_writer_string(writer, "value", result->defaults[i].value);
        psim_writer_string(writer, "why", result->defaults[i].why);
        psim_writer_end_object(writer);
    }
    psim_writer_end_array(writer);
    psim_writer_string(writer, "digest", result->digest);
    psim_writer_end_object(writer);
}

static void
write_model(PsimWriter *writer, const PsimResult *result)
{
    psim_writer_begin_object(writer, "model");
    psim_writer_string(writer, "name", result->model_name);
    psim_writer_number(writer, "params_total", result->params_total);
    psim_writer_number(writer, "params_active", result->params_active);
    psim_writer_begin_object(writer, "params_by_part");
    for (uint32_t i = 0; i < result->n_parts; i++)
        psim_writer_number(writer, result->part_names[i], result->part_params[i]);
    psim_writer_end_object(writer);
    psim_writer_number(writer, "flops_per_token_model", result->flop_per_token_model);
    psim_writer_number(writer, "flops_per_token_hardware", result->flop_per_token_hardware);
    psim_writer_end_object(writer);
}

static void
write_plan(PsimWriter *writer, const PsimResult *result)
{
    const uint32_t n_stages = result->layers_per_stage != NULL ? result->pp * result->n_chunks : 0;

    psim_writer_begin_object(writer, "plan");
    psim_writer_count(writer, "world_size", result->n_gpus);
    psim_writer_count(writer, "tp", result->tp);
    psim_writer_count(writer, "pp", result->pp);
    psim_writer_count(writer, "dp", result->dp);
    psim_writer_count(writer, "cp", result->cp);
    psim_writer_null(writer, "ep");
    psim_writer_null(writer, "etp");
    psim_writer_count(writer, "vp", result->n_chunks);
    psim_writer_count(writer, "zero_stage", result->zero_stage);
    psim_writer_count(writer, "micro_batch", result->micro_batch);
    psim_writer_count(writer, "global_batch", result->global_batch);
    psim_writer_count(writer, "num_microbatches", result->n_microbatches);
    psim_writer_string(writer, "schedule", result->schedule);
    psim_writer_begin_list(writer, "layers_per_stage");
    for (uint32_t i = 0; i < n_stages; i++)
        psim_writer_count(writer, /* key= */ NULL, result->layers_per_stage[i]);
    psim_writer_end_array(writer);
    psim_writer_string(writer, "recompute", result->recompute);
    psim_writer_string(writer, "precision", result->precision);
    psim_writer_end_object(writer);
}

static void
write_verdict(PsimWriter *writer, const PsimResult *result)
{
    psim_writer_begin_object(writer, "verdict");
    psim_writer_flag(writer, "fits", result->fits);
    psim_writer_count(writer, "worst_stage", result->worst_stage);
    psim_writer_number(writer, "worst_peak_bytes", result->worst_peak_bytes);
    psim_writer_number(writer, "capacity_bytes", result->capacity_bytes);
    psim_writer_number(writer, "margin_bytes", result->margin_bytes);
    psim_writer_string(writer, "binding_term", result->binding_term);
    psim_writer_begin_array(writer, "fixes");
    for (uint32_t i = 0; i < result->n_fixes; i++) {
        psim_writer_begin_row(writer, /* key= */ NULL);
        psim_writer_string(writer, "change", result->fixes[i].change);
        psim_writer_number(writer, "peak_bytes", result->fixes[i].peak_bytes);
        psim_writer_number(writer, "step_s", result->fixes[i].step_s);
        psim_writer_end_object(writer);
    }
    psim_writer_end_array(writer);
    psim_writer_end_object(writer);
}

/* Tells one part of the breakdown, as seconds or as picoseconds. */
typedef void (*TellPart)(PsimWriter *writer, const char *key, PsimTime time);

static void
tell_picoseconds(PsimWriter *writer, const char *key, PsimTime time)
{
    psim_writer_integer(writer, key, time);
}

static void
write_breakdown(PsimWriter *writer, const char *key, const PsimBreakdown *parts, TellPart tell)
{
    psim_writer_begin_object(writer, key);
    tell(writer, "compute", parts->compute_ps);
    tell(writer, "recompute", parts->recompute_ps);
    tell(writer, "tp_exposed", parts->tp_exposed_ps);
    tell(writer, "pp_exposed", parts->pp_exposed_ps);
    tell(writer, "cp_exposed", parts->cp_exposed_ps);
    tell(writer, "ep_exposed", parts->ep_exposed_ps);
    tell(writer, "dp_exposed", parts->dp_exposed_ps);
    tell(writer, "bubble", parts->bubble_ps);
    tell(writer, "optimizer", parts->optimizer_ps);
    tell(writer, "other", parts->other_ps);
    psim_writer_end_object(writer);
}

static void
write_step_times(PsimWriter *writer, const PsimResult *result)
{
    if (psim_phrase_is_timed(result)) {
        psim_writer_seconds(writer, "time_s", result->step_ps);
        psim_writer_integer(writer, "time_ps", result->step_ps);
    } else {
        psim_writer_null(writer, "time_s");
        psim_writer_null(writer, "time_ps");
    }
    psim_writer_number(writer, "time_low_s", result->time_low_s);
    psim_writer_number(writer, "time_high_s", result->time_high_s);
}

static void
write_step(PsimWriter *writer, const PsimResult *result)
{
    const double n_gpus = result->n_gpus;

    psim_writer_begin_object(writer, "step");
    write_step_times(writer, result);
    psim_writer_number(writer, "tokens_per_s", result->tokens_per_s);
    psim_writer_number(writer, "tokens_per_s_per_gpu", result->tokens_per_s / n_gpus);
    psim_writer_number(writer, "mfu_fraction", result->mfu_fraction);
    psim_writer_number(writer, "hfu_fraction", result->hfu_fraction);
    psim_writer_number(writer, "model_tflops_per_gpu", result->model_flop_per_s_per_gpu / 1e12);
    psim_writer_number(writer, "hw_tflops_per_gpu", result->hardware_flop_per_s_per_gpu / 1e12);
    if (psim_phrase_is_timed(result)) {
        write_breakdown(writer, "breakdown_s", &result->breakdown, psim_writer_seconds);
        write_breakdown(writer, "breakdown_ps", &result->breakdown, tell_picoseconds);
    } else {
        psim_writer_null(writer, "breakdown_s");
        psim_writer_null(writer, "breakdown_ps");
    }
    psim_writer_end_object(writer);
}

static void
write_pipeline(PsimWriter *writer, const PsimResult *result)
{
    const bool timed = psim_phrase_is_timed(result);

    psim_writer_begin_object(writer, "pipeline");
    psim_writer_number(writer, "bubble_fraction", timed ? result->bubble_fraction : (double)NAN);
    psim_writer_string(writer, "bubble_definition", "idle / step, mean over stages");
    psim_writer_number(writer, "ideal_bubble_fraction", result->ideal_bubble_fraction);
    if (timed)
        psim_writer_seconds(writer, "bubble_s", result->bubble_ps);
    else
        psim_writer_null(writer, "bubble_s");
    psim_writer_number(writer, "bubble_ratio_to_ideal", result->bubble_ratio_to_ideal);
    psim_writer_string(writer, "ideal_text", result->ideal_text);
    psim_writer_string(writer, "bubble_reason", result->bubble_reason);
    psim_writer_end_object(writer);
}

static void
write_stage_times(PsimWriter *writer, const PsimStageFigures *stage, bool timed)
{
    if (!timed) {
        psim_writer_null(writer, "busy_s");
        psim_writer_null(writer, "idle_s");
        psim_writer_null(writer, "bubble_fraction");
        return;
    }
    psim_writer_seconds(writer, "busy_s", stage->busy_ps);
    psim_writer_seconds(writer, "idle_s", stage->idle_ps);
    psim_writer_number(writer, "bubble_fraction", stage->bubble_fraction);
}

static void
write_stage(PsimWriter *writer, const PsimStageFigures *stage, bool timed)
{
    psim_writer_begin_row(writer, /* key= */ NULL);
    psim_writer_count(writer, "stage", stage->stage);
    psim_writer_count(writer, "layers", stage->n_layers);
    psim_writer_number(writer, "params", stage->params);
    psim_writer_number(writer, "weights_bytes", stage->weights_bytes);
    psim_writer_number(writer, "gradients_bytes", stage->gradients_bytes);
    psim_writer_number(writer, "optimizer_bytes", stage->optimizer_bytes);
    psim_writer_number(writer, "activations_bytes", stage->activations_bytes);
    psim_writer_number(writer, "logits_bytes", stage->logits_bytes);
    psim_writer_number(writer, "comm_buffers_bytes", stage->comm_buffers_bytes);
    psim_writer_number(writer, "overhead_bytes", stage->overhead_bytes);
    psim_writer_number(writer, "communicators_bytes", stage->communicators_bytes);
    psim_writer_number(writer, "peak_bytes", stage->peak_bytes);
    if (timed)
        psim_writer_seconds(writer, "peak_time_s", stage->peak_time_ps);
    else
        psim_writer_null(writer, "peak_time_s");
    psim_writer_string(writer, "peak_event", stage->peak_event);
    psim_writer_count(writer, "in_flight_max", stage->in_flight_max);
    write_stage_times(writer, stage, timed);
    psim_writer_end_object(writer);
}

static void
write_collectives(PsimWriter *writer, const PsimResult *result)
{
    psim_writer_begin_array(writer, "collectives");
    for (uint32_t i = 0; i < result->n_collectives; i++) {
        const PsimCollectiveFigures *collective = &result->collectives[i];

        psim_writer_begin_row(writer, /* key= */ NULL);
        psim_writer_string(writer, "kind", collective->kind);
        psim_writer_string(writer, "group", collective->group);
        psim_writer_count(writer, "group_size", collective->group_size);
        psim_writer_flag(writer, "crosses_node", collective->crosses_node);
        psim_writer_number(writer, "bytes", collective->bytes);
        psim_writer_count(writer, "count", collective->count);
        psim_writer_number(writer, "time_s", collective->time_s);
        psim_writer_number(writer, "exposed_s", collective->exposed_s);
        psim_writer_end_object(writer);
    }
    psim_writer_end_array(writer);
}

static void
write_whole_run(PsimWriter *writer, const PsimResult *result)
{
    psim_writer_begin_object(writer, "run");
    psim_writer_number(writer, "tokens", result->tokens);
    psim_writer_number(writer, "days", result->days);
    psim_writer_number(writer, "gpu_hours", result->gpu_hours);
    psim_writer_number(writer, "cost", result->cost);
    psim_writer_string(writer, "currency", isfinite(result->cost) ? "USD" : NULL);
    psim_writer_end_object(writer);
}

static void
write_remarks(PsimWriter *writer, const PsimResult *result)
{
    psim_writer_begin_array(writer, "assumptions");
    for (uint32_t i = 0; i < result->n_assumptions; i++) {
        psim_writer_begin_row(writer, /* key= */ NULL);
        psim_writer_string(writer, "name", result->assumptions[i].name);
        psim_writer_string(writer, "value", result->assumptions[i].value);
        psim_writer_string(writer, "source", result->assumptions[i].source);
        psim_writer_string(writer, "effect", result->assumptions[i].effect);
        psim_writer_end_object(writer);
    }
    psim_writer_end_array(writer);
    psim_writer_begin_array(writer, "warnings");
    for (uint32_t i = 0; i < result->n_warnings; i++) {
        psim_writer_begin_row(writer, /* key= */ NULL);
        psim_writer_string(writer, "code", result->warnings[i].code);
        psim_writer_string(writer, "severity", result->warnings[i].severity);
        psim_writer_string(writer, "message", result->warnings[i].message);
        psim_writer_string(writer, "fix", result->warnings[i].fix);
        psim_writer_end_object(writer);
    }
    psim_writer_end_array(writer);
}

static void
write_run(const PsimResult *result, PsimSink *sink)
{
    const bool timed = psim_phrase_is_timed(result);
    g_autoptr(PsimWriter) writer = psim_writer_new(/* pretty= */ true);

    psim_writer_begin_object(writer, /* key= */ NULL);
    psim_writer_string(writer, "schema", "plansim.result/1");
    psim_writer_count(writer, "schema_version", 1);
    psim_writer_string(writer, "tool_version", PSIM_VERSION);
    write_input(writer, result);
    write_model(writer, result);
    write_plan(writer, result);
    write_verdict(writer, result);
    write_step(writer, result);
    write_pipeline(writer, result);
    psim_writer_begin_array(writer, "stages");
    for (uint32_t i = 0; i < result->n_stages; i++)
        write_stage(writer, &result->stages[i], timed);
    psim_writer_end_array(writer);
    write_collectives(writer, result);
    write_whole_run(writer, result);
    write_remarks(writer, result);
    psim_further_json(result, writer);
    psim_writer_end_object(writer);
    finish(writer, sink);
}

/* -- A schedule alone: whole ticks; times are null where a deadlock leaves them open. -------------
 */

static void
write_schedule_times(PsimWriter *writer, const PsimResult *result)
{
    psim_writer_integer(writer, "makespan", result->step_ps);
    psim_writer_begin_list(writer, "busy");
    for (uint32_t rank = 0; rank < result->n_ranks; rank++)
        psim_writer_integer(writer, /* key= */ NULL, result->ranks[rank].busy_ps);
    psim_writer_end_array(writer);
    psim_writer_begin_list(writer, "own_span");
    for (uint32_t rank = 0; rank < result->n_ranks; rank++)
        psim_writer_integer(writer, /* key= */ NULL,
                            result->ranks[rank].last_end_ps - result->ranks[rank].first_start_ps);
    psim_writer_end_array(writer);
    psim_writer_begin_list(writer, "peak_chunks");
    for (uint32_t rank = 0; rank < result->n_ranks; rank++)
        psim_writer_count(writer, /* key= */ NULL, result->ranks[rank].peak.in_flight_max);
    psim_writer_end_array(writer);
    psim_writer_begin_row(writer, "bubble");
    psim_writer_integer(writer, "time", result->bubble_ps);
    psim_writer_number(writer, "fraction_of_total", result->bubble_fraction);
    psim_writer_number(writer, "ratio_to_ideal", result->bubble_ratio_to_ideal);
    psim_writer_end_object(writer);
    psim_writer_null(writer, "deadlock");
}

static void
write_deadlock(PsimWriter *writer, const PsimResult *result)
{
    static const char *const open[] = {"makespan", "busy", "own_span", "peak_chunks", "bubble"};

    for (size_t i = 0; i < G_N_ELEMENTS(open); i++)
        psim_writer_null(writer, open[i]);
    psim_writer_begin_object(writer, "deadlock");
    psim_writer_begin_list(writer, "heads");
    for (uint32_t i = 0; i < result->n_stuck; i++) {
        if (result->stuck[i].head != NULL)
            psim_writer_string(writer, /* key= */ NULL, result->stuck[i].head);
    }
    psim_writer_end_array(writer);
    psim_writer_end_object(writer);
}

static void
write_order(PsimWriter *writer, const char *order)
{
    psim_writer_begin_list(writer, /* key= */ NULL);
    while (*order != '\0') {
        const char *end = order;

        while (*end != ' ' && *end != '\0')
            end++;
        g_autofree char *cell = g_strndup(order, (gsize)(end - order));

        psim_writer_string(writer, /* key= */ NULL, cell);
        order = *end == ' ' ? end + 1 : end;
    }
    psim_writer_end_array(writer);
}

static void
write_schedule(const PsimResult *result, PsimSink *sink)
{
    g_autoptr(PsimWriter) writer = psim_writer_new(/* pretty= */ true);

    psim_writer_begin_object(writer, /* key= */ NULL);
    if (result->n_stuck > 0)
        write_deadlock(writer, result);
    else
        write_schedule_times(writer, result);
    psim_writer_begin_array(writer, "ranks");
    for (uint32_t rank = 0; rank < result->n_ranks; rank++) {
        g_autoptr(GString) order = g_string_new(NULL);

        result->write_order(result->order, rank, order);
        write_order(writer, order->str);
    }
    psim_writer_end_array(writer);
    psim_writer_end_object(writer);
    finish(writer, sink);
}

const PsimReportType psim_json_report = {
    .name = "json",
    .summary = "every figure, for scripts; stable names, units in them",
    .write_run = write_run,
    .write_schedule = write_schedule,
};
