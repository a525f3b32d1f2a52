/* SPDX-License-Identifier: MIT */
#include "report/markup.h"

#include <stdbool.h>
#include <string.h>

/* What XML 1.0 allows, and HTML with it. */
static bool
is_allowed(gunichar character)
{
    if (character < 0x20)
        return character == '\t' || character == '\n' || character == '\r';
    return character != 0xfffe && character != 0xffff && !(character >= 0x7f && character <= 0x9f);
}

static void
append_character(GString *out, gunichar character)
{
    switch (character) {
    case '<':
        g_string_append(out, "&lt;");
        return;
    case '>':
        g_string_append(out, "&gt;");
        return;
    case '&':
        g_string_append(out, "&amp;");
        return;
    case '"':
        g_string_append(out, "&quot;");
        return;
    case '\'':
        g_string_append(out, "&#39;");
        return;
    default:
        g_string_append_unichar(out, is_allowed(character) ? character : 0xfffd);
    }
}

void
psim_markup_append(GString *out, const char *text)
{
    if (text == NULL)
        return;
    g_autofree char *valid = g_utf8_make_valid(text, -1);

    for (const char *at = valid; *at != '\0'; at += g_utf8_skip[*(const guchar *)at])
        append_character(out, g_utf8_get_char(at));
}

void
psim_markup_element(GString *out, const char *open, const char *text)
{
    g_string_append_printf(out, "<%s>", open);
    psim_markup_append(out, text);
    g_string_append_printf(out, "</%.*s>", (int)strcspn(open, " "), open);
}
