/* SPDX-License-Identifier: MIT */
#include "json/pointer.h"

#include <string.h>

void
psim_pointer_append(GString *pointer, const char *key)
{
    g_string_append_c(pointer, '/');
    for (const char *at = key; *at != '\0'; at++) {
        if (*at == '~')
            g_string_append(pointer, "~0");
        else if (*at == '/')
            g_string_append(pointer, "~1");
        else
            g_string_append_c(pointer, *at);
    }
}

void
psim_pointer_append_index(GString *pointer, size_t index)
{
    g_string_append_printf(pointer, "/%" G_GSIZE_FORMAT, index);
}

bool
psim_pointer_next(const char **cursor, GString *token)
{
    const char *at = *cursor;

    if (*at != '/')
        return false;
    g_string_truncate(token, 0);
    for (at++; *at != '\0' && *at != '/'; at++) {
        const bool escaped = at[0] == '~' && (at[1] == '0' || at[1] == '1');

        if (escaped)
            at++;
        g_string_append_c(token, !escaped ? *at : *at == '0' ? '~' : '/');
    }
    *cursor = at;
    return true;
}

bool
psim_pointer_to_index(const char *token, size_t *ret_index)
{
    const size_t n_digits = strspn(token, "0123456789");

    /* Nine digits fit an int, which is what cJSON counts with. */
    if (n_digits == 0 || n_digits > 9 || token[n_digits] != '\0')
        return false;
    if (token[0] == '0' && n_digits > 1)
        return false;
    *ret_index = (size_t)g_ascii_strtoull(token, NULL, 10);
    return true;
}

bool
psim_pointer_covers(const char *outer, const char *inner)
{
    const size_t n_bytes = strlen(outer);

    return strncmp(outer, inner, n_bytes) == 0 && (inner[n_bytes] == '\0' || inner[n_bytes] == '/');
}
