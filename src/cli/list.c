/* SPDX-License-Identifier: MIT */
#include "cli/list.h"

#include "cli/arguments.h"

#include <string.h>

/* A preset's "about". Presets are our own files with one member a line, and a phrase without
 * escapes (a test reads them all), so that finding it needs no JSON reader. */
static char *
find_about(PsimPresetKind kind, const char *name)
{
    static const char key[] = "\"about\": \"";
    g_autofree char *text = psim_preset_text(kind, name);
    const char *about = text == NULL ? NULL : strstr(text, key);

    if (about == NULL)
        return g_strdup("");
    about += strlen(key);
    return g_strndup(about, strcspn(about, "\"\\"));
}

static char *
describe_preset(const char *name, int kind)
{
    return find_about((PsimPresetKind)kind, name);
}

static char *
describe_schedule(const char *name, int unused)
{
    (void)unused;
    return g_strdup(psim_schedule_summary(name));
}

static char *
describe_format(const char *name, int unused)
{
    (void)unused;
    return g_strdup(psim_format_summary(name));
}

static char **
copy_words(const char *const *words)
{
    g_autoptr(GStrvBuilder) builder = g_strv_builder_new();

    for (; *words != NULL; words++)
        g_strv_builder_add(builder, *words);
    return g_strv_builder_end(builder);
}

static char **
list_presets(int kind)
{
    return psim_preset_names((PsimPresetKind)kind);
}

static char **
list_schedules(int unused)
{
    (void)unused;
    return copy_words(psim_schedule_names());
}

static char **
list_formats(int unused)
{
    (void)unused;
    return copy_words(psim_formats());
}

typedef struct {
    const char *name;
    char **(*names)(int kind);
    char *(*describe)(const char *name, int kind);
    int kind;
} Kind;

static const Kind kinds[] = {
    {"models", list_presets, describe_preset, PSIM_PRESET_MODEL},
    {"hardware", list_presets, describe_preset, PSIM_PRESET_HARDWARE},
    {"devices", list_presets, describe_preset, PSIM_PRESET_DEVICE},
    {"plans", list_presets, describe_preset, PSIM_PRESET_PLAN},
    {"runtimes", list_presets, describe_preset, PSIM_PRESET_RUNTIME},
    {"schedules", list_schedules, describe_schedule, 0},
    {"formats", list_formats, describe_format, 0},
};

static const Kind *
find_kind(const char *name, GError **error)
{
    const char *words[G_N_ELEMENTS(kinds) + 1] = {NULL};

    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        words[i] = kinds[i].name;
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    }
    psim_arguments_complain(error, "unknown kind", name, words, /* list_kind= */ NULL);
    return NULL;
}

static glong
measure(char *const *names)
{
    glong width = 0;

    for (; *names != NULL; names++)
        width = MAX(width, g_utf8_strlen(*names, -1));
    return width;
}

char *
psim_list_write(const char *kind_name, bool names_only, GError **error)
{
    const Kind *kind = find_kind(kind_name, error);

    if (kind == NULL)
        return NULL;
    g_auto(GStrv) names = kind->names(kind->kind);
    const glong width = measure(names);
    GString *out = g_string_new(NULL);

    for (char **name = names; *name != NULL; name++) {
        g_autofree char *description = kind->describe(*name, kind->kind);

        if (names_only || description == NULL || description[0] == '\0')
            g_string_append_printf(out, "%s\n", *name);
        else
            g_string_append_printf(out, "%-*s  %s\n", (int)width, *name, description);
    }
    return g_string_free(out, /* free_segment= */ FALSE);
}
