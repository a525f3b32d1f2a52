/* SPDX-License-Identifier: MIT */
/* picture.h: the boxes and words of an SVG picture, read back */
#pragma once

#include "report/report.h"

G_BEGIN_DECLS

typedef struct {
    double x, y, width, height; /* [px] */
    char class[8];              /* of a rectangle */
    char text[256];             /* of words */
} Box;

typedef struct {
    GArray *rects; /* Box */
    GArray *words; /* Box, by a measure of its own: as wide as the widest usual face draws them */
} Picture;

/** picture_read: Returns: what is drawn; the test fails if @text is no well-formed XML. */
Picture picture_read(const char *text);
void picture_clear(Picture *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Picture, picture_clear)

G_END_DECLS
