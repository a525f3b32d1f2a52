/* SPDX-License-Identifier: MIT */
#include "validate/tally.h"

#include <math.h>
#include <string.h>

double
psim_tally_step_error(const PsimRow *row, const PsimPrediction *prediction)
{
    if (prediction->skipped != NULL || row->time_is_noise || !isfinite(row->step_s))
        return (double)NAN;
    return prediction->step_s / row->step_s - 1;
}

double
psim_tally_memory_error(const PsimRow *row, const PsimPrediction *prediction)
{
    if (prediction->skipped != NULL || !isfinite(row->peak_bytes))
        return (double)NAN;
    return prediction->compared_bytes / row->peak_bytes - 1;
}

/* -- Counting ---------------------------------------------------------------------------------- */

static void
count_text(GArray *counts, const char *text)
{
    const PsimCount first = {.text = text, .n_rows = 1};

    for (guint i = 0; i < counts->len; i++) {
        PsimCount *entry = &g_array_index(counts, PsimCount, i);

        if (strcmp(entry->text, text) == 0) {
            entry->n_rows++;
            return;
        }
    }
    g_array_append_val(counts, first);
}

static int
compare_counts(const void *a, const void *b)
{
    const PsimCount *first = a;
    const PsimCount *second = b;

    if (first->n_rows != second->n_rows)
        return first->n_rows > second->n_rows ? -1 : 1;
    return strcmp(first->text, second->text);
}

/* -- Groups that differ in the plan alone ------------------------------------------------------ */

/* Everything of a row that is not its plan. */
static char *
write_group_key(const PsimRow *row)
{
    const PsimRowModel *model = &row->model;

    return g_strdup_printf("%s|%s|%u|%u|%u|%u|%u|%s|%s|%u|%u|%s|%s|%s|%s", row->source_file,
                           model->name, model->n_layers, model->hidden, model->n_heads,
                           model->sequence, model->vocabulary, row->gpu, row->inter_link,
                           row->n_gpus, row->global_batch, row->precision, row->framework,
                           row->flash_attention, row->attention_kernel);
}

typedef struct {
    GArray *predicted; /* double */
    GArray *measured;  /* double */
} Group;

static void
free_group(void *data)
{
    Group *group = data;

    g_array_unref(group->predicted);
    g_array_unref(group->measured);
    g_free(group);
}

static Group *
find_group(GHashTable *groups, GPtrArray *order, const PsimRow *row)
{
    g_autofree char *key = write_group_key(row);
    Group *group = g_hash_table_lookup(groups, key);

    if (group != NULL)
        return group;
    group = g_new0(Group, 1);
    group->predicted = g_array_new(FALSE, FALSE, sizeof(double));
    group->measured = g_array_new(FALSE, FALSE, sizeof(double));
    g_hash_table_insert(groups, g_steal_pointer(&key), group);
    g_ptr_array_add(order, group);
    return group;
}

/* -- One source -------------------------------------------------------------------------------- */

/* What a pass over the rows of a source collects. */
typedef struct {
    PsimTally *tally;
    GArray *step_errors;   /* double */
    GArray *memory_errors; /* double */
    GHashTable *groups;    /* key -> Group */
    GPtrArray *order;      /* Group, as met, so that sums do not depend on hashing */
} Pass;

static void
add_time(Pass *pass, const PsimRow *row, const PsimPrediction *prediction)
{
    const double error = psim_tally_step_error(row, prediction);

    if (!isfinite(error))
        return;
    Group *group = find_group(pass->groups, pass->order, row);

    if (row->step_s >= prediction->low_s && row->step_s <= prediction->high_s)
        pass->tally->n_in_range++;
    g_array_append_val(pass->step_errors, error);
    g_array_append_val(group->predicted, prediction->step_s);
    g_array_append_val(group->measured, row->step_s);
}

static void
add_row(Pass *pass, const PsimRow *row, const PsimPrediction *prediction)
{
    const double memory_error = psim_tally_memory_error(row, prediction);
    PsimTally *tally = pass->tally;

    tally->n_rows++;
    if (prediction->skipped != NULL) {
        count_text(tally->skipped, prediction->skipped);
        return;
    }
    tally->n_used++;
    for (size_t i = 0; prediction->assumed[i] != NULL; i++)
        count_text(tally->assumed, prediction->assumed[i]);
    if (row->oom != PSIM_TOLD_NOT)
        tally->oom[row->oom == PSIM_TOLD_YES][prediction->oom]++;
    if (isfinite(memory_error))
        g_array_append_val(pass->memory_errors, memory_error);
    add_time(pass, row, prediction);
}

static PsimTally *
tally_source(const PsimValidation *validation, const char *name)
{
    PsimTally *tally = g_new0(PsimTally, 1);
    g_autoptr(GArray) step_errors = g_array_new(FALSE, FALSE, sizeof(double));
    g_autoptr(GArray) memory_errors = g_array_new(FALSE, FALSE, sizeof(double));
    g_autoptr(GHashTable) groups =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_group);
    g_autoptr(GPtrArray) order = g_ptr_array_new();
    Pass pass = {tally, step_errors, memory_errors, groups, order};
    PsimRanking sums = {0};

    tally->name = name != NULL ? name : "all";
    tally->skipped = g_array_new(FALSE, FALSE, sizeof(PsimCount));
    tally->assumed = g_array_new(FALSE, FALSE, sizeof(PsimCount));
    for (guint i = 0; i < validation->rows->len; i++) {
        const PsimRow *row = g_ptr_array_index(validation->rows, i);

        if (name == NULL || strcmp(row->source_file, name) == 0)
            add_row(&pass, row, g_ptr_array_index(validation->predictions, i));
    }
    for (guint i = 0; i < order->len; i++) {
        const Group *group = g_ptr_array_index(order, i);

        psim_statistics_add_group(&sums, (const double *)(const void *)group->predicted->data,
                                  (const double *)(const void *)group->measured->data,
                                  group->measured->len);
    }
    g_array_sort(tally->skipped, compare_counts);
    g_array_sort(tally->assumed, compare_counts);
    tally->step = psim_statistics_errors(step_errors);
    tally->memory = psim_statistics_errors(memory_errors);
    tally->ranking = psim_statistics_mean_ranking(&sums);
    return tally;
}

static bool
is_known(const GPtrArray *names, const char *name)
{
    for (guint i = 0; i < names->len; i++) {
        if (strcmp(g_ptr_array_index(names, i), name) == 0)
            return true;
    }
    return false;
}

void
psim_tally_make(PsimValidation *validation)
{
    validation->names = g_ptr_array_new_with_free_func(g_free);
    validation->tallies = g_ptr_array_new_with_free_func(psim_tally_free);
    for (guint i = 0; i < validation->rows->len; i++) {
        const PsimRow *row = g_ptr_array_index(validation->rows, i);

        if (!is_known(validation->names, row->source_file))
            g_ptr_array_add(validation->names, g_strdup(row->source_file));
    }
    for (guint i = 0; i < validation->names->len; i++)
        g_ptr_array_add(validation->tallies,
                        tally_source(validation, g_ptr_array_index(validation->names, i)));
    g_ptr_array_add(validation->tallies, tally_source(validation, /* name= */ NULL));
}

void
psim_tally_free(void *self)
{
    PsimTally *tally = self;

    g_array_unref(tally->skipped);
    g_array_unref(tally->assumed);
    g_free(tally);
}
