/* SPDX-License-Identifier: MIT */
/* wrap.h: paragraphs of a Markdown text, filled to a width
 *
 * Headings, tables and what is indented stand as they are. An item of a list hangs.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** psim_wrap_fill: Returns: the text with no paragraph wider than @width. The caller frees. */
char *psim_wrap_fill(const char *text, gsize width);

G_END_DECLS
