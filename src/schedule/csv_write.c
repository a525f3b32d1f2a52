/* SPDX-License-Identifier: MIT */
/* An order as cells and lines. Lines end with LF, as in the files of PyTorch's repository; its own
 * writer ends them with CRLF, and its reader takes both.
 */
#include "schedule/csv_file.h"

/* Faster than printf for the millions of numbers of a large file. */
static void
append_number(GString *out, uint32_t number)
{
    char digits[10];
    size_t n = sizeof digits;

    do {
        digits[--n] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    g_string_append_len(out, digits + n, (gssize)(sizeof digits - n));
}

void
psim_csv_append_cell(GString *out, const PsimOp *op)
{
    append_number(out, op->stage);
    g_string_append(out, psim_csv_kind_word(op->kind));
    if (op->kind < PSIM_CSV_UNSHARD)
        append_number(out, op->microbatch);
}

void
psim_csv_append_line(GString *out, const PsimOp *ops, uint32_t n_ops)
{
    bool in_pair = false;

    for (uint32_t i = 0; i < n_ops; i++) {
        const bool begins_pair = (ops[i].flags & PSIM_OP_WITH_NEXT) != 0;

        if (i > 0)
            g_string_append_c(out, in_pair ? ';' : ',');
        if (begins_pair)
            g_string_append_c(out, '(');
        psim_csv_append_cell(out, &ops[i]);
        if (in_pair)
            g_string_append(out, ")OVERLAP_F_B");
        in_pair = begins_pair;
    }
}

bool
psim_csv_allows(const PsimOrder *order, GError **error)
{
    if (order->n_chains > 1)
        g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED,
                            "a bidirectional schedule has each stage on two ranks; in a PyTorch "
                            "schedule file a stage has one rank, so it cannot be written");
    else if (order->n_slices > 1)
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED,
                    "a schedule of %u token slices a microbatch cannot be written: a PyTorch "
                    "schedule file has whole microbatches",
                    order->n_slices);
    else
        return true;
    return false;
}

bool
psim_csv_append(const PsimOrder *order, GString *out, GError **error)
{
    if (!psim_csv_allows(order, error))
        return false;
    for (uint32_t rank = 0; rank < order->n_ranks; rank++) {
        psim_csv_append_line(out, order->ops[rank], order->n_ops[rank]);
        g_string_append_c(out, '\n');
    }
    return true;
}
