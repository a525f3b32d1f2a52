/* SPDX-License-Identifier: MIT */
#include "search/quantity.h"

#include <math.h>
#include <string.h>

#define MAX_COUNTS 4096u

typedef struct {
    const char *word;
    double factor;
} Unit;

static const Unit amounts[] = {{"", 1},    {"k", 1e3}, {"M", 1e6},
                               {"B", 1e9}, {"G", 1e9}, {"T", 1e12}};
static const Unit times[] = {
    {"h", 1.0 / 24}, {"hours", 1.0 / 24}, {"d", 1},       {"day", 1},    {"days", 1},   {"w", 7},
    {"weeks", 7},    {"month", 30},       {"months", 30}, {"year", 365}, {"years", 365}};
static const Unit sizes[] = {{"", 1},         {"B", 1},      {"GB", 1e9},
                             {"GiB", 0x1p30}, {"G", 0x1p30}, {"MB", 1e6},
                             {"MiB", 0x1p20}, {"TB", 1e12},  {"TiB", 0x1p40}};

static const Unit powers[] = {{"W", 1}, {"kW", 1e3}, {"MW", 1e6}};

static bool
parse(const char *text, const Unit *units, size_t n_units, double *ret_value)
{
    char *end = NULL;
    const double number = g_ascii_strtod(text, &end);

    if (end == text || !isfinite(number) || number <= 0.0)
        return false;
    g_autofree char *unit = g_strstrip(g_strdup(end));

    for (size_t i = 0; i < n_units; i++) {
        if (strcmp(unit, units[i].word) != 0)
            continue;
        *ret_value = number * units[i].factor;
        return true;
    }
    return false;
}

bool
psim_quantity_amount(const char *text, double *ret_amount)
{
    return parse(text, amounts, G_N_ELEMENTS(amounts), ret_amount);
}

bool
psim_quantity_days(const char *text, double *ret_days)
{
    return parse(text, times, G_N_ELEMENTS(times), ret_days);
}

bool
psim_quantity_bytes(const char *text, double *ret_bytes)
{
    return parse(text, sizes, G_N_ELEMENTS(sizes), ret_bytes);
}

bool
psim_quantity_watts(const char *text, double *ret_watts)
{
    return parse(text, powers, G_N_ELEMENTS(powers), ret_watts);
}

static bool
parse_count(const char *text, uint32_t *ret_count)
{
    guint64 count = 0;

    if (!g_ascii_string_to_unsigned(text, 10, 1, 1u << 30, &count, NULL))
        return false;
    *ret_count = (uint32_t)count;
    return true;
}

static bool
add_range(const char *from, const char *to, GArray *counts)
{
    uint32_t low = 0;
    uint32_t high = 0;

    if (!parse_count(from, &low) || !parse_count(to, &high) || low > high)
        return false;
    for (uint64_t count = low; count < high; count *= 2) {
        const uint32_t value = (uint32_t)count;

        g_array_append_val(counts, value);
    }
    g_array_append_val(counts, high);
    return true;
}

bool
psim_quantity_counts(const char *text, GArray *counts)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);

    for (size_t i = 0; parts[i] != NULL; i++) {
        char *dots = strstr(parts[i], "..");
        uint32_t count = 0;

        if (dots != NULL) {
            *dots = '\0';
            if (!add_range(g_strstrip(parts[i]), g_strstrip(dots + 2), counts))
                return false;
        } else if (parse_count(g_strstrip(parts[i]), &count)) {
            g_array_append_val(counts, count);
        } else {
            return false;
        }
    }
    return counts->len > 0 && counts->len <= MAX_COUNTS;
}

bool
psim_quantity_goal(const char *text, double *ret_tokens, double *ret_days)
{
    const char *tokens = strstr(text, " tokens in ");

    if (tokens == NULL)
        return false;
    g_autofree char *amount = g_strndup(text, (gsize)(tokens - text));

    return psim_quantity_amount(amount, ret_tokens) &&
           psim_quantity_days(tokens + strlen(" tokens in "), ret_days);
}

bool
psim_quantity_triple(const char *text,
                     uint32_t *ret_first,
                     uint32_t *ret_second,
                     double *ret_amount)
{
    g_auto(GStrv) parts = g_strsplit_set(text, ", ", -1);

    return g_strv_length(parts) == 3 && parse_count(parts[0], ret_first) &&
           parse_count(parts[1], ret_second) && psim_quantity_amount(parts[2], ret_amount);
}
