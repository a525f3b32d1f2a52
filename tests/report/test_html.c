/* SPDX-License-Identifier: MIT */
#include "fixture.h"
#include "picture.h"

#include <check.h>
#include <cjson/cJSON.h>
#include <string.h>

Suite *html_suite(void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(cJSON, cJSON_Delete)

/* The text between two marks. */
static char *
find_between(const char *text, const char *begin, const char *end)
{
    const char *from = strstr(text, begin);

    ck_assert_ptr_nonnull(from);
    from += strlen(begin);
    const char *to = strstr(from, end);

    ck_assert_ptr_nonnull(to);
    return g_strndup(from, (gsize)(to - from));
}

static cJSON *
read_data(const char *page)
{
    g_autofree char *text = find_between(page, "id=\"data\">", "</script>");
    cJSON *data = cJSON_Parse(text);

    ck_assert_ptr_nonnull(data);
    return data;
}

/* Takes all elements of a name away, with what is in them. */
static void
strip_element(GString *text, const char *name)
{
    g_autofree char *begin = g_strdup_printf("<%s", name);
    g_autofree char *end = g_strdup_printf("</%s>", name);
    const char *from = strstr(text->str, begin);

    for (; from != NULL; from = strstr(text->str, begin)) {
        const char *to = strstr(from, end);

        if (to == NULL)
            ck_abort_msg("%s is not closed", name);
        g_string_erase(text, from - text->str, to + strlen(end) - from);
    }
}

/* The page without its scripts and its style, which are no markup. */
static char *
strip_scripts(const char *page)
{
    GString *text = g_string_new(page);

    strip_element(text, "style");
    strip_element(text, "script");
    return g_string_free(text, /* free_segment= */ FALSE);
}

static PsimResult *
make_page(int index)
{
    switch (index) {
    case 0:
        return fixture_schedule(/* latency= */ 1);
    case 1:
        return fixture_deadlock();
    case 2:
        return fixture_run(/* fits= */ true);
    case 3:
        return fixture_run(/* fits= */ false);
    default:
        return psim_result_new(PSIM_RESULT_RUN);
    }
}
#define N_PAGES 5

START_TEST(every_page_is_well_formed_and_fetches_nothing)
{
    g_autoptr(PsimResult) result = make_page(_i);
    g_autofree char *page = fixture_tell(result, "html");
    g_autofree char *markup = strip_scripts(page);
    g_auto(Picture) picture = picture_read(markup);
    g_autoptr(cJSON) data = read_data(page);

    ck_assert(cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(data, "duration")));
    ck_assert_uint_eq(picture.rects->len, 0);
    ck_assert_ptr_null(strstr(page, "http:"));
    ck_assert_ptr_null(strstr(page, "https:"));
    ck_assert_ptr_null(strstr(page, "url("));
    ck_assert_ptr_null(strstr(page, "@import"));
    ck_assert_ptr_null(strstr(markup, " src="));
    ck_assert(g_str_has_prefix(page, "<!DOCTYPE html>\n<html lang=\"en\">\n"));
    ck_assert_ptr_null(strstr(page, "nan%"));
    ck_assert_ptr_null(strstr(page, "(null)"));
}
END_TEST

static int
item(const cJSON *data, const char *name, int index)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(data, name);

    ck_assert_int_lt(index, cJSON_GetArraySize(list));
    return cJSON_GetArrayItem(list, index)->valueint;
}

/* "B0@7" for each task of a track and its start. */
static char *
list_track(const cJSON *data, int first, int last)
{
    GString *list = g_string_new(NULL);
    const cJSON *classes = cJSON_GetObjectItemCaseSensitive(data, "classes");
    int end = 0;

    for (int i = first; i < last; i++) {
        const cJSON *class = cJSON_GetArrayItem(classes, item(data, "class", i));
        const int start = end + item(data, "gap", i);

        end = start + item(data, "duration", i);
        g_string_append_printf(list, "%s%s%d@%d", i > first ? " " : "",
                               cJSON_GetArrayItem(class, 0)->valuestring,
                               item(data, "microbatch", i), start);
    }
    return g_string_free(list, /* free_segment= */ FALSE);
}

