/* SPDX-License-Identifier: MIT */
/* A plan is made in four steps: overrides go into the documents they reach, parts are read, what
 * was left out is derived, and the whole is checked against itself.
 */
#include "spec/plan.h"

#include "spec/crosscheck.h"
#include "spec/derive.h"
#include "spec/digest.h"
#include "spec/member.h"
#include "spec/parts.h"
#include "spec/preset.h"
#include "spec/remark.h"
#include "spec/schedule_file.h"

#include <string.h>

#define SCHEMA "plansim.plan/1"

#define SINGLE_BYTES     4.0
#define FP8_COPIES_BYTES 2.0

static const char *const recompute_words[] = {"none", "selective", "full", NULL};

static void
free_warning(void *data)
{
    PsimWarning *entry = data;

    g_free(entry->code);
    g_free(entry->severity);
    g_free(entry->message);
    g_free(entry->fix);
    g_free(entry);
}

static PsimPlan *
new_plan(PsimReader *reader, const char *file)
{
    PsimPlan *self = g_new0(PsimPlan, 1);
    g_autofree char *stem = psim_member_stem(file);
    const PsimTitles titles = psim_member_titles(reader, SCHEMA, stem);

    *self = (PsimPlan){
        .ref_count = 1,
        .name = titles.name,
        .about = titles.about,
        .source = titles.source,
        .defaults = psim_member_defaults_new(),
        .warnings = g_ptr_array_new_with_free_func(free_warning),
        .files = g_ptr_array_new_with_free_func(g_free),
    };
    g_ptr_array_add(self->files, g_strdup(file));
    return self;
}

static void
free_members(PsimPlan *self)
{
    psim_model_unref(self->model);
    psim_hardware_unref(self->hardware);
    psim_runtime_clear(&self->runtime);
    psim_csv_free(self->schedule_file);
    g_free(self->name);
    g_free(self->about);
    g_free(self->source);
    g_free(self->layers_per_stage);
    g_free(self->digest);
    g_ptr_array_unref(self->defaults);
    g_ptr_array_unref(self->warnings);
    g_ptr_array_unref(self->files);
    g_free(self);
}

PsimPlan *
psim_plan_ref(PsimPlan *self)
{
    g_return_val_if_fail(self != NULL, NULL);
    g_atomic_int_inc(&self->ref_count);
    return self;
}

void
psim_plan_unref(PsimPlan *self)
{
    if (self != NULL && g_atomic_int_dec_and_test(&self->ref_count))
        free_members(self);
}

void
psim_plan_warn(PsimPlan *self, const char *code, const char *severity, char *message, char *fix)
{
    PsimWarning *entry = g_new0(PsimWarning, 1);

    entry->code = g_strdup(code);
    entry->severity = g_strdup(severity);
    entry->message = message;
    entry->fix = fix;
    g_ptr_array_add(self->warnings, entry);
}

/* -- Reading ----------------------------------------------------------------------------------- */

/* Overrides below a runtime that the plan leaves to the default need the name to be there. Returns:
 * whether it was filled in. */
static bool
fill_in_runtime(PsimDocument *document, const PsimOverrides *overrides)
{
    g_autoptr(PsimComplaints) unheard = psim_complaints_new();
    g_autoptr(PsimReader) reader = psim_reader_new(document, unheard);
    bool reached = false;

    for (size_t i = 0; i < overrides->n; i++)
        reached = reached || g_str_has_prefix(overrides->items[i].pointer, "/runtime/");
    if (!reached || psim_reader_has(reader, "runtime") ||
        psim_override_replaces(overrides, "/runtime"))
        return false;
    return psim_document_set(document, "/runtime", psim_parts_default_runtime(), NULL);
}

/* The plan's own defaults; those of inline parts are with the parts. */
static void
copy_own_defaults(PsimPlan *plan, const PsimReader *reader)
{
    const GPtrArray *all = psim_reader_defaults(reader);
    g_autoptr(GPtrArray) own = g_ptr_array_new();

    for (guint i = 0; i < all->len; i++) {
        const PsimDefault *entry = g_ptr_array_index(all, i);

        if (!g_str_has_prefix(entry->pointer, "/model/") &&
            !g_str_has_prefix(entry->pointer, "/hardware/"))
            g_ptr_array_add(own, g_ptr_array_index(all, i));
    }
    psim_member_copy_defaults(plan->defaults, own, 0, "");
}

static void
finish_plan(PsimPlan *plan, const PsimReader *reader, const PsimGiven *given)
{
    copy_own_defaults(plan, reader);
    psim_remark_plan(plan, given);

    g_autofree char *text = psim_plan_write(plan);

    plan->digest = psim_digest_text(text);
}

