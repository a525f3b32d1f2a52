/* SPDX-License-Identifier: MIT */
#include "spec/parts.h"

#include "spec/member.h"
#include "spec/preset.h"

#define DEFAULT_RUNTIME "megatron"

static const char *const no_parts[] = {NULL};
static const char *const pointers[] = {"/model", "/hardware", "/hardware/device", "/runtime", NULL};

const char *const *
psim_parts_pointers(void)
{
    return pointers;
}

const char *
psim_parts_default_runtime(void)
{
    return DEFAULT_RUNTIME;
}

static PsimOverrides
select_below(const PsimPartsContext *context, const char *prefix)
{
    PsimOverrides below = context->overrides;

    below.prefix = prefix;
    return below;
}

/* The document that the string at @key stands for. What the user wrote on the command line is
 * relative to where the user is, not to the plan. */
static PsimDocument *
resolve_part(PsimReader *reader,
             const char *key,
             PsimPresetKind kind,
             const PsimPartsContext *context)
{
    g_autofree char *pointer = g_strconcat("/", key, NULL);
    const bool replaced = psim_override_replaces(&context->overrides, pointer);
    g_autoptr(GError) error = NULL;
    PsimDocument *document = psim_preset_resolve(kind, psim_reader_string(reader, key),
                                                 replaced ? NULL : context->directory, &error);

    if (document == NULL)
        psim_reader_complain(reader, key, (PsimError)error->code, "%s", error->message);
    return document;
}

static void
complain_of_no_part(PsimReader *reader, const char *key)
{
    const bool absent = !psim_reader_has(reader, key);
    const char *const words = absent ? "missing; expected" : "must be";

    psim_reader_complain(reader, key, PSIM_ERROR_SCHEMA,
                         "%s the name of a preset, a path, or an object", words);
}

/* Remembers what the user called the part. */
static void
note_file(PsimPlan *plan, PsimReader *reader, const char *key)
{
    const char *plan_file = g_ptr_array_index(plan->files, 0);
    const char *file =
        psim_reader_is_string(reader, key) ? psim_reader_string(reader, key) : plan_file;

    g_ptr_array_add(plan->files, g_strdup(file));
}

static void
read_model(PsimPlan *plan, PsimReader *reader, const PsimPartsContext *context)
{
    if (psim_reader_is_object(reader, "model")) {
        psim_reader_enter(reader, "model");
        plan->model = psim_model_read_members(reader, context->complaints, "model", "");
        psim_reader_leave(reader);
        return;
    }
    if (!psim_reader_is_string(reader, "model")) {
        complain_of_no_part(reader, "model");
        return;
    }

    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document = resolve_part(reader, "model", PSIM_PRESET_MODEL, context);
    const PsimOverrides below = select_below(context, "/model");

    if (document == NULL)
        return;
    if (psim_override_apply(&below, no_parts, document, &error))
        plan->model = psim_model_read(document, context->complaints);
    else
        psim_reader_complain(reader, "model", (PsimError)error->code, "%s", error->message);
}

static void
read_hardware(PsimPlan *plan, PsimReader *reader, const PsimPartsContext *context)
{
    if (psim_reader_is_object(reader, "hardware")) {
        const PsimHardwareContext inner = {
            .complaints = context->complaints,
            .fallback = "hardware",
            .prefix = "",
            .directory = context->directory,
            .device_overrides = select_below(context, "/hardware/device"),
        };

        psim_reader_enter(reader, "hardware");
        plan->hardware = psim_hardware_read_members(reader, &inner);
        psim_reader_leave(reader);
        return;
    }
    if (!psim_reader_is_string(reader, "hardware")) {
        complain_of_no_part(reader, "hardware");
        return;
    }

    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document =
        resolve_part(reader, "hardware", PSIM_PRESET_HARDWARE, context);
    const PsimOverrides below = select_below(context, "/hardware");

    if (document == NULL)
        return;
    plan->hardware = psim_hardware_read_with(document, context->complaints, &below, &error);
    if (plan->hardware == NULL)
        psim_reader_complain(reader, "hardware", (PsimError)error->code, "%s", error->message);
}

static void
read_runtime_document(PsimPlan *plan, PsimDocument *document, const PsimPartsContext *context)
{
    g_autoptr(PsimReader) reader = psim_reader_new(document, context->complaints);
    g_autofree char *stem = psim_member_stem(psim_document_name(document));

    psim_runtime_read_members(&plan->runtime, reader, stem);
    psim_reader_end(reader);
    psim_member_copy_defaults(plan->defaults, psim_reader_defaults(reader), 0, "/runtime");
}

static void
read_runtime(PsimPlan *plan, PsimReader *reader, const PsimPartsContext *context)
{
    const bool absent = !psim_reader_has(reader, "runtime");

    if (absent || context->runtime_is_default)
        psim_reader_note_default(reader, "runtime", "\"" DEFAULT_RUNTIME "\"", "default");
    if (psim_reader_is_object(reader, "runtime")) {
        psim_reader_enter(reader, "runtime");
        psim_runtime_read_members(&plan->runtime, reader, "runtime");
        psim_reader_leave(reader);
        return;
    }
    if (!absent && !psim_reader_is_string(reader, "runtime")) {
        complain_of_no_part(reader, "runtime");
        return;
    }

    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document =
        absent ? psim_preset_resolve(PSIM_PRESET_RUNTIME, DEFAULT_RUNTIME, NULL, &error)
               : resolve_part(reader, "runtime", PSIM_PRESET_RUNTIME, context);
    const PsimOverrides below = select_below(context, "/runtime");

    if (document != NULL && psim_override_apply(&below, no_parts, document, &error))
        read_runtime_document(plan, document, context);
    else if (error != NULL)
        psim_reader_complain(reader, "runtime", (PsimError)error->code, "%s", error->message);
}

void
psim_parts_read(PsimPlan *plan, PsimReader *reader, const PsimPartsContext *context)
{
    read_model(plan, reader, context);
    read_hardware(plan, reader, context);
    read_runtime(plan, reader, context);
    note_file(plan, reader, "model");
    note_file(plan, reader, "hardware");
    if (psim_reader_has(reader, "runtime"))
        note_file(plan, reader, "runtime");
    else
        g_ptr_array_add(plan->files, g_strdup(DEFAULT_RUNTIME));
    if (plan->model != NULL)
        psim_member_copy_defaults(plan->defaults, plan->model->defaults, 0, "");
    if (plan->hardware != NULL)
        psim_member_copy_defaults(plan->defaults, plan->hardware->defaults, 0, "");
}
