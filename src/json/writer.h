/* SPDX-License-Identifier: MIT */
/* writer.h: JSON out: ordered, exact numbers, stable layout
 *
 * Numbers are the shortest decimal that reads back to the same double; NaN and infinity become
 * null. Two spaces of indent; objects begun with psim_writer_begin_row() stand on one line.
 */
#pragma once

#include "plansim.h"

G_BEGIN_DECLS

typedef struct PsimWriter PsimWriter;

/** psim_writer_new: @pretty  newlines and indent, or everything on one line. */
PsimWriter *psim_writer_new(bool pretty);
void psim_writer_free(PsimWriter *self);

/* @key is NULL inside arrays and for the root. */
void psim_writer_begin_object(PsimWriter *self, const char *key);
void psim_writer_begin_row(PsimWriter *self, const char *key); /* an object on one line */
void psim_writer_end_object(PsimWriter *self);
void psim_writer_begin_array(PsimWriter *self, const char *key);
void psim_writer_begin_list(PsimWriter *self, const char *key); /* an array on one line */
void psim_writer_end_array(PsimWriter *self);

void psim_writer_string(PsimWriter *self, const char *key, const char *value); /* NULL: null */
void psim_writer_number(PsimWriter *self, const char *key, double value);
void psim_writer_count(PsimWriter *self, const char *key, uint64_t value);
void psim_writer_integer(PsimWriter *self, const char *key, int64_t value);
void psim_writer_seconds(PsimWriter *self, const char *key, PsimTime time); /* exact */
void psim_writer_flag(PsimWriter *self, const char *key, bool value);
void psim_writer_null(PsimWriter *self, const char *key);
void psim_writer_quantity(PsimWriter *self, const char *key, const char *text); /* as string */
/** psim_writer_raw: @json is valid JSON text, put in as it is (re-indented when pretty). */
void psim_writer_raw(PsimWriter *self, const char *key, const char *json);

/** psim_writer_finish: Returns: the text with a final newline; caller frees. Empties the writer. */
char *psim_writer_finish(PsimWriter *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimWriter, psim_writer_free)

G_END_DECLS
