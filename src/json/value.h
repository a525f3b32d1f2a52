/* SPDX-License-Identifier: MIT */
/* value.h: one JSON value against what is expected of it; pure functions
 *
 * Each returns the value, or false with the complaint; reader.h lists the texts. A NULL item and
 * null are "missing".
 */
#pragma once

#include "base/units.h"
#include "json/tree.h"

G_BEGIN_DECLS

/* A complaint that does not know its place. */
typedef struct {
    PsimError code;
    char *text;
} PsimValueFault;

void psim_value_fault_clear(PsimValueFault *self);

/* What a number may be. Bounds may be infinite. */
typedef struct {
    double min;
    double max;
    const PsimDimension *dimension; /* NULL: a plain number */
} PsimValueRange;

/** psim_value_is_absent: Returns: whether there is no item, or null. */
bool psim_value_is_absent(const cJSON *item);

/** psim_value_check_kind: @what  "an object", "an array", for the complaint; @ok  whether it is
 * one. */
bool psim_value_check_kind(const cJSON *item, const char *what, bool ok, PsimValueFault *ret_fault);

/** psim_value_max_count: Returns: @max, or the largest whole number that a double holds for sure.
 */
uint64_t psim_value_max_count(uint64_t max);

/** psim_value_to_count: whole numbers from @min to psim_value_max_count(@max). */
bool psim_value_to_count(
    const cJSON *item, uint64_t min, uint64_t max, uint64_t *ret_value, PsimValueFault *ret_fault);

/** psim_value_to_number: a number, or with a dimension a string of number and unit. */
bool psim_value_to_number(const cJSON *item,
                          const PsimValueRange *range,
                          double *ret_value,
                          PsimValueFault *ret_fault);

bool psim_value_to_flag(const cJSON *item, bool *ret_value, PsimValueFault *ret_fault);

/** psim_value_to_string: at most PSIM_LIMIT_NAME_BYTES; borrowed from @item. */
bool psim_value_to_string(const cJSON *item, const char **ret_value, PsimValueFault *ret_fault);

/** psim_value_to_choice: index into @words, NULL-terminated. */
bool psim_value_to_choice(const cJSON *item,
                          const char *const *words,
                          unsigned *ret_value,
                          PsimValueFault *ret_fault);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PsimValueFault, psim_value_fault_clear)

G_END_DECLS
