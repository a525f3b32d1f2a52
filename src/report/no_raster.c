/* SPDX-License-Identifier: MIT */
/* In place of raster.c where librsvg is missing. */
#include "report/raster.h"

void
psim_raster_render(const GString *svg, PsimSink *sink)
{
    (void)svg;
    g_set_error_literal(&sink->error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED,
                        "PNG needs librsvg, which is not in this build");
}
