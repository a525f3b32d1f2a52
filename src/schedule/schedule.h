/* SPDX-License-Identifier: MIT */
/* schedule.h: in which order a pipeline rank works
 *
 * A schedule is a list of operations for each rank and nothing else: no times, no model. A
 * generator emits the lists; one lowering and one engine replay them all. A new schedule is one
 * file with a PsimScheduleType, and one line in the registry of schedule.c.
 *
 * Symbols: p ranks, m microbatches, v chunks a rank, S = p v virtual stages in model order.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "plansim.h"

G_BEGIN_DECLS

typedef enum {
    PSIM_OP_FORWARD,         /* F */
    PSIM_OP_BACKWARD,        /* B, whole: I and W at once */
    PSIM_OP_BACKWARD_INPUT,  /* I */
    PSIM_OP_BACKWARD_WEIGHT, /* W */
} PsimOpKind;
#define PSIM_N_OP_KINDS 4

/** psim_op_letter: Returns: 'F', 'B', 'I' or 'W'. */
char psim_op_letter(PsimOpKind kind);

/* One operation of a rank; 8 bytes, since a large run has tens of millions. */
typedef struct {
    uint32_t microbatch;
    uint16_t stage; /* virtual stage, in model order */
    uint8_t kind;   /* PsimOpKind */
    uint8_t flags;  /* PsimOpFlag */
} PsimOp;

typedef enum {
    PSIM_OP_WITH_NEXT = 1, /* this F and the B after it are one fused pair: both begin when both
                            * inputs are there, and both results are there when the pair ends */
} PsimOpFlag;

/* What a schedule made to measure may know of the work. */
typedef struct PsimShapeTimes {
    const PsimTime (*stage)[3];    /* (S) F, I, W of each virtual stage                  [ps] */
    const PsimTime (*transfer)[2]; /* (S) its output to the next stage, its input gradient to the
                                    * previous one                                      [ps] */
    const int64_t *stored_bytes;   /* (S) kept from F to W                               [B]  */
    const int64_t *input_bytes;    /* (S) of them, given back by I already               [B]  */
    const int64_t *cap_bytes;      /* (p) room for what is kept; INT64_MAX: no limit     [B]  */
    const int64_t (*working_bytes)[3]; /* (S) held beside that while F, I, W run; NULL: none [B] */
    const uint32_t *rank_of_stage;     /* (S) the placement all this is for; NULL: whichever */
    bool channels;                     /* transfers of a rank and direction queue */
} PsimShapeTimes;

/* What a schedule is asked for. */
typedef struct {
    uint32_t n_ranks;        /* p >= 1 */
    uint32_t n_microbatches; /* m >= 1 */
    uint32_t n_chunks;       /* v >= 1 */
    uint32_t group;          /* N of interleaving; p where the schedule has none */
    uint32_t n_slices;       /* K token slices of a microbatch; 0 counts as 1 */
    const struct PsimShapeTimes
        *times;                    /* for schedules that are made to measure; NULL: unit times */
    const struct PsimOrder *given; /* lists that were read from a file; NULL: generated */
} PsimShape;

/* The lists.
 *
 * A bidirectional schedule has two chains: replicas of the model that run through the ranks in
 * opposite directions. Chain c has the stages c * S / n_chains and up, in model order, and its own
 * microbatches 0 .. n_microbatches - 1. With K token slices, "microbatch" u is slice u mod K of
 * microbatch u div K.
 */
typedef struct PsimOrder {
    uint32_t n_ranks;
    uint32_t n_stages;       /* S, of all chains */
    uint32_t n_microbatches; /* of one chain, slices counted singly */
    uint32_t n_chains;       /* 1; 2 bidirectional */
    uint32_t n_slices;       /* K */
    PsimOp **ops;            /* (n_ranks) of (n_ops[rank]) */
    uint32_t *n_ops;         /* (n_ranks) */
    uint32_t *rank_of_stage; /* (n_stages) */
    bool serial;             /* one microbatch in the whole pipeline at a time (naive):
                              * F of stage 0 of microbatch i waits for B of stage 0 of i-1 */
} PsimOrder;

/** psim_order_chain_stages: Returns: stages of one chain, the depth of the model. */
static inline uint32_t
psim_order_chain_stages(const PsimOrder *order)
{
    return order->n_stages / order->n_chains;
}

/** psim_order_chunk: Returns: which chunk of its rank a stage is, chains counted one after the
 * other. */
