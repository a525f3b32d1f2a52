/* SPDX-License-Identifier: MIT */
#include "report/phrase.h"

#include <check.h>
#include <math.h>

Suite *phrase_suite(void);

static void
check_taken(char *text, const char *expected)
{
    ck_assert_str_eq(text, expected);
    g_free(text);
}

START_TEST(what_is_not_known_is_a_dash)
{
    const double unknown = (double)NAN;

    check_taken(psim_phrase_fixed(unknown, 1), "-");
    check_taken(psim_phrase_significant(unknown, 3), "-");
    check_taken(psim_phrase_percent(unknown), "-");
    check_taken(psim_phrase_bytes((double)INFINITY), "-");
    check_taken(psim_phrase_seconds(unknown), "-");
    check_taken(psim_phrase_count(unknown), "-");
}
END_TEST

START_TEST(figures_read_as_people_say_them)
{
    check_taken(psim_phrase_fixed(2.345, 1), "2.3");
    check_taken(psim_phrase_percent(0.1525), "15.2%");
    check_taken(psim_phrase_bytes(71.2e9), "71.2 GB");
    check_taken(psim_phrase_time(60100 * (PSIM_TIME_PER_S / 1000)), "60.1 s");
    check_taken(psim_phrase_count(530e9), "530 B");
    check_taken(psim_phrase_plural(1, "rank"), "1 rank");
    check_taken(psim_phrase_plural(2, "rank"), "2 ranks");
    check_taken(psim_phrase_plural(0, "microbatch"), "0 microbatches");
}
END_TEST

START_TEST(long_text_breaks_at_spaces_below_its_indent)
{
    g_autoptr(GString) out = g_string_new("head\nname: ");
    g_autofree char *word = g_strnfill(50, 'x');
    g_autofree char *text = g_strdup_printf("%s %s %s", word, word, "end");
    g_autofree char *expected = g_strdup_printf("head\nname: %s\n  %s end\n", word, word);

    psim_phrase_wrap(out, /* indent= */ 2, text);
    ck_assert_str_eq(out->str, expected);
}
END_TEST

/* Names of people's models are in UTF-8; columns count characters. */
START_TEST(a_line_of_100_characters_is_not_broken)
{
    g_autoptr(GString) out = g_string_new("");
    g_autoptr(GString) text = g_string_new("");

    for (int i = 0; i < 49; i++)
        g_string_append(text, "\xc3\xa9");
    g_string_append_c(text, ' ');
    for (int i = 0; i < 50; i++)
        g_string_append(text, "\xc3\xa9");
    psim_phrase_wrap(out, 0, text->str);
    g_string_append_c(text, '\n');
    ck_assert_str_eq(out->str, text->str);
}
END_TEST

Suite *
phrase_suite(void)
{
    Suite *suite = suite_create("phrase");
    TCase *words = tcase_create("words");

    tcase_add_test(words, what_is_not_known_is_a_dash);
    tcase_add_test(words, figures_read_as_people_say_them);
    tcase_add_test(words, long_text_breaks_at_spaces_below_its_indent);
    tcase_add_test(words, a_line_of_100_characters_is_not_broken);
    suite_add_tcase(suite, words);
    return suite;
}
