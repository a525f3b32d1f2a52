/* SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "base/text.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <string.h>

Suite *text_suite(void);

static const struct {
    double value;
    const char *text;
} numbers[] = {
    {0.0, "0"},
    {1.0, "1"},
    {0.1, "0.1"},
    {-2.5, "-2.5"},
    {1.0 / 3.0, "0.3333333333333333"},
    {0.1 + 0.2, "0.30000000000000004"},
    {270e9, "270000000000"},
    {3.35e12, "3350000000000"},
    {1e15, "1e15"},
    {1e22, "1e22"},
    {9007199254740991.0, "9007199254740991"},
    {1.5e-7, "1.5e-7"},
    {0.0001, "0.0001"},
    {5e-324, "5e-324"},
    {DBL_MAX, "1.7976931348623157e308"},
};

START_TEST(number_is_the_shortest_that_reads_back)
{
    g_autoptr(GString) out = g_string_new("<");

    psim_text_number(out, numbers[_i].value);
    ck_assert_str_eq(out->str + 1, numbers[_i].text);
    ck_assert(g_ascii_strtod(numbers[_i].text, NULL) == numbers[_i].value);
}
END_TEST

START_TEST(any_number_reads_back_exactly)
{
    g_autoptr(GString) out = g_string_new(NULL);

    for (uint64_t id = 0; id < 5000; id++) {
        const uint64_t bits = psim_rng_u64(5, id);
        double value = 0.0;

        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        g_string_truncate(out, 0);
        psim_text_number(out, value);
        ck_assert(g_ascii_strtod(out->str, NULL) == value);
    }
}
END_TEST

static const struct {
    double value;
    unsigned decimals;
    const char *text;
} fixed[] = {
    {60.125, 2, "60.12"}, /* half to even */
    {60.1, 0, "60"},
    {0.0, 3, "0.000"},
    {-0.0004, 3, "0.000"},
    {-0.0006, 3, "-0.001"},
    {1234567.891, 1, "1234567.9"},
};

START_TEST(fixed_has_the_decimals_asked_for_and_no_negative_zero)
{
    g_autoptr(GString) out = g_string_new(NULL);

    psim_text_fixed(out, fixed[_i].value, fixed[_i].decimals);
    ck_assert_str_eq(out->str, fixed[_i].text);
}
END_TEST

START_TEST(fixed_writes_the_largest_number_with_the_most_decimals)
{
    g_autoptr(GString) out = g_string_new(NULL);

    psim_text_fixed(out, -DBL_MAX, 1000);
    ck_assert_uint_eq(out->len, 1 + 309 + 1 + 40);
}
END_TEST

static const struct {
    double value;
    unsigned digits;
    const char *text;
} significant[] = {
    {60.1234, 3, "60.1"},  {9.996, 3, "10.0"},  {99.96, 3, "100"}, {0.0001234, 3, "0.000123"},
    {12345.6, 3, "12346"}, {-0.25, 2, "-0.25"}, {0.0, 3, "0"},     {1e14, 3, "100000000000000"},
    {2.5e15, 3, "2.5e15"}, {1e-12, 3, "1e-12"}, {7.0, 0, "7"},
};

START_TEST(significant_counts_digits_after_rounding)
{
    g_autoptr(GString) out = g_string_new(NULL);

    psim_text_significant(out, significant[_i].value, significant[_i].digits);
    ck_assert_str_eq(out->str, significant[_i].text);
}
END_TEST

static const struct {
    int64_t time_ps;
    const char *text;
} seconds[] = {
    {0, "0"},
    {1, "0.000000000001"},
    {INT64_C(37500000000), "0.0375"},
    {INT64_C(12000000000000), "12"},
    {INT64_C(12000000000010), "12.00000000001"},
    {-INT64_C(1500000000000), "-1.5"},
    {INT64_MAX, "9223372.036854775807"},
    {INT64_MIN, "-9223372.036854775808"},
};

