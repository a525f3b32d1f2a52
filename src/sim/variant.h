/* SPDX-License-Identifier: MIT */
/* variant.h: the same plan with something changed, and what it would answer
 */
#pragma once

#include "sim/fill.h"

G_BEGIN_DECLS

/* A plan whose numbers may be changed: plan, hardware, device and the constants they point to. */
typedef struct {
    PsimPlan plan;
    PsimHardware hardware;
} PsimVariant;

/** psim_variant_make: Returns: a copy of @plan, from @arena; what it does not copy is borrowed. */
PsimVariant *psim_variant_make(const PsimPlan *plan, PsimArena *arena);

/** psim_variant_divides: Returns: whether @divisor goes into @whole. */
bool psim_variant_divides(uint32_t divisor, uint32_t whole);

/**
 * psim_variant_settle:
 * Derives what follows from changed degrees and batches: GPUs, microbatches, layers a stage.
 *
 * Returns: false if they contradict each other or the schedule's rules.
 */
bool psim_variant_settle(PsimPlan *plan, PsimArena *arena);

/* Changes of constants. */
void psim_variant_scale_products(PsimVariant *self, double factor);  /* GEMM and attention */
void psim_variant_scale_gemm(PsimVariant *self, double factor);      /* GEMM alone */
void psim_variant_scale_attention(PsimVariant *self, double factor); /* attention alone */
void psim_variant_scale_scale_up(PsimVariant *self, double factor);  /* bandwidth in a node */
void psim_variant_set_runtime(PsimVariant *self, const PsimRuntime *runtime);

typedef struct {
    PsimTime step_ps;
    double peak_bytes;
    bool fits;
} PsimAnswer;

/** psim_variant_replay: Returns: false if the plan cannot be run, or the run was cancelled. */
bool psim_variant_replay(const PsimPlan *plan, const PsimOptions *options, PsimAnswer *ret_answer);

G_END_DECLS
