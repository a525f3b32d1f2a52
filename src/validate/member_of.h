/* SPDX-License-Identifier: MIT */
/* member_of.h: members of a JSON object that may be absent, null or of another type
 */
#pragma once

#include "validate/row.h"

G_BEGIN_DECLS

struct cJSON;

/** psim_member_of_count: Returns: a whole number from 1 to 2^32 - 1, else 0. */
uint32_t psim_member_of_count(const struct cJSON *object, const char *key);

/** psim_member_of_number: Returns: a number, else NAN. */
double psim_member_of_number(const struct cJSON *object, const char *key);

/** psim_member_of_text: Returns: a string, else NULL. Caller frees. */
char *psim_member_of_text(const struct cJSON *object, const char *key);

/** psim_member_of_word: Returns: a string, or "true" or "false"; else NULL. Caller frees. */
char *psim_member_of_word(const struct cJSON *object, const char *key);

/** psim_member_of_told: Returns: a flag, as far as it is one. */
PsimTold psim_member_of_told(const struct cJSON *object, const char *key);

G_END_DECLS
