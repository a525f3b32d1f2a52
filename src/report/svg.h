/* SPDX-License-Identifier: MIT */
/* svg.h: the rooms of the picture, from top to bottom
 *
 *     title, answer, bubble and how it is defined
 *     rank 0  [0][1][2]      [ 0 ][3][ 1 ]   idle, peak      svg_timeline.c
 *     legend                                                 svg_legend.c
 *     where the step goes  |compute|TP|bubble|               svg_bar.c
 *     memory of a rank over time, against the capacity       svg_memory.c
 *     memory at the peak, a bar a stage                      svg_stage.c
 *
 * A picture begins with its height, so all is drawn twice: once to find it, into nothing.
 */
#pragma once

#include "report/paint.h"
#include "report/svg_canvas.h"
#include "timeline/track.h"

G_BEGIN_DECLS

#define PSIM_SVG_MARGIN 24 /* [px] */

typedef struct {
    const PsimResult *result;
    PsimCanvas canvas;
    PsimTracks tracks;
    PsimTime makespan;
    const char *heading; /* over the timeline; NULL: "timeline" */
    const char *remark;  /* beside it, unless the reading must be told; NULL: none */
    PsimPx left, plot;   /* where time 0 is, and how wide the makespan is */
    uint32_t n_rows;     /* ranks drawn; the others are told in words */
    int row, strip;      /* heights of a row: what it does; what it sends; [px] */
    int label;           /* size of the numbers in cells; 0: none fit */
    PsimPx label_width;  /* a cell so wide has room for any of them */
    bool overview;       /* columns instead of cells */
    uint32_t n_columns;
    bool seen[PSIM_N_PAINTS]; /* is in the legend */
    bool numbered;            /* a cell has a number; known once the rows are drawn */
} PsimSvg;

/** psim_svg_place: Returns: where a time is, rounded down to a hundredth of a pixel. */
PsimPx psim_svg_place(const PsimSvg *self, PsimTime time);

/** psim_svg_heading: draws a heading, and beside it what it needs to be read; @more may be NULL.
 * Returns: @y below it. */
PsimPx psim_svg_heading(PsimSvg *self, PsimPx y, const char *text, const char *more);

/** psim_svg_layout_choose: chooses widths, heights and whether cells can be drawn. */
void psim_svg_layout_choose(PsimSvg *self);

/** psim_svg_begin, psim_svg_end: the element around @height of drawing, with what readers hear. */
void psim_svg_begin(const PsimSvg *self, PsimPx height, const char *title, const char *description);
void psim_svg_end(const PsimSvg *self);

/** psim_svg_height: Returns: the height of a picture that @draw puts together, with its margin. */
PsimPx psim_svg_height(PsimPx (*draw)(void *user, PsimSink *sink), void *user);

/** psim_svg_compare: the timelines of several results, one below the other on one axis. */
void psim_svg_compare(const PsimCandidate *candidates, size_t n_candidates, PsimSink *sink);

/* Each draws from @y on and returns the @y below; a room without content draws nothing. */
PsimPx psim_svg_timeline_draw(PsimSvg *self, PsimPx y);
PsimPx psim_svg_legend_draw(PsimSvg *self, PsimPx y);
PsimPx psim_svg_bar_draw(PsimSvg *self, PsimPx y);
PsimPx psim_svg_memory_draw(PsimSvg *self, PsimPx y);
PsimPx psim_svg_stage_draw(PsimSvg *self, PsimPx y);

G_END_DECLS
