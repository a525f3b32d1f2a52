/* SPDX-License-Identifier: MIT */
#include "measured.h"

#include <check.h>
#include <string.h>

#define MAX_COLUMNS 64

Measured *
measured_load(const char *name)
{
    g_autofree char *path = g_build_filename(SHARED, "hardware", name, NULL);
    g_autofree char *text = NULL;
    Measured *self = g_new0(Measured, 1);

    ck_assert_msg(g_file_get_contents(path, &text, NULL, NULL), "%s", path);
    self->root = cJSON_Parse(text);
    self->columns = cJSON_GetObjectItemCaseSensitive(self->root, "columns");
    self->rows = cJSON_GetObjectItemCaseSensitive(self->root, "rows");
    ck_assert(cJSON_IsArray(self->columns) && cJSON_IsArray(self->rows));
    return self;
}

void
measured_free(Measured *self)
{
    cJSON_Delete(self->root);
    g_free(self);
}

static const cJSON *
find(const Measured *self, const cJSON *row, const char *column)
{
    const int n_columns = cJSON_GetArraySize(self->columns);

    for (int i = 0; i < n_columns; i++) {
        if (strcmp(cJSON_GetStringValue(cJSON_GetArrayItem(self->columns, i)), column) == 0)
            return cJSON_GetArrayItem(row, i);
    }
    ck_abort_msg("no column %s", column);
    return NULL;
}

double
measured_number(const Measured *self, const cJSON *row, const char *column)
{
    return cJSON_GetNumberValue(find(self, row, column));
}

const char *
measured_word(const Measured *self, const cJSON *row, const char *column)
{
    const char *word = cJSON_GetStringValue(find(self, row, column));

    return word != NULL ? word : "";
}

bool
measured_is(const Measured *self, const cJSON *row, const char *column, const char *word)
{
    return strcmp(measured_word(self, row, column), word) == 0;
}

bool
measured_alike(const Measured *self,
               const cJSON *row,
               const Measured *other,
               const cJSON *other_row,
               const char *column)
{
    return cJSON_Compare(find(self, row, column), find(other, other_row, column), true);
}
