/* SPDX-License-Identifier: MIT */
/* template.h: a lesson's text with its directives replaced by runs
 *
 *     {{let gap = schedule gpipe 4 8 : bubble/time}}   names a number; leaves no trace
 *     {{picture schedule gpipe 4 8}}                   alone on a line: the Gantt chart
 *     {{svg run mt-nlg-530b}}                          the picture of --svg; leaves no trace
 *     {{gap}}  {{gap / 33 as %}}                       an expression, see expression.h
 *
 * No number of a lesson is written by hand unless it is part of the question.
 */
#pragma once

#include "teach/figure.h"

G_BEGIN_DECLS

/**
 * psim_template_expand:
 * Returns: the text; the caller frees.
 * Errors: INTERNAL, naming the directive; those of the runs.
 */
char *psim_template_expand(const char *text, PsimFigures *figures, GError **error);

/** psim_template_picture: Returns: the line of the first picture or svg, or NULL. The caller frees.
 */
char *psim_template_picture(const char *text);

G_END_DECLS
