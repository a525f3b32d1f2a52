/* SPDX-License-Identifier: MIT */
/* A unit is multiple * 10^exponent of the SI unit. The power of ten is added to the exponent of the
 * number's text before that is read, so "3.35 TB/s" is the double nearest to 3.35e12 and not the
 * product of two rounded numbers. The multiples are powers of two, or whole numbers of seconds.
 */
#include "base/units.h"

#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <string.h>

typedef struct {
    const char *name;
    PsimDimension dimension;
    int exponent;
    double multiple;
    double divisor;
    bool written; /* psim_units_format() may choose it */
} Unit;

#define SIZES(suffix, dim)                                                                         \
    {"B" suffix, dim, 0, 1, 1, true}, {"kB" suffix, dim, 3, 1, 1, true},                           \
        {"MB" suffix, dim, 6, 1, 1, true}, {"GB" suffix, dim, 9, 1, 1, true},                      \
        {"TB" suffix, dim, 12, 1, 1, true}, {"KiB" suffix, dim, 0, 0x1p10, 1, true},               \
        {"MiB" suffix, dim, 0, 0x1p20, 1, true}, {"GiB" suffix, dim, 0, 0x1p30, 1, true},          \
        {"TiB" suffix, dim, 0, 0x1p40, 1, true}, {"b" suffix, dim, 0, 0.125, 1, false},            \
        {"kb" suffix, dim, 3, 0.125, 1, false}, {"Mb" suffix, dim, 6, 0.125, 1, false},            \
        {"Gb" suffix, dim, 9, 0.125, 1, false},                                                    \
    {                                                                                              \
        "Tb" suffix, dim, 12, 0.125, 1, false                                                      \
    }

#define FLOPS(suffix, dim)                                                                         \
    {"FLOP" suffix, dim, 0, 1, 1, true}, {"kFLOP" suffix, dim, 3, 1, 1, true},                     \
        {"MFLOP" suffix, dim, 6, 1, 1, true}, {"GFLOP" suffix, dim, 9, 1, 1, true},                \
        {"TFLOP" suffix, dim, 12, 1, 1, true}, {"PFLOP" suffix, dim, 15, 1, 1, true},              \
    {                                                                                              \
        "EFLOP" suffix, dim, 18, 1, 1, true                                                        \
    }

/* The first unit of a dimension is its SI unit: any number can be written in it. */
static const Unit units[] = {
    SIZES("", PSIM_DIMENSION_BYTES),
    SIZES("/s", PSIM_DIMENSION_BYTES_PER_S),
    {"bps", PSIM_DIMENSION_BYTES_PER_S, 0, 0.125, 1, false},
    {"kbps", PSIM_DIMENSION_BYTES_PER_S, 3, 0.125, 1, false},
    {"Mbps", PSIM_DIMENSION_BYTES_PER_S, 6, 0.125, 1, false},
    {"Gbps", PSIM_DIMENSION_BYTES_PER_S, 9, 0.125, 1, false},
    {"Tbps", PSIM_DIMENSION_BYTES_PER_S, 12, 0.125, 1, false},
    {"s", PSIM_DIMENSION_TIME, 0, 1, 1, true},
    {"ms", PSIM_DIMENSION_TIME, -3, 1, 1, true},
    {"us", PSIM_DIMENSION_TIME, -6, 1, 1, true},
    {"ns", PSIM_DIMENSION_TIME, -9, 1, 1, true},
    {"ps", PSIM_DIMENSION_TIME, -12, 1, 1, true},
    {"min", PSIM_DIMENSION_TIME, 0, 60, 1, true},
    {"h", PSIM_DIMENSION_TIME, 0, 3600, 1, true},
    {"d", PSIM_DIMENSION_TIME, 0, 86400, 1, true},
    FLOPS("", PSIM_DIMENSION_FLOP),
    FLOPS("/s", PSIM_DIMENSION_FLOP_PER_S),
    {"W", PSIM_DIMENSION_POWER, 0, 1, 1, true},
    {"kW", PSIM_DIMENSION_POWER, 3, 1, 1, true},
    {"MW", PSIM_DIMENSION_POWER, 6, 1, 1, true},
    {"Hz", PSIM_DIMENSION_FREQUENCY, 0, 1, 1, true},
    {"kHz", PSIM_DIMENSION_FREQUENCY, 3, 1, 1, true},
    {"MHz", PSIM_DIMENSION_FREQUENCY, 6, 1, 1, true},
    {"GHz", PSIM_DIMENSION_FREQUENCY, 9, 1, 1, true},
    {"USD/s", PSIM_DIMENSION_MONEY_PER_S, 0, 1, 1, false},
    {"USD/h", PSIM_DIMENSION_MONEY_PER_S, 0, 1, 3600, true},
};

