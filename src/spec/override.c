/* SPDX-License-Identifier: MIT */
#include "spec/override.h"

#include "base/error.h"
#include "json/reader.h"

#include <string.h>

/* The rest of the pointer behind @prefix, or NULL where it does not reach below it. */
static const char *
reach_below(const char *pointer, const char *prefix)
{
    const size_t n_prefix = strlen(prefix);

    if (strncmp(pointer, prefix, n_prefix) != 0)
        return NULL;
    if (n_prefix > 0 && pointer[n_prefix] != '/')
        return NULL;
    return pointer + n_prefix;
}

static bool
is_string_at(PsimDocument *document, const char *pointer)
{
    g_autoptr(PsimComplaints) unheard = psim_complaints_new();
    g_autoptr(PsimReader) reader = psim_reader_new(document, unheard);
    g_auto(GStrv) keys = g_strsplit(pointer + 1, "/", -1);
    size_t depth = 0;

    for (; keys[depth + 1] != NULL; depth++)
        psim_reader_enter_or_empty(reader, keys[depth]);

    const bool answer = psim_reader_is_string(reader, keys[depth]);

    for (; depth > 0; depth--)
        psim_reader_leave(reader);
    return answer;
}

/* How many parts the pointer lies below; ret_named: whether one of them is named by a string. */
static size_t
count_parts(const char *pointer, const char *const *parts, PsimDocument *document, bool *ret_named)
{
    size_t n_above = 0;

    *ret_named = false;
    for (size_t i = 0; parts[i] != NULL; i++) {
        if (reach_below(pointer, parts[i]) == NULL)
            continue;
        n_above++;
        *ret_named = *ret_named || is_string_at(document, parts[i]);
    }
    return n_above;
}

bool
psim_override_apply(const PsimOverrides *self,
                    const char *const *parts,
                    PsimDocument *document,
                    GError **error)
{
    size_t n_parts = 0;

    while (parts[n_parts] != NULL)
        n_parts++;
    /* Names first, what lies below them later: `--set` works in any order. */
    for (size_t depth = 0; depth <= n_parts; depth++) {
        for (size_t i = 0; i < self->n; i++) {
            const char *pointer = reach_below(self->items[i].pointer, self->prefix);
            bool named = false;

            if (pointer == NULL || count_parts(pointer, parts, document, &named) != depth || named)
                continue;
            if (!psim_document_set(document, pointer, self->items[i].value, error))
                return false;
        }
    }
    return true;
}

bool
psim_override_replaces(const PsimOverrides *self, const char *pointer)
{
    for (size_t i = 0; i < self->n; i++) {
        const char *rest = reach_below(self->items[i].pointer, self->prefix);

        if (rest != NULL && g_str_equal(rest, pointer))
            return true;
    }
    return false;
}
