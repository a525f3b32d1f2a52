/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "fixture.h"
#include "main.h"

#include <locale.h>
#include <string.h>

Suite *chrome_suite(void);
Suite *csv_suite(void);
Suite *gantt_suite(void);
Suite *html_suite(void);
Suite *json_report_suite(void);
Suite *markdown_suite(void);
Suite *phrase_suite(void);
Suite *report_suite(void);
Suite *svg_suite(void);
Suite *text_report_suite(void);

PSIM_TEST_SUITES(report_suite,
                 json_report_suite,
                 csv_suite,
                 chrome_suite,
                 gantt_suite,
                 text_report_suite,
                 markdown_suite,
                 phrase_suite,
                 svg_suite,
                 html_suite);

static const char *const words[] = {"text",  "json", "markdown", "chrome",
                                    "ascii", "csv",  "svg",      "html"};

START_TEST(every_format_is_listed_found_and_summed_up)
{
    const char *const *formats = psim_formats();
    size_t i = 0;

    for (; i < G_N_ELEMENTS(words); i++) {
        ck_assert_str_eq(formats[i], words[i]);
        ck_assert_str_eq(psim_report_find(words[i])->name, words[i]);
        ck_assert_ptr_nonnull(psim_format_summary(words[i]));
    }
    if (formats[i] != NULL)
        ck_assert_str_eq(formats[i++], "png");
    ck_assert_ptr_null(formats[i]);
    /* In every build, so that it can say what it needs. */
    ck_assert_ptr_nonnull(psim_format_summary("png"));
    ck_assert_ptr_null(psim_report_find("xml"));
    ck_assert_ptr_null(psim_format_summary("xml"));
}
END_TEST

static bool
refuse(const char *bytes, size_t n_bytes, void *user)
{
    (void)bytes;
    (void)n_bytes;
    (*(unsigned *)user)++;
    return false;
}

#ifdef PSIM_PNG
#define PNG ", png"
#else
#define PNG ""
#endif

static const struct {
    const char *format;
    PsimError code;
    const char *message;
} complaints[] = {
    {"jsn", PSIM_ERROR_UNSUPPORTED, "no format \"jsn\"; did you mean \"json\"?"},
    {"spreadsheet", PSIM_ERROR_UNSUPPORTED,
     "no format \"spreadsheet\"; there are text, json, markdown, chrome, ascii, csv, svg, "
     "html" PNG},
    {"json", PSIM_ERROR_IO, "cannot write the result: its receiver took no more"},
    {"chrome", PSIM_ERROR_IO, "cannot write the result: its receiver took no more"},
};

START_TEST(a_format_that_is_not_there_and_a_receiver_that_stops_are_errors)
{
    g_autoptr(PsimResult) result = fixture_schedule(/* latency= */ 1);
    g_autoptr(GError) error = NULL;
    unsigned n_calls = 0;

    ck_assert(!psim_result_write(result, complaints[_i].format, refuse, &n_calls, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, (gint)complaints[_i].code));
    ck_assert_str_eq(error->message, complaints[_i].message);
    ck_assert_uint_eq(n_calls, complaints[_i].code == PSIM_ERROR_IO ? 1 : 0);
}
END_TEST

START_TEST(a_sink_hands_on_blocks_and_drops_all_after_a_failure)
{
    unsigned n_calls = 0;
    g_autoptr(GString) buffer = g_string_new("a");
    PsimSink sink = {.buffer = buffer, .write = refuse, .user = &n_calls};

    psim_report_flush(&sink, /* all= */ false);
    ck_assert_uint_eq(n_calls, 0);
    ck_assert_uint_eq(buffer->len, 1);
    psim_report_flush(&sink, /* all= */ true);
    ck_assert_uint_eq(n_calls, 1);
    ck_assert(sink.failed);
    g_string_append(buffer, "more");
    psim_report_flush(&sink, /* all= */ false);
    ck_assert_uint_eq(n_calls, 1);
    ck_assert_uint_eq(buffer->len, 0);
}
END_TEST

/* A German locale writes 0,5 where it is asked; we never ask. */
START_TEST(no_format_heeds_the_locale)
{
    g_autoptr(PsimResult) alone = fixture_schedule(/* latency= */ 1);
    g_autoptr(PsimResult) run = fixture_run(/* fits= */ false);
    g_autofree char *alone_before = fixture_tell(alone, words[_i]);
    g_autofree char *run_before = fixture_tell(run, words[_i]);

    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && setlocale(LC_ALL, "de_DE") == NULL)
        return;
    g_autofree char *alone_after = fixture_tell(alone, words[_i]);
    g_autofree char *run_after = fixture_tell(run, words[_i]);

    (void)setlocale(LC_ALL, "C");
    ck_assert_str_eq(alone_before, alone_after);
    ck_assert_str_eq(run_before, run_after);
}
END_TEST

/* What was not simulated is told without a time, and nothing stumbles over what is missing. */
START_TEST(an_empty_result_can_be_told)
{
    g_autoptr(PsimResult) run = psim_result_new(PSIM_RESULT_RUN);
    g_autofree char *text = fixture_tell(run, words[_i]);

    ck_assert_uint_gt(strlen(text), 0);
    ck_assert_ptr_null(strstr(text, "nan"));
    ck_assert_ptr_null(strstr(text, "(null)"));
}
END_TEST

Suite *
report_suite(void)
{
    Suite *suite = suite_create("report");
    TCase *formats = tcase_create("formats");

    tcase_add_test(formats, every_format_is_listed_found_and_summed_up);
    tcase_add_loop_test(formats, a_format_that_is_not_there_and_a_receiver_that_stops_are_errors, 0,
                        (int)G_N_ELEMENTS(complaints));
    tcase_add_test(formats, a_sink_hands_on_blocks_and_drops_all_after_a_failure);
    tcase_add_loop_test(formats, no_format_heeds_the_locale, 0, (int)G_N_ELEMENTS(words));
    tcase_add_loop_test(formats, an_empty_result_can_be_told, 0, (int)G_N_ELEMENTS(words));
    suite_add_tcase(suite, formats);
    return suite;
}
