/* SPDX-License-Identifier: MIT */
#include "test_spec.h"

#include "spec/plan.h"

#include <string.h>

PSIM_TEST_SUITES(preset_suite,
                 override_suite,
                 model_suite,
                 hardware_suite,
                 runtime_suite,
                 plan_suite,
                 calibration_suite,
                 crosscheck_suite,
                 schedule_file_suite,
                 bad_input_suite);

PsimPlan *
test_spec_parse(const char *text, const char *sets, GError **error)
{
    g_auto(GStrv) pairs = g_strsplit(sets, "|", -1);
    const guint n_sets = g_strv_length(pairs);
    g_autofree PsimOverride *overrides = g_new0(PsimOverride, n_sets + 1);

    for (guint i = 0; i < n_sets; i++) {
        char *equals = strchr(pairs[i], '=');

        ck_assert_ptr_nonnull(equals);
        *equals = '\0';
        overrides[i] = (PsimOverride){.pointer = pairs[i], .value = equals + 1};
    }
    return psim_plan_parse(text, strlen(text), "p.json", overrides, n_sets, error);
}

char *
test_spec_complain(const char *text, const char *sets)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimPlan) plan = test_spec_parse(text, sets, &error);

    ck_assert_msg(plan == NULL, "accepted with %s", sets);
    return g_strdup(error->message);
}

char *
test_spec_remarks(const char *text, const char *sets)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimPlan) plan = test_spec_parse(text, sets, &error);
    g_autoptr(GString) lines = g_string_new(NULL);

    ck_assert_msg(plan != NULL, "%s", error != NULL ? error->message : "");
    for (guint i = 0; i < plan->warnings->len; i++) {
        const PsimWarning *entry = g_ptr_array_index(plan->warnings, i);

        g_string_append_printf(lines, "%s %s: %s%s%s\n", entry->severity, entry->code,
                               entry->message, entry->fix != NULL ? " -> " : "",
                               entry->fix != NULL ? entry->fix : "");
    }
    return g_string_free(g_steal_pointer(&lines), FALSE);
}

char *
test_spec_default(const GPtrArray *defaults, const char *pointer)
{
    for (guint i = 0; i < defaults->len; i++) {
        const PsimDefault *entry = g_ptr_array_index(defaults, i);

        if (g_str_equal(entry->pointer, pointer))
            return g_strdup_printf("%s, %s", entry->value, entry->why);
    }
    return NULL;
}
