/* SPDX-License-Identifier: MIT */
#include "teach/expression.h"

#include "plansim.h"

#include <math.h>
#include <string.h>

static bool
fail(const char *text, const char *word, GError **error)
{
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_INTERNAL, "\"%s\": cannot read \"%s\"", text,
                word == NULL ? "" : word);
    return false;
}

static bool
read_term(GHashTable *names, const char *word, double *ret_value)
{
    const double *named = word == NULL ? NULL : g_hash_table_lookup(names, word);
    char *end = NULL;

    if (named != NULL) {
        *ret_value = *named;
        return true;
    }
    if (word == NULL || !g_ascii_isdigit(word[0]))
        return false;
    *ret_value = g_ascii_strtod(word, &end);
    return *end == '\0';
}

static bool
apply(double *value, char operator, double term)
{
    switch (operator) {
    case '+':
        *value += term;
        return true;
    case '-':
        *value -= term;
        return true;
    case '*':
        *value *= term;
        return true;
    case '/':
        *value /= term;
        return true;
    default:
        return false;
    }
}

/* Takes words up to the end or "as"; @words is left there. */
static bool
compute(GHashTable *names, char ***words, double *ret_value)
{
    double term = 0.0;

    if (!read_term(names, **words, ret_value))
        return false;
    for (++*words; **words != NULL && strcmp(**words, "as") != 0; *words += 2) {
        if (strlen(**words) != 1 || !read_term(names, (*words)[1], &term) ||
            !apply(ret_value, (**words)[0], term))
            return false;
    }
    return true;
}

typedef struct {
    const char *name;
    double scale;
    int decimals;
    const char *suffix;
} Unit;

static const Unit units[] = {
    {"%", 100.0, 1, "%"},
    {"s", 1.0, 1, " s"},
    {"ms", 1e3, 1, " ms"},
    {"GB", 1e-9, 1, " GB"},
    {"MB", 1e-6, 1, " MB"},
    {"TB", 1e-12, 2, " TB"},
    {"x", 1.0, 2, ""},
    {"int", 1.0, 0, ""},
    {"M", 1e-6, 1, " M"},
    {"B", 1e-9, 0, " B"},
    {"TFLOP/s", 1.0, 0, " TFLOP/s"},
};

static const Unit *
find_unit(const char *name)
{
    for (gsize i = 0; i < G_N_ELEMENTS(units); i++) {
        if (g_strcmp0(units[i].name, name) == 0)
            return &units[i];
    }
    return NULL;
}

/* A share as a bar of characters, 40 for all of it. */
static char *
draw_bar(double share)
{
    const gsize n_cells = share > 0.0 ? (gsize)(fmin(share, 1.0) * 40.0 + 0.5) : 0;

    return g_strnfill(n_cells, '#');
}

static char *
tell(double value, const Unit *unit)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    char format[8];

    if (unit == NULL) {
        const bool is_whole = fabs(value - round(value)) < 1e-9 && fabs(value) < 1e15;

        return g_strdup(g_ascii_formatd(digits, sizeof digits, is_whole ? "%.0f" : "%.3g", value));
    }
    (void)g_snprintf(format, sizeof format, "%%.%df", unit->decimals);
    (void)g_ascii_formatd(digits, sizeof digits, format, value * unit->scale);
    return g_strconcat(digits, unit->suffix, NULL);
}

char *
psim_expression_tell(GHashTable *names, const char *text, GError **error)
{
    g_auto(GStrv) all = g_strsplit(text, " ", -1);
    char **words = all;
    double value = 0.0;

    if (!compute(names, &words, &value)) {
        fail(text, *words, error);
        return NULL;
    }
    if (*words == NULL)
        return tell(value, /* unit= */ NULL);
    if (g_strcmp0(words[1], "bar") == 0 && isfinite(value))
        return draw_bar(value);
    const Unit *unit = find_unit(words[1]);

    if (unit == NULL || !isfinite(value)) {
        fail(text, words[1], error);
        return NULL;
    }
    g_autofree char *plain = tell(value, unit);
    const int width = words[2] == NULL ? 0 : (int)g_ascii_strtoll(words[2], NULL, 10);

    return g_strdup_printf("%*s", width, plain);
}
