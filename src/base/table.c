/* SPDX-License-Identifier: MIT */
/* A column is right-aligned if every cell in it looks like a number: "-7", "60.1 s", "27.3%", but
 * not "1f1b". Headings and units follow their column. Widths count characters, not bytes.
 */
#include "base/text.h"

#include <string.h>

struct PsimTable {
    char **headings;
    char **units; /* NULL if there is no second heading line */
    guint n_columns;
    GPtrArray *cells; /* char*, row by row */
};

/* A line of units has one, maybe an empty one, for each column. */
static void
check_headings(const PsimTable *self)
{
    g_assert(self->units == NULL || g_strv_length(self->units) == self->n_columns);
}

PsimTable *
psim_table_new(const char *headings)
{
    PsimTable *self = g_new0(PsimTable, 1);
    g_auto(GStrv) lines = g_strsplit(headings, "\n", 2);

    self->headings = g_strsplit(lines[0], "|", -1);
    self->n_columns = g_strv_length(self->headings);
    if (lines[1] != NULL)
        self->units = g_strsplit(lines[1], "|", -1);
    check_headings(self);
    self->cells = g_ptr_array_new_with_free_func(g_free);
    return self;
}

void
psim_table_free(PsimTable *self)
{
    if (self == NULL)
        return;
    g_strfreev(self->headings);
    g_strfreev(self->units);
    g_ptr_array_unref(self->cells);
    g_free(self);
}

void
psim_table_cell(PsimTable *self, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_ptr_array_add(self->cells, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

void
psim_table_cell_take(PsimTable *self, char *text)
{
    g_ptr_array_add(self->cells, text);
}

static guint
count_rows(const PsimTable *self)
{
    g_assert(self->n_columns > 0);
    return (self->cells->len + self->n_columns - 1) / self->n_columns;
}

/* Cells that the last row lacks are empty. */
static const char *
peek_cell(const PsimTable *self, guint row, guint column)
{
    const guint index = row * self->n_columns + column;

    return index < self->cells->len ? g_ptr_array_index(self->cells, index) : "";
}

static bool
looks_numeric(const char *cell)
{
    const char *end = cell + strspn(cell, "0123456789.,+-eE");

    if (!g_ascii_isdigit(cell[0]) && cell[0] != '-' && cell[0] != '+')
        return false;
    return *end == '\0' || *end == ' ' || *end == '%';
}

static bool
is_numeric(const PsimTable *self, guint column)
{
    bool any = false;

    for (guint row = 0; row < count_rows(self); row++) {
        const char *cell = peek_cell(self, row, column);

        if (cell[0] == '\0')
            continue;
        if (!looks_numeric(cell))
            return false;
        any = true;
    }
    return any;
}

static glong
measure_column(const PsimTable *self, guint column)
{
    glong width = g_utf8_strlen(self->headings[column], -1);

    if (self->units != NULL)
        width = MAX(width, g_utf8_strlen(self->units[column], -1));
    for (guint row = 0; row < count_rows(self); row++)
        width = MAX(width, g_utf8_strlen(peek_cell(self, row, column), -1));
    return width;
}

static void
append_spaces(GString *out, glong n_spaces)
{
    for (glong i = 0; i < n_spaces; i++)
        g_string_append_c(out, ' ');
}

typedef struct {
    glong width;
    bool right;
} Column;

static void
append_cell(GString *out, const char *text, Column column)
{
    const glong padding = column.width - g_utf8_strlen(text, -1);

    append_spaces(out, column.right ? padding : 0);
    g_string_append(out, text);
    append_spaces(out, column.right ? 0 : padding);
}

static void
end_line(GString *out)
{
    while (out->len > 0 && out->str[out->len - 1] == ' ')
        g_string_truncate(out, out->len - 1);
    g_string_append_c(out, '\n');
}

static Column *
measure_columns(const PsimTable *self)
{
    Column *columns = g_new(Column, self->n_columns);

    for (guint i = 0; i < self->n_columns; i++)
        columns[i] = (Column){.width = measure_column(self, i), .right = is_numeric(self, i)};
    return columns;
}

static void
append_strings(
    const PsimTable *self, GString *out, char *const *texts, const Column *columns, unsigned indent)
{
    append_spaces(out, (glong)indent);
    for (guint i = 0; i < self->n_columns; i++) {
        append_spaces(out, i > 0 ? 2 : 0);
        append_cell(out, texts[i], columns[i]);
    }
    end_line(out);
}

void
psim_table_render(const PsimTable *self, GString *out, unsigned indent)
{
    g_autofree Column *columns = measure_columns(self);

    append_strings(self, out, self->headings, columns, indent);
    if (self->units != NULL)
        append_strings(self, out, self->units, columns, indent);
    for (guint row = 0; row < count_rows(self); row++) {
        append_spaces(out, (glong)indent);
        for (guint i = 0; i < self->n_columns; i++) {
            append_spaces(out, i > 0 ? 2 : 0);
            append_cell(out, peek_cell(self, row, i), columns[i]);
        }
        end_line(out);
    }
}

/* A bar would end the cell. */
static void
append_escaped(GString *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|')
            g_string_append_c(out, '\\');
        g_string_append_c(out, *text);
    }
}

void
psim_table_render_markdown(const PsimTable *self, GString *out)
{
    for (guint i = 0; i < self->n_columns; i++) {
        g_string_append(out, "| ");
        append_escaped(out, self->headings[i]);
        if (self->units != NULL && self->units[i][0] != '\0')
            g_string_append_printf(out, " (%s)", self->units[i]);
        g_string_append_c(out, ' ');
    }
    g_string_append(out, "|\n");
    for (guint i = 0; i < self->n_columns; i++)
        g_string_append(out, is_numeric(self, i) ? "|--:" : "|---");
    g_string_append(out, "|\n");
    for (guint row = 0; row < count_rows(self); row++) {
        for (guint i = 0; i < self->n_columns; i++) {
            g_string_append(out, "| ");
            append_escaped(out, peek_cell(self, row, i));
            g_string_append_c(out, ' ');
        }
        g_string_append(out, "|\n");
    }
}
