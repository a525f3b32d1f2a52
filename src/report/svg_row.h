/* SPDX-License-Identifier: MIT */
/* svg_row.h: what fills one row of the timeline */
#pragma once

#include "report/svg.h"

G_BEGIN_DECLS

typedef struct {
    PsimSvg *picture;
    uint32_t rank;
    PsimPx y;
    bool titled; /* cells tell their times to who points at them */
} PsimSvgRow;

/** psim_svg_layout_is_labelled: Returns: whether a task has a number and a time. */
bool psim_svg_layout_is_labelled(const PsimGraph *graph, uint32_t task);

/** psim_svg_cells_draw: each task where it was. */
void psim_svg_cells_draw(const PsimSvgRow *row);

/** psim_svg_columns_draw: shares of equal columns, for too many tasks. */
void psim_svg_columns_draw(const PsimSvgRow *row);

/** psim_svg_columns_edge: Returns: where column @index begins. */
PsimTime psim_svg_columns_edge(const PsimSvg *self, uint32_t index);

G_END_DECLS
