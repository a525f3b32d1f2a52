/* SPDX-License-Identifier: MIT */
/* unit_workload.h: workloads of small integers for tests
 */
#pragma once

#include "engine/sweep.h"
#include "lower/lower.h"
#include "timeline/summary.h"

/* Times of one chunk in ticks; a whole backward takes input + weight. */
typedef struct {
    int64_t forward, input, weight, latency;
} UnitTimes;

/** unit_workload: a schedule on equal stages; one byte a chunk, so that the ledger counts chunks.
 */
PsimWorkload
unit_workload(PsimArena *arena, const char *schedule, PsimShape shape, UnitTimes times);

/**
 * unit_workload_hold: makes each forward hold @whole bytes until B, or until I, and of these
 * @weight bytes until W.
 */
void unit_workload_hold(PsimWorkload *work, PsimArena *arena, int64_t whole, int64_t weight);

typedef struct {
    PsimArena *arena;
    const PsimLowered *lowered;
    const PsimReplay *replay;
    const PsimRankFigures *ranks;
} UnitRun;

/** unit_run: lowers and replays; a failure fails the test. */
UnitRun unit_run(const PsimWorkload *work, PsimArena *arena);

/** unit_run_span: Returns: the longest own span of a rank, its last end minus its first start. */
PsimTime unit_run_span(const UnitRun *run);

/** unit_run_idle: what of it is more than a rank's work, if all have the same. */
PsimTime unit_run_idle(const UnitRun *run);

/** unit_run_bubble: what of the makespan is more than a rank's work, if all have the same. */
PsimTime unit_run_bubble(const UnitRun *run);

/** unit_shape: groups of p. */
PsimShape unit_shape(uint32_t p, uint32_t m, uint32_t v);

/** unit_replay: a schedule on equal stages; a deadlock fails the test. */
UnitRun unit_replay(const char *schedule, PsimShape shape, UnitTimes times, PsimArena *arena);
