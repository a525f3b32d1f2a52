/* SPDX-License-Identifier: MIT */
/* png.h: pictures in pixels, for what takes no SVG
 */
#pragma once

#include "report/report.h"

G_BEGIN_DECLS

/** psim_png_write: what @draw appends as SVG, as PNG into @sink. Errors in @sink: UNSUPPORTED. */
void
psim_png_write(void (*draw)(const void *user, PsimSink *sink), const void *user, PsimSink *sink);

G_END_DECLS
