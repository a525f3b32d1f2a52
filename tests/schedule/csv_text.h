/* SPDX-License-Identifier: MIT */
/* csv_text.h: schedule files in tests */
#pragma once

#include "schedule/csv_file.h"

/** csv_accept: Returns: the file of @text; fails the test if it is refused. */
PsimCsvFile *csv_accept(const char *text);

/** csv_refuse: Returns: why @text is refused, as "x.csv", and the error's code; caller frees. Fails
 * the test if it is not. */
char *csv_refuse(const char *text, PsimError *ret_code);

/** csv_order: Returns: the order of a schedule of the registry with its own chunks and slices. */
PsimOrder *csv_order(const char *name, uint32_t p, uint32_t m, uint32_t v, PsimArena *arena);

/** csv_write: Returns: the file of an order; caller frees. */
char *csv_write(const PsimOrder *order);

/** csv_lower: Returns: the complete file of an order; caller frees. */
char *csv_lower(const PsimOrder *order, PsimCsvLowering options);

/** csv_digest: Returns: SHA-256 in hexadecimal; caller frees. */
char *csv_digest(const char *text);

/** csv_are_equal: Returns: whether two orders are the same. */
bool csv_are_equal(const PsimOrder *a, const PsimOrder *b);
