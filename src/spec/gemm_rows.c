/* SPDX-License-Identifier: MIT */
#include "spec/gemm_rows.h"

#include "base/limits.h"
#include "spec/member.h"

#include <stdlib.h>

#define MAX_OUTPUT_BYTES 64.0
/* Takes the longest products of a file, and none that a model would ask for in vain. */
#define MAX_TIME_S 3600.0

static const char *const layout_words[] = {"TN", "NN", "NT", NULL};

/* C and its transpose are one weight gradient, so the wider of its widths comes first. */
static void
find_widths(const PsimGemmRow *row, uint32_t ret_widths[2])
{
    const bool gradient = row->layout == PSIM_PRODUCT_NT;

    ret_widths[0] = gradient ? MAX(row->m, row->n) : row->n;
    ret_widths[1] = gradient ? MIN(row->m, row->n) : row->k;
}

double
psim_gemm_row_tokens(const PsimGemmRow *row)
{
    return (double)(row->layout == PSIM_PRODUCT_NT ? row->k : row->m);
}

static int
compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static int
compare_kinds(const PsimGemmRow *a, const PsimGemmRow *b)
{
    uint32_t widths_a[2];
    uint32_t widths_b[2];
    int order = compare_numbers(a->precision, b->precision);

    find_widths(a, widths_a);
    find_widths(b, widths_b);
    order = order != 0 ? order : compare_numbers(a->layout, b->layout);
    order = order != 0 ? order : compare_numbers(a->output_bytes, b->output_bytes);
    order = order != 0 ? order : compare_numbers(widths_a[0], widths_b[0]);
    return order != 0 ? order : compare_numbers(widths_a[1], widths_b[1]);
}

bool
psim_gemm_rows_are_alike(const PsimGemmRow *a, const PsimGemmRow *b)
{
    return compare_kinds(a, b) == 0;
}

int
psim_gemm_rows_compare(const PsimGemmRow *a, const PsimGemmRow *b)
{
    int order = compare_kinds(a, b);

    order = order != 0 ? order : compare_numbers(psim_gemm_row_tokens(a), psim_gemm_row_tokens(b));
    return order != 0 ? order : compare_numbers(a->m, b->m);
}

static int
compare_rows(const void *a, const void *b)
{
    return psim_gemm_rows_compare(a, b);
}

static void
read_row(PsimGemmRow *row, PsimReader *reader)
{
    row->precision = (PsimPrecision)psim_reader_choice(reader, "precision", psim_precision_words());
    row->layout = (PsimProductLayout)psim_reader_choice(reader, "layout", layout_words);
    row->m = (uint32_t)psim_reader_count(reader, "m", 1, PSIM_LIMIT_WIDTH);
    row->n = (uint32_t)psim_reader_count(reader, "n", 1, PSIM_LIMIT_WIDTH);
    row->k = (uint32_t)psim_reader_count(reader, "k", 1, PSIM_LIMIT_WIDTH);
    row->output_bytes = psim_reader_number(reader, "output_bytes", 1, MAX_OUTPUT_BYTES);
    row->time_s = psim_reader_quantity(reader, "time", PSIM_DIMENSION_TIME, 1e-12, MAX_TIME_S);
}

static void
check_rows(const PsimGemmConstants *self, PsimReader *reader)
{
    for (uint32_t i = 1; i < self->n_rows; i++) {
        const PsimGemmRow *row = &self->rows[i];

        if (psim_gemm_rows_compare(row - 1, row) == 0)
            psim_reader_complain(reader, "table", PSIM_ERROR_MISMATCH,
                                 "has %s %u x %u x %u twice; a shape has one time",
                                 layout_words[row->layout], row->m, row->n, row->k);
    }
}

void
psim_gemm_rows_read(PsimGemmConstants *self, PsimReader *reader)
{
    const size_t n_items = psim_reader_items(reader, "table", /* required= */ false);

    self->rows_ratio = 1.0;
    if (n_items > PSIM_LIMIT_GEMM_ROWS)
        psim_reader_complain(reader, "table", PSIM_ERROR_LIMIT,
                             "has %zu rows; at most %u (PSIM_LIMIT_GEMM_ROWS)", n_items,
                             PSIM_LIMIT_GEMM_ROWS);
    self->n_rows = (uint32_t)MIN(n_items, PSIM_LIMIT_GEMM_ROWS);
    if (self->n_rows == 0)
        return;
    self->rows = g_new0(PsimGemmRow, self->n_rows);
    for (uint32_t i = 0; i < self->n_rows; i++) {
        psim_reader_enter_item(reader, "table", i);
        read_row(&self->rows[i], reader);
        psim_reader_leave(reader);
    }
    qsort(self->rows, self->n_rows, sizeof *self->rows, compare_rows);
    check_rows(self, reader);
}

void
psim_gemm_rows_write(const PsimGemmConstants *self, PsimWriter *writer)
{
    if (self->n_rows == 0)
        return;
    psim_writer_begin_array(writer, "table");
    for (uint32_t i = 0; i < self->n_rows; i++) {
        const PsimGemmRow *row = &self->rows[i];

        psim_writer_begin_row(writer, NULL);
        psim_writer_string(writer, "precision", psim_precision_words()[row->precision]);
        psim_writer_string(writer, "layout", layout_words[row->layout]);
        psim_writer_count(writer, "m", row->m);
        psim_writer_count(writer, "n", row->n);
        psim_writer_count(writer, "k", row->k);
        psim_writer_number(writer, "output_bytes", row->output_bytes);
        psim_member_write_quantity(writer, "time", row->time_s, PSIM_DIMENSION_TIME);
        psim_writer_end_object(writer);
    }
    psim_writer_end_array(writer);
}
