/* SPDX-License-Identifier: MIT */
/* ticks.h: F, I, W as whole numbers, from "1,1,1" or from a file with a line for each virtual stage
 *
 *     # forward, input gradient, weight gradient
 *     10 10 10
 *     20 20 20
 */
#pragma once

#include "plansim.h"

G_BEGIN_DECLS

typedef struct {
    int64_t *times; /* (n_stages, 3) */
    size_t n_stages;
} PsimTicks;

/** psim_ticks_parse: Returns: false for anything but three whole numbers and commas or spaces. */
bool psim_ticks_parse(const char *text, int64_t ret_times[3]);

/**
 * psim_ticks_load:
 * Lines that are empty or begin with # are skipped.
 *
 * Errors: IO; SYNTAX and LIMIT, with the line.
 */
bool psim_ticks_load(PsimTicks *self, const char *path, GError **error);

void psim_ticks_clear(PsimTicks *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PsimTicks, psim_ticks_clear)

G_END_DECLS
