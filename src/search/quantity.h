/* SPDX-License-Identifier: MIT */
/* quantity.h: amounts as people write them: 1.1T tokens, 30d, 2M dollars, 64,128 or 64..1024
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/** psim_quantity_amount: "300e9", "1.1T", "2M", "366B", "5k". Returns: false if it is none. */
bool psim_quantity_amount(const char *text, double *ret_amount);

/** psim_quantity_days: "30d", "30 days", "12h", "6w", "2 months" (of 30 days each). */
bool psim_quantity_days(const char *text, double *ret_days);

/** psim_quantity_bytes: "70 GiB", "70GB", "8e10". */
bool psim_quantity_bytes(const char *text, double *ret_bytes);

/** psim_quantity_watts: "400 W", "1.2 kW". */
bool psim_quantity_watts(const char *text, double *ret_watts);

/**
 * psim_quantity_counts:
 * "64,128", "64..1024" (doubling from the first, and the last), or both.
 *
 * @counts    uint32_t; appended to, ascending order is the user's
 */
bool psim_quantity_counts(const char *text, GArray *counts);

/** psim_quantity_goal: "300e9 tokens in 30 days". */
bool psim_quantity_goal(const char *text, double *ret_tokens, double *ret_days);

/**
 * psim_quantity_triple:
 * "192,16,9765625": two counts and an amount, with commas or blanks between them.
 */
bool psim_quantity_triple(const char *text,
                          uint32_t *ret_first,
                          uint32_t *ret_second,
                          double *ret_amount);

G_END_DECLS
