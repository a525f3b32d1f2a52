/* SPDX-License-Identifier: MIT */
/* Threads take the next row that nobody has taken; each answer has its own place, so that neither
 * their number nor their speed shows in the output.
 */
#include "validate/validation.h"

#include "plansim.h"
#include "validate/rows.h"
#include "validate/tally.h"

#include <string.h>

typedef struct {
    const GPtrArray *rows;
    void **predictions; /* PsimPrediction, one a row */
    gint next;          /* atomic */
    gint stopped;       /* atomic */
    bool (*cancelled)(void *user);
} Job;

/* Returns: the next row to predict; as many as there are or more: none is left. */
static guint
take_row(Job *job)
{
    if (job->cancelled != NULL && job->cancelled(/* user= */ NULL))
        g_atomic_int_set(&job->stopped, 1);
    return g_atomic_int_get(&job->stopped) != 0 ? job->rows->len
                                                : (guint)g_atomic_int_add(&job->next, 1);
}

static void *
work(void *data)
{
    Job *job = data;

    for (guint i = take_row(job); i < job->rows->len; i = take_row(job))
        job->predictions[i] = psim_predict_row(g_ptr_array_index(job->rows, i));
    return NULL;
}

static bool
predict(PsimValidation *self, const PsimValidationOptions *options, GError **error)
{
    const guint n_threads = MAX(options->n_threads, 1);
    g_autofree GThread **threads = g_new0(GThread *, n_threads);
    Job job = {.rows = self->rows, .cancelled = options->cancelled};

    self->predictions = g_ptr_array_new_with_free_func(psim_prediction_free);
    g_ptr_array_set_size(self->predictions, (gint)self->rows->len);
    job.predictions = self->predictions->pdata;
    for (guint i = 1; i < n_threads; i++)
        threads[i] = g_thread_new("validate", work, &job);
    (void)work(&job);
    for (guint i = 1; i < n_threads; i++)
        (void)g_thread_join(threads[i]);
    if (job.stopped == 0)
        return true;
    g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_CANCELLED, "interrupted");
    return false;
}

static void
keep_only(GPtrArray *rows, const char *only)
{
    for (guint i = rows->len; i > 0; i--) {
        const PsimRow *row = g_ptr_array_index(rows, i - 1);

        if (!g_str_has_prefix(row->source_file, only))
            (void)g_ptr_array_remove_index(rows, i - 1);
    }
}

PsimValidation *
psim_validation_run(const char *const *files, const PsimValidationOptions *options, GError **error)
{
    g_autoptr(PsimValidation) self = g_new0(PsimValidation, 1);

    self->rows = g_ptr_array_new_with_free_func(psim_row_free);
    for (; *files != NULL; files++) {
        if (!psim_rows_read(*files, self->rows, error))
            return NULL;
    }
    if (options->only != NULL)
        keep_only(self->rows, options->only);
    if (!predict(self, options, error))
        return NULL;
    psim_tally_make(self);
    return g_steal_pointer(&self);
}

void
psim_validation_free(PsimValidation *self)
{
    if (self == NULL)
        return;
    g_clear_pointer(&self->tallies, g_ptr_array_unref);
    g_clear_pointer(&self->names, g_ptr_array_unref);
    g_clear_pointer(&self->predictions, g_ptr_array_unref);
    g_clear_pointer(&self->rows, g_ptr_array_unref);
    g_free(self);
}
