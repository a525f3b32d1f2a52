/* SPDX-License-Identifier: MIT */
#include "json/locate.h"

#include "test_json.h"
#include "json/pointer.h"

#include <string.h>

static const char text[] =
    "{\n"
    "  \"a\": 1,\n"
    "  \"\xc3\xa4\xc3\xb6\": {\"b\": \"}]\\\"{\", \"c/d\": [10, [], {}, {\"e\": null}]},\n"
    "\t\"\\u0061b\" : -1.5e3 ,\r\n"
    "  \"~\": {\n"
    "    \"\": true\n"
    "  }\n"
    "}\n";

static const struct {
    const char *pointer;
    bool want_key;
    bool found;
    unsigned line;
    unsigned column;
} cases[] = {
    {"", false, true, 1, 1},
    {"/a", false, true, 2, 8},
    {"/a", true, true, 2, 3},
    {"/\xc3\xa4\xc3\xb6", false, true, 3, 9}, /* columns count characters */
    {"/\xc3\xa4\xc3\xb6/b", false, true, 3, 15},
    {"/\xc3\xa4\xc3\xb6/c~1d", false, true, 3, 31}, /* brackets inside of strings are text */
    {"/\xc3\xa4\xc3\xb6/c~1d", true, true, 3, 24},
    {"/\xc3\xa4\xc3\xb6/c~1d/0", false, true, 3, 32},
    {"/\xc3\xa4\xc3\xb6/c~1d/1", false, true, 3, 36},
    {"/\xc3\xa4\xc3\xb6/c~1d/2", true, true, 3, 40}, /* an item has no key */
    {"/\xc3\xa4\xc3\xb6/c~1d/3/e", false, true, 3, 50},
    {"/ab", false, true, 4, 14}, /* the key is written with an escape */
    {"/ab", true, true, 4, 2},
    {"/~0/", false, true, 6, 9}, /* the empty key */
    /* what is not there: the place of the deepest value on the way */
    {"/b", false, false, 1, 1},
    {"/b", true, false, 1, 1},
    {"/a/b", false, false, 2, 8},
    {"/\xc3\xa4\xc3\xb6/x", false, false, 3, 9},
    {"/\xc3\xa4\xc3\xb6/x/y/z", false, false, 3, 9},
    {"/\xc3\xa4\xc3\xb6/c~1d/4", false, false, 3, 31},
    {"/\xc3\xa4\xc3\xb6/c~1d/00", false, false, 3, 31},
    {"/\xc3\xa4\xc3\xb6/c~1d/1/0", false, false, 3, 36},
    {"/\xc3\xa4\xc3\xb6/c~1d/2/k", false, false, 3, 40},
    {"/~0/x", true, false, 5, 8},
    {"a", false, false, 1, 1},
};

START_TEST(a_pointer_has_its_line_and_column)
{
    unsigned line = 0;
    unsigned column = 0;
    const bool found = psim_locate_pointer(text, strlen(text), cases[_i].pointer,
                                           cases[_i].want_key, &line, &column);

    ck_assert(found == cases[_i].found);
    ck_assert_uint_eq(line, cases[_i].line);
    ck_assert_uint_eq(column, cases[_i].column);
}
END_TEST

START_TEST(a_scalar_is_a_document)
{
    unsigned line = 0;
    unsigned column = 0;

    ck_assert(psim_locate_pointer(" \n 12", 5, "", false, &line, &column));
    ck_assert_uint_eq(line, 2);
    ck_assert_uint_eq(column, 2);
    ck_assert(!psim_locate_pointer(" \n 12", 5, "/0", false, &line, &column));
    ck_assert_uint_eq(column, 2);
}
END_TEST

/* The text should be valid; if it is not, nothing beyond its end is read. */
START_TEST(a_text_cut_short_gives_some_place)
{
    for (size_t n_bytes = 0; n_bytes < strlen(text); n_bytes++) {
        g_autofree char *copy = g_memdup2(text, MAX(n_bytes, 1));

        for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
            unsigned line = 0;
            unsigned column = 0;

            psim_locate_pointer(copy, n_bytes, cases[i].pointer, false, &line, &column);
            ck_assert_uint_ge(line, 1);
            ck_assert_uint_ge(column, 1);
        }
    }
}
END_TEST

START_TEST(an_offset_counts_lines_and_characters)
{
    unsigned line = 0;
    unsigned column = 0;

    psim_locate_offset("\xc3\xa4\n\xf0\x9f\x98\x80x", 8, 7, &line, &column);
    ck_assert_uint_eq(line, 2);
    ck_assert_uint_eq(column, 2);
    psim_locate_offset("ab", 2, 100, &line, &column);
    ck_assert_uint_eq(line, 1);
    ck_assert_uint_eq(column, 3);
}
END_TEST

START_TEST(a_pointer_is_split_as_rfc_6901_says)
{
    static const char *const tokens[] = {"a", "", "m~n", "x/y", "~1", "~2", "~"};
    g_autoptr(GString) token = g_string_new(NULL);
    const char *cursor = "/a//m~0n/x~1y/~01/~2/~";

    for (size_t i = 0; i < G_N_ELEMENTS(tokens); i++) {
        ck_assert(psim_pointer_next(&cursor, token));
        ck_assert_str_eq(token->str, tokens[i]);
    }
    ck_assert(!psim_pointer_next(&cursor, token));
    ck_assert_str_eq(cursor, "");
}
END_TEST

static const struct {
    const char *token;
    bool ok;
    size_t index;
} indices[] = {
    {"0", true, 0},           {"10", true, 10}, {"999999999", true, 999999999},
    {"1000000000", false, 0}, {"01", false, 0}, {"", false, 0},
    {"-", false, 0},          {"-1", false, 0}, {"1 ", false, 0},
};

START_TEST(an_index_is_digits_without_a_leading_zero)
{
    size_t index = 0;

    ck_assert(psim_pointer_to_index(indices[_i].token, &index) == indices[_i].ok);
    ck_assert_uint_eq(index, indices[_i].index);
}
END_TEST

START_TEST(a_pointer_covers_what_is_below_it)
{
    ck_assert(psim_pointer_covers("/a", "/a"));
    ck_assert(psim_pointer_covers("/a", "/a/b"));
    ck_assert(psim_pointer_covers("", "/a"));
    ck_assert(!psim_pointer_covers("/a", "/ab"));
    ck_assert(!psim_pointer_covers("/a/b", "/a"));
}
END_TEST

Suite *
locate_suite(void)
{
    Suite *suite = suite_create("locate");
    TCase *tcase = tcase_create("locate");

    tcase_add_loop_test(tcase, a_pointer_has_its_line_and_column, 0, G_N_ELEMENTS(cases));
    tcase_add_test(tcase, a_scalar_is_a_document);
    tcase_add_test(tcase, a_text_cut_short_gives_some_place);
    tcase_add_test(tcase, an_offset_counts_lines_and_characters);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("pointer");
    tcase_add_test(tcase, a_pointer_is_split_as_rfc_6901_says);
    tcase_add_loop_test(tcase, an_index_is_digits_without_a_leading_zero, 0, G_N_ELEMENTS(indices));
    tcase_add_test(tcase, a_pointer_covers_what_is_below_it);
    suite_add_tcase(suite, tcase);
    return suite;
}
