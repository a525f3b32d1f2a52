/* SPDX-License-Identifier: MIT */
/* replay.h: a plain replay of a schedule's lists, for tests of generators
 *
 * Each rank runs its list strictly in order; an op starts when its rank is free and its inputs are
 * there. F(s,i) needs F(s-1,i); B or I(s,i) needs F(s,i) and B or I(s+1,i); W(s,i) needs I(s,i); an
 * edge that crosses ranks takes the latency. Sends never block.
 */
#pragma once

#include "schedule/schedule.h"

G_BEGIN_DECLS

/* Times of one stage. */
typedef struct {
    int64_t forward, backward_input, backward_weight;
} PsimStageTimes;

typedef struct {
    const PsimStageTimes *stages; /* (n_stages) */
    int64_t latency;
} PsimReplayTimes;

typedef struct {
    bool deadlock;
    int64_t makespan;
    int64_t span_max; /* longest own span of a rank: its last end minus its first start */
    int64_t *busy;    /* (n_ranks) */
    uint32_t *n_done; /* (n_ranks) ops that ran: the head is ops[rank][n_done[rank]] */
    int64_t **end;    /* (n_ranks) of (n_ops[rank]) */
} PsimReplayed;

/** psim_replay_order: Ownership: the arena's. */
PsimReplayed *
psim_replay_order(const PsimOrder *order, const PsimReplayTimes *times, PsimArena *arena);

/** psim_replay_equal: the same with equal stages. */
PsimReplayed *
psim_replay_equal(const PsimOrder *order, PsimStageTimes stage, int64_t latency, PsimArena *arena);

/** psim_replay_duration: Returns: how long an op takes. */
int64_t psim_replay_duration(const PsimReplayTimes *times, PsimOp op);

G_END_DECLS
