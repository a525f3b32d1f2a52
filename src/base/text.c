/* SPDX-License-Identifier: MIT */
/* Numbers go through g_ascii_formatd(), which undoes what the locale does to the decimal point; the
 * exact times of traces, of which there are millions, are made of integers alone.
 */
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Room for the digits of DBL_MAX with as many decimals as we ever print. */
#define NUMBER_BYTES 512
#define MAX_DECIMALS 40u

/* "1e+09" -> "1e9": shorter, and the same in every C library. */
static void
append_trimmed_exponent(GString *out, const char *number)
{
    const char *exponent = strchr(number, 'e');

    if (exponent == NULL) {
        g_string_append(out, number);
        return;
    }
    g_string_append_len(out, number, exponent - number + 1);
    exponent++;
    if (*exponent == '-')
        g_string_append_c(out, '-');
    exponent += strspn(exponent, "+-");
    exponent += strspn(exponent, "0");
    g_string_append(out, *exponent == '\0' ? "0" : exponent);
}

static void
format_general(char *buffer, double value, int digits)
{
    char format[16];

    (void)g_snprintf(format, sizeof format, "%%.%dg", digits);
    (void)g_ascii_formatd(buffer, NUMBER_BYTES, format, value);
}

void
psim_text_number(GString *out, double value)
{
    char buffer[NUMBER_BYTES];
    /* Any decimal of at most 15 digits comes back from %.15g as it was, so shorter ones need no
     * try of their own. Denormal numbers have fewer digits and do. */
    int digits = fabs(value) < DBL_MIN ? 1 : 15;

    for (; digits < 17; digits++) {
        format_general(buffer, value, digits);
        if (g_ascii_strtod(buffer, NULL) == value)
            break;
    }
    if (digits == 17)
        format_general(buffer, value, digits);
    append_trimmed_exponent(out, buffer);
}

void
psim_text_fixed(GString *out, double value, unsigned decimals)
{
    char format[16];
    char buffer[NUMBER_BYTES];

    (void)g_snprintf(format, sizeof format, "%%.%uf", MIN(decimals, MAX_DECIMALS));
    (void)g_ascii_formatd(buffer, sizeof buffer, format, value);
    /* A small negative number that rounds to nothing is nothing, not "-0.0". */
    const bool is_zero = buffer[0] == '-' && strspn(buffer + 1, "0.") == strlen(buffer + 1);

    g_string_append(out, is_zero ? buffer + 1 : buffer);
}

/* The decimal exponent after rounding to @digits digits, so that 9.996 counts as 10.0. */
static int
find_exponent(double value, unsigned digits)
{
    char format[16];
    char buffer[NUMBER_BYTES];

    (void)g_snprintf(format, sizeof format, "%%.%ue", digits - 1);
    (void)g_ascii_formatd(buffer, sizeof buffer, format, value);
    return (int)g_ascii_strtoll(strchr(buffer, 'e') + 1, NULL, 10);
}

void
psim_text_significant(GString *out, double value, unsigned digits)
{
    const unsigned n_digits = CLAMP(digits, 1u, 17u);

    if (value == 0.0 || !isfinite(value)) {
        psim_text_fixed(out, value, 0);
        return;
    }
    if (fabs(value) >= 1e15 || fabs(value) < 1e-9) {
        char buffer[NUMBER_BYTES];

        format_general(buffer, value, (int)n_digits);
        append_trimmed_exponent(out, buffer);
        return;
    }
    const int decimals = (int)n_digits - 1 - find_exponent(value, n_digits);

    psim_text_fixed(out, value, (unsigned)MAX(decimals, 0));
}

void
psim_text_seconds(GString *out, int64_t time_ps)
{
    const uint64_t per_s = UINT64_C(1000000000000);
    const uint64_t size_ps = time_ps < 0 ? 0 - (uint64_t)time_ps : (uint64_t)time_ps;
    uint64_t fraction = size_ps % per_s;
    uint64_t whole = size_ps / per_s;
    char buffer[32];
    char *end = buffer + sizeof buffer;
    char *at = end;

    if (fraction > 0) {
        for (int i = 0; i < 12; i++, fraction /= 10)
            *--at = (char)('0' + fraction % 10);
        *--at = '.';
        while (end[-1] == '0')
            end--;
    }
    do {
        *--at = (char)('0' + whole % 10);
        whole /= 10;
    } while (whole > 0);
    if (time_ps < 0)
        *--at = '-';
    g_string_append_len(out, at, end - at);
}

typedef struct {
    double factor;
    const char *name;
} Scale;

