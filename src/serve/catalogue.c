/* SPDX-License-Identifier: MIT */
#include "serve/catalogue.h"

#include "plansim.h"

static void
append_string(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            g_string_append_c(out, '\\');
        g_string_append_c(out, *text);
    }
    g_string_append_c(out, '"');
}

static void
append_presets(GString *out, const char *key, PsimPresetKind kind)
{
    g_auto(GStrv) names = psim_preset_names(kind);

    g_string_append_printf(out, "  \"%s\": [", key);
    for (char **name = names; *name != NULL; name++) {
        g_string_append(out, name == names ? "" : ", ");
        append_string(out, *name);
    }
    g_string_append(out, "],\n");
}

static void
append_summaries(GString *out,
                 const char *key,
                 const char *const *names,
                 const char *(*summary)(const char *name))
{
    g_string_append_printf(out, "  \"%s\": [", key);
    for (const char *const *name = names; *name != NULL; name++) {
        g_string_append(out, name == names ? "\n    {\"name\": " : ",\n    {\"name\": ");
        append_string(out, *name);
        g_string_append(out, ", \"summary\": ");
        append_string(out, summary(*name));
        g_string_append_c(out, '}');
    }
    g_string_append(out, "\n  ]");
}

char *
psim_catalogue_json(void)
{
    GString *out = g_string_new("{\n");

    append_presets(out, "models", PSIM_PRESET_MODEL);
    append_presets(out, "hardware", PSIM_PRESET_HARDWARE);
    append_presets(out, "runtimes", PSIM_PRESET_RUNTIME);
    append_presets(out, "plans", PSIM_PRESET_PLAN);
    append_summaries(out, "schedules", psim_schedule_names(), psim_schedule_summary);
    g_string_append(out, ",\n");
    append_summaries(out, "formats", psim_formats(), psim_format_summary);
    g_string_append(out, "\n}\n");
    return g_string_free(out, /* free_segment= */ FALSE);
}
