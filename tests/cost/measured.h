/* SPDX-License-Identifier: MIT */
/* measured.h: tables of a collection of measurements that is not part of the project
 */
#pragma once

#include <cjson/cJSON.h>
#include <glib.h>
#include <stdbool.h>

/* A file {"columns": [...], "rows": [[...], ...]}. */
typedef struct {
    cJSON *root;
    const cJSON *columns;
    const cJSON *rows;
} Measured;

/** measured_load: a file of the collection's hardware/; fails the test if it is not there. */
Measured *measured_load(const char *name);
void measured_free(Measured *self);

/* A cell by its column's name; NAN and "" where it is something else. */
double measured_number(const Measured *self, const cJSON *row, const char *column);
const char *measured_word(const Measured *self, const cJSON *row, const char *column);
bool measured_is(const Measured *self, const cJSON *row, const char *column, const char *word);

/** measured_alike: Returns: whether two rows, of two tables, have the same in a column. */
bool measured_alike(const Measured *self,
                    const cJSON *row,
                    const Measured *other,
                    const cJSON *other_row,
                    const char *column);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Measured, measured_free)
