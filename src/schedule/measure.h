/* SPDX-License-Identifier: MIT */
/* measure.h: what lists of operations take on given times
 *
 * A small exact replay for whoever compares thousands of orders: no tasks, no graph. Each rank runs
 * its list in order; an operation starts when its rank is free and its input has arrived. It knows
 * one chain without token slices; a fused pair is F and then B.
 */
#pragma once

#include "schedule/schedule.h"

G_BEGIN_DECLS

/* One virtual stage. */
typedef struct {
    PsimTime duration[PSIM_N_OP_KINDS];
    PsimTime send[2];                  /* to the next stage, to the previous; 0: on the same rank */
    int64_t stored_bytes, input_bytes; /* as in PsimShapeTimes */
    int64_t working_bytes[PSIM_N_OP_KINDS];
    uint32_t rank;
} PsimMeterStage;

/* A rank in the middle of a replay, and what is known of it after. */
typedef struct {
    uint32_t next; /* position in its list */
    PsimTime free_at;
    PsimTime first_start;
    PsimTime channel_free_at[2];
    int64_t held_bytes, peak_bytes;
} PsimMeterRank;

typedef struct {
    uint32_t n_ranks, n_stages, n_microbatches;
    bool channels;
    PsimMeterStage *stages;   /* (S) */
    const int64_t *cap_bytes; /* (p) */

    /* Of the last replay. Arrivals are -1 where nothing arrived. */
    PsimMeterRank *ranks;       /* (p) */
    PsimTime *forward_arrival;  /* (S, m) of the input of F */
    PsimTime *backward_arrival; /* (S, m) of the input of B or I */
    PsimTime *end;              /* (S, m, PSIM_N_OP_KINDS) */
    uint32_t *position;         /* (S, m, PSIM_N_OP_KINDS) in the list of the stage's rank */
} PsimMeter;

/* The smaller the better, in this order of importance. */
typedef struct {
    bool deadlock;
    int64_t excess_bytes;  /* beyond the cap, worst rank; 0: fits */
    PsimTime makespan;     /* first operation of any rank to last of any rank */
    PsimTime span_max;     /* longest from a rank's first operation to its last */
    int64_t fullest_bytes; /* peak less cap, worst rank */
} PsimMeasured;

/**
 * psim_meter_new:
 * @shape            whose times may be NULL: F, I and W take 1 and nothing else counts
 * @rank_of_stage    (S) borrowed during the call
 */
PsimMeter *psim_meter_new(const PsimShape *shape, const uint32_t *rank_of_stage, PsimArena *arena);

/**
 * psim_meter_run:
 * Replays an order placed as the meter's.
 *
 * Exact for: lists whose W come after their I; tests/schedule/test_auto.c.
 * Cost: about 10 ns an operation.
 */
PsimMeasured psim_meter_run(PsimMeter *self, const PsimOrder *order);

/** psim_measured_is_less: Returns: whether @a is better than @b. */
bool psim_measured_is_less(const PsimMeasured *a, const PsimMeasured *b);

/**
 * psim_meter_arrival:
 * Returns: when a result that is ready at @end_ps is at the next stage (@direction 0) or at the
 * previous one (1). Advances the channel of @rank.
 */
static inline PsimTime
psim_meter_arrival(const PsimMeter *self,
                   PsimMeterRank *rank,
                   const PsimMeterStage *stage,
                   unsigned direction,
                   PsimTime end_ps)
{
    const PsimTime send_ps = stage->send[direction];

    if (send_ps == 0)
        return end_ps;
    if (!self->channels)
        return end_ps + send_ps;
    rank->channel_free_at[direction] = MAX(rank->channel_free_at[direction], end_ps) + send_ps;
    return rank->channel_free_at[direction];
}

G_END_DECLS
