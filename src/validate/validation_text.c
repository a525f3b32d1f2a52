/* SPDX-License-Identifier: MIT */
#include "validate/columns.h"
#include "validate/tally.h"

#include <math.h>
#include <string.h>

static char *
name_source(const char *file)
{
    return g_str_has_suffix(file, ".json") ? g_strndup(file, strlen(file) - strlen(".json"))
                                           : g_strdup(file);
}

static void
add_name(PsimColumns *columns, const PsimTally *tally)
{
    g_autofree char *name = name_source(tally->name);

    psim_columns_add(columns, "%s", name);
}

/* A table of nothing but its heads is left out. */
static void
append_table(const PsimColumns *columns, const char *title, GString *text)
{
    if (psim_columns_row_count(columns) < 2)
        return;
    g_string_append_printf(text, "%s\n", title);
    psim_columns_append(columns, text);
    g_string_append_c(text, '\n');
}

/* -- Errors ------------------------------------------------------------------------------------ */

static void
append_errors(const PsimValidation *self,
              const char *title,
              const PsimErrors *(*errors_of)(const PsimTally *tally),
              GString *text)
{
    static const char *const heads[] = {"", "rows", "MAPE", "median", "p90", "bias"};
    g_autoptr(PsimColumns) columns = psim_columns_new("lrrrrr");

    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++)
        psim_columns_add(columns, "%s", heads[i]);
    for (guint i = 0; i < self->tallies->len; i++) {
        const PsimTally *tally = g_ptr_array_index(self->tallies, i);
        const PsimErrors *errors = errors_of(tally);

        if (errors->n == 0)
            continue;
        add_name(columns, tally);
        psim_columns_add(columns, "%zu", errors->n);
        psim_columns_add_percent(columns, errors->mape, /* sign= */ false);
        psim_columns_add_percent(columns, errors->median, /* sign= */ false);
        psim_columns_add_percent(columns, errors->p90, /* sign= */ false);
        psim_columns_add_percent(columns, errors->bias, /* sign= */ true);
    }
    append_table(columns, title, text);
}

static const PsimErrors *
step_errors(const PsimTally *tally)
{
    return &tally->step;
}

static const PsimErrors *
memory_errors(const PsimTally *tally)
{
    return &tally->memory;
}

/* -- The predicted range ------------------------------------------------------------------------
 */

static double
divide(size_t part, size_t whole)
{
    return whole > 0 ? (double)part / (double)whole : (double)NAN;
}

static void
append_ranges(const PsimValidation *self, GString *text)
{
    static const char *const heads[] = {"", "rows", "within", "share"};
    g_autoptr(PsimColumns) columns = psim_columns_new("lrrr");

    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++)
        psim_columns_add(columns, "%s", heads[i]);
    for (guint i = 0; i < self->tallies->len; i++) {
        const PsimTally *tally = g_ptr_array_index(self->tallies, i);

        if (tally->step.n == 0)
            continue;
        add_name(columns, tally);
        psim_columns_add(columns, "%zu", tally->step.n);
        psim_columns_add(columns, "%zu", tally->n_in_range);
        psim_columns_add_percent(columns, divide(tally->n_in_range, tally->step.n),
                                 /* sign= */ false);
    }
    append_table(columns, "Measured steps within their predicted range", text);
}

/* -- Out of memory ----------------------------------------------------------------------------- */

static void
append_verdicts(const PsimValidation *self, GString *text)
{
    static const char *const heads[] = {"",        "fits/fits", "fits/OOM",  "OOM/fits",
                                        "OOM/OOM", "accuracy",  "precision", "recall"};
    g_autoptr(PsimColumns) columns = psim_columns_new("lrrrrrrr");

    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++)
        psim_columns_add(columns, "%s", heads[i]);
    for (guint i = 0; i < self->tallies->len; i++) {
        const PsimTally *tally = g_ptr_array_index(self->tallies, i);
        const size_t *fits = tally->oom[0];
        const size_t *oom = tally->oom[1];
        const size_t n = fits[0] + fits[1] + oom[0] + oom[1];

        if (n == 0)
            continue;
        add_name(columns, tally);
        psim_columns_add(columns, "%zu", fits[0]);
        psim_columns_add(columns, "%zu", fits[1]);
        psim_columns_add(columns, "%zu", oom[0]);
        psim_columns_add(columns, "%zu", oom[1]);
        psim_columns_add_percent(columns, divide(fits[0] + oom[1], n), /* sign= */ false);
        psim_columns_add_percent(columns, divide(oom[1], fits[1] + oom[1]), /* sign= */ false);
        psim_columns_add_percent(columns, divide(oom[1], oom[0] + oom[1]), /* sign= */ false);
    }
    append_table(columns, "Does it fit? Measured/predicted", text);
}

/* -- Ranking ----------------------------------------------------------------------------------- */

static void
append_rankings(const PsimValidation *self, GString *text)
{
    static const char *const heads[] = {"", "groups", "rows", "rho", "regret", "worst"};
    g_autoptr(PsimColumns) columns = psim_columns_new("lrrrrr");

    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++)
        psim_columns_add(columns, "%s", heads[i]);
    for (guint i = 0; i < self->tallies->len; i++) {
        const PsimTally *tally = g_ptr_array_index(self->tallies, i);
        const PsimRanking *ranking = &tally->ranking;

        if (ranking->n_groups == 0)
            continue;
        add_name(columns, tally);
        psim_columns_add(columns, "%zu", ranking->n_groups);
        psim_columns_add(columns, "%zu", ranking->n_rows);
        psim_columns_add(columns, "%.3f", ranking->rho);
        psim_columns_add_percent(columns, ranking->regret, /* sign= */ false);
        psim_columns_add_percent(columns, ranking->worst, /* sign= */ false);
    }
    append_table(columns, "Order of plans within groups that differ in nothing else", text);
}

