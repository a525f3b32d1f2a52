/* SPDX-License-Identifier: MIT */
/* Every option that shapes a plan is a JSON pointer and a value; the library reads and checks the
 * result as if it stood in the file. Nothing is guessed here: a plan that no longer adds up is the
 * library's to refuse.
 */
#include "cli/question.h"

#include "cli/output.h"

#include <string.h>

/* JSON text of a string. */
static char *
quote(const char *text)
{
    GString *json = g_string_new("\"");

    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            g_string_append_printf(json, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            g_string_append_printf(json, "\\u%04x", (unsigned)*text);
        else
            g_string_append_c(json, *text);
    }
    g_string_append_c(json, '"');
    return g_string_free(json, /* free_segment= */ FALSE);
}

static bool
is_file_name(const char *name)
{
    return strchr(name, '/') != NULL || g_str_has_suffix(name, ".json") ||
           g_str_has_suffix(name, ".csv");
}

static char *
write_text(const char *value, const char *directory)
{
    if (directory == NULL || !is_file_name(value) || g_path_is_absolute(value))
        return quote(value);
    g_autofree char *absolute = g_canonicalize_filename(value, /* relative_to= */ NULL);

    return quote(absolute);
}

static void
add_override(PsimQuestion *self, const char *pointer, char *value)
{
    const PsimOverride override = {.pointer = pointer, .value = value};

    g_ptr_array_add(self->strings, value);
    g_array_append_val(self->overrides, override);
}

/* "interleaved:4", or a file: the whole schedule is replaced, so that nothing of the plan's own
 * stays behind. */
static void
add_schedule(PsimQuestion *self, const char *value)
{
    const char *colon = is_file_name(value) ? NULL : strrchr(value, ':');
    g_autofree char *name =
        colon == NULL ? g_strdup(value) : g_strndup(value, (gsize)(colon - value));

    add_override(self, "/schedule", g_strdup("{}"));
    add_override(self, "/schedule/name", quote(name));
    if (colon != NULL)
        add_override(self, "/schedule/chunks", g_strdup(colon + 1));
}

static void
add_member(PsimQuestion *self, const char *member)
{
    const char *equals = strchr(member, '=');
    char *pointer = g_strndup(member, (gsize)(equals - member));

    g_ptr_array_add(self->strings, pointer);
    add_override(self, pointer, g_strdup(equals + 1));
}

static void
add_argument(PsimQuestion *self, const PsimArgument *argument, const char *directory)
{
    const char *pointer = argument->option->pointer;

    if (pointer == NULL && argument->option->type != PSIM_VALUE_MEMBER)
        return;
    switch (argument->option->type) {
    case PSIM_VALUE_NONE:
        if (strchr(pointer, '=') != NULL)
            add_member(self, pointer);
        else
            add_override(self, pointer, g_strdup("true"));
        break;
    case PSIM_VALUE_TEXT:
        add_override(self, pointer, write_text(argument->value, directory));
        break;
    case PSIM_VALUE_COUNT:
    case PSIM_VALUE_NUMBER:
        add_override(self, pointer, g_strdup(argument->value));
        break;
    case PSIM_VALUE_SCHEDULE:
        add_schedule(self, argument->value);
        break;
    case PSIM_VALUE_MEMBER:
        add_member(self, argument->value);
        break;
    }
}

/* --set comes last, wherever it stands: it changes a member of what the other options name, and
 * --schedule, --model or --hardware behind it would drop that. */
static void
init(PsimQuestion *self,
     const PsimArguments *arguments,
     const char *directory,
     const char *schedule)
{
    self->overrides = g_array_new(FALSE, FALSE, sizeof(PsimOverride));
    self->strings = g_ptr_array_new_with_free_func(g_free);
    if (schedule != NULL)
        add_schedule(self, schedule);
    for (int is_member = 0; is_member < 2; is_member++)
        for (guint i = 0; i < arguments->given->len; i++) {
            const PsimArgument *argument = &g_array_index(arguments->given, PsimArgument, i);

            if ((argument->option->type == PSIM_VALUE_MEMBER) == (is_member != 0))
                add_argument(self, argument, directory);
        }
}