const char *
psim_dimension_name(PsimDimension dimension)
{
    switch (dimension) {
    case PSIM_DIMENSION_BYTES:
        return "a size";
    case PSIM_DIMENSION_BYTES_PER_S:
        return "a bandwidth";
    case PSIM_DIMENSION_TIME:
        return "a time";
    case PSIM_DIMENSION_FLOP:
        return "an amount of work";
    case PSIM_DIMENSION_FLOP_PER_S:
        return "a compute rate";
    case PSIM_DIMENSION_POWER:
        return "a power";
    case PSIM_DIMENSION_FREQUENCY:
        return "a frequency";
    case PSIM_DIMENSION_MONEY_PER_S:
        return "a price";
    }
    g_assert_not_reached();
}

const char *
psim_dimension_example(PsimDimension dimension)
{
    switch (dimension) {
    case PSIM_DIMENSION_BYTES:
        return "80 GiB";
    case PSIM_DIMENSION_BYTES_PER_S:
        return "900 GB/s";
    case PSIM_DIMENSION_TIME:
        return "4.5 us";
    case PSIM_DIMENSION_FLOP:
        return "12 GFLOP";
    case PSIM_DIMENSION_FLOP_PER_S:
        return "312 TFLOP/s";
    case PSIM_DIMENSION_POWER:
        return "400 W";
    case PSIM_DIMENSION_FREQUENCY:
        return "1410 MHz";
    case PSIM_DIMENSION_MONEY_PER_S:
        return "1.8 USD/h";
    }
    g_assert_not_reached();
}

/* The number at the start of a text, in its parts. */
typedef struct {
    size_t mantissa_bytes; /* sign, digits and point; 0: there is no number */
    long exponent;
    size_t total_bytes;
} Number;

static size_t
span_digits(const char *text)
{
    return strspn(text, "0123456789");
}

static Number
scan_number(const char *text)
{
    const size_t sign = text[0] == '-' || text[0] == '+' ? 1 : 0;
    const size_t whole = span_digits(text + sign);
    size_t end = sign + whole;

    if (whole == 0)
        return (Number){0};
    if (text[end] == '.' && span_digits(text + end + 1) > 0)
        end += 1 + span_digits(text + end + 1);

    Number number = {.mantissa_bytes = end, .total_bytes = end};

    if (text[end] != 'e' && text[end] != 'E')
        return number;
    const size_t exponent_sign = text[end + 1] == '-' || text[end + 1] == '+' ? 1 : 0;
    const size_t exponent_digits = span_digits(text + end + 1 + exponent_sign);

    if (exponent_digits == 0)
        return number;
    /* Beyond a few hundred it is out of range anyway; clamped so that the sum cannot overflow. */
    number.exponent = CLAMP(strtol(text + end + 1, NULL, 10), -100000L, 100000L);
    number.total_bytes = end + 1 + exponent_sign + exponent_digits;
    return number;
}

static const Unit *
find_unit(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    }
    return NULL;
}

static const char *
find_near_unit(const char *name, PsimDimension dimension)
{
    const char *names[G_N_ELEMENTS(units) + 1] = {NULL};
    size_t n_names = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
        if (units[i].dimension == dimension)
            names[n_names++] = units[i].name;
    }
    return psim_text_nearest(name, names);
}

