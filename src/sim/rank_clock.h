/* SPDX-License-Identifier: MIT */
/* rank_clock.h: the times a rank of a replay stands at, and the end of its step
 */
#pragma once

#include "lower/workload.h"

G_BEGIN_DECLS

/* Times of a rank; 0 where nothing has been yet, which never is the latest. What a program does not
 * use in its loop stands still there. */
typedef struct {
    uint64_t compute, tp, dp; /* streams: free at */
    uint64_t send[2];         /* to the previous and the next rank */
    uint64_t wait;            /* result the next compute must wait for */
    uint64_t wait_send;       /* transfer it must wait for */
    uint64_t last_compute, before_last, last_dp;
} PsimRankClock;
#define PSIM_RANK_CLOCK_TIMES (sizeof(PsimRankClock) / sizeof(uint64_t))

/** psim_rank_clock_end: what lower/tail.c adds after the last operations.  @clocks (p) */
void psim_rank_clock_end(PsimRankClock *clocks, const PsimWorkload *work);

G_END_DECLS
