/* SPDX-License-Identifier: MIT */
#include "teach/figure.h"

#include <cjson/cJSON.h>
#include <string.h>

/* One line, run. */
typedef struct {
    PsimResult *result;
    cJSON *json; /* the result's; NULL until a member is asked for */
} Figure;

struct PsimFigures {
    GHashTable *by_line; /* char * -> Figure * */
};

static void
free_figure(void *data)
{
    Figure *figure = data;

    psim_result_unref(figure->result);
    cJSON_Delete(figure->json);
    g_free(figure);
}

PsimFigures *
psim_figures_new(void)
{
    PsimFigures *self = g_new0(PsimFigures, 1);

    self->by_line = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_figure);
    return self;
}

void
psim_figures_free(PsimFigures *self)
{
    g_hash_table_unref(self->by_line);
    g_free(self);
}

static PsimResult *
refuse(const char *line, GError **error)
{
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_INTERNAL, "\"%s\" is neither a schedule nor a run",
                line);
    return NULL;
}

static bool
read_count(const char *word, guint64 max, guint64 *ret_count)
{
    return word != NULL && g_ascii_string_to_unsigned(word, 10, 0, max, ret_count, NULL);
}

static bool
read_times(const char *text, PsimScheduleOptions *options)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);
    int64_t *const times[] = {&options->forward, &options->backward_input,
                              &options->backward_weight};
    guint64 count = 0;

    if (g_strv_length(parts) != G_N_ELEMENTS(times))
        return false;
    for (gsize i = 0; i < G_N_ELEMENTS(times); i++) {
        if (!read_count(parts[i], G_MAXINT32, &count))
            return false;
        *times[i] = (int64_t)count;
    }
    return true;
}

static bool
read_option(const char *word, PsimScheduleOptions *options)
{
    guint64 count = 0;

    if (g_str_has_prefix(word, "times="))
        return read_times(word + strlen("times="), options);
    if (!g_str_has_prefix(word, "latency=") ||
        !read_count(word + strlen("latency="), G_MAXINT32, &count))
        return false;
    options->latency = (int64_t)count;
    return true;
}

/* @words  schedule NAME RANKS MICROBATCHES [OPTION...] */
static PsimResult *
run_schedule(char **words, const char *line, GError **error)
{
    PsimScheduleOptions options = PSIM_SCHEDULE_OPTIONS_INIT;
    guint64 n_ranks = 0;
    guint64 n_microbatches = 0;

    if (g_strv_length(words) < 4 || !read_count(words[2], G_MAXUINT16, &n_ranks) ||
        !read_count(words[3], G_MAXUINT16, &n_microbatches))
        return refuse(line, error);
    options.name = words[1];
    options.n_ranks = (uint32_t)n_ranks;
    options.n_microbatches = (uint32_t)n_microbatches;
    for (char **word = words + 4; *word != NULL; word++) {
        if (!read_option(*word, &options))
            return refuse(line, error);
    }
    return psim_schedule_simulate(&options, error);
}

/* @words  run PLAN [POINTER=VALUE...] */
static PsimResult *
run_plan(char **words, const char *line, GError **error)
{
    g_autoptr(GArray) overrides = g_array_new(FALSE, FALSE, sizeof(PsimOverride));

    if (g_strv_length(words) < 2)
        return refuse(line, error);
    for (char **word = words + 2; *word != NULL; word++) {
        char *equals = strchr(*word, '=');

        if (equals == NULL)
            return refuse(line, error);
        *equals = '\0';
        const PsimOverride override = {.pointer = *word, .value = equals + 1};

        g_array_append_val(overrides, override);
    }
    g_autoptr(PsimPlan) plan = psim_plan_load(
        words[1], (const PsimOverride *)(const void *)overrides->data, overrides->len, error);

    return plan == NULL ? NULL : psim_simulate(plan, /* options= */ NULL, error);
}

static PsimResult *
run_line(const char *line, GError **error)
{
    g_auto(GStrv) words = g_strsplit(line, " ", -1);

    if (g_strcmp0(words[0], "schedule") == 0)
        return run_schedule(words, line, error);
    if (g_strcmp0(words[0], "run") == 0)
        return run_plan(words, line, error);
    return refuse(line, error);
}

static Figure *
find_figure(PsimFigures *self, const char *line, GError **error)
{
    Figure *figure = g_hash_table_lookup(self->by_line, line);

    if (figure != NULL)
        return figure;
    PsimResult *result = run_line(line, error);

    if (result == NULL)
        return NULL;
    figure = g_new0(Figure, 1);
    figure->result = result;
    g_hash_table_insert(self->by_line, g_strdup(line), figure);
    return figure;
}

const PsimResult *
psim_figures_result(PsimFigures *self, const char *line, GError **error)
{
    const Figure *figure = find_figure(self, line, error);

    return figure == NULL ? NULL : figure->result;
}

static bool
append_bytes(const char *bytes, size_t n_bytes, void *user)
{
    g_string_append_len(user, bytes, (gssize)n_bytes);
    return true;
}

char *
psim_figures_text(const PsimResult *result, const char *format, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (!psim_result_write(result, format, append_bytes, text, error))
        return NULL;
    return g_string_free(g_steal_pointer(&text), /* free_segment= */ FALSE);
}

static const cJSON *
find_extreme(const cJSON *array, bool is_max)
{
    const cJSON *found = NULL;
    const cJSON *item;

    cJSON_ArrayForEach(item, array)
    {
        if (found == NULL || (is_max ? item->valuedouble > found->valuedouble
                                     : item->valuedouble < found->valuedouble))
            found = item;
    }
    return found;
}

static const cJSON *
step_into(const cJSON *json, const char *word)
{
    guint64 index = 0;

    if (!cJSON_IsArray(json))
        return cJSON_GetObjectItemCaseSensitive(json, word);
    if (strcmp(word, "max") == 0 || strcmp(word, "min") == 0)
        return find_extreme(json, strcmp(word, "max") == 0);
    return read_count(word, G_MAXINT, &index) ? cJSON_GetArrayItem(json, (int)index) : NULL;
}

static bool
parse_json(Figure *figure, GError **error)
{
    if (figure->json != NULL)
        return true;
    g_autofree char *text = psim_figures_text(figure->result, "json", error);

    figure->json = text == NULL ? NULL : cJSON_Parse(text);
    return figure->json != NULL;
}

bool
psim_figures_member(
    PsimFigures *self, const char *line, const char *path, double *ret_number, GError **error)
{
    Figure *figure = find_figure(self, line, error);
    g_auto(GStrv) words = g_strsplit(path, "/", -1);

    if (figure == NULL || !parse_json(figure, error))
        return false;
    const cJSON *json = figure->json;

    for (char **word = words; *word != NULL && json != NULL; word++)
        json = step_into(json, *word);
    if (json == NULL || !cJSON_IsNumber(json)) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_INTERNAL, "\"%s\" has no number \"%s\"", line,
                    path);
        return false;
    }
    *ret_number = json->valuedouble;
    return true;
}
