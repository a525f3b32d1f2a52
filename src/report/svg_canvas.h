/* SPDX-License-Identifier: MIT */
/* svg_canvas.h: rectangles and words of a picture
 *
 * Coordinates are whole hundredths of a pixel, so that the same run is the same picture on every
 * machine. Every element carries its own colours and place: no style sheet and no transform, since
 * not every program that takes pictures understands them.
 */
#pragma once

#include "report/report.h"

G_BEGIN_DECLS

/* [px / 100] */
typedef int64_t PsimPx;

#define PSIM_PX(pixels) ((PsimPx)(pixels)*100)

#define PSIM_SVG_INK   "#111111"
#define PSIM_SVG_MUTED "#555555"
#define PSIM_SVG_LINE  "#999999"
#define PSIM_SVG_ALARM "#b3261e"

typedef struct {
    PsimSink *sink;
    PsimPx width;
} PsimCanvas;

typedef struct {
    PsimPx x, y, width, height;
    const char *fill;
    const char *stroke; /* NULL: none */
    const char *class;  /* what it is: "cell"; NULL: nothing worth a name */
} PsimSvgRect;

typedef struct {
    PsimPx x, y; /* of the base line */
    int size;    /* [px] */
    char anchor; /* 's' starts there, 'm' is centred, 'e' ends there */
    bool bold;
    const char *fill; /* NULL: PSIM_SVG_INK */
} PsimSvgWords;

/** psim_svg_canvas_number: appends "12.5". */
void psim_svg_canvas_number(GString *out, PsimPx value);

/** psim_svg_canvas_rect: @title  what a reader who points at it is told; NULL: nothing. */
void psim_svg_canvas_rect(PsimCanvas *self, const PsimSvgRect *rect, const char *title);

/** psim_svg_canvas_line: @dash  "4 3"; NULL: drawn through. */
void
psim_svg_canvas_line(PsimCanvas *self, const PsimPx ends[4], const char *stroke, const char *dash);

/** psim_svg_canvas_words: one line, cut with an ellipsis where the picture ends. */
void psim_svg_canvas_words(PsimCanvas *self, const PsimSvgWords *words, const char *text);

/**
 * psim_svg_canvas_paragraph:
 * Lines broken at spaces, from @words->x to the right margin.
 *
 * Returns: where the next base line goes.
 */
PsimPx psim_svg_canvas_paragraph(PsimCanvas *self, const PsimSvgWords *words, const char *text);

/**
 * psim_svg_canvas_measure:
 * How wide a text is at most: as wide as in the widest of the usual sans-serif faces, since the
 * reader's program chooses among them.
 */
PsimPx psim_svg_canvas_measure(const char *text, int size);

G_END_DECLS