/* -- Rows left out, and what was assumed ------------------------------------------------------- */

static void
append_counts(const PsimValidation *self,
              const char *title,
              const GArray *(*counts_of)(const PsimTally *tally),
              GString *text)
{
    g_autoptr(PsimColumns) columns = psim_columns_new("lrl");
    /* The last tally is of all sources together. */
    const guint n_sources = self->tallies->len - 1;
    bool any = false;

    for (guint i = 0; i < n_sources; i++) {
        const PsimTally *tally = g_ptr_array_index(self->tallies, i);
        const GArray *counts = counts_of(tally);

        for (guint j = 0; j < counts->len; j++) {
            const PsimCount *entry = &g_array_index(counts, PsimCount, j);

            any = true;
            if (j == 0)
                add_name(columns, tally);
            else
                psim_columns_add(columns, "%s", "");
            psim_columns_add(columns, "%zu", entry->n_rows);
            psim_columns_add(columns, "%s", entry->text);
        }
    }
    if (!any)
        return;
    g_string_append_printf(text, "%s\n", title);
    psim_columns_append(columns, text);
    g_string_append_c(text, '\n');
}

static const GArray *
skipped_of(const PsimTally *tally)
{
    return tally->skipped;
}

static const GArray *
assumed_of(const PsimTally *tally)
{
    return tally->assumed;
}

/* Of a file of one's own every row is worth a reason; of collections those that contradict
 * themselves, for they are wrong somewhere. */
#define MAX_REASONS 20u

static bool
is_told(const PsimPrediction *prediction, bool few)
{
    return prediction->skipped != NULL &&
           (few || strcmp(prediction->skipped, "contradicts itself") == 0);
}

static void
append_reasons(const PsimValidation *self, bool few, GString *text)
{
    g_autoptr(PsimColumns) columns = psim_columns_new("ll");
    guint n_told = 0;

    for (guint i = 0; i < self->rows->len; i++) {
        const PsimRow *row = g_ptr_array_index(self->rows, i);
        const PsimPrediction *prediction = g_ptr_array_index(self->predictions, i);

        if (!is_told(prediction, few) || ++n_told > MAX_REASONS)
            continue;
        psim_columns_add(columns, "%s", row->id);
        psim_columns_add(columns, "%s", prediction->detail);
    }
    if (n_told == 0)
        return;
    g_string_append(text, few ? "Why they were left out\n" : "Contradict themselves\n");
    psim_columns_append(columns, text);
    if (n_told > MAX_REASONS)
        g_string_append_printf(text, "  and %u more: --json has them all\n", n_told - MAX_REASONS);
    g_string_append_c(text, '\n');
}

/* -- The worst rows ---------------------------------------------------------------------------- */

typedef struct {
    double size; /* |log(predicted / measured)|, so that half and double are alike */
    guint index;
} Worst;

static int
compare_worst(const void *a, const void *b)
{
    const Worst *first = a;
    const Worst *second = b;

    if (first->size > second->size)
        return -1;
    if (first->size < second->size)
        return 1;
    return first->index < second->index ? -1 : 1;
}

static void
append_worst(const PsimValidation *self, guint n_worst, GString *text)
{
    static const char *const heads[] = {"row", "measured s", "predicted s", "error"};
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Worst));
    g_autoptr(PsimColumns) columns = psim_columns_new("lrrr");

    for (guint i = 0; i < self->rows->len; i++) {
        const double error = psim_tally_step_error(g_ptr_array_index(self->rows, i),
                                                   g_ptr_array_index(self->predictions, i));
        const Worst entry = {.size = fabs(log1p(error)), .index = i};

        if (isfinite(error))
            g_array_append_val(all, entry);
    }
    g_array_sort(all, compare_worst);
    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++)
        psim_columns_add(columns, "%s", heads[i]);
    for (guint i = 0; i < MIN(n_worst, all->len); i++) {
        const guint index = g_array_index(all, Worst, i).index;
        const PsimRow *row = g_ptr_array_index(self->rows, index);
        const PsimPrediction *prediction = g_ptr_array_index(self->predictions, index);

        psim_columns_add(columns, "%s", row->id);
        psim_columns_add(columns, "%.4g", row->step_s);
        psim_columns_add(columns, "%.4g", prediction->step_s);
        psim_columns_add_percent(columns, prediction->step_s / row->step_s - 1, /* sign= */ true);
    }
    append_table(columns, "The worst", text);
}

char *
psim_validation_text(const PsimValidation *self, guint n_worst)
{
    GString *text = g_string_new(NULL);
    const PsimTally *all = g_ptr_array_index(self->tallies, self->tallies->len - 1);

    g_string_append_printf(text, "%zu rows of %u sources: %zu predicted, %zu left out\n\n",
                           all->n_rows, self->names->len, all->n_used, all->n_rows - all->n_used);
    append_errors(self, "Step time", step_errors, text);
    append_errors(self, "Memory", memory_errors, text);
    append_verdicts(self, text);
    append_rankings(self, text);
    append_ranges(self, text);
    append_counts(self, "Left out", skipped_of, text);
    append_reasons(self, /* few= */ all->n_rows - all->n_used <= MAX_REASONS, text);
    append_counts(self, "Not stated, and assumed", assumed_of, text);
    if (n_worst > 0)
        append_worst(self, n_worst, text);
    g_string_truncate(text, text->len - 1);
    return g_string_free(text, FALSE);
}
