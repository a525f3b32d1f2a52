/* SPDX-License-Identifier: MIT */
#include "cli/output.h"
#include "cli/question.h"

#include <string.h>

typedef struct {
    const char *name;
    const PsimOverride *overrides;
    size_t n_overrides;
} Thing;

static char *
write_model(const Thing *thing, GError **error)
{
    g_autoptr(PsimModel) model =
        psim_model_load(thing->name, thing->overrides, thing->n_overrides, error);

    return model == NULL ? NULL : psim_model_write(model);
}

static char *
write_hardware(const Thing *thing, GError **error)
{
    g_autoptr(PsimHardware) hardware =
        psim_hardware_load(thing->name, thing->overrides, thing->n_overrides, error);

    return hardware == NULL ? NULL : psim_hardware_write(hardware);
}

static char *
write_plan(const Thing *thing, GError **error)
{
    g_autoptr(PsimPlan) plan =
        psim_plan_load(thing->name, thing->overrides, thing->n_overrides, error);

    return plan == NULL ? NULL : psim_plan_write(plan);
}

/* Devices and runtimes are parts of other things; their presets are shown as they are written. */
static char *
copy_preset(PsimPresetKind kind, const char *what, const Thing *thing, GError **error)
{
    g_autofree char *text = psim_preset_text(kind, thing->name);
    g_autofree char *complaint = g_strconcat("no ", what, NULL);
    g_autofree char *list_kind = g_strconcat(what, "s", NULL);
    g_auto(GStrv) names = psim_preset_names(kind);

    if (thing->n_overrides > 0)
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                    "--set does not reach into a %s; it does into the plan that uses it", what);
    else if (text == NULL)
        psim_arguments_complain(error, complaint, thing->name, (const char *const *)names,
                                list_kind);
    else
        return g_steal_pointer(&text);
    return NULL;
}

static char *
copy_device(const Thing *thing, GError **error)
{
    return copy_preset(PSIM_PRESET_DEVICE, "device", thing, error);
}

static char *
copy_runtime(const Thing *thing, GError **error)
{
    return copy_preset(PSIM_PRESET_RUNTIME, "runtime", thing, error);
}

typedef char *(*Writer)(const Thing *thing, GError **error);

static Writer
find_writer(const char *kind, GError **error)
{
    static const char *const kinds[] = {"model", "hardware", "device", "runtime", "plan", NULL};
    static const Writer writers[] = {write_model, write_hardware, copy_device, copy_runtime,
                                     write_plan};

    for (size_t i = 0; kinds[i] != NULL; i++) {
        if (strcmp(kinds[i], kind) == 0)
            return writers[i];
    }
    psim_arguments_complain(error, "unknown kind", kind, kinds, /* list_kind= */ NULL);
    return NULL;
}

int
psim_command_show(const PsimArguments *arguments, GError **error)
{
    const Writer write = find_writer(arguments->operands[0], error);
    g_auto(PsimQuestion) question = {0};

    if (write == NULL)
        return PSIM_EXIT_USAGE;
    psim_question_init(&question, arguments, /* directory= */ NULL);

    const Thing thing = {
        .name = arguments->operands[1],
        .overrides = (const PsimOverride *)(const void *)question.overrides->data,
        .n_overrides = question.overrides->len,
    };
    const char *path = psim_arguments_text(arguments, "output");
    g_autofree char *text = write(&thing, error);

    if (text == NULL)
        return PSIM_EXIT_FAULT;
    if (path == NULL && psim_arguments_flag(arguments, "quiet"))
        return PSIM_EXIT_DONE;
    return psim_output_write_text(text, path, error) ? PSIM_EXIT_DONE : PSIM_EXIT_IO;
}
