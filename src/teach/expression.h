/* SPDX-License-Identifier: MIT */
/* expression.h: "slow / fast as x": named numbers, put together and told in words
 *
 *     expression = term { ("+" | "-" | "*" | "/") term } [ "as" unit [ width ] ]
 *     term       = a name or a number
 *
 * Words are separated by spaces and taken from left to right, without precedence.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

/**
 * psim_expression_tell:
 * @names    char * -> double *
 *
 * Units: "%" (27.3%), "s" (50.4 s), "ms", "GB" (decimal), "x" (1.25), "int" (grouping none), "M"
 * and "B" (millions, billions), "bar" (a share as 0 to 40 "#"); without one, whole numbers as they
 * are and others to three digits. A width pads on the left.
 *
 * Returns: the number in words. The caller frees.
 * Errors: INTERNAL (unknown name, unknown unit, not an expression).
 */
char *psim_expression_tell(GHashTable *names, const char *text, GError **error);

G_END_DECLS
