/* SPDX-License-Identifier: MIT */
#include "spec/schedule_file.h"

#include <string.h>

/* The name of a schedule that stands in the plan itself. */
#define INLINE_NAME "csv"

/* Columns of an item in the canonical text. */
#define MAX_COLUMNS 80u

/* -- Reading ----------------------------------------------------------------------------------- */

/* What the user wrote on the command line is relative to where the user is, not to the plan. */
static char *
find_path(const char *name, const PsimPartsContext *context)
{
    const bool as_it_is = context->directory == NULL || g_str_equal(context->directory, ".") ||
                          g_path_is_absolute(name) ||
                          psim_override_replaces(&context->overrides, "/schedule") ||
                          psim_override_replaces(&context->overrides, "/schedule/name");

    return as_it_is ? g_strdup(name) : g_build_filename(context->directory, name, NULL);
}

/* Joins the items of "csv"; one that ends in a comma goes on in the next. */
static GString *
join_lines(PsimReader *reader)
{
    const size_t n_items = psim_reader_items(reader, "csv", /* required= */ true);
    GString *text = g_string_new(NULL);

    for (size_t i = 0; i < n_items; i++) {
        const char *item = psim_reader_item_string(reader, "csv", i);

        if (strchr(item, '\n') != NULL)
            psim_reader_complain(reader, "csv", PSIM_ERROR_VALUE,
                                 "has a line end in item %zu; an item is the line of one rank, or "
                                 "part of it if it ends in a comma",
                                 i);
        g_string_append(text, item);
        if (!g_str_has_suffix(item, ","))
            g_string_append_c(text, '\n');
    }
    return text;
}

static PsimCsvFile *
read_inline(const PsimPlan *plan, PsimReader *reader, const PsimPartsContext *context)
{
    const size_t n_before = psim_complaints_n(context->complaints);
    const char *plan_file = g_ptr_array_index(plan->files, 0);
    g_autofree char *place = g_strconcat(plan_file, ": /schedule/csv", NULL);
    g_autoptr(GString) text = join_lines(reader);

    if (psim_complaints_n(context->complaints) > n_before)
        return NULL;

    PsimCsvFile *file = psim_csv_parse(text->str, text->len, place, context->complaints);

    if (file != NULL) {
        g_free(file->name);
        file->name = g_strdup(INLINE_NAME);
    }
    return file;
}

static PsimCsvFile *
read_named(PsimPlan *plan, const char *name, const PsimPartsContext *context)
{
    g_autofree char *path = find_path(name, context);

    g_ptr_array_add(plan->files, g_strdup(name));
    return psim_csv_load(path, path, context->complaints);
}

bool
psim_schedule_file_read(PsimPlan *plan, PsimReader *reader, const PsimPartsContext *context)
{
    const bool has_lines = psim_reader_has(reader, "csv");
    const char *name =
        psim_reader_is_string(reader, "name") ? psim_reader_string(reader, "name") : NULL;
    const bool is_inline = has_lines || g_strcmp0(name, INLINE_NAME) == 0;

    if (has_lines && psim_reader_has(reader, "name") && g_strcmp0(name, INLINE_NAME) != 0)
        psim_reader_complain(
            reader, "name", PSIM_ERROR_MISMATCH,
            "is beside \"csv\", which has the order already; must be \"" INLINE_NAME
            "\", or left out");
    else if (is_inline)
        plan->schedule_file = read_inline(plan, reader, context);
    else if (name != NULL && psim_csv_is_file(name))
        plan->schedule_file = read_named(plan, name, context);
    if (plan->schedule_file == NULL)
        return is_inline || (name != NULL && psim_csv_is_file(name));
    plan->schedule = &psim_csv_type;
    return true;
}

/* -- Checking ---------------------------------------------------------------------------------- */

static bool
check_microbatches(const PsimPlan *plan, PsimReader *reader)
{
    const PsimCsvFile *file = plan->schedule_file;
    const uint32_t m = file->order->n_microbatches;
    const uint64_t batch = (uint64_t)m * plan->micro_batch * plan->dp;

    if (plan->n_microbatches == m)
        return true;
    psim_reader_complain_at(
        reader, "/batch/global", PSIM_ERROR_MISMATCH,
        "is %u, which makes %u microbatches; %s has %u: a batch of %" G_GUINT64_FORMAT,
        plan->global_batch, plan->n_microbatches, file->name, m, batch);
    return false;
}

bool
psim_schedule_file_check(const PsimPlan *plan, PsimReader *reader)
{
    if (plan->schedule_file == NULL)
        return true;

    const PsimCsvFile *file = plan->schedule_file;
    const uint32_t n_ranks = file->order->n_ranks;
    const struct {
        const char *pointer;
        uint32_t given, of_file;
        const char *unit;
    } counts[] = {
        {"/parallel/pipeline", plan->pp, n_ranks, n_ranks == 1 ? " rank" : " ranks"},
        {"/schedule/chunks", plan->n_chunks, psim_csv_n_chunks(file->order), " a rank"},
        {"/schedule/slices", plan->n_slices, 1, " a microbatch"},
    };
    bool stands = check_microbatches(plan, reader);

    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        if (counts[i].given == counts[i].of_file)
            continue;
        stands = false;
        psim_reader_complain_at(reader, counts[i].pointer, PSIM_ERROR_MISMATCH,
                                "is %u; %s has %u%s", counts[i].given, file->name,
                                counts[i].of_file, counts[i].unit);
    }
    return stands;
}

/* -- Writing ----------------------------------------------------------------------------------- */

/* Where to cut what begins at @line: behind the last comma that leaves the item short enough, or
 * the first one, or at the end of the line. */
static size_t
find_cut(const char *line)
{
    const size_t n_bytes = strcspn(line, "\n");
    size_t cut = 0;

    if (n_bytes <= MAX_COLUMNS)
        return n_bytes;
    for (size_t i = 0; i < n_bytes && (cut == 0 || i < MAX_COLUMNS); i++) {
        if (line[i] == ',')
            cut = i + 1;
    }
    return cut > 0 ? cut : n_bytes;
}

void
psim_schedule_file_write(const PsimPlan *plan, PsimWriter *writer)
{
    if (plan->schedule_file == NULL)
        return;
    psim_writer_begin_array(writer, "csv");
    for (const char *at = plan->schedule_file->text; *at != '\0';) {
        const size_t n_bytes = find_cut(at);
        g_autofree char *item = g_strndup(at, n_bytes);

        psim_writer_string(writer, NULL, item);
        at += n_bytes;
        at += *at == '\n';
    }
    psim_writer_end_array(writer);
}
