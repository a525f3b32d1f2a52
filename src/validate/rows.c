/* SPDX-License-Identifier: MIT */
#include "validate/rows.h"

#include "plansim.h"

#include <cjson/cJSON.h>
#include <string.h>

/* As for every other JSON file of plansim. */
#define MOST_BYTES 0x4000000u /* 64 MiB */

static bool
read_file(const char *path, char **ret_text, gsize *ret_n_bytes, GError **error)
{
    g_autoptr(GError) reason = NULL;

    if (!g_file_get_contents(path, ret_text, ret_n_bytes, &reason)) {
        const char *why = strrchr(reason->message, ':');

        g_set_error(error, PSIM_ERROR, PSIM_ERROR_IO, "%s: cannot read%s", path,
                    why != NULL ? why : "");
        return false;
    }
    if (*ret_n_bytes <= MOST_BYTES)
        return true;
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_LIMIT, "%s: has %zu bytes; at most %u", path,
                *ret_n_bytes, MOST_BYTES);
    return false;
}

/* Where in the text @end is, both from 1. */
static unsigned
find_line(const char *text, const char *end, unsigned *ret_column)
{
    const char *begin = text;
    unsigned n_lines = 1;

    while (text < end && (text = memchr(text, '\n', (size_t)(end - text))) != NULL) {
        n_lines++;
        begin = ++text;
    }
    *ret_column = (unsigned)(end - begin) + 1;
    return n_lines;
}

static bool
append_rows(const cJSON *list, const char *path, GPtrArray *rows, GError **error)
{
    g_autofree char *source_file = g_path_get_basename(path);
    g_autoptr(GHashTable) ids = g_hash_table_new(g_str_hash, g_str_equal);
    const cJSON *item = NULL;
    unsigned i = 0;

    cJSON_ArrayForEach(item, list)
    {
        const cJSON *id = cJSON_GetObjectItemCaseSensitive(item, "id");

        if (!cJSON_IsString(id)) {
            g_set_error(error, PSIM_ERROR, PSIM_ERROR_SCHEMA,
                        "%s: /%u: must be an object with an \"id\", a string", path, i);
            return false;
        }
        if (!g_hash_table_add(ids, id->valuestring)) {
            g_set_error(error, PSIM_ERROR, PSIM_ERROR_SCHEMA,
                        "%s: /%u/id: \"%s\" is the id of a row before it", path, i,
                        id->valuestring);
            return false;
        }
        g_ptr_array_add(rows, psim_row_new(item, source_file));
        i++;
    }
    return true;
}

bool
psim_rows_read(const char *path, GPtrArray *rows, GError **error)
{
    g_autofree char *text = NULL;
    gsize n_bytes = 0;
    const char *end = NULL;

    if (!read_file(path, &text, &n_bytes, error))
        return false;
    cJSON *json = cJSON_ParseWithLengthOpts(text, n_bytes + 1, &end, /* terminated= */ true);

    if (json == NULL) {
        unsigned column = 0;
        const unsigned line = find_line(text, end, &column);

        g_set_error(error, PSIM_ERROR, PSIM_ERROR_SYNTAX, "%s:%u:%u: not JSON from here on", path,
                    line, column);
        return false;
    }
    const cJSON *list =
        cJSON_IsObject(json) ? cJSON_GetObjectItemCaseSensitive(json, "rows") : json;
    bool good = cJSON_IsArray(list);

    if (good)
        good = append_rows(list, path, rows, error);
    else
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_SCHEMA,
                    "%s: must be an array of rows, or an object whose \"rows\" is one", path);
    cJSON_Delete(json);
    return good;
}
