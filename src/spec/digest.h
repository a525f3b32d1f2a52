/* SPDX-License-Identifier: MIT */
/* digest.h: what a canonical text is known by
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * psim_digest_text:
 * Returns: the SHA-256 of @text, 64 hexadecimal digits.
 * Ownership: the caller frees with g_free().
 */
char *psim_digest_text(const char *text);

G_END_DECLS
