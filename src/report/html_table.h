/* SPDX-License-Identifier: MIT */
/* html_table.h: a table, cell by cell; all words are escaped */
#pragma once

#include "report/report.h"

G_BEGIN_DECLS

typedef struct {
    GString *out;
    const char *columns; /* 't' text, 'n' number, one letter a column */
    uint32_t column;     /* of the next cell */
} PsimHtmlTable;

/**
 * psim_html_table_begin:
 * @columns     "tnn"
 * @headings    "part|time|share"
 */
PsimHtmlTable
psim_html_table_begin(GString *out, const char *caption, const char *columns, const char *headings);

/** psim_html_table_cell: the first cell of a row names it. */
void psim_html_table_cell(PsimHtmlTable *self, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** psim_html_table_cell_take: frees @text. */
void psim_html_table_cell_take(PsimHtmlTable *self, char *text);

/** psim_html_table_swatch: a cell that begins with a colour. */
void psim_html_table_swatch(PsimHtmlTable *self, const char *fill, const char *text);

void psim_html_table_end(PsimHtmlTable *self);

G_END_DECLS
