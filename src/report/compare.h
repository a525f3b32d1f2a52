/* SPDX-License-Identifier: MIT */
/* compare.h: the figures by which results are compared, one row a candidate
 */
#pragma once

#include "report/report.h"

G_BEGIN_DECLS

/* Three bubbles, since three are in use: see the fields. */
typedef struct {
    const char *label;
    bool fits;
    bool deadlocks;
    PsimTime step_ps;
    double relative;        /* step / step of the fastest that fits                        [1] */
    double bubble_fraction; /* idle / step, mean over ranks                              [1] */
    double bubble_ratio;    /* idle / busy, mean over ranks                              [1] */
    double span_fraction;   /* idle inside a rank's own span / span, worst rank          [1] */
    double ideal_fraction;  /* closed form; NAN: none                                    [1] */
    double peak_bytes;      /* fullest stage                                             [B] */
    double least_bytes;     /* emptiest stage's peak                                     [B] */
    double weight_copies;   /* parameters held by all stages / parameters of the model   [1] */
    double send_bytes;      /* between stages, busiest rank, a step                      [B] */
    double unit_fraction;   /* bubble of the schedule alone on unit times; NAN: not run  [1] */
    uint32_t unit_peak;     /* its peak chunks, worst rank                               [1] */
} PsimComparedRow;

/** psim_compared_row: the figures of a candidate that has a result, measured by @best. */
PsimComparedRow psim_compared_row(const PsimCandidate *candidate, const PsimResult *best);

G_END_DECLS
