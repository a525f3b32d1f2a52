/* SPDX-License-Identifier: MIT */
#include "teach/wrap.h"

#include <stdbool.h>
#include <string.h>

static bool
stands_as_it_is(const char *line)
{
    return line[0] == '#' || line[0] == '|' || g_str_has_prefix(line, "    ");
}

static bool
begins_item(const char *line)
{
    return g_str_has_prefix(line, "- ");
}

/* One paragraph or item, its lines joined by spaces. */
static void
append_filled(GString *out, const char *paragraph, gsize width)
{
    g_auto(GStrv) words = g_strsplit(paragraph, " ", -1);
    const char *hang = begins_item(paragraph) ? "  " : "";
    gsize column = 0;

    for (char **word = words; *word != NULL; word++) {
        const gsize n_word = strlen(*word);

        if (n_word == 0)
            continue;
        if (column > 0 && column + 1 + n_word > width) {
            g_string_append_printf(out, "\n%s", hang);
            column = strlen(hang);
        } else if (column > 0) {
            g_string_append_c(out, ' ');
            column++;
        }
        g_string_append(out, *word);
        column += n_word;
    }
    g_string_append_c(out, '\n');
}

static void
finish_paragraph(GString *out, GString *paragraph, gsize width)
{
    if (paragraph->len > 0)
        append_filled(out, paragraph->str, width);
    g_string_truncate(paragraph, 0);
}

char *
psim_wrap_fill(const char *text, gsize width)
{
    g_autoptr(GString) paragraph = g_string_new(NULL);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    GString *out = g_string_new(NULL);
    bool is_blank = true;

    for (char **line = lines; *line != NULL; line++) {
        const bool is_empty = **line == '\0';

        if (is_empty || stands_as_it_is(*line) || begins_item(*line))
            finish_paragraph(out, paragraph, width);
        if (is_empty && !is_blank)
            g_string_append_c(out, '\n');
        else if (stands_as_it_is(*line))
            g_string_append_printf(out, "%s\n", *line);
        else if (!is_empty)
            g_string_append_printf(paragraph, "%s%s", paragraph->len > 0 ? " " : "", *line);
        is_blank = is_empty;
    }
    finish_paragraph(out, paragraph, width);
    while (g_str_has_suffix(out->str, "\n\n"))
        g_string_truncate(out, out->len - 1);
    return g_string_free(out, /* free_segment= */ FALSE);
}
