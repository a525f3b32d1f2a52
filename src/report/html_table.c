/* SPDX-License-Identifier: MIT */
#include "report/html_table.h"

#include "report/markup.h"

#include <string.h>

PsimHtmlTable
psim_html_table_begin(GString *out, const char *caption, const char *columns, const char *headings)
{
    g_auto(GStrv) names = g_strsplit(headings, "|", -1);

    g_string_append(out, "<div class=\"scroll\"><table>\n");
    if (caption != NULL)
        psim_markup_element(out, "caption", caption);
    g_string_append(out, "<thead><tr>");
    for (size_t i = 0; names[i] != NULL; i++)
        psim_markup_element(
            out, columns[i] == 'n' ? "th scope=\"col\" class=\"number\"" : "th scope=\"col\"",
            names[i]);
    g_string_append(out, "</tr></thead>\n<tbody>\n");
    return (PsimHtmlTable){.out = out, .columns = columns};
}

static void
open_cell(PsimHtmlTable *self)
{
    const bool number = self->columns[self->column] == 'n';

    if (self->column == 0)
        g_string_append(self->out, "<tr><th scope=\"row\"");
    else
        g_string_append(self->out, "<td");
    g_string_append(self->out, number ? " class=\"number\">" : ">");
}

static void
close_cell(PsimHtmlTable *self)
{
    g_string_append(self->out, self->column == 0 ? "</th>" : "</td>");
    self->column++;
    if (self->columns[self->column] != '\0')
        return;
    g_string_append(self->out, "</tr>\n");
    self->column = 0;
}

void
psim_html_table_cell(PsimHtmlTable *self, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    open_cell(self);
    psim_markup_append(self->out, text);
    close_cell(self);
}

void
psim_html_table_cell_take(PsimHtmlTable *self, char *text)
{
    psim_html_table_cell(self, "%s", text);
    g_free(text);
}

void
psim_html_table_swatch(PsimHtmlTable *self, const char *fill, const char *text)
{
    open_cell(self);
    g_string_append_printf(self->out, "<span class=\"swatch\" style=\"background:%s\"></span>",
                           fill);
    psim_markup_append(self->out, text);
    close_cell(self);
}

void
psim_html_table_end(PsimHtmlTable *self)
{
    g_string_append(self->out, "</tbody></table></div>\n");
}