static char *
explain_unit(const char *text, const char *name, PsimDimension dimension)
{
    const Unit *other = find_unit(name);
    const char *near = find_near_unit(name, dimension);

    if (other != NULL)
        return g_strdup_printf("\"%s\" is %s; must be %s such as \"%s\"", text,
                               psim_dimension_name(other->dimension),
                               psim_dimension_name(dimension), psim_dimension_example(dimension));
    if (near != NULL)
        return g_strdup_printf("\"%s\" has the unknown unit \"%s\"; did you mean \"%s\"?", text,
                               name, near);
    return g_strdup_printf("\"%s\" has the unknown unit \"%s\"; must be %s such as \"%s\"", text,
                           name, psim_dimension_name(dimension), psim_dimension_example(dimension));
}

static bool
evaluate(const char *text, Number number, const Unit *unit, double *ret_value)
{
    g_autofree char *mantissa = g_strndup(text, number.mantissa_bytes);
    g_autofree char *decimal =
        g_strdup_printf("%se%ld", mantissa, number.exponent + (long)unit->exponent);

    errno = 0;
    const double value = g_ascii_strtod(decimal, NULL) * unit->multiple / unit->divisor;

    if (errno == ERANGE || !isfinite(value))
        return false;
    *ret_value = value;
    return true;
}

bool
psim_units_parse(const char *text, PsimDimension dimension, double *ret_value, char **ret_message)
{
    const Number number = scan_number(text);
    const char *name = text + number.total_bytes + strspn(text + number.total_bytes, " ");

    if (number.mantissa_bytes == 0) {
        *ret_message = g_strdup_printf("\"%s\" does not begin with a number; must be %s such as "
                                       "\"%s\"",
                                       text, psim_dimension_name(dimension),
                                       psim_dimension_example(dimension));
        return false;
    }
    if (*name == '\0') {
        *ret_message =
            g_strdup_printf("\"%s\" has no unit; must be %s such as \"%s\"", text,
                            psim_dimension_name(dimension), psim_dimension_example(dimension));
        return false;
    }
    const Unit *unit = find_unit(name);

    if (unit == NULL || unit->dimension != dimension) {
        *ret_message = explain_unit(text, name, dimension);
        return false;
    }
    if (!evaluate(text, number, unit, ret_value)) {
        *ret_message = g_strdup_printf("\"%s\" is out of range; must fit a double", text);
        return false;
    }
    return true;
}

/* @value in @unit with as few digits as read back to it; NULL if none of 17 do. */
static char *
write_in(double value, const Unit *unit)
{
    const double scaled =
        value * unit->divisor / unit->multiple / pow(10.0, (double)unit->exponent);

    for (int digits = 15; digits <= 17; digits++) {
        char format[16];
        char buffer[64];
        double back = 0.0;

        (void)g_snprintf(format, sizeof format, "%%.%dg", digits);
        (void)g_ascii_formatd(buffer, sizeof buffer, format, scaled);
        if (evaluate(buffer, scan_number(buffer), unit, &back) && back == value)
            return g_strdup_printf("%s %s", buffer, unit->name);
    }
    return NULL;
}

/* A text that keeps its number between 1 and 1000 beats one that does not, then the shorter one
 * wins, then the one that comes first in the table. */
static bool
is_better(const char *text, const char *best)
{
    if (best == NULL)
        return true;
    const double number = fabs(g_ascii_strtod(text, NULL));
    const double best_number = fabs(g_ascii_strtod(best, NULL));
    const bool is_near = number >= 1.0 && number < 1000.0;
    const bool best_is_near = best_number >= 1.0 && best_number < 1000.0;

    if (is_near != best_is_near)
        return is_near;
    return strlen(text) < strlen(best);
}

static const Unit *
find_first_unit(PsimDimension dimension)
{
    size_t i = 0;

    while (units[i].dimension != dimension)
        i++;
    return &units[i];
}

char *
psim_units_format(double value, PsimDimension dimension)
{
    const Unit *base = find_first_unit(dimension);
    char *best = NULL;

    for (size_t i = 0; i < G_N_ELEMENTS(units) && value != 0.0; i++) {
        if (units[i].dimension != dimension || !units[i].written)
            continue;
        char *text = write_in(value, &units[i]);

        if (text != NULL && is_better(text, best)) {
            g_free(best);
            best = g_steal_pointer(&text);
        }
        g_free(text);
    }
    if (best != NULL)
        return best;

    g_autoptr(GString) text = g_string_new(NULL);

    psim_text_number(text, value);
    return g_strdup_printf("%s %s", text->str, base->name);
}
