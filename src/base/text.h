/* SPDX-License-Identifier: MIT */
/* text.h: numbers, tables and spelling hints, the same under every locale
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

G_BEGIN_DECLS

/** psim_text_number: appends the shortest decimal that reads back to exactly @value (finite). */
void psim_text_number(GString *out, double value);

/** psim_text_fixed: appends @value with @decimals digits after the point, no locale. */
void psim_text_fixed(GString *out, double value, unsigned decimals);

/** psim_text_significant: appends @value with @digits significant digits (all digits of a longer
 * whole part); exponents only from 1e15 up and below 1e-9. */
void psim_text_significant(GString *out, double value, unsigned digits);

/** psim_text_seconds: appends exact seconds of a whole number of picoseconds: "0.0375", "12". */
void psim_text_seconds(GString *out, int64_t time_ps);

/** psim_text_human_bytes: appends "71.2 GB" (decimal) as people compare it with a data sheet. */
void psim_text_human_bytes(GString *out, double bytes);

/** psim_text_human_time: appends "60.1 s", "4.38 ms", "2.70 us", by size. */
void psim_text_human_time(GString *out, double seconds_s);

/** psim_text_human_count: appends "530 B", "1.24 M", by size. */
void psim_text_human_count(GString *out, double count);

/**
 * psim_text_nearest:
 * The word a misspelling most likely meant.
 *
 * @words    NULL-terminated
 *
 * Returns: the closest of @words by edit distance, if close enough to be worth a hint; else NULL.
 * Borrowed from @words.
 */
const char *psim_text_nearest(const char *word, const char *const *words);

/* A table: cells are collected, then aligned. A column aligns right if all its cells look like
 * numbers ("-7", "60.1 s", "27.3%", but not "1f1b"), else left. */
typedef struct PsimTable PsimTable;

/** psim_table_new: @headings  "a|b|c"; a second line of units may follow after a newline. */
PsimTable *psim_table_new(const char *headings);
void psim_table_free(PsimTable *self);
/** psim_table_cell: appends one cell; a row is full after as many cells as there are headings. */
void psim_table_cell(PsimTable *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
/** psim_table_cell_take: appends one cell and frees @text. */
void psim_table_cell_take(PsimTable *self, char *text);
/** psim_table_render: appends the table, each line indented by @indent spaces. */
void psim_table_render(const PsimTable *self, GString *out, unsigned indent);
/** psim_table_render_markdown: the same as a Markdown table. */
void psim_table_render_markdown(const PsimTable *self, GString *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimTable, psim_table_free)

G_END_DECLS
