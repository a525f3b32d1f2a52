/* SPDX-License-Identifier: MIT */
/* program.h: the lists of a schedule as one sequence: a head, a loop of one period, a tail
 *
 *     rank 0   F0 F1 F2 [F3 B0] F4 B1 ... F9 B6 | B7 B8 B9
 *     rank 1   F0 F1 [F2 B0] F3 B1 ...           | ...
 *              head     period x n_periods         tail
 *
 * Operations stand in an order in which every input exists, so that one pass replays them. The
 * lists of a static schedule repeat, operation by operation, with later microbatches: then one
 * period stands for all. That they do is checked on the lists themselves, not assumed.
 */
#pragma once

#include "lower/workload.h"

G_BEGIN_DECLS

#define PSIM_PROGRAM_NO_LOOP UINT32_MAX

/* Slots hold when a result arrives at another rank. Two of them are no one's: */
#define PSIM_PROGRAM_SLOT_NONE 0u /* read: nothing to wait for */
#define PSIM_PROGRAM_SLOT_VOID 1u /* written: nobody waits */

typedef enum {
    PSIM_PROGRAM_FIRST = 1, /* first operation of its stage: weights may be gathered */
    PSIM_PROGRAM_LAST = 2,  /* completes the gradients of its stage */
} PsimProgramFlag;

typedef struct {
    uint32_t recipe; /* stage * PSIM_N_OP_KINDS + kind */
    uint32_t in_slot, out_slot;
    uint16_t rank;
    uint16_t flags; /* PsimProgramFlag */
} PsimProgramOp;

/* Operations begin .. end of the sequence, n_periods times. What is under way at the end of a
 * period lies in @end_slots, and was in @begin_slots at its beginning, item by item. */
typedef struct {
    uint32_t begin, end;
    uint32_t n_periods;
    uint32_t n_pending;
    const uint32_t *begin_slots, *end_slots; /* (n_pending) */
} PsimProgramLoop;

#define PSIM_PROGRAM_MAX_LOOPS 2

typedef struct {
    PsimOrder order; /* placement and counts, without lists */
    PsimProgramOp *ops;
    uint32_t n_ops, n_slots;
    PsimProgramLoop loops[PSIM_PROGRAM_MAX_LOOPS];
    uint32_t n_loops;
    bool is_usable; /* false: fused pairs, or a deadlock; replay the graph */
} PsimProgram;

/**
 * psim_program_make:
 * @scratch    for the whole lists; the program itself is in @arena
 *
 * Cost: some 50 ns an operation of the whole lists.
 */
PsimProgram *psim_program_make(const PsimScheduleType *type,
                               const PsimShape *shape,
                               PsimArena *scratch,
                               PsimArena *arena);

G_END_DECLS
