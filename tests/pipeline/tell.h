/* SPDX-License-Identifier: MIT */
/* tell.h: what training showed, as JSON
 */
#pragma once

#include "train.h"

/** tiny_tell: medians over the timed steps, to standard output. */
void tiny_tell(const TinyConfig *config, const TinyReport *report);
