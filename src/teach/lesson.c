/* SPDX-License-Identifier: MIT */
#include "teach/lesson.h"

#include "plansim.h"
#include "teach/texts.h"

#include <string.h>

static const PsimLesson lessons[] = {
    {"one-microbatch", psim_lesson_one_microbatch},
    {"fill-and-drain", psim_lesson_fill_and_drain},
    {"gpipe-bubble", psim_lesson_gpipe_bubble},
    {"activation-memory", psim_lesson_activation_memory},
    {"same-bubble", psim_lesson_same_bubble},
    {"interleaving", psim_lesson_interleaving},
    {"zero-bubble", psim_lesson_zero_bubble},
    {"tensor-parallel", psim_lesson_tensor_parallel},
    {"layout-530b", psim_lesson_layout_530b},
    {"zero", psim_lesson_zero},
    {"textbook-mistakes", psim_lesson_textbook_mistakes},
    {0},
};

const PsimLesson *
psim_lesson_all(void)
{
    return lessons;
}

const PsimLesson *
psim_lesson_find(const char *name, GError **error)
{
    guint64 number = 0;
    const gsize n_lessons = G_N_ELEMENTS(lessons) - 1;

    if (g_ascii_string_to_unsigned(name, 10, 1, n_lessons, &number, NULL))
        return &lessons[number - 1];
    for (const PsimLesson *lesson = lessons; lesson->name != NULL; lesson++) {
        if (strcmp(lesson->name, name) == 0)
            return lesson;
    }
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_VALUE,
                "no lesson \"%s\"; \"plansim teach\" lists the %" G_GSIZE_FORMAT " there are", name,
                n_lessons);
    return NULL;
}

char *
psim_lesson_title(const PsimLesson *self)
{
    g_assert(g_str_has_prefix(self->text, "# "));
    return g_strndup(self->text + 2, strcspn(self->text + 2, "\n"));
}
