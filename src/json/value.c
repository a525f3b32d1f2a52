/* SPDX-License-Identifier: MIT */
#include "json/value.h"

#include "base/limits.h"
#include "base/text.h"
#include "json/quote.h"

#include <math.h>
#include <string.h>

void
psim_value_fault_clear(PsimValueFault *self)
{
    g_clear_pointer(&self->text, g_free);
}

static G_GNUC_PRINTF(3, 4) bool refuse(PsimValueFault *ret_fault,
                                       PsimError code,
                                       const char *format,
                                       ...)
{
    va_list arguments;

    va_start(arguments, format);
    *ret_fault = (PsimValueFault){.code = code, .text = g_strdup_vprintf(format, arguments)};
    va_end(arguments);
    return false;
}

bool
psim_value_is_absent(const cJSON *item)
{
    return item == NULL || cJSON_IsNull(item);
}

bool
psim_value_check_kind(const cJSON *item, const char *what, bool ok, PsimValueFault *ret_fault)
{
    if (psim_value_is_absent(item))
        return refuse(ret_fault, PSIM_ERROR_SCHEMA, "missing; expected %s", what);
    return ok || refuse(ret_fault, PSIM_ERROR_SCHEMA, "must be %s", what);
}

/* -- Numbers ----------------------------------------------------------------------------------- */

/* Whole numbers with all their digits, 1048576 and not 1e+06; the rest as short as it is exact. */
static char *
format_number(double value)
{
    g_autoptr(GString) out = g_string_new(NULL);

    /* Adding zero turns -0 into 0. */
    if (value == trunc(value) && fabs(value) <= (double)PSIM_LIMIT_JSON_INTEGER)
        psim_text_fixed(out, value + 0.0, 0);
    else
        psim_text_number(out, value);
    return g_string_free(g_steal_pointer(&out), /* free_segment= */ FALSE);
}

static char *
format_bound(double value, const PsimDimension *dimension)
{
    return dimension != NULL ? psim_units_format(value, *dimension) : format_number(value);
}

/* The largest double stands for infinity, too: nobody means it as a bound. */
static bool
is_bound(double value)
{
    return fabs(value) < G_MAXDOUBLE;
}

/* "from 0 to 1", "at least 0", "at most 1", or NULL where everything goes. */
static char *
format_range(const PsimValueRange *range)
{
    g_autofree char *min = is_bound(range->min) ? format_bound(range->min, range->dimension) : NULL;
    g_autofree char *max = is_bound(range->max) ? format_bound(range->max, range->dimension) : NULL;

    if (min != NULL && max != NULL)
        return g_strdup_printf("from %s to %s", min, max);
    if (min != NULL)
        return g_strdup_printf("at least %s", min);
    return max != NULL ? g_strdup_printf("at most %s", max) : NULL;
}

uint64_t
psim_value_max_count(uint64_t max)
{
    /* 2^53 itself is what 2^53 + 1 is read as. */
    return MIN(max, PSIM_LIMIT_JSON_INTEGER - 1);
}

bool
psim_value_to_count(
    const cJSON *item, uint64_t min, uint64_t max, uint64_t *ret_value, PsimValueFault *ret_fault)
{
    const PsimValueRange range = {.min = (double)min, .max = (double)psim_value_max_count(max)};
    g_autofree char *bounds = format_range(&range);
    g_autofree char *what = g_strdup_printf("a whole number %s", bounds);

    if (!psim_value_check_kind(item, what, cJSON_IsNumber(item), ret_fault))
        return false;

    const double value = item->valuedouble;

    if (value != trunc(value))
        return refuse(ret_fault, PSIM_ERROR_VALUE, "must be %s", what);
    if (value < range.min || value > range.max) {
        g_autofree char *number = format_number(value);

        return refuse(ret_fault, PSIM_ERROR_VALUE, "is %s; must be %s", number, bounds);
    }
    *ret_value = (uint64_t)value;
    return true;
}

static bool
read_plain(const cJSON *item, const char *bounds, double *ret_value, PsimValueFault *ret_fault)
{
    const char *join = g_str_has_prefix(bounds, "at") ? " of " : " ";
    g_autofree char *what = g_strconcat("a number", *bounds != '\0' ? join : "", bounds, NULL);

    if (psim_value_is_absent(item))
        return refuse(ret_fault, PSIM_ERROR_SCHEMA, "missing; expected %s", what);
    if (!cJSON_IsNumber(item))
        return refuse(ret_fault, PSIM_ERROR_SCHEMA, "must be a number");
    *ret_value = item->valuedouble;
    return true;
}

