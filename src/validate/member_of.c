/* SPDX-License-Identifier: MIT */
#include "validate/member_of.h"

#include <cjson/cJSON.h>
#include <math.h>

static const cJSON *
find(const cJSON *object, const char *key)
{
    return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, key) : NULL;
}

double
psim_member_of_number(const cJSON *object, const char *key)
{
    const cJSON *item = find(object, key);

    return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

uint32_t
psim_member_of_count(const cJSON *object, const char *key)
{
    const double number = psim_member_of_number(object, key);

    return number >= 1 && number <= UINT32_MAX && floor(number) == number ? (uint32_t)number : 0;
}

char *
psim_member_of_text(const cJSON *object, const char *key)
{
    const cJSON *item = find(object, key);

    return cJSON_IsString(item) ? g_strdup(item->valuestring) : NULL;
}

char *
psim_member_of_word(const cJSON *object, const char *key)
{
    const cJSON *item = find(object, key);

    if (cJSON_IsBool(item))
        return g_strdup(cJSON_IsTrue(item) ? "true" : "false");
    return psim_member_of_text(object, key);
}

PsimTold
psim_member_of_told(const cJSON *object, const char *key)
{
    const cJSON *item = find(object, key);

    if (!cJSON_IsBool(item))
        return PSIM_TOLD_NOT;
    return cJSON_IsTrue(item) ? PSIM_TOLD_YES : PSIM_TOLD_NO;
}
