/* SPDX-License-Identifier: MIT */
/* pointer.h: JSON pointers (RFC 6901): "/stages/0/layers", "~0" for "~" and "~1" for "/"
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

G_BEGIN_DECLS

/** psim_pointer_append: appends "/" and @key, escaped. */
void psim_pointer_append(GString *pointer, const char *key);

/** psim_pointer_append_index: appends "/" and @index. */
void psim_pointer_append_index(GString *pointer, size_t index);

/**
 * psim_pointer_next:
 * Takes the next step off a pointer.
 *
 * @cursor      begins at the pointer's first byte and moves to the next "/" or the end
 * @token       overwritten with the step, unescaped
 *
 * Returns: false at the end, and where the rest does not begin with "/".
 */
bool psim_pointer_next(const char **cursor, GString *token);

/** psim_pointer_to_index: Returns: whether @token is an array index: digits, no leading zero. */
bool psim_pointer_to_index(const char *token, size_t *ret_index);

/** psim_pointer_covers: Returns: whether @inner is @outer or lies below it. */
bool psim_pointer_covers(const char *outer, const char *inner);

G_END_DECLS
