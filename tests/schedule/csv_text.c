/* SPDX-License-Identifier: MIT */
#include "csv_text.h"

#include <check.h>
#include <string.h>

PsimCsvFile *
csv_accept(const char *text)
{
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(GError) error = NULL;
    PsimCsvFile *file = psim_csv_parse(text, strlen(text), "x.csv", complaints);

    psim_complaints_finish(complaints, &error);
    ck_assert_msg(file != NULL, "%s", error != NULL ? error->message : "refused in silence");
    ck_assert_ptr_null(error);
    return file;
}

char *
csv_refuse(const char *text, PsimError *ret_code)
{
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(GError) error = NULL;

    ck_assert_ptr_null(psim_csv_parse(text, strlen(text), "x.csv", complaints));
    ck_assert(!psim_complaints_finish(complaints, &error));
    *ret_code = (PsimError)error->code;
    return g_strdup(error->message);
}

PsimOrder *
csv_order(const char *name, uint32_t p, uint32_t m, uint32_t v, PsimArena *arena)
{
    const PsimScheduleType *type = psim_schedule_find(name);
    const PsimShape shape = {
        .n_ranks = p,
        .n_microbatches = m,
        .n_chunks = v > 0 ? v : type->default_chunks,
        .group = p,
        .n_slices = type->default_slices,
    };

    return psim_schedule_emit(type, &shape, arena);
}

char *
csv_write(const PsimOrder *order)
{
    g_autoptr(GError) error = NULL;
    GString *text = g_string_new(NULL);

    ck_assert(psim_csv_append(order, text, &error));
    ck_assert_ptr_null(error);
    return g_string_free(text, /* free_segment= */ FALSE);
}

char *
csv_lower(const PsimOrder *order, PsimCsvLowering options)
{
    g_autoptr(GError) error = NULL;
    GString *text = g_string_new(NULL);

    ck_assert_msg(psim_csv_append_lowered(order, &options, text, &error), "%s",
                  error != NULL ? error->message : "");
    return g_string_free(text, /* free_segment= */ FALSE);
}

char *
csv_digest(const char *text)
{
    return g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
}

bool
csv_are_equal(const PsimOrder *a, const PsimOrder *b)
{
    if (a->n_ranks != b->n_ranks || a->n_stages != b->n_stages ||
        a->n_microbatches != b->n_microbatches ||
        memcmp(a->rank_of_stage, b->rank_of_stage, a->n_stages * sizeof(uint32_t)) != 0)
        return false;
    for (uint32_t rank = 0; rank < a->n_ranks; rank++) {
        if (a->n_ops[rank] != b->n_ops[rank] ||
            memcmp(a->ops[rank], b->ops[rank], a->n_ops[rank] * sizeof(PsimOp)) != 0)
            return false;
    }
    return true;
}
