/* SPDX-License-Identifier: MIT */
/* workload.h: a step in whole picoseconds and bytes, whatever the numbers come from
 *
 * The plan side ends here and the machine side begins: a plan becomes a workload by costing
 * (lower/work), a schedule alone by the user's integers (sim/schedule_alone); from here on nothing
 * knows of models.
 *
 *     S virtual stages, p ranks, m microbatches; letters as in schedule/schedule.h
 */
#pragma once

#include "graph/graph.h"
#include "schedule/schedule.h"

G_BEGIN_DECLS

/* One operation kind of one virtual stage: one microbatch, one rank. Its collectives follow the
 * kernels, the tensor-parallel ones first. */
typedef struct {
    PsimTime compute_ps;   /* kernels                                        [ps]   */
    PsimTime recompute_ps; /* part of compute_ps that recomputes             [ps]   */
    PsimTime tp_ps;        /* tensor-parallel collectives, as far as exposed [ps]   */
    PsimTime cp_ps;        /* context-parallel ones, as far as exposed       [ps]   */
    int64_t start_bytes;   /* memory taken when it starts                    [B]    */
    int64_t end_bytes;     /* memory given back when it ends                 [B]    */
    int64_t working_bytes; /* held while it runs                             [B]    */
    double flop;           /* hardware FLOPs                                 [FLOP] */
    double tp_bytes;       /* payload of the collectives                     [B]    */
    double cp_bytes;
} PsimOpWork;

/* One virtual stage. */
typedef struct {
    PsimOpWork op[PSIM_N_OP_KINDS];
    PsimTime send_forward_ps;  /* its output to the next stage's rank; 0: free          [ps] */
    PsimTime send_backward_ps; /* its input gradient to the previous stage's rank       [ps] */
    double send_bytes;         /* one transfer                                          [B]  */

    /* Data parallelism. Work of a stage is cut into n_segments of layers, so that collectives of
     * one segment overlap with compute of the next. */
    uint32_t n_segments; /* >= 1                                                       */
    PsimTime gather_ps;  /* all-gather of one segment's weights; 0: none          [ps] */
    PsimTime reduce_ps;  /* gradient reduction of one segment; 0: none            [ps] */
    double gather_bytes, reduce_bytes; /* payload of one segment                        [B]  */
} PsimStageWork;

/* When a stage's data-parallel collectives run. */
typedef enum {
    PSIM_DP_NEVER,
    PSIM_DP_EVERY, /* with every microbatch */
    PSIM_DP_ONCE,  /* with the first forward (gather), with or after the last backward (reduce) */
} PsimDpWhen;

/* What runs beside a segment: a set. */
enum {
    PSIM_BESIDE_GATHER = 1 << 0,
    PSIM_BESIDE_REDUCE = 1 << 1,
};
#define PSIM_N_BESIDE 4

/* The end of the step on one rank. */
typedef struct {
    PsimTime tied_ps; /* all-reduce of the tied embedding between first and last rank; 0: none */
    PsimTime optimizer_ps;
    PsimTime gather_ps; /* all-gather of updated weights that nothing hides; 0: none */
    double tied_bytes, gather_bytes;
} PsimTailWork;

typedef struct {
    const PsimOrder *order;
    const PsimStageWork *stages; /* (S) */
    const PsimTailWork *tails;   /* (p); NULL: no tail, a schedule alone */
    uint32_t tp, cp, dp;         /* copies of each pipeline rank: tp * cp * dp when unfolded */
    PsimTime pair_ps;            /* a fused pair of F and B; 0: both computes, with the collectives
                                  * of either hidden behind the compute of the other [ps] */
    bool unfold;                 /* one rank for each copy, instead of one for all */
    bool channels;               /* transfers queue, one at a time for each rank and direction */
    bool blocking_sends;         /* a rank waits until its transfer is through */
    bool overlap_dp;             /* data-parallel collectives run beside compute */
    double contention;           /* share of a rank's compute that a data-parallel collective beside
                                  * it takes [1] in [0, 1)                                     */
    PsimDpWhen gather_when;      /* ZeRO 3: every; ZeRO 1 and 2 with overlap: once */
    PsimDpWhen reduce_when;      /* ZeRO 2 and 3: every; below: once */
    bool global_barrier;         /* gradient norm over all ranks before the optimizer */
    PsimTime barrier_ps;         /* its all-reduce */
} PsimWorkload;

/**
 * psim_workload_slowed:
 * What a segment of a stage loses to the collectives beside it, those of its neighbours.
 *
 * @compute_ps    the whole operation                 [ps]
 * @beside        PSIM_BESIDE_*, a set
 *
 * Returns: [ps]; 0 without overlap.
 * Formula: while collectives of k run, (1 - c) k of the segment's work t is done: it takes c k
 * longer, or t / (1 - c) in all where they outlast it. c is the contention.
 */
PsimTime psim_workload_slowed(const PsimWorkload *self,
                              uint32_t stage,
                              PsimTime compute_ps,
                              unsigned beside);

/** psim_workload_copies: Returns: ranks of the graph for each pipeline rank. */
static inline uint32_t
psim_workload_copies(const PsimWorkload *self)
{
    return self->unfold ? self->tp * self->cp * self->dp : 1;
}

G_END_DECLS