static bool
read_quantity(const cJSON *item,
              PsimDimension dimension,
              double *ret_value,
              PsimValueFault *ret_fault)
{
    const char *example = psim_dimension_example(dimension);
    g_autofree char *what =
        g_strdup_printf("%s, such as \"%s\"", psim_dimension_name(dimension), example);

    if (cJSON_IsNumber(item)) {
        g_autofree char *number = format_number(item->valuedouble);

        return refuse(ret_fault, PSIM_ERROR_VALUE,
                      "is %s; a quantity needs its unit, such as \"%s\"", number, example);
    }
    if (!psim_value_check_kind(item, what, cJSON_IsString(item), ret_fault))
        return false;

    const char *text = "";
    g_autofree char *message = NULL;

    if (!psim_value_to_string(item, &text, ret_fault))
        return false;
    if (psim_units_parse(text, dimension, ret_value, &message))
        return true;

    g_autofree char *line = psim_quote_line(message);

    return refuse(ret_fault, PSIM_ERROR_VALUE, "%s", line);
}

bool
psim_value_to_number(const cJSON *item,
                     const PsimValueRange *range,
                     double *ret_value,
                     PsimValueFault *ret_fault)
{
    g_autofree char *bounds = format_range(range);
    double value = 0.0;
    const bool ok = range->dimension != NULL
                        ? read_quantity(item, *range->dimension, &value, ret_fault)
                        : read_plain(item, bounds != NULL ? bounds : "", &value, ret_fault);

    if (!ok)
        return false;
    if (bounds != NULL && (value < range->min || value > range->max)) {
        g_autofree char *word =
            range->dimension != NULL ? psim_quote_word(item->valuestring) : format_number(value);

        return refuse(ret_fault, PSIM_ERROR_VALUE, "is %s; must be %s", word, bounds);
    }
    *ret_value = value;
    return true;
}

/* -- Flags and words --------------------------------------------------------------------------- */

bool
psim_value_to_flag(const cJSON *item, bool *ret_value, PsimValueFault *ret_fault)
{
    if (!psim_value_check_kind(item, "true or false", cJSON_IsBool(item), ret_fault))
        return false;
    *ret_value = cJSON_IsTrue(item);
    return true;
}

bool
psim_value_to_string(const cJSON *item, const char **ret_value, PsimValueFault *ret_fault)
{
    if (!psim_value_check_kind(item, "a string", cJSON_IsString(item), ret_fault))
        return false;

    const size_t n_bytes = strlen(item->valuestring);

    if (n_bytes > PSIM_LIMIT_NAME_BYTES)
        return refuse(ret_fault, PSIM_ERROR_LIMIT,
                      "is %" G_GSIZE_FORMAT
                      " bytes long; must be at most %u (PSIM_LIMIT_NAME_BYTES)",
                      n_bytes, PSIM_LIMIT_NAME_BYTES);
    *ret_value = item->valuestring;
    return true;
}

bool
psim_value_to_choice(const cJSON *item,
                     const char *const *words,
                     unsigned *ret_value,
                     PsimValueFault *ret_fault)
{
    g_autoptr(GString) what = g_string_new("one of");
    const char *text = "";

    for (unsigned i = 0; words[i] != NULL; i++)
        g_string_append_printf(what, "%s %s", i > 0 ? "," : "", words[i]);
    if (!psim_value_check_kind(item, what->str, cJSON_IsString(item), ret_fault))
        return false;
    if (!psim_value_to_string(item, &text, ret_fault))
        return false;
    for (unsigned i = 0; words[i] != NULL; i++) {
        if (strcmp(text, words[i]) == 0) {
            *ret_value = i;
            return true;
        }
    }

    const char *nearest = psim_text_nearest(text, words);
    g_autofree char *word = psim_quote_word(text);
    g_autofree char *hint =
        nearest != NULL ? g_strdup_printf("; did you mean \"%s\"?", nearest) : g_strdup("");

    return refuse(ret_fault, PSIM_ERROR_VALUE, "is %s; must be %s%s", word, what->str, hint);
}