START_TEST(the_data_are_the_tasks_in_their_tracks_order)
{
    g_autoptr(PsimResult) result = fixture_schedule(/* latency= */ 0);
    g_autofree char *page = fixture_tell(result, "html");
    g_autoptr(cJSON) data = read_data(page);
    g_autofree char *first = list_track(data, 0, 8);
    g_autofree char *last = list_track(data, 16, 24);
    const cJSON *tracks = cJSON_GetObjectItemCaseSensitive(data, "tracks");

    ck_assert_int_eq(cJSON_GetArraySize(tracks), 3);
    ck_assert_int_eq(cJSON_GetObjectItemCaseSensitive(data, "makespan")->valueint, 18);
    ck_assert_str_eq(first, "F0@0 F1@1 F2@2 B0@7 F3@9 B1@10 B2@13 B3@16");
    ck_assert_str_eq(last, "F0@2 B0@3 F1@5 B1@6 F2@8 B2@9 F3@11 B3@12");
}
END_TEST

/* On rank 0, B0 (fourth) waits for B0 of rank 1 (fourth there too: F0 F1 B0); F0 for nothing. */
START_TEST(a_binder_is_what_the_task_waited_for)
{
    g_autoptr(PsimResult) result = fixture_schedule(/* latency= */ 0);
    g_autofree char *page = fixture_tell(result, "html");
    g_autoptr(cJSON) data = read_data(page);

    ck_assert_int_eq(item(data, "binder", 0), -1);
    ck_assert_int_eq(item(data, "binder", 1), 0);
    ck_assert_int_eq(item(data, "binder", 3), 8 + 2);
    ck_assert_int_eq(item(data, "binder", 16), 8);
}
END_TEST

START_TEST(anybodys_words_are_escaped)
{
    static const PsimRemark warnings[] = {{"code", "warning", "</script><img src=x>", "<b>"}};
    g_autoptr(PsimResult) result = fixture_run(/* fits= */ true);

    result->plan_name = "</title><script>alert(1)</script>";
    result->plan_about = "a & b < c \"quoted\"";
    result->resolved_json = "{\"name\":\"</script>\"}";
    result->warnings = warnings;
    g_autofree char *page = fixture_tell(result, "html");
    g_autofree char *markup = strip_scripts(page);
    g_auto(Picture) picture = picture_read(markup);

    ck_assert_uint_eq(picture.rects->len, 0);
    ck_assert_ptr_null(strstr(page, "alert(1)</script>"));
    ck_assert_ptr_null(strstr(page, "<img"));
    ck_assert_ptr_nonnull(strstr(page, "a &amp; b &lt; c &quot;quoted&quot;"));
}
END_TEST

static const char *const parts[] = {
    "<h1>tiny: toy-8b on 16 GPUs GPU-1, TP 4 x PP 2 x DP 2</h1>",
    "<p class=\"headline alarm\">DOES NOT FIT: tiny needs 30.0 GB of 24.0 GB on stage 0",
    "<th scope=\"row\">zero_stage=3</th><td class=\"number\">20.0 GB</td>",
    "<td class=\"number\">12.0</td>",
    "<td>B of microbatch 0</td>",
    "<th scope=\"row\">all-reduce</th><td>tp</td><td class=\"number\">4</td>",
    "<li>2 microbatches fill a pipeline of 2 badly [few-microbatches]; fix: use 8</li>",
    "<th scope=\"row\">gemm_efficiency</th><td>0.8</td><td>measured</td><td>compute time</td>",
    "<th scope=\"row\">/precision</th><td>bf16</td><td>what the runtime uses</td>",
    "Why the bubble is not the closed form&#39;s: transfers take part of it",
    "digest of the plan abc",
};

START_TEST(the_page_tells_what_the_text_report_tells)
{
    g_autoptr(PsimResult) result = fixture_run(/* fits= */ false);
    g_autofree char *page = fixture_tell(result, "html");

    ck_assert_msg(strstr(page, parts[_i]) != NULL, "%s", parts[_i]);
}
END_TEST

Suite *
html_suite(void)
{
    Suite *suite = suite_create("html");
    TCase *pages = tcase_create("pages");

    tcase_add_loop_test(pages, every_page_is_well_formed_and_fetches_nothing, 0, N_PAGES);
    tcase_add_test(pages, the_data_are_the_tasks_in_their_tracks_order);
    tcase_add_test(pages, a_binder_is_what_the_task_waited_for);
    tcase_add_test(pages, anybodys_words_are_escaped);
    tcase_add_loop_test(pages, the_page_tells_what_the_text_report_tells, 0,
                        (int)G_N_ELEMENTS(parts));
    suite_add_tcase(suite, pages);
    return suite;
}
