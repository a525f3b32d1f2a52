/* SPDX-License-Identifier: MIT */
/* space.h: all candidates, numbered; and which of them need no look
 *
 * A candidate's ordinal is its place in the product of all axes, the last axis fastest. Another
 * axis (context, experts) is a member here and a case in the functions of space.c.
 */
#pragma once

#include "search/site.h"

G_BEGIN_DECLS

/* A schedule with its chunks. */
typedef struct {
    const char *schedule; /* static */
    uint32_t n_chunks;
} PsimSpaceOrder;

typedef struct {
    GPtrArray *sites; /* PsimSite; owned */
    GArray *gpus, *batches, *tp, *pp, *zero, *sequence_parallel, *recompute, *micro,
        *split;              /* uint32_t; split: 0 even, 1 balanced */
    GArray *orders;          /* PsimSpaceOrder */
    bool is_batch_per_gpu;   /* batches are samples a GPU: weak scaling */
    bool no_cross_node_tp;   /* tensor ranks stay in a scale-up domain */
    bool pipelined_sharding; /* ZeRO 2 and 3 also with a pipeline, where few trainers have them */
    bool is_pp_free;         /* pp is every divisor of some number of GPUs */
    double max_bytes;        /* on top of the device's own limit; 0: none */
} PsimSpace;

typedef struct {
    uint64_t ordinal;
    uint32_t site;
    uint32_t n_gpus;
    PsimChange change;
} PsimCandidatePlan;

/* Why candidates were not run. */
typedef enum {
    PSIM_DROP_RULES,  /* does not divide, or a rule of model, hardware or schedule */
    PSIM_DROP_ALIKE,  /* the same as another candidate: sharding of one replica, ... */
    PSIM_DROP_MEMORY, /* does not fit */
    PSIM_DROP_BOUND,  /* cannot be among the best */
} PsimDrop;
#define PSIM_N_DROPS 4

/** psim_space_new: empty axes; the caller appends. */
PsimSpace *psim_space_new(void);
void psim_space_free(PsimSpace *self);

/** psim_space_fill: axes that are still empty get all values worth looking at. */
void psim_space_fill(PsimSpace *self);

/** psim_space_size: Returns: candidates in all. */
uint64_t psim_space_size(const PsimSpace *self);

/**
 * psim_space_next:
 * The first candidate from *@ordinal on that is valid and whose states fit.
 *
 * @evaluators    (n_sites)
 * @ordinal       set behind it
 * @dropped       (PSIM_N_DROPS) counts what was passed over
 * @prunes        false: nothing is dropped for its memory
 *
 * Returns: false at the end.
 * Cost: a whole subtree is dropped at once where its root is wrong.
 */
bool psim_space_next(const PsimSpace *self,
                     PsimEvaluator *const *evaluators,
                     bool prunes,
                     uint64_t *ordinal,
                     uint64_t *dropped,
                     PsimCandidatePlan *ret_candidate);

/** psim_space_batch: Returns: samples of a step, for the batch of that index. */
uint32_t psim_space_batch(const PsimSpace *self, guint index, uint32_t n_gpus);

/** psim_space_ranks: Returns: GPUs of a replica, [1] >= 1, however large the degrees. */
uint64_t psim_space_ranks(const PsimSite *site, const PsimChange *change);

/** psim_space_limit: Returns: what a plan may need of a device there, [B]. */
double psim_space_limit(const PsimSpace *self, uint32_t site);

/** psim_space_at: the candidate of an ordinal, valid or not. */
void psim_space_at(const PsimSpace *self, uint64_t ordinal, PsimCandidatePlan *ret_candidate);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimSpace, psim_space_free)

G_END_DECLS
