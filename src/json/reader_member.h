/* SPDX-License-Identifier: MIT */
/* reader_member.h: what reader_scalar.c needs of reader.c
 */
#pragma once

#include "json/reader.h"
#include "json/value.h"

G_BEGIN_DECLS

/** psim_reader_member: Returns: the member @key, which is known from here on; NULL where absent. */
const cJSON *psim_reader_member(PsimReader *self, const char *key);

/** psim_reader_item: Returns: the item at @index of the array @key; NULL where there is none. */
const cJSON *psim_reader_item(PsimReader *self, const char *key, size_t index);

/** psim_reader_refuse: complains of the member @key, unless the current object is no object. */
void psim_reader_refuse(PsimReader *self, const char *key, const PsimValueFault *fault);

/** psim_reader_refuse_item: the same of the item at @index of the array @key. */
void psim_reader_refuse_item(PsimReader *self,
                             const char *key,
                             size_t index,
                             const PsimValueFault *fault);

G_END_DECLS