static PsimPlan *
read_plan(PsimDocument *document,
          const char *directory,
          const PsimOverrides *overrides,
          GError **error)
{
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    const PsimPartsContext context = {
        .complaints = complaints,
        .directory = directory,
        .overrides = *overrides,
        .runtime_is_default = fill_in_runtime(document, overrides),
    };

    if (!psim_override_apply(overrides, psim_parts_pointers(), document, error))
        return NULL;

    g_autoptr(PsimReader) reader = psim_reader_new(document, complaints);
    g_autoptr(PsimPlan) plan = new_plan(reader, psim_document_name(document));
    PsimGiven given = {
        .sequence = psim_override_replaces(overrides, "/model/transformer/sequence"),
    };
    uint32_t n_split = 0;

    psim_parts_read(plan, reader, &context);
    psim_derive_plan(plan, reader, &context, &given, &n_split);
    psim_reader_end(reader);
    /* Stand-ins of what could not be read would contradict everything. */
    if (psim_complaints_n(complaints) == 0)
        psim_crosscheck_plan(plan, reader, &given, n_split);
    if (!psim_complaints_finish(complaints, error))
        return NULL;
    finish_plan(plan, reader, &given);
    return g_steal_pointer(&plan);
}

PsimPlan *
psim_plan_load(const char *name, const PsimOverride *overrides, size_t n_overrides, GError **error)
{
    g_return_val_if_fail(name != NULL, NULL);

    const PsimOverrides all = {.items = overrides, .n = n_overrides, .prefix = ""};
    g_autoptr(PsimDocument) document =
        psim_preset_resolve(PSIM_PRESET_PLAN, name, /* directory= */ NULL, error);
    g_autofree char *directory = g_path_get_dirname(name);

    return document != NULL ? read_plan(document, directory, &all, error) : NULL;
}

PsimPlan *
psim_plan_parse(const char *text,
                size_t n_bytes,
                const char *name,
                const PsimOverride *overrides,
                size_t n_overrides,
                GError **error)
{
    g_return_val_if_fail(text != NULL && name != NULL, NULL);

    const PsimOverrides all = {.items = overrides, .n = n_overrides, .prefix = ""};
    g_autoptr(PsimDocument) document = psim_document_parse(text, n_bytes, name, error);
    g_autofree char *directory = g_path_get_dirname(name);

    return document != NULL ? read_plan(document, directory, &all, error) : NULL;
}

/* -- Writing ----------------------------------------------------------------------------------- */

static void
write_parallel(const PsimPlan *self, PsimWriter *writer)
{
    psim_writer_count(writer, "gpus", self->n_gpus);
    psim_writer_begin_row(writer, "parallel");
    psim_writer_count(writer, "tensor", self->tp);
    if (self->cp > 1) {
        psim_writer_count(writer, "context", self->cp);
        psim_writer_string(writer, "context_communication",
                           psim_context_words()[self->context_communication]);
    }
    psim_writer_count(writer, "pipeline", self->pp);
    psim_writer_count(writer, "data", self->dp);
    psim_writer_flag(writer, "sequence_parallel", self->sequence_parallel);
    psim_writer_end_object(writer);
    psim_writer_begin_row(writer, "batch");
    psim_writer_count(writer, "micro", self->micro_batch);
    psim_writer_count(writer, "global", self->global_batch);
    psim_writer_end_object(writer);
    if (self->schedule_file != NULL)
        psim_writer_begin_object(writer, "schedule");
    else
        psim_writer_begin_row(writer, "schedule");
    psim_writer_string(writer, "name", self->schedule->name);
    psim_writer_count(writer, "chunks", self->n_chunks);
    psim_writer_count(writer, "group", self->group);
    psim_writer_count(writer, "slices", self->n_slices);
    psim_schedule_file_write(self, writer);
    psim_writer_end_object(writer);
}

static void
write_split(const PsimPlan *self, PsimWriter *writer)
{
    static const char key[] = "layers_per_stage";

    if (self->split != PSIM_SPLIT_EXPLICIT) {
        psim_writer_string(writer, key, self->split == PSIM_SPLIT_EVEN ? "even" : "balanced");
        return;
    }
    psim_writer_begin_list(writer, key);
    for (uint32_t stage = 0; stage < psim_plan_stage_count(self); stage++)
        psim_writer_count(writer, NULL, self->layers_per_stage[stage]);
    psim_writer_end_array(writer);
}

