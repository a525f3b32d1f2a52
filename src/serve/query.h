/* SPDX-License-Identifier: MIT */
/* query.h: "model=llama-3-8b&gpus=16" -> the words of a command line
 *
 * Parameters are named as the options they stand for, and only those that shape a plan are taken.
 * Nothing that could be a file's name passes: no value has a slash, but for units such as GB/s, and
 * none ends as files do.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * psim_query_words:
 * @command    "run" or "schedule"
 * @query      what follows "?", percent-encoded; NULL: nothing
 *
 * Returns: the words, NULL-terminated, in the order asked. The caller frees.
 * Errors: SYNTAX (not a query), VALUE (unknown, or looks like a file), LIMIT (too many).
 */
char **psim_query_words(const char *command, const char *query, GError **error);

G_END_DECLS