START_TEST(seconds_are_exact)
{
    g_autoptr(GString) out = g_string_new(NULL);

    psim_text_seconds(out, seconds[_i].time_ps);
    ck_assert_str_eq(out->str, seconds[_i].text);
}
END_TEST

static const struct {
    void (*write)(GString *out, double value);
    double value;
    const char *text;
} human[] = {
    {psim_text_human_bytes, 0, "0 B"},
    {psim_text_human_bytes, 512, "512 B"},
    {psim_text_human_bytes, 71234567168.0, "71.2 GB"},
    {psim_text_human_bytes, 999499999999.0, "999 GB"},
    {psim_text_human_bytes, 999600000000.0, "1.00 TB"},
    {psim_text_human_bytes, 2.1e12, "2.10 TB"},
    {psim_text_human_time, 0, "0 s"},
    {psim_text_human_time, 60.1, "60.1 s"},
    {psim_text_human_time, 4.38e-3, "4.38 ms"},
    {psim_text_human_time, 2.7e-6, "2.70 us"},
    {psim_text_human_time, 338, "338 s"},
    {psim_text_human_time, 9000, "2.50 h"},
    {psim_text_human_time, 864000, "10.0 d"},
    {psim_text_human_time, 5e-10, "500 ps"},
    {psim_text_human_count, 8, "8"},
    {psim_text_human_count, 530e9, "530 B"},
    {psim_text_human_count, 1.24e6, "1.24 M"},
    {psim_text_human_count, 0.5, "0.500"},
};

START_TEST(human_sizes_have_three_digits_and_a_fitting_unit)
{
    g_autoptr(GString) out = g_string_new(NULL);

    human[_i].write(out, human[_i].value);
    ck_assert_str_eq(out->str, human[_i].text);
}
END_TEST

static const char *const words[] = {
    "tensor", "pipeline", "data", "sequence_parallel", "1f1b", "gpipe", "F", "GB", NULL,
};

static const struct {
    const char *word;
    const char *nearest;
} misspellings[] = {
    {"pipline", "pipeline"},
    {"tesnor", "tensor"}, /* a swap is one edit */
    {"Tensor", "tensor"},
    {"dta", "data"},
    {"sequence-parallel", "sequence_parallel"},
    {"1f1", "1f1b"},
    {"gb", "GB"},
    {"x", NULL},
    {"optimizer", NULL},
    {"", NULL},
    {"a-word-so-long-that-nobody-mistypes-it-for-any-of-the-words-in-the-list", NULL},
};

START_TEST(nearest_hints_only_at_what_is_close)
{
    ck_assert_pstr_eq(psim_text_nearest(misspellings[_i].word, words), misspellings[_i].nearest);
}
END_TEST

Suite *
text_suite(void)
{
    Suite *suite = suite_create("text");
    TCase *tests = tcase_create("text");

    tcase_add_loop_test(tests, number_is_the_shortest_that_reads_back, 0, G_N_ELEMENTS(numbers));
    tcase_add_test(tests, any_number_reads_back_exactly);
    tcase_add_loop_test(tests, fixed_has_the_decimals_asked_for_and_no_negative_zero, 0,
                        G_N_ELEMENTS(fixed));
    tcase_add_test(tests, fixed_writes_the_largest_number_with_the_most_decimals);
    tcase_add_loop_test(tests, significant_counts_digits_after_rounding, 0,
                        G_N_ELEMENTS(significant));
    tcase_add_loop_test(tests, seconds_are_exact, 0, G_N_ELEMENTS(seconds));
    tcase_add_loop_test(tests, human_sizes_have_three_digits_and_a_fitting_unit, 0,
                        G_N_ELEMENTS(human));
    tcase_add_loop_test(tests, nearest_hints_only_at_what_is_close, 0, G_N_ELEMENTS(misspellings));
    suite_add_tcase(suite, tests);
    return suite;
}
