/* SPDX-License-Identifier: MIT */
/* member.h: what the readers and writers of all our files have in common
 *
 * Every file begins with the same titles; defaults are recorded with a reason; constants carry
 * their origin; quantities are written with the shortest unit that reads back.
 */
#pragma once

#include "spec/hardware.h"
#include "json/reader.h"
#include "json/writer.h"

G_BEGIN_DECLS

/* Ceilings of quantities; beyond them something is mistyped. */
#define PSIM_MEMBER_MAX_BYTES  1e18
#define PSIM_MEMBER_MAX_RATE   1e24
#define PSIM_MEMBER_MAX_TIME_S 1e6

/* Rows of constants in one array; a device has a dozen. */
#define PSIM_MEMBER_MAX_ITEMS 1024u

/* What every file begins with. */
typedef struct {
    char *name;
    char *about;  /* or NULL */
    char *source; /* or NULL */
} PsimTitles;

/**
 * psim_member_titles:
 * Reads "schema" (must be @schema where present), "name", "about", "source"; "$schema" and "notes"
 * are free.
 *
 * @fallback    name of what has none
 * Ownership: the caller frees the strings.
 */
PsimTitles psim_member_titles(PsimReader *reader, const char *schema, const char *fallback);

/** psim_member_write_titles: the same again, in that order. */
void psim_member_write_titles(PsimWriter *writer, const char *schema, const PsimTitles *titles);

/** psim_member_stem: Returns: "mt-nlg-530b" of "plans/mt-nlg-530b.json"; caller frees. */
char *psim_member_stem(const char *path);

/** psim_member_text: Returns: a copy of the string at @key, NULL where absent; caller frees. */
char *psim_member_text(PsimReader *reader, const char *key);

/**
 * psim_member_count, _flag, _choice:
 * As the `_or` getters of the reader, with a reason that is echoed where the default was taken.
 */
uint64_t psim_member_count(PsimReader *reader,
                           const char *key,
                           uint64_t min,
                           uint64_t max,
                           uint64_t fallback,
                           const char *why);
bool psim_member_flag(PsimReader *reader, const char *key, bool fallback, const char *why);
unsigned psim_member_choice(PsimReader *reader,
                            const char *key,
                            const char *const *words,
                            unsigned fallback,
                            const char *why);

/**
 * psim_member_items:
 * Returns: items of the array @key, 0 where absent; complains of more than PSIM_MEMBER_MAX_ITEMS.
 */
uint32_t psim_member_items(PsimReader *reader, const char *key);

/** psim_member_origin: "provenance" (default guess), "source" and "error" of the current object. */
void psim_member_origin(PsimReader *reader, PsimOrigin *ret_origin);
void psim_member_write_origin(PsimWriter *writer, const PsimOrigin *origin);

/** psim_member_own_origin: the same of what has the origin of the whole file where it states none
 * of its own; its `source` is NULL then. */
void psim_member_own_origin(PsimReader *reader, PsimOrigin *ret_origin);
void psim_member_write_own_origin(PsimWriter *writer, const PsimOrigin *origin);

/** psim_member_write_quantity: @value with its unit, as the readers want it. */
void psim_member_write_quantity(PsimWriter *writer,
                                const char *key,
                                double value,
                                PsimDimension dimension);

/** psim_member_write_text: a string member, left out where NULL or empty. */
void psim_member_write_text(PsimWriter *writer, const char *key, const char *text);

/** psim_member_defaults_new: Returns: an array that owns its PsimDefault. */
GPtrArray *psim_member_defaults_new(void);

/**
 * psim_member_copy_defaults:
 * Appends copies of @defaults[@first ...] to @into.
 *
 * @prefix    goes before each pointer, "" for none
 */
void psim_member_copy_defaults(GPtrArray *into,
                               const GPtrArray *defaults,
                               guint first,
                               const char *prefix);

G_END_DECLS