/* The largest scale that leaves at least 1 after rounding to three digits. @scales go up. */
static const Scale *
find_scale(double value, const Scale *scales, size_t n_scales)
{
    size_t i = 0;

    while (i + 1 < n_scales && fabs(value) >= 0.9995 * scales[i + 1].factor)
        i++;
    return &scales[i];
}

static void
append_scaled(GString *out, double value, const Scale *scale)
{
    const double scaled = value / scale->factor;

    /* Whole small numbers are counts: "8", "512 B". */
    if (scale->factor == 1.0 && scaled == trunc(scaled))
        psim_text_fixed(out, scaled, 0);
    else
        psim_text_significant(out, scaled, 3);
    if (scale->name[0] != '\0')
        g_string_append_printf(out, " %s", scale->name);
}

void
psim_text_human_bytes(GString *out, double bytes)
{
    static const Scale scales[] = {{1.0, "B"},   {1e3, "kB"},  {1e6, "MB"}, {1e9, "GB"},
                                   {1e12, "TB"}, {1e15, "PB"}, {1e18, "EB"}};

    append_scaled(out, bytes, find_scale(bytes, scales, G_N_ELEMENTS(scales)));
}

void
psim_text_human_time(GString *out, double seconds_s)
{
    static const Scale scales[] = {{1e-12, "ps"}, {1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"},
                                   {1.0, "s"},    {3600, "h"},  {86400, "d"}};

    if (seconds_s == 0.0)
        g_string_append(out, "0 s");
    else
        append_scaled(out, seconds_s, find_scale(seconds_s, scales, G_N_ELEMENTS(scales)));
}

void
psim_text_human_count(GString *out, double count)
{
    static const Scale scales[] = {{1.0, ""},  {1e3, "k"},  {1e6, "M"},
                                   {1e9, "B"}, {1e12, "T"}, {1e15, "P"}};

    append_scaled(out, count, find_scale(count, scales, G_N_ELEMENTS(scales)));
}

/* Words beyond this length are not misspellings of ours. */
#define MAX_WORD ((size_t)64)
/* Costs are counted in halves, so that a letter of the other case costs less than another letter.
 */
#define COST_EDIT 2u
#define COST_CASE 1u

static unsigned
cost_substitution(char a, char b)
{
    if (a == b)
        return 0;
    if (g_ascii_tolower(a) == g_ascii_tolower(b))
        return COST_CASE;
    if (strchr("-_ ", a) != NULL && strchr("-_ ", b) != NULL)
        return COST_CASE;
    return COST_EDIT;
}

/* Costs of turning the first i letters of one word into the first j of another. */
typedef unsigned Costs[MAX_WORD + 1][MAX_WORD + 1];

static void
fill_cost(Costs cost, const char *a, size_t i, const char *b, size_t j)
{
    const unsigned gap = MIN(cost[i - 1][j], cost[i][j - 1]) + COST_EDIT;
    const unsigned changed = cost[i - 1][j - 1] + cost_substitution(a[i - 1], b[j - 1]);
    const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];

    cost[i][j] = MIN(gap, changed);
    if (swapped)
        cost[i][j] = MIN(cost[i][j], cost[i - 2][j - 2] + COST_EDIT);
}

/* Edit distance where a swap of neighbours is one edit (optimal string alignment). */
static unsigned
measure_distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
    Costs cost;

    for (size_t j = 0; j <= n_b; j++)
        cost[0][j] = (unsigned)j * COST_EDIT;
    for (size_t i = 1; i <= n_a; i++) {
        cost[i][0] = (unsigned)i * COST_EDIT;
        for (size_t j = 1; j <= n_b; j++)
            fill_cost(cost, a, i, b, j);
    }
    return cost[n_a][n_b];
}

const char *
psim_text_nearest(const char *word, const char *const *words)
{
    const size_t length = strlen(word);
    const char *nearest = NULL;
    unsigned best = UINT_MAX;

    if (length == 0 || length > MAX_WORD)
        return NULL;
    for (; *words != NULL; words++) {
        const size_t candidate_length = strlen(*words);

        if (candidate_length == 0 || candidate_length > MAX_WORD)
            continue;
        const unsigned distance = measure_distance(word, length, *words, candidate_length);
        /* One edit in three letters, and never a wholly different word. */
        const unsigned allowed = (unsigned)(length + 2) / 3 * COST_EDIT;
        const unsigned different = (unsigned)MIN(length, candidate_length) * COST_EDIT;

        if (distance < best && distance <= allowed && distance < different) {
            best = distance;
            nearest = *words;
        }
    }
    return nearest;
}