static inline uint32_t
psim_order_chunk(const PsimOrder *order, uint32_t stage)
{
    return stage / order->n_ranks;
}

typedef struct {
    const char *name;        /* on the command line */
    const char *title;       /* "1F1B (PipeDream-Flush, DAPPLE)" */
    const char *summary;     /* one line */
    uint32_t default_chunks; /* v where the user says nothing */
    uint32_t min_chunks, max_chunks;
    uint32_t n_chains;       /* 1, or 2: weights twice on every rank; 0 counts as 1 */
    uint32_t default_slices; /* K where the user says nothing; 0 counts as 1: not sliced */
    bool splits_backward;    /* emits I and W instead of B */
    bool is_asynchronous;    /* no flush: the bubble is paid once a run, not once a step */
    bool is_made_to_measure; /* reads shape.times */
    /* Appends one complaint, without a line end, if the schedule's rules forbid the shape, naming
     * the nearest valid values; NULL: any. emit() takes forbidden shapes too, to show what they do.
     */
    void (*check)(const PsimShape *shape, bool pytorch_rule, GString *complaints);
    /* Fills the lists. */
    void (*emit)(const PsimShape *shape, PsimArena *arena, PsimOrder *order);
    /* Closed form for equal stages and free communication, and its text; NULL: none.
     * Bubble time of one rank in units of (F + B of the whole rank's share) times
     * numerator/denominator: bubble = (numerator / denominator) * (tF + tB) where tF, tB are a
     * rank's share of one microbatch. */
    bool (*ideal_bubble)(const PsimShape *shape,
                         uint64_t *ret_numerator,
                         uint64_t *ret_denominator);
    const char *ideal_text; /* "(p-1)/m of the ideal time"; NULL: none */
    /* Versions of the weights a rank keeps; NULL: 1. */
    uint32_t (*weight_versions)(const PsimShape *shape, uint32_t rank);
    /* Most chunks in flight a rank keeps where ranks hold activations for one another, whatever
     * the peak of its own list; NULL: each rank keeps its own. */
    uint32_t (*balanced_peak)(const PsimShape *shape, uint32_t rank);
    const char *note; /* a known false formula or condition to tell the user; NULL: none */
} PsimScheduleType;

/** psim_schedule_find: Returns: the type of that name, or NULL; static. */
const PsimScheduleType *psim_schedule_find(const char *name);

/** psim_schedule_words: Returns: all names, NULL-terminated; static. */
const char *const *psim_schedule_words(void);

/** psim_schedule_chunks: Returns: how many chunks a rank may have, "1" or "2 to 64". */
char *psim_schedule_chunks(const PsimScheduleType *type);

/**
 * psim_schedule_emit:
 * The lists of a schedule.
 *
 * @shape    whether the check allows it or not; chunks from min_chunks to max_chunks (checked)
 *
 * Cost: at most 20 ns an operation.
 */
PsimOrder *
psim_schedule_emit(const PsimScheduleType *type, const PsimShape *shape, PsimArena *arena);

/** psim_order_peak: most chunks in flight on @rank: forwards begun and not yet released. */
uint32_t psim_order_peak(const PsimOrder *order, uint32_t rank);

/* Helpers for generators. */

/**
 * psim_order_begin:
 * Room for @n_ops operations on each rank; p v stages of one chain, loop placement (rank of s = s
 * mod p).
 */
void psim_order_begin(PsimOrder *order, const PsimShape *shape, PsimArena *arena, uint32_t n_ops);

/** psim_order_place_v: zigzag placement: odd chunks run from the last rank to the first. */
void psim_order_place_v(PsimOrder *order);

/**
 * psim_order_begin_two:
 * Like psim_order_begin() for two chains of p stages each: stage s on rank s, stage p + s, which is
 * s of the other replica, on rank p - 1 - s.
 *
 * @n_microbatches    of one chain
 */
void psim_order_begin_two(
    PsimOrder *order, uint32_t n_ranks, uint32_t n_microbatches, PsimArena *arena, uint32_t n_ops);

static inline void
psim_order_add(
    PsimOrder *order, uint32_t rank, PsimOpKind kind, uint32_t stage, uint32_t microbatch)
{
    order->ops[rank][order->n_ops[rank]++] =
        (PsimOp){.microbatch = microbatch, .stage = (uint16_t)stage, .kind = (uint8_t)kind};
}

G_END_DECLS
