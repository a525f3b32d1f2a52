/* SPDX-License-Identifier: MIT */
#include "teach/expression.h"

#include "plansim.h"

#include <check.h>

Suite *expression_suite(void);

static GHashTable *
make_names(void)
{
    static const double slow = 81.0;
    static const double bytes = 24.7e9;
    GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);

    g_hash_table_insert(names, (gpointer)(guintptr) "slow", g_memdup2(&slow, sizeof slow));
    g_hash_table_insert(names, (gpointer)(guintptr) "bytes", g_memdup2(&bytes, sizeof bytes));
    return names;
}

static const struct {
    const char *text;
    const char *told;
} cases[] = {
    {"slow", "81"},
    {"slow / 2", "40.5"},
    {"slow / 7", "11.6"},
    {"slow - 80 * 3 + 1", "4"},
    {"slow as s", "81.0 s"},
    {"slow / 1000 as ms", "81.0 ms"},
    {"slow / 100 as %", "81.0%"},
    {"slow / 100 as % 8", "   81.0%"},
    {"bytes as GB", "24.7 GB"},
    {"bytes as TB", "0.02 TB"},
    {"bytes as B", "25 B"},
    {"slow / 50 as x", "1.62"},
    {"slow / 50 as int", "2"},
    {"0.1 as bar", "####"},
    {"0 as bar", ""},
    {"7 as bar", "########################################"},
};

START_TEST(numbers_are_put_together_and_told_in_units)
{
    g_autoptr(GHashTable) names = make_names();
    g_autoptr(GError) error = NULL;
    g_autofree char *told = psim_expression_tell(names, cases[_i].text, &error);

    ck_assert_ptr_nonnull(told);
    ck_assert_str_eq(told, cases[_i].told);
}
END_TEST

static const struct {
    const char *text;
    const char *message;
} wrong[] = {
    {"", "\"\": cannot read \"\""},
    {"fast", "\"fast\": cannot read \"fast\""},
    {"slow / ", "\"slow / \": cannot read \"/\""},
    {"slow ^ 2", "\"slow ^ 2\": cannot read \"^\""},
    {"slow / fast", "\"slow / fast\": cannot read \"/\""},
    {"slow as", "\"slow as\": cannot read \"\""},
    {"slow as miles", "\"slow as miles\": cannot read \"miles\""},
    {"slow / 0 as s", "\"slow / 0 as s\": cannot read \"s\""},
    {"2x", "\"2x\": cannot read \"2x\""},
};

START_TEST(what_is_no_expression_is_named)
{
    g_autoptr(GHashTable) names = make_names();
    g_autoptr(GError) error = NULL;

    ck_assert_ptr_null(psim_expression_tell(names, wrong[_i].text, &error));
    ck_assert_str_eq(error->message, wrong[_i].message);
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_INTERNAL));
}
END_TEST

Suite *
expression_suite(void)
{
    Suite *suite = suite_create("expression");
    TCase *tcase = tcase_create("tell");

    tcase_add_loop_test(tcase, numbers_are_put_together_and_told_in_units, 0, G_N_ELEMENTS(cases));
    tcase_add_loop_test(tcase, what_is_no_expression_is_named, 0, G_N_ELEMENTS(wrong));
    suite_add_tcase(suite, tcase);
    return suite;
}
