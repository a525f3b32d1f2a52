/* SPDX-License-Identifier: MIT */
/* altered.h: the same plan on other numbers, constants of the hardware and the stack included, and
 * what it would answer
 *
 * What a search changes is the plan alone: derive_plan.c.
 */
#pragma once

#include "sim/fill.h"

G_BEGIN_DECLS

/* A plan whose numbers may be changed: plan, hardware, device and the constants they point to. */
typedef struct {
    PsimPlan plan;
    PsimHardware hardware;
} PsimAltered;

/** psim_altered_make: Returns: a copy of @plan, from @arena; what it does not copy is borrowed. */
PsimAltered *psim_altered_make(const PsimPlan *plan, PsimArena *arena);

/** psim_altered_divides: Returns: whether @divisor goes into @whole. */
bool psim_altered_divides(uint32_t divisor, uint32_t whole);

/**
 * psim_altered_settle:
 * Derives what follows from changed degrees and batches: GPUs, microbatches, layers a stage.
 *
 * Returns: false if they contradict each other or the schedule's rules.
 */
bool psim_altered_settle(PsimPlan *plan, PsimArena *arena);

/* Changes of constants. */
void psim_altered_scale_products(PsimAltered *self, double factor);  /* GEMM and attention */
void psim_altered_scale_gemm(PsimAltered *self, double factor);      /* GEMM alone */
void psim_altered_scale_attention(PsimAltered *self, double factor); /* attention alone */
void psim_altered_scale_scale_up(PsimAltered *self, double factor);  /* bandwidth in a node */
void psim_altered_set_runtime(PsimAltered *self, const PsimRuntime *runtime);

typedef struct {
    PsimTime step_ps;
    double peak_bytes;
    bool fits;
} PsimAnswer;

/** psim_altered_is_legal: Returns: whether a plan in which another stack or kernel was put is one
 * that a file could ask for: parts of a sequence are joined by fused attention only. */
bool psim_altered_is_legal(const PsimPlan *plan);

/** psim_altered_replay: Returns: false if the plan cannot be run, or the run was cancelled. */
bool psim_altered_replay(const PsimPlan *plan, const PsimOptions *options, PsimAnswer *ret_answer);

G_END_DECLS
