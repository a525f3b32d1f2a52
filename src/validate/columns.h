/* SPDX-License-Identifier: MIT */
/* columns.h: a table of text, columns as wide as they need to be
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

G_BEGIN_DECLS

typedef struct PsimColumns PsimColumns;

/**
 * psim_columns_new:
 * @alignment    a letter a column: 'l' left, 'r' right
 */
PsimColumns *psim_columns_new(const char *alignment);
void psim_columns_free(PsimColumns *self);

/** psim_columns_add: the next cell, in reading order. */
void psim_columns_add(PsimColumns *self, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** psim_columns_add_percent: a fraction as "12.3%", signed if @sign; "-" if it is not a number. */
void psim_columns_add_percent(PsimColumns *self, double fraction, bool sign);

/** psim_columns_row_count: Returns: rows so far, the heads among them. */
size_t psim_columns_row_count(const PsimColumns *self);

/** psim_columns_append: appends the table to @text, each line indented by two. */
void psim_columns_append(const PsimColumns *self, GString *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimColumns, psim_columns_free)

G_END_DECLS
