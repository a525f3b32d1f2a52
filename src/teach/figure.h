/* SPDX-License-Identifier: MIT */
/* figure.h: what the simulator says, asked in a line
 *
 *     schedule 1f1b 4 8 times=1,1,1 latency=0      ranks and microbatches, times in ticks
 *     run mt-nlg-530b /parallel/tensor=4 ...       a plan that is built in, with members replaced
 *
 * The same line is run once.
 */
#pragma once

#include "plansim.h"

G_BEGIN_DECLS

typedef struct PsimFigures PsimFigures;

PsimFigures *psim_figures_new(void);
void psim_figures_free(PsimFigures *self);

/**
 * psim_figures_result:
 * Returns: the result of a line; lives as long as @self.
 * Errors: INTERNAL (the line is wrong), those of the run.
 */
const PsimResult *psim_figures_result(PsimFigures *self, const char *line, GError **error);

/**
 * psim_figures_member:
 * A number of the result's JSON.
 *
 * @path    "step/time_s", "busy/0", or an array with "max" or "min": "peak_chunks/max"
 *
 * Errors: as above; INTERNAL (no such number).
 */
bool psim_figures_member(
    PsimFigures *self, const char *line, const char *path, double *ret_number, GError **error);

/** psim_figures_text: Returns: a result in a format of psim_formats(). The caller frees. */
char *psim_figures_text(const PsimResult *result, const char *format, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimFigures, psim_figures_free)

G_END_DECLS
