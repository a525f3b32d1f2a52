/* SPDX-License-Identifier: MIT */
/* fixture.h: results filled by hand, and what a format makes of them */
#pragma once

#include "report/report.h"

G_BEGIN_DECLS

/** fixture_schedule: Returns: 1F1B on three ranks, four microbatches, tF = 1, tB = 2. Caller
 * unrefs. */
PsimResult *fixture_schedule(PsimTime latency);

/** fixture_deadlock: Returns: two ranks that wait for each other, one that is done. Caller unrefs.
 */
PsimResult *fixture_deadlock(void);

/** fixture_run: Returns: a plan of two stages, every figure set; fits or not. Caller unrefs. */
PsimResult *fixture_run(bool fits);

/** fixture_tell: Returns: the output of a format; aborts if it fails. Caller frees. */
char *fixture_tell(const PsimResult *result, const char *format);

G_END_DECLS
