/* SPDX-License-Identifier: MIT */
/* paint.h: the colours of pictures
 *
 * Hues follow Okabe and Ito, so that colour-blind readers tell them apart; what stands side by side
 * also differs in lightness, so that a print in black and white can be read.
 */
#pragma once

#include "timeline/result.h"

G_BEGIN_DECLS

/* What a task is drawn as. */
typedef enum {
    PSIM_PAINT_FORWARD,
    PSIM_PAINT_BACKWARD,
    PSIM_PAINT_INPUT,
    PSIM_PAINT_WEIGHT,
    PSIM_PAINT_OPTIMIZER,
    PSIM_PAINT_TP,
    PSIM_PAINT_PP,
    PSIM_PAINT_DP,
    PSIM_PAINT_CP,
    PSIM_PAINT_OTHER,
} PsimPaint;
#define PSIM_N_PAINTS 10

typedef struct {
    const char *name; /* "F forward" */
    const char *even; /* "#00609a": chunks 0, 2, ... */
    const char *odd;  /* chunks 1, 3, ... */
} PsimPaintInfo;

/** psim_paint_choose: Returns: by the kind of task and the letter of its operation. */
PsimPaint psim_paint_choose(const PsimTaskClass *class);

/** psim_paint_info: Returns: static. */
const PsimPaintInfo *psim_paint_info(PsimPaint paint);

/** psim_paint_ink: Returns: black or white, whichever reads better on @fill, "#rrggbb"; static. */
const char *psim_paint_ink(const char *fill);

/* A term of a sum that is drawn as a bar. */
typedef struct {
    const char *name; /* "TP, exposed" */
    const char *fill;
    double value;
} PsimPaintTerm;

#define PSIM_N_STEP_TERMS   10
#define PSIM_N_MEMORY_TERMS 7

/** psim_paint_step_terms: where a step goes, [ps]: the terms of the breakdown in its order. */
void psim_paint_step_terms(const PsimBreakdown *parts, PsimPaintTerm ret_terms[PSIM_N_STEP_TERMS]);

/** psim_paint_memory_terms: what a stage holds at its peak, [B], from the bottom of the bar up. */
void psim_paint_memory_terms(const PsimStageFigures *stage,
                             PsimPaintTerm ret_terms[PSIM_N_MEMORY_TERMS]);

/** psim_paint_states_bytes: Returns: what rank @rank holds at all times, [B]; 0 if not known. */
double psim_paint_states_bytes(const PsimResult *result, uint32_t rank);

G_END_DECLS
