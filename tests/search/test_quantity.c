/* SPDX-License-Identifier: MIT */
#include "search/quantity.h"

#include <check.h>

Suite *quantity_suite(void);

static const struct {
    const char *text;
    double value; /* 0: refused */
} amounts[] = {
    {"1.1T", 1.1e12}, {"300e9", 3e11}, {"2M", 2e6}, {"366B", 3.66e11}, {"5 k", 5e3},
    {"", 0},          {"x", 0},        {"-3", 0},   {"3 apples", 0},   {"inf", 0},
};

START_TEST(amounts_are_read_with_their_letter)
{
    double value = 0.0;

    ck_assert(psim_quantity_amount(amounts[_i].text, &value) == (amounts[_i].value > 0.0));
    ck_assert_double_eq(value, amounts[_i].value);
}
END_TEST

static const struct {
    const char *text;
    double days;
} times[] = {
    {"30d", 30}, {"30 days", 30}, {"12h", 0.5}, {"6w", 42}, {"2 months", 60}, {"30", 0}, {"d", 0},
};

START_TEST(times_are_read_in_days)
{
    double days = 0.0;

    ck_assert(psim_quantity_days(times[_i].text, &days) == (times[_i].days > 0.0));
    ck_assert_double_eq(days, times[_i].days);
}
END_TEST

START_TEST(sizes_are_binary_or_decimal_as_written)
{
    double bytes = 0.0;

    ck_assert(psim_quantity_bytes("2 GiB", &bytes));
    ck_assert_double_eq(bytes, 2147483648.0);
    ck_assert(psim_quantity_bytes("2GB", &bytes));
    ck_assert_double_eq(bytes, 2e9);
    ck_assert(!psim_quantity_bytes("2 parsec", &bytes));
    ck_assert(psim_quantity_watts("1.2 kW", &bytes));
    ck_assert_double_eq(bytes, 1200.0);
}
END_TEST

static const struct {
    const char *text;
    bool is_one;
} triples[] = {
    {"192,16,9765625", true}, {"192 16 9765625", true}, {"192,16,9.765625M", true},
    {"192,16", false},        {"192,16,1e6,2", false},  {"0,16,1e6", false},
    {"192,0,1e6", false},     {"192,16,-1", false},     {"", false},
};

START_TEST(two_counts_and_an_amount_are_read_together)
{
    uint32_t first = 0;
    uint32_t second = 0;
    double amount = 0.0;

    ck_assert(psim_quantity_triple(triples[_i].text, &first, &second, &amount) ==
              triples[_i].is_one);
    if (!triples[_i].is_one)
        return;
    ck_assert_uint_eq(first, 192);
    ck_assert_uint_eq(second, 16);
    ck_assert_double_eq_tol(amount, 9765625.0, 1e-6);
}
END_TEST

static const struct {
    const char *text;
    uint32_t n;
    uint32_t values[6];
} counts[] = {
    {"64", 1, {64}},
    {"64,128, 96", 3, {64, 128, 96}},
    {"64..512", 4, {64, 128, 256, 512}},
    {"64..200", 3, {64, 128, 200}},
    {"8,16..32", 3, {8, 16, 32}},
    {"", 0, {0}},
    {"0", 0, {0}},
    {"9..8", 0, {0}},
    {"8,", 0, {0}},
};

START_TEST(lists_and_ranges_of_counts_are_read)
{
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    ck_assert(psim_quantity_counts(counts[_i].text, list) == (counts[_i].n > 0));
    for (guint i = 0; counts[_i].n > 0 && i < list->len; i++)
        ck_assert_uint_eq(g_array_index(list, uint32_t, i), counts[_i].values[i]);
    if (counts[_i].n > 0)
        ck_assert_uint_eq(list->len, counts[_i].n);
}
END_TEST

START_TEST(a_goal_is_tokens_in_a_time)
{
    double tokens = 0.0;
    double days = 0.0;

    ck_assert(psim_quantity_goal("300e9 tokens in 30 days", &tokens, &days));
    ck_assert_double_eq(tokens, 3e11);
    ck_assert_double_eq(days, 30.0);
    ck_assert(!psim_quantity_goal("300e9 tokens", &tokens, &days));
    ck_assert(!psim_quantity_goal("many tokens in 3 days", &tokens, &days));
}
END_TEST

Suite *
quantity_suite(void)
{
    Suite *suite = suite_create("quantity");
    TCase *cases = tcase_create("quantity");

    tcase_add_loop_test(cases, amounts_are_read_with_their_letter, 0, G_N_ELEMENTS(amounts));
    tcase_add_loop_test(cases, times_are_read_in_days, 0, G_N_ELEMENTS(times));
    tcase_add_test(cases, sizes_are_binary_or_decimal_as_written);
    tcase_add_loop_test(cases, lists_and_ranges_of_counts_are_read, 0, G_N_ELEMENTS(counts));
    tcase_add_loop_test(cases, two_counts_and_an_amount_are_read_together, 0,
                        G_N_ELEMENTS(triples));
    tcase_add_test(cases, a_goal_is_tokens_in_a_time);
    suite_add_tcase(suite, cases);
    return suite;
}
