/* SPDX-License-Identifier: MIT */
/* help.h: what --help prints, made of the table
 */
#pragma once

#include "cli/commands.h"

#include <glib.h>

G_BEGIN_DECLS

/** psim_help_overview: Returns: the commands, a line each. Caller frees. */
char *psim_help_overview(void);

/** psim_help_command: Returns: one command, on a screen. Caller frees. */
char *psim_help_command(const PsimCommand *command);

G_END_DECLS
