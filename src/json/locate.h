/* SPDX-License-Identifier: MIT */
/* locate.h: JSON pointer -> line and column, by walking the text again
 *
 * cJSON keeps no positions, and they are needed only when something is wrong.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

G_BEGIN_DECLS

/**
 * psim_locate_pointer:
 * The place of the value at @pointer; of its key if @want_key (for an unknown member).
 *
 * @text    valid JSON (n_bytes)
 *
 * Returns: false where the text has no such value; the place is then that of the deepest value on
 * the way that exists.
 * Cost: O(n_bytes). Lines and columns from 1, columns in characters, not bytes.
 */
bool psim_locate_pointer(const char *text,
                         size_t n_bytes,
                         const char *pointer,
                         bool want_key,
                         unsigned *ret_line,
                         unsigned *ret_column);

/** psim_locate_offset: line and column of a byte offset. */
void psim_locate_offset(
    const char *text, size_t n_bytes, size_t offset, unsigned *ret_line, unsigned *ret_column);

G_END_DECLS
