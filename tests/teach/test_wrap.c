/* SPDX-License-Identifier: MIT */
#include "teach/wrap.h"

#include <check.h>

Suite *wrap_suite(void);

static const struct {
    const char *text;
    const char *filled;
} cases[] = {
    {"one two three four", "one two\nthree four\n"},
    {"one\ntwo\nthree", "one two\nthree\n"},
    {"one\n\n\n\ntwo\n\n\n", "one\n\ntwo\n"},
    {"\n\none", "one\n"},
    {"# a heading that is long\ntext", "# a heading that is long\ntext\n"},
    {"text\n    indented as it stands\ntext", "text\n    indented as it stands\ntext\n"},
    {"- first item here\n- next", "- first\n  item here\n- next\n"},
    {"unbreakable_word", "unbreakable_word\n"},
    {"", ""},
};

START_TEST(paragraphs_are_filled_and_the_rest_stands)
{
    g_autofree char *filled = psim_wrap_fill(cases[_i].text, 11);

    ck_assert_str_eq(filled, cases[_i].filled);
}
END_TEST

Suite *
wrap_suite(void)
{
    Suite *suite = suite_create("wrap");
    TCase *tcase = tcase_create("fill");

    tcase_add_loop_test(tcase, paragraphs_are_filled_and_the_rest_stands, 0, G_N_ELEMENTS(cases));
    suite_add_tcase(suite, tcase);
    return suite;
}
