/* SPDX-License-Identifier: MIT */
/* raster.h: an SVG drawn in pixels, where librsvg is there
 */
#pragma once

#include "report/report.h"

G_BEGIN_DECLS

#define PSIM_RASTER_SCALE 2 /* pixels for one of the SVG, less where a side would be too long */

/** psim_raster_render: what @svg shows, as PNG. Errors in @sink: UNSUPPORTED, INTERNAL. */
void psim_raster_render(const GString *svg, PsimSink *sink);

G_END_DECLS
