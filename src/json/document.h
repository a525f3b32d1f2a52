/* SPDX-License-Identifier: MIT */
/* document.h: a JSON text, parsed once and strictly
 *
 * The only layer that knows cJSON. Stricter than cJSON: UTF-8 without BOM, JSON's own number
 * grammar, nothing after the value, no duplicate keys, no number beyond a double, no "\u0000",
 * depth at most PSIM_LIMIT_JSON_DEPTH. cJSON writes a global at each parse, so a private mutex
 * guards it.
 */
#pragma once

#include "plansim.h"

G_BEGIN_DECLS

typedef struct PsimDocument PsimDocument;

/**
 * psim_document_parse:
 * @text    (n_bytes), need not be NUL-terminated
 * @name    what messages call it, usually the path as the user wrote it
 *
 * Errors: SYNTAX, SCHEMA (duplicate key, naming both lines), VALUE (number out of range), LIMIT.
 */
PsimDocument *
psim_document_parse(const char *text, size_t n_bytes, const char *name, GError **error);

/** psim_document_load: the same from a file. Errors: IO and the above. */
PsimDocument *psim_document_load(const char *path, GError **error);

void psim_document_free(PsimDocument *self);

/** psim_document_name: Returns: the name given at parsing; borrowed. */
const char *psim_document_name(const PsimDocument *self);

/**
 * psim_document_set:
 * Replaces or adds the member at a JSON pointer (RFC 6901); missing objects on the way are made.
 * Complaints about it later are placed at "--set POINTER=VALUE" instead of a line of the file.
 *
 * @value    JSON text; what does not parse as JSON is taken as a string
 *
 * Errors: VALUE (not a pointer, an array index out of range, a scalar on the way, a number beyond a
 * double), SCHEMA (duplicate key in @value), LIMIT (depth). The document is unchanged then.
 */
bool psim_document_set(PsimDocument *self, const char *pointer, const char *value, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimDocument, psim_document_free)

G_END_DECLS
