/* SPDX-License-Identifier: MIT */
/* teach.h: lessons that run
 *
 * The command line includes this header; everything else here is internal. A lesson is a text of
 * lessons/ in which directives stand for what the simulator says, see template.h.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

/** psim_teach_list: Returns: number, name and title of each lesson, a line each. Caller frees. */
char *psim_teach_list(void);

/**
 * psim_teach_lesson:
 * @name            "one-microbatch", or its number
 * @question_only   the question, without text and answer
 *
 * Returns: the lesson with all its runs done, 80 columns wide but for pictures. Caller frees.
 * Errors: VALUE (no such lesson), INTERNAL (a directive that is wrong).
 */
char *psim_teach_lesson(const char *name, bool question_only, GError **error);

/** psim_teach_picture: Returns: the lesson's first picture as SVG. Errors and ownership as above.
 */
char *psim_teach_picture(const char *name, GError **error);

G_END_DECLS
