/* SPDX-License-Identifier: MIT */
/* reader.h: typed members of a document; collects every complaint
 *
 * Getters never fail: they record a complaint and return a legal stand-in, so that reading code is
 * straight lines without a branch. psim_reader_finish() is the only place that fails. A member that
 * no getter asked for is unknown, and complained of with a spelling hint.
 *
 * Texts (tested word for word):
 *
 *     missing; expected a whole number from 1 to 1024
 *     is 0; must be from 1 to 1024
 *     must be a whole number from 1 to 1024                       (2.5, 1e400, a string ...)
 *     is 80; a quantity needs its unit, such as "80 GiB"
 *     "80 GB/s" is a bandwidth; expected a size, such as "80 GiB"
 *     is "fulll"; must be one of none, selective, full; did you mean "full"?
 *     unknown; did you mean "pipeline"?
 *     unknown; must be one of tensor, pipeline, data              (where no word is near)
 *     is -1; must be from 0 to 1                                  (at least 0, at most 1)
 *     must be an object                                           (a string, true or false ...)
 *     is 1025 bytes long; must be at most 1024 (PSIM_LIMIT_NAME_BYTES)
 *
 * The `_or` getters return @fallback where the member is absent or null, and remember that the
 * default was used, for the echo of assumptions.
 */
#pragma once

#include "base/error.h"
#include "base/units.h"
#include "json/document.h"

G_BEGIN_DECLS

typedef struct PsimReader PsimReader;

/* A default that was used. */
typedef struct {
    char *pointer; /* "/batch/micro" */
    char *value;   /* JSON text of the value taken */
    char *why;     /* "default", or the reason given to psim_reader_note_default() */
} PsimDefault;

/**
 * psim_reader_new:
 * @document      borrowed, must outlive the reader
 * @complaints    borrowed; several readers may share one, so that all files' complaints come at
 * once
 *
 * Begins at the document's root, which must be an object (complained of otherwise). No
 * psim_document_set() while the reader lives.
 */
PsimReader *psim_reader_new(PsimDocument *document, PsimComplaints *complaints);
void psim_reader_free(PsimReader *self);

/** psim_reader_has: Returns: whether the current object has a member @key that is not null. */
bool psim_reader_has(PsimReader *self, const char *key);

/** psim_reader_is_string, ...: kind of a member, without complaint; false where absent. */
bool psim_reader_is_string(PsimReader *self, const char *key);
bool psim_reader_is_object(PsimReader *self, const char *key);
bool psim_reader_is_array(PsimReader *self, const char *key);

/**
 * psim_reader_enter:
 * Goes into the object @key. Absent: complains; psim_reader_enter_or_empty() does not. In both
 * cases stands on an empty object then, so that every enter has its leave. Where it complained,
 * nothing inside is complained of any more but by psim_reader_complain_at().
 */
void psim_reader_enter(PsimReader *self, const char *key);
void psim_reader_enter_or_empty(PsimReader *self, const char *key);
/** psim_reader_leave: complains of members nobody asked for since the enter, and goes back. */
void psim_reader_leave(PsimReader *self);

/** psim_reader_items: Returns: items of the array @key; 0 where absent (complains if @required). */
size_t psim_reader_items(PsimReader *self, const char *key, bool required);
/** psim_reader_enter_item: goes into the object at @index of the array @key. */
void psim_reader_enter_item(PsimReader *self, const char *key, size_t index);
/** psim_reader_item_*: scalars of an array @key at @index. */
uint64_t
psim_reader_item_count(PsimReader *self, const char *key, size_t index, uint64_t min, uint64_t max);
double
psim_reader_item_number(PsimReader *self, const char *key, size_t index, double min, double max);
const char *psim_reader_item_string(PsimReader *self, const char *key, size_t index);

/* Whole numbers, read through doubles: below 2^53, whatever @max is. */
uint64_t psim_reader_count(PsimReader *self, const char *key, uint64_t min, uint64_t max);
uint64_t psim_reader_count_or(
    PsimReader *self, const char *key, uint64_t min, uint64_t max, uint64_t fallback);

/* Plain numbers without a unit: efficiencies, fractions, FLOP counts marked as such. */
double psim_reader_number(PsimReader *self, const char *key, double min, double max);
double
psim_reader_number_or(PsimReader *self, const char *key, double min, double max, double fallback);

/* Quantities: a string with number and unit; result in SI base units. */
double psim_reader_quantity(
    PsimReader *self, const char *key, PsimDimension dimension, double min, double max);
double psim_reader_quantity_or(PsimReader *self,
                               const char *key,
                               PsimDimension dimension,
                               double min,
                               double max,
                               double fallback);

bool psim_reader_flag(PsimReader *self, const char *key);
bool psim_reader_flag_or(PsimReader *self, const char *key, bool fallback);

/** psim_reader_string: Returns: borrowed from the document; "" as the stand-in. */
const char *psim_reader_string(PsimReader *self, const char *key);
const char *psim_reader_string_or(PsimReader *self, const char *key, const char *fallback);

/** psim_reader_choice: Returns: index into @words, NULL-terminated. */
unsigned psim_reader_choice(PsimReader *self, const char *key, const char *const *words);
unsigned psim_reader_choice_or(PsimReader *self,
                               const char *key,
                               const char *const *words,
                               unsigned fallback);

/** psim_reader_raw: Returns: the member as JSON text on one line, NULL where absent; caller frees.
 */
char *psim_reader_raw(PsimReader *self, const char *key);

/** psim_reader_ignore: marks @key as known without reading it ("$schema", comments). */
void psim_reader_ignore(PsimReader *self, const char *key);

/** psim_reader_complain: about member @key (NULL: the current object). */
void
psim_reader_complain(PsimReader *self, const char *key, PsimError code, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/** psim_reader_complain_at: about an absolute JSON pointer, for checks after reading. */
void psim_reader_complain_at(PsimReader *self,
                             const char *pointer,
                             PsimError code,
                             const char *format,
                             ...) G_GNUC_PRINTF(4, 5);

/** psim_reader_note_default: records that @key was derived: value as JSON text, and why. */
void
psim_reader_note_default(PsimReader *self, const char *key, const char *value, const char *why);

/** psim_reader_defaults: Returns: the defaults used so far (PsimDefault), in order; borrowed. */
const GPtrArray *psim_reader_defaults(const PsimReader *self);

/** psim_reader_end: complains of unknown members of the root; all enters must have been left. */
void psim_reader_end(PsimReader *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimReader, psim_reader_free)

G_END_DECLS