static void
write_rest(const PsimPlan *self, PsimWriter *writer)
{
    psim_writer_string(writer, "recompute", recompute_words[self->recompute]);
    if (self->recompute_layers < psim_model_layer_count(self->model))
        psim_writer_count(writer, "recompute_layers", self->recompute_layers);
    if (self->recompute_group > 1)
        psim_writer_count(writer, "recompute_group", self->recompute_group);
    psim_writer_count(writer, "zero_stage", self->zero_stage);
    psim_writer_string(writer, "precision", psim_precision_words()[self->precision]);
    psim_writer_flag(writer, "flash_attention", self->flash_attention);
    psim_writer_begin_row(writer, "overlap");
    psim_writer_flag(writer, "data", self->overlap_dp);
    psim_writer_flag(writer, "pipeline", self->overlap_pp);
    psim_writer_flag(writer, "tensor", self->overlap_tp);
    psim_writer_end_object(writer);
    psim_writer_begin_row(writer, "run");
    if (self->tokens > 0)
        psim_writer_number(writer, "tokens", self->tokens);
    else
        psim_writer_null(writer, "tokens");
    /* Always a number: null would ask the device for its price again. */
    psim_writer_number(writer, "usd_per_gpu_hour", self->usd_per_gpu_hour);
    psim_writer_end_object(writer);
}

char *
psim_plan_write(const PsimPlan *self)
{
    g_return_val_if_fail(self != NULL, NULL);

    const PsimTitles titles = {self->name, self->about, self->source};
    g_autoptr(PsimWriter) writer = psim_writer_new(/* pretty= */ true);

    psim_writer_begin_object(writer, NULL);
    psim_member_write_titles(writer, SCHEMA, &titles);
    psim_model_write_members(self->model, writer, "model");
    psim_hardware_write_members(self->hardware, writer, "hardware");
    psim_runtime_write_members(&self->runtime, writer, "runtime");
    write_parallel(self, writer);
    write_split(self, writer);
    write_rest(self, writer);
    psim_writer_end_object(writer);
    return psim_writer_finish(writer);
}

/* -- Questions --------------------------------------------------------------------------------- */

PsimShape
psim_plan_shape(const PsimPlan *self)
{
    return (PsimShape){
        .n_ranks = self->pp,
        .n_microbatches = self->n_microbatches,
        .n_chunks = self->n_chunks,
        .group = self->group,
        .n_slices = self->n_slices,
        .given = self->schedule_file != NULL ? self->schedule_file->order : NULL,
    };
}

const char *
psim_plan_schedule_name(const PsimPlan *self)
{
    return self->schedule_file != NULL ? self->schedule_file->name : self->schedule->name;
}

void
psim_plan_schedule_options(const PsimPlan *self, PsimScheduleOptions *ret_options)
{
    g_return_if_fail(self != NULL && ret_options != NULL);

    ret_options->name = psim_plan_schedule_name(self);
    ret_options->csv = self->schedule_file != NULL ? self->schedule_file->text : NULL;
    ret_options->n_ranks = self->pp;
    ret_options->n_microbatches = self->n_microbatches;
    ret_options->n_chunks = self->n_chunks;
    ret_options->group = self->group;
    ret_options->n_slices = self->n_slices;
}

static bool
is_single_precision(const PsimPlan *plan)
{
    return plan->precision == PSIM_PRECISION_FP32 || plan->precision == PSIM_PRECISION_TF32;
}

double
psim_plan_weight_bytes(const PsimPlan *self)
{
    return is_single_precision(self) ? MAX(self->runtime.weight_bytes, SINGLE_BYTES)
                                     : self->runtime.weight_bytes;
}

bool
psim_plan_keeps_fp8(const PsimPlan *self)
{
    return self->precision == PSIM_PRECISION_FP8 && self->runtime.keeps_fp8;
}

double
psim_plan_kept_weight_bytes(const PsimPlan *self)
{
    return psim_plan_weight_bytes(self) + (psim_plan_keeps_fp8(self) ? FP8_COPIES_BYTES : 0.0);
}

double
psim_plan_gradient_bytes(const PsimPlan *self)
{
    if (is_single_precision(self))
        return MAX(self->runtime.gradient_bytes, SINGLE_BYTES);
    return self->precision == PSIM_PRECISION_BF16 ? self->runtime.gradient_bytes_bf16
                                                  : self->runtime.gradient_bytes;
}

double
psim_plan_reduce_bytes(const PsimPlan *self)
{
    return is_single_precision(self) ? MAX(self->runtime.gradient_reduce_bytes, SINGLE_BYTES)
                                     : self->runtime.gradient_reduce_bytes;
}

double
psim_plan_optimizer_bytes(const PsimPlan *self)
{
    return is_single_precision(self) ? MIN(self->runtime.optimizer_bytes, 2.0 * SINGLE_BYTES)
                                     : self->runtime.optimizer_bytes;
}

uint32_t
psim_plan_owners(const PsimPlan *self)
{
    return self->dp * self->cp;
}

uint32_t
psim_plan_stage_count(const PsimPlan *self)
{
    return self->pp * self->n_chunks;
}

uint64_t
psim_plan_padded_vocabulary(const PsimPlan *self)
{
    const uint64_t unit = self->runtime.vocabulary_multiple * (uint64_t)self->tp;

    return (self->model->vocabulary + unit - 1) / unit * unit;
}