void
psim_question_init(PsimQuestion *self, const PsimArguments *arguments, const char *directory)
{
    init(self, arguments, directory, /* schedule= */ NULL);
}

void
psim_question_init_schedule(PsimQuestion *self, const char *schedule)
{
    self->overrides = g_array_new(FALSE, FALSE, sizeof(PsimOverride));
    self->strings = g_ptr_array_new_with_free_func(g_free);
    add_schedule(self, schedule);
}

void
psim_question_clear(PsimQuestion *self)
{
    if (self->overrides == NULL)
        return;
    g_array_unref(self->overrides);
    g_ptr_array_unref(self->strings);
    *self = (PsimQuestion){0};
}

/* A plan of nothing but the two names; the options say the rest. */
static PsimPlan *
begin_plan(const PsimArguments *arguments, const char *schedule, GError **error)
{
    const char *model = psim_arguments_text(arguments, "model");
    const char *hardware = psim_arguments_text(arguments, "hardware");
    g_auto(PsimQuestion) question = {0};

    if (model == NULL && hardware == NULL) {
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                    "neither PLAN nor --model and --hardware; \"plansim list plans\" lists plans");
        return NULL;
    }
    if (model == NULL || hardware == NULL) {
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                    "--%s is missing; a new plan needs --model and --hardware",
                    model == NULL ? "model" : "hardware");
        return NULL;
    }
    static const char text[] = "{\"schema\": \"plansim.plan/1\", \"name\": \"command-line\"}\n";

    init(&question, arguments, /* directory= */ NULL, schedule);
    return psim_plan_parse(text, strlen(text), "command line",
                           (const PsimOverride *)(const void *)question.overrides->data,
                           question.overrides->len, error);
}

/* Returns: the directory of a plan's file; NULL for a name, or where we are. */
static char *
find_directory(const char *name)
{
    g_autofree char *directory = is_file_name(name) ? g_path_get_dirname(name) : NULL;

    return g_strcmp0(directory, ".") == 0 ? NULL : g_steal_pointer(&directory);
}

static PsimPlan *
load(const PsimArguments *arguments, const char *name, const char *schedule, GError **error)
{
    g_auto(PsimQuestion) question = {0};

    if (name == NULL)
        return begin_plan(arguments, schedule, error);
    g_autofree char *directory = find_directory(name);

    init(&question, arguments, directory, schedule);
    psim_output_say(arguments, "reading %s", name);
    return psim_plan_load(name, (const PsimOverride *)(const void *)question.overrides->data,
                          question.overrides->len, error);
}

PsimPlan *
psim_question_load(const PsimArguments *arguments, GError **error)
{
    return load(arguments, arguments->operands[0], /* schedule= */ NULL, error);
}

PsimPlan *
psim_question_load_with(const PsimArguments *arguments,
                        const char *name,
                        const char *schedule,
                        GError **error)
{
    return load(arguments, name, schedule, error);
}

PsimPlan *
psim_question_load_on(const PsimArguments *arguments, const char *hardware, GError **error)
{
    static const char text[] = "{\"schema\": \"plansim.plan/1\", \"name\": \"search\"}\n";
    const char *name = arguments->operands[0];
    g_auto(PsimQuestion) question = {0};
    g_autofree char *directory = name != NULL ? find_directory(name) : NULL;
    g_autofree char *cluster = write_text(hardware, directory);
    const PsimOverride overrides[] = {{"/hardware", cluster}, {"/parallel/data", "1"}};

    init(&question, arguments, directory, /* schedule= */ NULL);
    g_array_prepend_vals(question.overrides, overrides, name != NULL ? 1 : 2);
    const PsimOverride *items = (const PsimOverride *)(const void *)question.overrides->data;

    if (name != NULL)
        return psim_plan_load(name, items, question.overrides->len, error);
    return psim_plan_parse(text, strlen(text), "command line", items, question.overrides->len,
                           error);
}
