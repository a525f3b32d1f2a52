/* SPDX-License-Identifier: MIT */
/* scan.h: is this text JSON, strictly?
 *
 * Runs before cJSON and refuses what cJSON would let pass or cut: bytes that are not UTF-8, a byte
 * order mark, numbers such as 01, 1. and 1e999, raw control characters, half surrogate pairs,
 * "\u0000", duplicate keys, deep nesting, text after the value.
 */
#pragma once

#include "plansim.h"

G_BEGIN_DECLS

/* The longest number cJSON reads in one piece; no double needs more than 24 to be exact. */
#define PSIM_LIMIT_JSON_NUMBER_BYTES 63u

/* What is wrong, and where. */
typedef struct {
    PsimError code;
    size_t offset; /* byte of the text                                            */
    char *pointer; /* to the value in question; NULL where the text is no JSON    */
    char *text;    /* what is there; what would be right                          */
} PsimScanFault;

void psim_scan_fault_clear(PsimScanFault *self);

/**
 * psim_scan_text:
 * @text         (n_bytes), need not be NUL-terminated
 * @depth        levels the text will be put under, counted against PSIM_LIMIT_JSON_DEPTH
 * @ret_fault    on failure; the caller clears it
 *
 * Returns: whether the text is one JSON value and nothing else.
 * Errors: SYNTAX, SCHEMA (duplicate key), VALUE (beyond a double), LIMIT, in @ret_fault.
 * Cost: O(n_bytes).
 */
bool psim_scan_text(const char *text, size_t n_bytes, unsigned depth, PsimScanFault *ret_fault);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PsimScanFault, psim_scan_fault_clear)

G_END_DECLS
