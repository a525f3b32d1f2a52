/* SPDX-License-Identifier: MIT */
/* catalogue.h: everything that may be named, as JSON
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** psim_catalogue_json: Returns: names of presets, schedules and formats. The caller frees. */
char *psim_catalogue_json(void);

G_END_DECLS
