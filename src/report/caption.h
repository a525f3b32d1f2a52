/* SPDX-License-Identifier: MIT */
/* caption.h: what stands above a picture. All return text that the caller frees. */
#pragma once

#include "timeline/result.h"

G_BEGIN_DECLS

/** psim_caption_time: Returns: "3 ticks" of a schedule alone, "4.38 ms" of a run. */
char *psim_caption_time(const PsimResult *result, PsimTime time);

/** psim_caption_title: Returns: the plan with its model and machine, or the schedule's title. */
char *psim_caption_title(const PsimResult *result);

/** psim_caption_headline: Returns: the line of headline.h, without its newline. */
char *psim_caption_headline(const PsimResult *result);

/** psim_caption_bubble: Returns: the bubble with its definition and the closed form; "" if there is
 * no pipeline. */
char *psim_caption_bubble(const PsimResult *result);

G_END_DECLS
