/* SPDX-License-Identifier: MIT */
#include "calibrate/layout.h"

#include <math.h>
#include <string.h>

#define DIGITS "%.6g"

static double
round_digits(double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    return g_ascii_strtod(g_ascii_formatd(text, sizeof text, DIGITS, value), NULL);
}

void
psim_json_number(cJSON *object, const char *key, double value)
{
    if (isfinite(value))
        (void)cJSON_AddNumberToObject(object, key, round_digits(value));
}

void
psim_json_count(cJSON *object, const char *key, guint64 value)
{
    (void)cJSON_AddNumberToObject(object, key, (double)value);
}

void
psim_json_text(cJSON *object, const char *key, const char *value)
{
    (void)cJSON_AddStringToObject(object, key, value);
}

void
psim_json_flag(cJSON *object, const char *key, gboolean value)
{
    (void)cJSON_AddBoolToObject(object, key, value);
}

void
psim_json_quantity(cJSON *object, const char *key, double value, const char *unit)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];

    g_ascii_formatd(number, sizeof number, DIGITS, value);
    g_autofree char *text = g_strdup_printf("%s %s", number, unit);

    (void)cJSON_AddStringToObject(object, key, text);
}

void
psim_json_list(cJSON *object, const char *key, const double *values, size_t n)
{
    cJSON *list = cJSON_AddArrayToObject(object, key);

    for (size_t i = 0; i < n; i++)
        (void)cJSON_AddItemToArray(list, cJSON_CreateNumber(round_digits(values[i])));
}

/* -- Layout -- */

/* On one line, with a space behind colons and commas. */
static void
append_line(GString *out, const cJSON *item)
{
    char *text = cJSON_PrintUnformatted(item);
    gboolean in_string = FALSE;

    for (const char *c = text; *c != '\0'; c++) {
        g_string_append_c(out, *c);
        if (in_string && *c == '\\')
            g_string_append_c(out, *++c);
        else if (*c == '"')
            in_string = !in_string;
        else if (!in_string && (*c == ':' || *c == ','))
            g_string_append_c(out, ' ');
    }
    cJSON_free(text);
}

char *
psim_json_line(const cJSON *item)
{
    GString *out = g_string_new(NULL);

    append_line(out, item);
    return g_string_free(out, FALSE);
}

static gboolean
has_rows(const cJSON *item)
{
    const cJSON *first = cJSON_IsArray(item) ? item->child : NULL;

    if (first == NULL)
        return FALSE;
    /* Sentences have lines of their own, words do not. */
    return cJSON_IsObject(first) || cJSON_IsRaw(first) ||
           (cJSON_IsString(first) && strchr(first->valuestring, ' ') != NULL);
}

static void
append_rows(GString *out, const cJSON *list, unsigned indent)
{
    g_string_append(out, "[\n");
    for (const cJSON *row = list->child; row != NULL; row = row->next) {
        g_string_append_printf(out, "%*s", (int)indent + 2, "");
        if (cJSON_IsRaw(row))
            g_string_append(out, row->valuestring);
        else
            append_line(out, row);
        g_string_append(out, row->next != NULL ? ",\n" : "\n");
    }
    g_string_append_printf(out, "%*s]", (int)indent, "");
}

typedef void (*Append)(GString *out, const cJSON *item, unsigned indent);

static void
append_leaf(GString *out, const cJSON *item, unsigned indent)
{
    if (has_rows(item))
        append_rows(out, item, indent);
    else
        append_line(out, item);
}

static gboolean
has_depth(const cJSON *object)
{
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        if (cJSON_IsObject(item) || has_rows(item))
            return TRUE;
    }
    return FALSE;
}

static void
append_members(GString *out, const cJSON *object, unsigned indent, Append append)
{
    g_string_append(out, "{\n");
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        g_string_append_printf(out, "%*s\"%s\": ", (int)indent + 2, "", item->string);
        append(out, item, indent + 2);
        g_string_append(out, item->next != NULL ? ",\n" : "\n");
    }
    g_string_append_printf(out, "%*s}", (int)indent, "");
}

static void
append_inner(GString *out, const cJSON *item, unsigned indent)
{
    if (cJSON_IsObject(item) && has_depth(item))
        append_members(out, item, indent, append_leaf);
    else
        append_leaf(out, item, indent);
}

static void
append_outer(GString *out, const cJSON *item, unsigned indent)
{
    if (cJSON_IsObject(item))
        append_members(out, item, indent, append_inner);
    else
        append_leaf(out, item, indent);
}

char *
psim_json_layout(const cJSON *root)
{
    GString *out = g_string_new(NULL);

    append_members(out, root, 0, append_outer);
    g_string_append_c(out, '\n');
    return g_string_free(out, FALSE);
}
