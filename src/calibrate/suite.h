/* SPDX-License-Identifier: MIT */
/* suite.h: the cases of each suite, and how they are timed
 */
#pragma once

#include "calibrate/trial.h"

G_BEGIN_DECLS

/**
 * psim_suite_cases:
 * What a suite measures on a unit, most telling first.
 *
 * @trials    PsimTrial *, appended to
 */
void psim_suite_cases(PsimSuite suite, const PsimUnitFacts *facts, GPtrArray *trials);

/**
 * psim_suite_policy:
 * Returns: how a case is timed; its budget is for the case alone, and the caller may cut it.
 */
PsimPolicy psim_suite_policy(const PsimCase *what, const PsimUnitFacts *facts);

/** psim_suite_share: Returns: the part of a budget that a suite is worth beside the others, [1]. */
double psim_suite_share(PsimSuite suite);

/** psim_suite_least_counts: Returns: whether the least of the samples is the time of a case (a core
 * that others use too), and not the median. */
bool psim_suite_least_counts(const PsimUnitFacts *facts);

G_END_DECLS
