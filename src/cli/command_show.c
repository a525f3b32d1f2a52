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
    static const char *const kinds[] = {"model", "hardware", "device", "runtime",
                                        "plan",  "why",      NULL};
    static const Writer writers[] = {write_model, write_hardware, copy_device, copy_runtime,
                                     write_plan};

    for (size_t i = 0; i < G_N_ELEMENTS(writers); i++) {
        if (strcmp(kinds[i], kind) == 0)
            return writers[i];
    }
    psim_arguments_complain(error, "unknown kind", kind, kinds, /* list_kind= */ NULL);
    return NULL;
}

/* -- Where a number comes from -- */

static bool
append_text(const char *bytes, size_t n_bytes, void *user)
{
    g_string_append_len(user, bytes, (gssize)n_bytes);
    return true;
}

static char *
explain(const PsimArguments *arguments, GError **error)
{
    g_autoptr(PsimPlan) plan =
        psim_question_load_with(arguments, arguments->operands[2], /* schedule= */ NULL, error);
    g_autoptr(GString) text = g_string_new(NULL);

    if (plan == NULL || !psim_explain(plan, arguments->operands[1], append_text, text, error))
        return NULL;
    return g_string_free(g_steal_pointer(&text), /* free_segment= */ FALSE);
}

/* -- Things -- */

/* Options of a plan have nothing to say about a model; --set has. */
static bool
check_options(const PsimArguments *arguments, GError **error)
{
    for (guint i = 0; i < arguments->given->len; i++) {
        const PsimCommandOption *option = g_array_index(arguments->given, PsimArgument, i).option;

        if (option->pointer == NULL)
            continue;
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                    "--%s is for \"show why\"; --set replaces any member here", option->name);
        return false;
    }
    if (arguments->operands[2] == NULL)
        return true;
    g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                "\"%s\" is one word too many; expected KIND NAME|FILE", arguments->operands[2]);
    return false;
}

static char *
write_thing(const PsimArguments *arguments, Writer write, GError **error)
{
    g_auto(PsimQuestion) question = {0};

    psim_question_init(&question, arguments, /* directory= */ NULL);
    const Thing thing = {
        .name = arguments->operands[1],
        .overrides = (const PsimOverride *)(const void *)question.overrides->data,
        .n_overrides = question.overrides->len,
    };

    /* cppcheck-suppress returnDanglingLifetime ; the text is the caller's */
    return write(&thing, error);
}

int
psim_command_show(const PsimArguments *arguments, GError **error)
{
    const bool is_why = strcmp(arguments->operands[0], "why") == 0;
    const Writer write = is_why ? NULL : find_writer(arguments->operands[0], error);
    const char *path = psim_arguments_text(arguments, "output");

    if (!is_why && (write == NULL || !check_options(arguments, error)))
        return PSIM_EXIT_USAGE;
    g_autofree char *text =
        is_why ? explain(arguments, error) : write_thing(arguments, write, error);

    if (text == NULL)
        return PSIM_EXIT_FAULT;
    if (path == NULL && psim_arguments_flag(arguments, "quiet"))
        return PSIM_EXIT_DONE;
    return psim_output_write_text(text, path, error) ? PSIM_EXIT_DONE : PSIM_EXIT_IO;
}
