/* SPDX-License-Identifier: MIT */
#include "json/quote.h"

#include <string.h>

#define WORD_CHARACTERS 60
#define LINE_CHARACTERS 240

/* Control characters as JSON writes them; everything else as it is. */
static void
append_character(GString *out, const char c)
{
    static const char shorts[] = "\bb\ff\nn\rr\tt";

    if ((guchar)c >= 0x20) {
        g_string_append_c(out, c);
        return;
    }
    for (size_t i = 0; shorts[i] != '\0'; i += 2) {
        if (c == shorts[i]) {
            g_string_append_printf(out, "\\%c", shorts[i + 1]);
            return;
        }
    }
    g_string_append_printf(out, "\\u%04x", (unsigned)c);
}

/* The first @n_characters, with dots where something is left out. Valid UTF-8 in any case. */
static char *
shorten(const char *text, glong n_characters)
{
    /* Only a prefix is looked at: four bytes a character at most. */
    const size_t n_bytes = strnlen(text, (size_t)n_characters * 4 + 1);
    g_autofree char *valid = g_utf8_make_valid(text, (gssize)n_bytes);

    if (g_utf8_strlen(valid, -1) <= n_characters)
        return g_steal_pointer(&valid);

    g_autofree char *begin = g_utf8_substring(valid, 0, n_characters);

    return g_strconcat(begin, "...", NULL);
}

void
psim_quote_json(GString *out, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);

    g_string_append_c(out, '"');
    for (const char *at = valid; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\')
            g_string_append_c(out, '\\');
        append_character(out, *at);
    }
    g_string_append_c(out, '"');
}

char *
psim_quote_word(const char *text)
{
    g_autofree char *word = shorten(text, WORD_CHARACTERS);
    g_autoptr(GString) out = g_string_new(NULL);

    psim_quote_json(out, word);
    return g_string_free(g_steal_pointer(&out), /* free_segment= */ FALSE);
}

char *
psim_quote_line(const char *text)
{
    g_autofree char *line = shorten(text, LINE_CHARACTERS);
    g_autoptr(GString) out = g_string_new(NULL);

    for (const char *at = line; *at != '\0'; at++)
        append_character(out, *at);
    return g_string_free(g_steal_pointer(&out), /* free_segment= */ FALSE);
}
