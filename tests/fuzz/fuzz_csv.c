/* SPDX-License-Identifier: MIT */
/* Any bytes as a schedule file. What is checked beyond the absence of crashes: a refusal says why,
 * in at most as many lines as the limit allows; what was accepted holds together and is the same
 * when written and read again, with its communication, too.
 */
#include "fuzz.h"

#include "base/error.h"
#include "base/limits.h"
#include "schedule/csv_file.h"

#include <string.h>

static void
check_refusal(const GError *error)
{
    size_t n_lines = 1;

    g_assert(error != NULL && error->domain == PSIM_ERROR && error->message[0] != '\0');
    for (const char *at = error->message; *at != '\0'; at++)
        n_lines += *at == '\n';
    g_assert(n_lines <= PSIM_LIMIT_COMPLAINTS + 1);
}

static void
check_order(const PsimOrder *order)
{
    uint64_t n_forwards = 0;

    g_assert(order->n_ranks > 0 && order->n_stages % order->n_ranks == 0);
    for (uint32_t rank = 0; rank < order->n_ranks; rank++) {
        for (uint32_t i = 0; i < order->n_ops[rank]; i++) {
            const PsimOp *op = &order->ops[rank][i];

            g_assert(op->kind < PSIM_N_OP_KINDS && op->stage < order->n_stages);
            g_assert(op->microbatch < order->n_microbatches);
            g_assert(order->rank_of_stage[op->stage] == rank);
            g_assert(op->flags == 0 || i + 1 < order->n_ops[rank]);
            n_forwards += op->kind == PSIM_OP_FORWARD;
        }
    }
    g_assert(n_forwards == (uint64_t)order->n_stages * order->n_microbatches);
}

static void
check_again(const PsimCsvFile *file, const char *text)
{
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimCsvFile) again = psim_csv_parse(text, strlen(text), "again.csv", complaints);

    psim_complaints_finish(complaints, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(again->text, ==, file->text);
}

/* @active takes its turns, since it decides where weights come and go. */
static void
check_lowered(const PsimCsvFile *file, uint32_t active)
{
    const PsimCsvLowering options = {.max_active_stages = active, .reduce_grad = true};
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    if (psim_csv_append_lowered(file->order, &options, text, &error))
        check_again(file, text->str);
    else
        g_assert_error(error, PSIM_ERROR, PSIM_ERROR_INFEASIBLE);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    const char *text = (const char *)data;
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimCsvFile) file = psim_csv_parse(text, n_bytes, "x.csv", complaints);

    g_assert((file == NULL) == !psim_complaints_finish(complaints, &error));
    if (file == NULL) {
        check_refusal(error);
        return 0;
    }
    check_order(file->order);
    check_again(file, file->text);
    for (uint32_t active = 0; active < 4; active++)
        check_lowered(file, active);
    return 0;
}
