/* SPDX-License-Identifier: MIT */
/* The half of reader.h that reads scalars: value.c judges, reader.c records. */
#include "json/reader_member.h"

#include "base/text.h"
#include "json/quote.h"

#include <math.h>

static void
note_plain_default(PsimReader *self, const char *key, const char *value)
{
    psim_reader_note_default(self, key, value, "default");
}

static void
note_string_default(PsimReader *self, const char *key, const char *value)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (value != NULL)
        psim_quote_json(text, value);
    note_plain_default(self, key, value != NULL ? text->str : "null");
}

uint64_t
psim_reader_count(PsimReader *self, const char *key, uint64_t min, uint64_t max)
{
    g_auto(PsimValueFault) fault = {.text = NULL};
    uint64_t value = min;

    if (!psim_value_to_count(psim_reader_member(self, key), min, max, &value, &fault))
        psim_reader_refuse(self, key, &fault);
    return value;
}

uint64_t
psim_reader_count_or(
    PsimReader *self, const char *key, uint64_t min, uint64_t max, uint64_t fallback)
{
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, fallback);

    if (psim_reader_has(self, key))
        return psim_reader_count(self, key, min, max);
    note_plain_default(self, key, text);
    return fallback;
}

/* A bound, or zero where there is none, is legal. */
static double
choose_stand_in(const PsimValueRange *range)
{
    if (isfinite(range->min))
        return range->min;
    return isfinite(range->max) ? range->max : 0.0;
}

static double
read_number(PsimReader *self, const char *key, const PsimValueRange *range)
{
    g_auto(PsimValueFault) fault = {.text = NULL};
    double value = choose_stand_in(range);

    if (!psim_value_to_number(psim_reader_member(self, key), range, &value, &fault))
        psim_reader_refuse(self, key, &fault);
    return value;
}

double
psim_reader_number(PsimReader *self, const char *key, double min, double max)
{
    return read_number(self, key, &(PsimValueRange){.min = min, .max = max});
}

double
psim_reader_number_or(PsimReader *self, const char *key, double min, double max, double fallback)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (psim_reader_has(self, key))
        return psim_reader_number(self, key, min, max);
    if (isfinite(fallback))
        psim_text_number(text, fallback);
    note_plain_default(self, key, isfinite(fallback) ? text->str : "null");
    return fallback;
}

double
psim_reader_quantity(
    PsimReader *self, const char *key, PsimDimension dimension, double min, double max)
{
    const PsimValueRange range = {.min = min, .max = max, .dimension = &dimension};

    return read_number(self, key, &range);
}

double
psim_reader_quantity_or(PsimReader *self,
                        const char *key,
                        PsimDimension dimension,
                        double min,
                        double max,
                        double fallback)
{
    g_autofree char *text = isfinite(fallback) ? psim_units_format(fallback, dimension) : NULL;

    if (psim_reader_has(self, key))
        return psim_reader_quantity(self, key, dimension, min, max);
    note_string_default(self, key, text);
    return fallback;
}

bool
psim_reader_flag(PsimReader *self, const char *key)
{
    g_auto(PsimValueFault) fault = {.text = NULL};
    bool value = false;

    if (!psim_value_to_flag(psim_reader_member(self, key), &value, &fault))
        psim_reader_refuse(self, key, &fault);
    return value;
}

bool
psim_reader_flag_or(PsimReader *self, const char *key, bool fallback)
{
    if (psim_reader_has(self, key))
        return psim_reader_flag(self, key);
    note_plain_default(self, key, fallback ? "true" : "false");
    return fallback;
}

const char *
psim_reader_string(PsimReader *self, const char *key)
{
    g_auto(PsimValueFault) fault = {.text = NULL};
    const char *value = "";

    if (!psim_value_to_string(psim_reader_member(self, key), &value, &fault))
        psim_reader_refuse(self, key, &fault);
    return value;
}

const char *
psim_reader_string_or(PsimReader *self, const char *key, const char *fallback)
{
    if (psim_reader_has(self, key))
        return psim_reader_string(self, key);
    note_string_default(self, key, fallback);
    return fallback;
}

unsigned
psim_reader_choice(PsimReader *self, const char *key, const char *const *words)
{
    g_auto(PsimValueFault) fault = {.text = NULL};
    unsigned value = 0;

    if (!psim_value_to_choice(psim_reader_member(self, key), words, &value, &fault))
        psim_reader_refuse(self, key, &fault);
    return value;
}

unsigned
psim_reader_choice_or(PsimReader *self,
                      const char *key,
                      const char *const *words,
                      unsigned fallback)
{
    if (psim_reader_has(self, key))
        return psim_reader_choice(self, key, words);
    note_string_default(self, key, words[fallback]);
    return fallback;
}

uint64_t
psim_reader_item_count(PsimReader *self, const char *key, size_t index, uint64_t min, uint64_t max)
{
    g_auto(PsimValueFault) fault = {.text = NULL};
    uint64_t value = min;

    if (!psim_value_to_count(psim_reader_item(self, key, index), min, max, &value, &fault))
        psim_reader_refuse_item(self, key, index, &fault);
    return value;
}

double
psim_reader_item_number(PsimReader *self, const char *key, size_t index, double min, double max)
{
    g_auto(PsimValueFault) fault = {.text = NULL};
    const PsimValueRange range = {.min = min, .max = max};
    double value = choose_stand_in(&range);

    if (!psim_value_to_number(psim_reader_item(self, key, index), &range, &value, &fault))
        psim_reader_refuse_item(self, key, index, &fault);
    return value;
}

const char *
psim_reader_item_string(PsimReader *self, const char *key, size_t index)
{
    g_auto(PsimValueFault) fault = {.text = NULL};
    const char *value = "";

    if (!psim_value_to_string(psim_reader_item(self, key, index), &value, &fault))
        psim_reader_refuse_item(self, key, index, &fault);
    return value;
}

char *
psim_reader_raw(PsimReader *self, const char *key)
{
    const cJSON *member = psim_reader_member(self, key);

    if (member == NULL || cJSON_IsNull(member))
        return NULL;
    char *printed = cJSON_PrintUnformatted(member);
    char *text = g_strdup(printed);

    cJSON_free(printed);
    return text;
}
