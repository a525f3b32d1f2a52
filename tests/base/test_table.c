/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <check.h>
#include <stdbool.h>

Suite *table_suite(void);

static PsimTable *
make_table(void)
{
    PsimTable *table = psim_table_new("schedule|step|note\n|s|");

    psim_table_cell(table, "1f1b");
    psim_table_cell_take(table, g_strdup("60.1"));
    psim_table_cell(table, "a|b");
    psim_table_cell(table, "gpipe");
    psim_table_cell(table, "-%d", 7);
    psim_table_cell(table, "größer");
    psim_table_cell(table, "naive");
    return table;
}

START_TEST(columns_of_numbers_stand_right_and_the_rest_left)
{
    g_autoptr(PsimTable) table = make_table();
    g_autoptr(GString) out = g_string_new(NULL);

    psim_table_render(table, out, 2);
    ck_assert_str_eq(out->str, "  schedule  step  note\n"
                               "               s\n"
                               "  1f1b      60.1  a|b\n"
                               "  gpipe       -7  größer\n"
                               "  naive\n");
}
END_TEST

START_TEST(markdown_puts_units_into_the_heading_and_escapes_bars)
{
    g_autoptr(PsimTable) table = make_table();
    g_autoptr(GString) out = g_string_new(NULL);

    psim_table_render_markdown(table, out);
    ck_assert_str_eq(out->str, "| schedule | step (s) | note |\n"
                               "|---|--:|---|\n"
                               "| 1f1b | 60.1 | a\\|b |\n"
                               "| gpipe | -7 | größer |\n"
                               "| naive |  |  |\n");
}
END_TEST

START_TEST(widths_count_characters)
{
    g_autoptr(PsimTable) table = psim_table_new("größe|b");
    g_autoptr(GString) out = g_string_new(NULL);

    psim_table_cell(table, "xx");
    psim_table_cell(table, "y");
    psim_table_render(table, out, 0);
    ck_assert_str_eq(out->str, "größe  b\nxx     y\n");
}
END_TEST

static const struct {
    const char *cell;
    bool right;
} cells[] = {
    {"7", true},      {"-7.5", true},  {"+7", true},      {"-", true},
    {"60.1 s", true}, {"27.3%", true}, {"1e9", true},     {"1f1b", false},
    {"8F4", false},   {"a100", false}, {"(none)", false},
};

START_TEST(what_looks_like_a_number_stands_right)
{
    g_autoptr(PsimTable) table = psim_table_new("heading");
    g_autoptr(GString) out = g_string_new(NULL);
    g_autofree char *expected =
        g_strdup_printf("heading\n%*s\n", cells[_i].right ? 7 : 0, cells[_i].cell);

    psim_table_cell(table, "%s", cells[_i].cell);
    psim_table_render(table, out, 0);
    ck_assert_str_eq(out->str, expected);
}
END_TEST

START_TEST(a_table_without_rows_is_its_headings)
{
    g_autoptr(PsimTable) table = psim_table_new("a|b");
    g_autoptr(GString) out = g_string_new(NULL);

    psim_table_render(table, out, 0);
    ck_assert_str_eq(out->str, "a  b\n");
    psim_table_free(NULL);
}
END_TEST

Suite *
table_suite(void)
{
    Suite *suite = suite_create("table");
    TCase *tests = tcase_create("table");

    tcase_add_test(tests, columns_of_numbers_stand_right_and_the_rest_left);
    tcase_add_test(tests, markdown_puts_units_into_the_heading_and_escapes_bars);
    tcase_add_test(tests, widths_count_characters);
    tcase_add_loop_test(tests, what_looks_like_a_number_stands_right, 0, G_N_ELEMENTS(cells));
    tcase_add_test(tests, a_table_without_rows_is_its_headings);
    suite_add_tcase(suite, tests);
    return suite;
}
