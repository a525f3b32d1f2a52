/* SPDX-License-Identifier: MIT */
/* escape.h: the escapes of JSON strings, read
 */
#pragma once

#include <glib.h>
#include <stddef.h>

G_BEGIN_DECLS

#define PSIM_ESCAPE_NOT_HEXADECIMAL (-1)
#define PSIM_ESCAPE_HALF_PAIR       (-2)

/**
 * psim_escape_parse_unicode:
 * One \u escape, or a surrogate pair of two.
 *
 * @text           begins with the backslash and the u (n_bytes), n_bytes >= 2
 * @ret_n_bytes    length of the escape; set in any case
 *
 * Returns: the character, or one of the two negative numbers above.
 */
gint32 psim_escape_parse_unicode(const char *text, size_t n_bytes, size_t *ret_n_bytes);

/**
 * psim_escape_decode:
 * @text    what stands between the quotes of a JSON string (n_bytes)
 *
 * Returns: the characters it stands for; the caller frees. Escapes that are no JSON become U+FFFD.
 */
char *psim_escape_decode(const char *text, size_t n_bytes);

G_END_DECLS
