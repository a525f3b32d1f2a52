/* SPDX-License-Identifier: MIT */
/* override.h: which `--set` goes into which document
 *
 * A document may name a part of itself by a string: a plan its model, a hardware file its device.
 * An override that reaches below such a name belongs to the file the name stands for; one that
 * reaches below an inline object, or an absent one, belongs to the document itself.
 */
#pragma once

#include "plansim.h"
#include "json/document.h"

G_BEGIN_DECLS

/* Overrides whose pointer begins with a prefix. */
typedef struct {
    const PsimOverride *items; /* (n) */
    size_t n;
    const char *prefix; /* "" or "/hardware": what to leave out of pointers */
} PsimOverrides;

/**
 * psim_override_apply:
 * Sets the members of @document that overrides below the prefix name, outermost first, except those
 * that belong to a part the document names by a string.
 *
 * @parts    pointers of parts in this document, outer ones first, NULL-terminated: "/device"
 *
 * Errors: VALUE, as psim_document_set().
 */
bool psim_override_apply(const PsimOverrides *self,
                         const char *const *parts,
                         PsimDocument *document,
                         GError **error);

/** psim_override_replaces: Returns: whether an override replaces exactly @pointer. */
bool psim_override_replaces(const PsimOverrides *self, const char *pointer);

G_END_DECLS
