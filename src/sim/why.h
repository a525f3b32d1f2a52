/* SPDX-License-Identifier: MIT */
/* why.h: the parts of an explanation, one file a theme; internal to psim_explain()
 */
#pragma once

#include "cost/layer.h"
#include "sim/fill.h"

G_BEGIN_DECLS

typedef struct {
    const PsimRun *run;
    const char *member; /* as it was asked for */
    uint32_t stage;     /* of a member of "stages"; else the fullest */
    GString *out;
} PsimWhy;

/* One member: what it is, and who explains it. */
typedef struct {
    const char *member; /* "stages.weights_bytes", without the stage */
    void (*explain)(PsimWhy *why);
} PsimWhyMember;

/* Ended by an entry without a member. */
extern const PsimWhyMember psim_why_step_members[];   /* why_step.c */
extern const PsimWhyMember psim_why_comm_members[];   /* why_comm.c */
extern const PsimWhyMember psim_why_memory_members[]; /* why_memory.c */
extern const PsimWhyMember psim_why_rate_members[];   /* why_rate.c */

/* -- Sections: why_text.c. Texts given up are freed. -- */

/** psim_why_answer: "MEMBER = VALUE, NOTE"; @note may be NULL. Takes @value. */
void psim_why_answer(PsimWhy *why, char *value, const char *note);

void psim_why_formula(PsimWhy *why, const char *text);

/** psim_why_inputs: what the plan says at each pointer (up to a NULL), given or by default. */
void psim_why_inputs(PsimWhy *why, const char *const *pointers);

typedef enum {
    PSIM_WHY_PEAK = 1 << 0,
    PSIM_WHY_GEMM = 1 << 1,
    PSIM_WHY_ATTENTION = 1 << 2,
    PSIM_WHY_MEMORY_BOUND = 1 << 3,
    PSIM_WHY_SCALE_UP = 1 << 4,
    PSIM_WHY_FABRIC = 1 << 5,
    PSIM_WHY_HOST = 1 << 6,
    PSIM_WHY_BYTES = 1 << 7,
    PSIM_WHY_USABLE = 1 << 8,
    PSIM_WHY_OVERHEAD = 1 << 9,
} PsimWhyConstants;

/** psim_why_constants: @which of PsimWhyConstants, each with value, provenance and source. */
void psim_why_constants(PsimWhy *why, unsigned which);

/** psim_why_see: the members that go on from here. */
void psim_why_see(PsimWhy *why, const char *members);

/* -- Tables: why_kernel.c -- */

/** psim_why_kernels: the kernels of one block; of one pass, or of all but recomputation. */
void psim_why_kernels(PsimWhy *why, PsimBlock block, bool recomputed);

/** psim_why_cp_collectives: what one block exchanges in its context-parallel group. */
void psim_why_cp_collectives(PsimWhy *why);

/** psim_why_tp_collectives: the tensor-parallel collectives of one block. */
void psim_why_tp_collectives(PsimWhy *why);

G_END_DECLS
