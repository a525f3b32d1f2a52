/* SPDX-License-Identifier: MIT */
#include "written.h"

#include <check.h>
#include <string.h>

static bool
append(const char *bytes, size_t n_bytes, void *user)
{
    g_string_append_len(user, bytes, (gssize)n_bytes);
    return true;
}

char *
written(const PsimResult *result, const char *format)
{
    GString *text = g_string_new(NULL);

    ck_assert(psim_result_write(result, format, append, text, NULL));
    return g_string_free(text, /* free_segment= */ FALSE);
}

PsimPlan *
load_plan(const char *name, ...)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    PsimOverride overrides[16];
    size_t n_overrides = 0;
    va_list arguments;

    va_start(arguments, name);
    for (const char *text = va_arg(arguments, const char *); text != NULL;
         text = va_arg(arguments, const char *)) {
        char *pointer = g_strdup(text);
        char *equals = strchr(pointer, '=');

        ck_assert(equals != NULL && n_overrides < G_N_ELEMENTS(overrides));
        *equals = '\0';
        g_ptr_array_add(texts, pointer);
        overrides[n_overrides++] = (PsimOverride){.pointer = pointer, .value = equals + 1};
    }
    va_end(arguments);

    PsimPlan *plan = psim_plan_load(name, overrides, n_overrides, &error);

    ck_assert_msg(plan != NULL, "%s", error ? error->message : "no error");
    return plan;
}
