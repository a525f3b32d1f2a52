/* SPDX-License-Identifier: MIT */
#include "validate/columns.h"

#include <math.h>
#include <string.h>

struct PsimColumns {
    const char *alignment;
    GPtrArray *cells; /* char * */
};

PsimColumns *
psim_columns_new(const char *alignment)
{
    PsimColumns *self = g_new0(PsimColumns, 1);

    self->alignment = alignment;
    self->cells = g_ptr_array_new_with_free_func(g_free);
    return self;
}

void
psim_columns_free(PsimColumns *self)
{
    g_ptr_array_unref(self->cells);
    g_free(self);
}

void
psim_columns_add(PsimColumns *self, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    g_ptr_array_add(self->cells, g_strdup_vprintf(format, values));
    va_end(values);
}

void
psim_columns_add_percent(PsimColumns *self, double fraction, bool sign)
{
    if (!isfinite(fraction))
        psim_columns_add(self, "-");
    else if (sign)
        psim_columns_add(self, "%+.1f%%", 100 * fraction);
    else
        psim_columns_add(self, "%.1f%%", 100 * fraction);
}

size_t
psim_columns_row_count(const PsimColumns *self)
{
    return self->cells->len / strlen(self->alignment);
}

static int
measure_width(const PsimColumns *self, size_t column)
{
    const size_t n_columns = strlen(self->alignment);
    glong width = 0;

    for (size_t i = column; i < self->cells->len; i += n_columns)
        width = MAX(width, g_utf8_strlen(g_ptr_array_index(self->cells, i), -1));
    return (int)width;
}

static void
append_cell(const PsimColumns *self, size_t i, GString *text)
{
    const size_t n_columns = strlen(self->alignment);
    const size_t column = i % n_columns;
    const char *cell = g_ptr_array_index(self->cells, i);
    const int gap = measure_width(self, column) - (int)g_utf8_strlen(cell, -1);
    const bool left = self->alignment[column] == 'l';
    const bool last = column + 1 == n_columns;

    g_string_append(text, "  ");
    if (left)
        g_string_append_printf(text, "%s%*s", cell, last ? 0 : gap, "");
    else
        g_string_append_printf(text, "%*s%s", gap, "", cell);
    if (last)
        g_string_append_c(text, '\n');
}

void
psim_columns_append(const PsimColumns *self, GString *text)
{
    for (size_t i = 0; i < self->cells->len; i++)
        append_cell(self, i, text);
}
