/* SPDX-License-Identifier: MIT */
#include "teach/template.h"

#include "teach/lesson.h"
#include "teach/teach.h"

#include <check.h>
#include <string.h>

Suite *template_suite(void);

START_TEST(directives_are_replaced_by_what_the_simulator_says)
{
    static const char text[] =
        "{{let gap = schedule gpipe 4 8 times=1,1,1 : bubble/time}}\n"
        "{{let most = schedule 1f1b 4 8 : peak_chunks/max}}\n"
        "{{let least = schedule 1f1b 4 8 : peak_chunks/min}}\n"
        "{{let second = schedule 1f1b 4 8 : peak_chunks/1}}\n"
        "gap {{gap}}, a third {{gap / 27 as %}}; {{most}} {{least}} {{second}}\n"
        "{{svg schedule gpipe 2 2}}\n"
        "plain";
    g_autoptr(PsimFigures) figures = psim_figures_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *told = psim_template_expand(text, figures, &error);

    ck_assert_ptr_nonnull(told);
    ck_assert_str_eq(told, "gap 9, a third 33.3%; 4 1 3\nplain\n");
}
END_TEST

START_TEST(a_picture_is_an_indented_chart)
{
    g_autoptr(PsimFigures) figures = psim_figures_new();
    g_autofree char *told =
        psim_template_expand("{{picture schedule gpipe 2 2}}", figures, /* error= */ NULL);

    ck_assert_ptr_nonnull(strstr(told, "\n    rank 0 |F0 F1 "));
    ck_assert_int_eq(strncmp(told, "    gpipe, 2 ranks, 2 microbatches: ", 36), 0);
}
END_TEST

static const struct {
    const char *text;
    const char *message;
} wrong[] = {
    {"{{let a}}", "\"let a\": has no \" = \" or \" : \""},
    {"a {{b", "\"a {{b\": no \"}}\""},
    {"{{b}}", "\"b\": cannot read \"b\""},
    {"{{picture gpipe 4 8}}", "\"gpipe 4 8\" is neither a schedule nor a run"},
    {"{{picture schedule gpipe 4}}", "\"schedule gpipe 4\" is neither a schedule nor a run"},
    {"{{picture schedule gpipe 4 8 times=1,2}}",
     "\"schedule gpipe 4 8 times=1,2\" is neither a schedule nor a run"},
    {"{{picture schedule gpipe 4 8 latency=x}}",
     "\"schedule gpipe 4 8 latency=x\" is neither a schedule nor a run"},
    {"{{picture run}}", "\"run\" is neither a schedule nor a run"},
    {"{{picture run pipedream-1f1b x}}",
     "\"run pipedream-1f1b x\" is neither a schedule nor a run"},
    {"{{let a = schedule gpipe 4 8 : bubble/colour}}",
     "\"schedule gpipe 4 8\" has no number \"bubble/colour\""},
    {"{{let a = schedule gpipe 4 8 : busy/9}}", "\"schedule gpipe 4 8\" has no number \"busy/9\""},
    {"{{let a = schedule gpipe 4 8 : ranks}}", "\"schedule gpipe 4 8\" has no number \"ranks\""},
};

START_TEST(a_wrong_directive_is_named)
{
    g_autoptr(PsimFigures) figures = psim_figures_new();
    g_autoptr(GError) error = NULL;

    ck_assert_ptr_null(psim_template_expand(wrong[_i].text, figures, &error));
    ck_assert_str_eq(error->message, wrong[_i].message);
}
END_TEST

START_TEST(each_lesson_has_a_picture_a_question_and_an_answer)
{
    unsigned n_lessons = 0;

    for (const PsimLesson *lesson = psim_lesson_all(); lesson->name != NULL; lesson++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = psim_teach_lesson(lesson->name, /* question_only= */ false, &error);
        g_autofree char *question =
            psim_teach_lesson(lesson->name, /* question_only= */ true, &error);
        g_autofree char *picture = psim_teach_picture(lesson->name, &error);

        ck_assert_msg(error == NULL, "%s: %s", lesson->name, error == NULL ? "" : error->message);
        ck_assert_ptr_nonnull(strstr(text, "\n## Answer\n"));
        ck_assert_ptr_null(strstr(question, "\n## Answer\n"));
        ck_assert_ptr_nonnull(strstr(question, "\n## Question\n"));
        ck_assert_ptr_nonnull(strstr(picture, "</svg>"));
        ck_assert_ptr_null(strstr(text, "{{"));
        n_lessons++;
    }
    ck_assert_uint_eq(n_lessons, 11);
}
END_TEST

START_TEST(an_unknown_lesson_is_refused)
{
    static const char *const names[] = {"0", "12", "", "-1", "bubbles"};

    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *message =
            g_strdup_printf("no lesson \"%s\"; \"plansim teach\" lists the 11 there are", names[i]);

        ck_assert_ptr_null(psim_teach_lesson(names[i], /* question_only= */ false, &error));
        ck_assert_str_eq(error->message, message);
    }
}
END_TEST

Suite *
template_suite(void)
{
    Suite *suite = suite_create("template");
    TCase *tcase = tcase_create("expand");

    tcase_add_test(tcase, directives_are_replaced_by_what_the_simulator_says);
    tcase_add_test(tcase, a_picture_is_an_indented_chart);
    tcase_add_loop_test(tcase, a_wrong_directive_is_named, 0, G_N_ELEMENTS(wrong));
    tcase_add_test(tcase, each_lesson_has_a_picture_a_question_and_an_answer);
    tcase_add_test(tcase, an_unknown_lesson_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
