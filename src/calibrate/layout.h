/* SPDX-License-Identifier: MIT */
/* layout.h: members of the file, rounded to what was measured, and its layout
 */
#pragma once

#include <cjson/cJSON.h>
#include <glib.h>

G_BEGIN_DECLS

/** psim_json_number: six significant digits; left out where it is not finite. */
void psim_json_number(cJSON *object, const char *key, double value);

/** psim_json_count: a whole number, exactly. */
void psim_json_count(cJSON *object, const char *key, guint64 value);

void psim_json_text(cJSON *object, const char *key, const char *value);
void psim_json_flag(cJSON *object, const char *key, gboolean value);

/** psim_json_quantity: "4.5 us": a value in @unit, six significant digits. */
void psim_json_quantity(cJSON *object, const char *key, double value, const char *unit);

/** psim_json_list: an array of numbers, as psim_json_number() (n). */
void psim_json_list(cJSON *object, const char *key, const double *values, size_t n);

/** psim_json_line: Returns: @item on one line; the caller frees with g_free(). */
char *psim_json_line(const cJSON *item);

/**
 * psim_json_layout:
 * Returns: @root as text: members of objects down to the third level a line each, items of arrays
 * of objects and raw items a line each. Ownership: the caller frees with g_free().
 */
char *psim_json_layout(const cJSON *root);

G_END_DECLS
