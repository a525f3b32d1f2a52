/* SPDX-License-Identifier: MIT */
/* partial_fit.h: the fits that constants.c puts together, one file each
 */
#pragma once

#include "calibrate/constants.h"

G_BEGIN_DECLS

/* Trials of one kind that have a time, as arrays. */
typedef struct {
    const PsimTrial **trials; /* (n) */
    double *seconds;          /* (n) [s] */
    size_t n;
} PsimTimes;

typedef bool (*PsimTimesFilter)(const PsimTrial *trial, const void *user);

/**
 * psim_times_of:
 * What @record has of a kind.
 *
 * @role      FIT or HELD_OUT
 * @filter    NULL: all
 * Ownership: the caller clears; trials are the record's.
 */
PsimTimes psim_times_of(const PsimRecord *record,
                        PsimCaseKind kind,
                        PsimRole role,
                        PsimTimesFilter filter,
                        const void *user);
void psim_times_clear(PsimTimes *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PsimTimes, psim_times_clear)

/** psim_kernel_fit: fills fractions, memory_launch_s and memory_held_out of @constants. */
void psim_kernel_fit(const PsimRecord *record, PsimConstants *constants);

/** psim_attention_fit: appends to attention of @constants. */
void psim_attention_fit(const PsimRecord *record, PsimConstants *constants);

/** psim_link_fit: appends to links of @constants. */
void psim_link_fit(const PsimRecord *record, PsimConstants *constants);

G_END_DECLS
