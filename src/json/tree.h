/* SPDX-License-Identifier: MIT */
/* tree.h: what the rest of json/ sees of a document
 *
 * Not for other layers: cJSON stays in here.
 */
#pragma once

#include "json/document.h"

#include <cjson/cJSON.h>

G_BEGIN_DECLS

/* Where a complaint points. Line and column are 0 where there is none: under an override. */
typedef struct {
    const char *file; /* borrowed from the document */
    unsigned line;
    unsigned column;
} PsimPlace;

/** psim_document_root: Returns: the value of the whole text; borrowed, until psim_document_set().
 */
const cJSON *psim_document_root(const PsimDocument *self);

/**
 * psim_document_place:
 * @want_key    the place of the member's key, not of its value
 *
 * Returns: the place of @pointer; of the deepest value on the way where the text has no such value.
 * Cost: O(bytes of the text).
 */
PsimPlace psim_document_place(const PsimDocument *self, const char *pointer, bool want_key);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(cJSON, cJSON_Delete)

G_END_DECLS
