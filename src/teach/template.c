/* SPDX-License-Identifier: MIT */
#include "teach/template.h"

#include "teach/expression.h"

#include <string.h>

/* What a lesson has come to know. */
typedef struct {
    GHashTable *names; /* char * -> double * */
    PsimFigures *figures;
} Knowledge;

static void
clear_knowledge(Knowledge *self)
{
    g_hash_table_unref(self->names);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Knowledge, clear_knowledge)

/* What is between the braces, if a line is one directive of that kind and nothing else. */
static char *
take_directive(const char *line, const char *kind)
{
    g_autofree char *opening = g_strconcat("{{", kind, " ", NULL);

    if (!g_str_has_prefix(line, opening) || !g_str_has_suffix(line, "}}"))
        return NULL;
    return g_strndup(line + strlen(opening), strlen(line) - strlen(opening) - 2);
}

/* "NAME = LINE : MEMBER" */
static bool
learn(Knowledge *self, const char *directive, GError **error)
{
    const char *equals = strstr(directive, " = ");
    const char *colon = strstr(directive, " : ");
    double number = 0.0;

    if (equals == NULL || colon == NULL) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_INTERNAL, "\"let %s\": has no \" = \" or \" : \"",
                    directive);
        return false;
    }
    g_autofree char *line = g_strndup(equals + 3, (gsize)(colon - equals) - 3);

    if (!psim_figures_member(self->figures, line, colon + 3, &number, error))
        return false;
    g_hash_table_insert(self->names, g_strndup(directive, (gsize)(equals - directive)),
                        g_memdup2(&number, sizeof number));
    return true;
}

/* The chart, indented, so that no one takes it for a paragraph. */
static bool
draw(const Knowledge *self, const char *what, GString *out, GError **error)
{
    const PsimResult *result = psim_figures_result(self->figures, what, error);
    g_autofree char *chart = result == NULL ? NULL : psim_figures_text(result, "ascii", error);

    if (chart == NULL)
        return false;
    g_auto(GStrv) lines = g_strsplit(g_strchomp(chart), "\n", -1);

    for (char **line = lines; *line != NULL; line++) {
        const bool is_empty = **line == '\0';

        g_string_append_printf(out, "%s%s\n", is_empty ? "" : "    ", *line);
    }
    return true;
}

static bool
expand_line(const Knowledge *self, const char *line, GString *out, GError **error)
{
    const char *rest = line;

    for (const char *opening = strstr(rest, "{{"); opening != NULL; opening = strstr(rest, "{{")) {
        const char *closing = strstr(opening, "}}");

        if (closing == NULL) {
            g_set_error(error, PSIM_ERROR, PSIM_ERROR_INTERNAL, "\"%s\": no \"}}\"", line);
            return false;
        }
        g_autofree char *inner = g_strndup(opening + 2, (gsize)(closing - opening) - 2);
        g_autofree char *told = psim_expression_tell(self->names, inner, error);

        if (told == NULL)
            return false;
        g_string_append_len(out, rest, opening - rest);
        g_string_append(out, told);
        rest = closing + 2;
    }
    g_string_append(out, rest);
    g_string_append_c(out, '\n');
    return true;
}

static bool
take_line(Knowledge *self, const char *line, GString *out, GError **error)
{
    g_autofree char *let = take_directive(line, "let");
    g_autofree char *picture = take_directive(line, "picture");
    g_autofree char *svg = take_directive(line, "svg");

    if (svg != NULL)
        return true;
    if (let != NULL)
        return learn(self, let, error);
    if (picture != NULL)
        return draw(self, picture, out, error);
    return expand_line(self, line, out, error);
}

char *
psim_template_expand(const char *text, PsimFigures *figures, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_auto(Knowledge) knowledge = {
        .names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
        .figures = figures,
    };

    for (char **line = lines; *line != NULL; line++) {
        if (!take_line(&knowledge, *line, out, error))
            return NULL;
    }
    return g_string_free(g_steal_pointer(&out), /* free_segment= */ FALSE);
}

char *
psim_template_picture(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    for (char **line = lines; *line != NULL; line++) {
        char *svg = take_directive(*line, "svg");
        char *picture = svg != NULL ? svg : take_directive(*line, "picture");

        if (picture != NULL)
            return picture;
    }
    return NULL;
}
