/* SPDX-License-Identifier: MIT */
/* schedule_file.h: a plan whose schedule is a PyTorch schedule file
 *
 * The plan names a file, and the file's operations become part of the plan: it stays the same
 * whatever happens to the file. Its canonical text has them as "csv", an array of lines, one a
 * rank; a long line is cut behind a comma and goes on in the next item.
 */
#pragma once

#include "spec/parts.h"
#include "json/writer.h"

G_BEGIN_DECLS

/**
 * psim_schedule_file_read:
 * Reads the schedule's "name" and "csv", if they mean a file; @reader stands in the schedule.
 *
 * Returns: whether they mean a file. Where it cannot be read, that is complained of and the plan's
 * schedule is left as it was.
 */
bool psim_schedule_file_read(PsimPlan *plan, PsimReader *reader, const PsimPartsContext *context);

/** psim_schedule_file_check: complains where plan and file have other numbers. Returns: whether
 * there was none. */
bool psim_schedule_file_check(const PsimPlan *plan, PsimReader *reader);

/** psim_schedule_file_write: the member "csv". */
void psim_schedule_file_write(const PsimPlan *plan, PsimWriter *writer);

G_END_DECLS
