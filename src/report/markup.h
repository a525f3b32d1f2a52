/* SPDX-License-Identifier: MIT */
/* markup.h: anybody's words inside XML and HTML */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** psim_markup_append: appends @text escaped for elements and quoted attributes; what is no UTF-8
 * or no character of XML becomes U+FFFD. NULL appends nothing. */
void psim_markup_append(GString *out, const char *text);

/** psim_markup_element: appends "<name>text</name>", the text escaped; @open may hold attributes:
 * "td class=\"number\"". */
void psim_markup_element(GString *out, const char *open, const char *text);

G_END_DECLS
