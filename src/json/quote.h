/* SPDX-License-Identifier: MIT */
/* quote.h: the user's words inside JSON and inside messages
 *
 * A message has one line a complaint, so whatever comes from a file is kept on one line and short.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** psim_quote_json: appends @text as a JSON string; what is not UTF-8 becomes U+FFFD. */
void psim_quote_json(GString *out, const char *text);

/** psim_quote_word: Returns: the same, of the first 60 characters of @text. Caller frees. */
char *psim_quote_word(const char *text);

/** psim_quote_line: Returns: @text on one line, cut at 240 characters, no quotes. Caller frees. */
char *psim_quote_line(const char *text);

G_END_DECLS
