/* SPDX-License-Identifier: MIT */
/* A lesson has a body, "## Question" and "## Answer", in this order. */
#include "teach/teach.h"

#include "teach/figure.h"
#include "teach/lesson.h"
#include "teach/template.h"
#include "teach/wrap.h"

#include <string.h>

#define WIDTH 80

char *
psim_teach_list(void)
{
    GString *out =
        g_string_new("Lessons, each a page whose numbers and pictures are simulated:\n\n");
    unsigned number = 1;

    for (const PsimLesson *lesson = psim_lesson_all(); lesson->name != NULL; lesson++) {
        g_autofree char *title = psim_lesson_title(lesson);

        g_string_append_printf(out, "  %2u  %-18s %s\n", number++, lesson->name, title);
    }
    g_string_append(out, "\n\"plansim teach 1\" shows the first, \"plansim teach 1 --ask\" its "
                         "question alone.\n");
    return g_string_free(out, /* free_segment= */ FALSE);
}

/* The title, and what stands between the heading of the question and that of the answer. */
static char *
keep_question(const char *text)
{
    const char *question = strstr(text, "\n## Question");
    const char *answer = strstr(text, "\n## Answer");
    const char *title_end = strchr(text, '\n');

    g_assert(question != NULL && answer != NULL && question < answer && title_end < question);
    return g_strdup_printf("%.*s\n%.*s\n", (int)(title_end - text), text, (int)(answer - question),
                           question);
}

char *
psim_teach_lesson(const char *name, bool question_only, GError **error)
{
    const PsimLesson *lesson = psim_lesson_find(name, error);
    g_autoptr(PsimFigures) figures = psim_figures_new();
    g_autofree char *text =
        lesson == NULL ? NULL : psim_template_expand(lesson->text, figures, error);

    if (text == NULL)
        return NULL;
    g_autofree char *wanted = question_only ? keep_question(text) : g_steal_pointer(&text);

    return psim_wrap_fill(wanted, WIDTH);
}

char *
psim_teach_picture(const char *name, GError **error)
{
    const PsimLesson *lesson = psim_lesson_find(name, error);
    g_autoptr(PsimFigures) figures = psim_figures_new();

    if (lesson == NULL)
        return NULL;
    g_autofree char *line = psim_template_picture(lesson->text);

    g_assert(line != NULL);
    const PsimResult *result = psim_figures_result(figures, line, error);

    return result == NULL ? NULL : psim_figures_text(result, "svg", error);
}
