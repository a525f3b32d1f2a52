/* SPDX-License-Identifier: MIT */
/* lesson.h: the texts of lessons/, compiled in, in the order of teaching
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
    const char *name; /* "one-microbatch" */
    const char *text; /* a template; its first line is "# TITLE" */
} PsimLesson;

/** psim_lesson_all: Returns: the lessons, ended by one without a name; static. */
const PsimLesson *psim_lesson_all(void);

/** psim_lesson_find: Returns: by name or number from 1; NULL with VALUE if there is none. */
const PsimLesson *psim_lesson_find(const char *name, GError **error);

/** psim_lesson_title: Returns: what follows "# " in the first line. The caller frees. */
char *psim_lesson_title(const PsimLesson *self);

G_END_DECLS
