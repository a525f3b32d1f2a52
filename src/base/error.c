/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include "base/limits.h"

#include <string.h>

G_DEFINE_QUARK(psim_error, psim_error)

typedef struct {
    PsimError code;
    unsigned line;
    unsigned column;
    char *file;
    char *pointer;
    char *text;
} Complaint;

struct PsimComplaints {
    GPtrArray *list; /* Complaint, in order of arrival */
};

static void
free_complaint(void *data)
{
    Complaint *complaint = data;

    g_free(complaint->file);
    g_free(complaint->pointer);
    g_free(complaint->text);
    g_free(complaint);
}

PsimComplaints *
psim_complaints_new(void)
{
    PsimComplaints *self = g_new0(PsimComplaints, 1);

    self->list = g_ptr_array_new_with_free_func(free_complaint);
    return self;
}

void
psim_complaints_free(PsimComplaints *self)
{
    if (self == NULL)
        return;
    g_ptr_array_unref(self->list);
    g_free(self);
}

/* A place has three parts, and each caller knows them one by one. */
void
psim_complaints_add(PsimComplaints *self, /* NOLINT(readability-function-size) */
                    PsimError code,
                    const char *file,
                    unsigned line,
                    unsigned column,
                    const char *pointer,
                    const char *format,
                    ...)
{
    va_list arguments;
    Complaint *complaint = g_new0(Complaint, 1);

    va_start(arguments, format);
    *complaint = (Complaint){
        .code = code,
        .line = line,
        .column = column,
        .file = g_strdup(file),
        .pointer = g_strdup(pointer),
        .text = g_strdup_vprintf(format, arguments),
    };
    va_end(arguments);
    g_ptr_array_add(self->list, complaint);
}

size_t
psim_complaints_n(const PsimComplaints *self)
{
    return self->list->len;
}

/* By file, then place; the sort is stable, so equal places keep the order of arrival. */
static int
compare_places(const void *a, const void *b)
{
    const Complaint *first = *(const Complaint *const *)a;
    const Complaint *second = *(const Complaint *const *)b;
    const int by_file = g_strcmp0(first->file, second->file);

    if (by_file != 0)
        return by_file;
    if (first->line != second->line)
        return first->line < second->line ? -1 : 1;
    if (first->column != second->column)
        return first->column < second->column ? -1 : 1;
    return 0;
}

static void
append_line(GString *text, const Complaint *complaint)
{
    if (text->len > 0)
        g_string_append_c(text, '\n');
    g_string_append(text, complaint->file);
    if (complaint->line > 0)
        g_string_append_printf(text, ":%u:%u", complaint->line, complaint->column);
    if (complaint->pointer != NULL)
        g_string_append_printf(text, ": %s", complaint->pointer[0] ? complaint->pointer : "/");
    g_string_append_printf(text, ": %s", complaint->text);
}

bool
psim_complaints_finish(const PsimComplaints *self, GError **error)
{
    const guint n_complaints = self->list->len;
    const guint n_shown = MIN(n_complaints, PSIM_LIMIT_COMPLAINTS);

    if (n_complaints == 0)
        return true;
    /* g_ptr_array_sort() merges, which is stable. */
    g_ptr_array_sort(self->list, compare_places);

    g_autoptr(GString) text = g_string_new(NULL);
    const Complaint *first = g_ptr_array_index(self->list, 0);

    for (guint i = 0; i < n_shown; i++)
        append_line(text, g_ptr_array_index(self->list, i));
    if (n_shown < n_complaints)
        g_string_append_printf(text, "\nand %u more", n_complaints - n_shown);
    g_set_error_literal(error, PSIM_ERROR, (gint)first->code, text->str);
    return false;
}
