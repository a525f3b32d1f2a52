/* SPDX-License-Identifier: MIT */
/* schedule_question.h: NAME, --pp, --microbatches, --times ...: the schedule that a command line
 * describes
 */
#pragma once

#include "cli/arguments.h"
#include "cli/ticks.h"
#include "plansim.h"

G_BEGIN_DECLS

/**
 * psim_schedule_question_read:
 * @options    begun with PSIM_SCHEDULE_OPTIONS_INIT; points into @arguments and @stages
 * @stages     times of each stage, if a file has them
 *
 * Errors: PSIM_USAGE_ERROR; IO, SYNTAX and LIMIT of that file.
 */
bool psim_schedule_question_read(const PsimArguments *arguments,
                                 PsimScheduleOptions *options,
                                 PsimTicks *stages,
                                 GError **error);

G_END_DECLS
