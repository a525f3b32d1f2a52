/* SPDX-License-Identifier: MIT */
/* plan.h: how it is trained: degrees, batch, schedule, recomputation, sharding
 *
 * A plan holds its model, hardware and runtime, so it is the whole question. The file format is
 * documented in plans/README.md and plans/schema.json. Everything here is resolved: no zeros that
 * mean "default".
 */
#pragma once

#include "plansim.h"
#include "schedule/csv_file.h"
#include "schedule/schedule.h"
#include "spec/hardware.h"
#include "spec/model.h"
#include "spec/runtime.h"

G_BEGIN_DECLS

typedef enum {
    PSIM_RECOMPUTE_NONE,
    PSIM_RECOMPUTE_SELECTIVE, /* the attention core: scores, softmax, dropout, context */
    PSIM_RECOMPUTE_FULL,      /* whole layers; only their inputs are kept */
} PsimRecompute;

typedef enum {
    PSIM_SPLIT_EVEN,
    PSIM_SPLIT_EXPLICIT, /* as the user wrote it */
    PSIM_SPLIT_BALANCED, /* by what stages take: lower/balance.h, once a plan is run */
} PsimSplit;

/* A remark that does not stop the run. */
typedef struct {
    char *code;     /* "tp-across-nodes" */
    char *severity; /* "warning", "note" */
    char *message;
    char *fix; /* or NULL */
} PsimWarning;

struct PsimPlan {
    gint ref_count;
    char *name;
    char *about;
    char *source;
    PsimModel *model;
    PsimHardware *hardware;
    PsimRuntime runtime;

    uint32_t n_gpus; /* = tp * cp * pp * dp */
    uint32_t tp, cp, pp, dp;
    PsimContextCommunication context_communication; /* of no meaning where cp is 1 */
    bool sequence_parallel;
    uint32_t micro_batch;    /* samples of one microbatch */
    uint32_t global_batch;   /* samples of one step, all replicas */
    uint32_t n_microbatches; /* global / (micro * dp) */

    const PsimScheduleType *schedule;
    PsimCsvFile *schedule_file; /* whose order it is; NULL: the schedule makes its own */
    uint32_t n_chunks;          /* v */
    uint32_t n_slices;          /* K token slices of a microbatch */
    uint32_t group;             /* N of interleaving */

    /* (pp * n_chunks), in model order; sums to the layer count. A balanced split is not known here
     * yet: it is nearly even until then. */
    uint32_t *layers_per_stage;
    PsimSplit split;

    PsimRecompute recompute;
    uint32_t recompute_layers; /* of each virtual stage, the first ones, if full; or all it has */
    uint32_t recompute_group;  /* layers that are made again at once, from one input */
    uint32_t zero_stage;       /* 0..3 */
    PsimPrecision precision;
    bool flash_attention;
    bool overlap_dp, overlap_pp, overlap_tp;

    double tokens;           /* of the whole run; 0: none */
    double usd_per_gpu_hour; /* 0: the hardware's default */

    GPtrArray *defaults; /* PsimDefault of plan, model and hardware */
    GPtrArray *warnings; /* PsimWarning */
    GPtrArray *files;    /* char*, as the user wrote them: plan, model, hardware, runtime */
    char *digest;
};

/**
 * psim_plan_shape:
 * Returns: what the plan asks of its schedule.
 */
PsimShape psim_plan_shape(const PsimPlan *self);

/** psim_plan_schedule_name: Returns: "1f1b", or the file's name; borrowed from the plan. */
const char *psim_plan_schedule_name(const PsimPlan *self);

/* Bytes of a parameter as the runtime keeps them. In fp32 and TF32 weights and gradients take 4,
 * and the weights are their own master copy, so that the optimizer has its two moments alone. */

/** psim_plan_weight_bytes: Returns: of one weight, as it is handed to other ranks, [B]. */
double psim_plan_weight_bytes(const PsimPlan *self);

/** psim_plan_kept_weight_bytes: Returns: the same with its copies in fp8, if the runtime keeps any:
 * cast once a step, and transposed for the backward, [B]. */
double psim_plan_kept_weight_bytes(const PsimPlan *self);

/** psim_plan_keeps_fp8: Returns: whether operands of products are kept in fp8. */
bool psim_plan_keeps_fp8(const PsimPlan *self);

/** psim_plan_gradient_bytes: Returns: of one gradient, [B]. */
double psim_plan_gradient_bytes(const PsimPlan *self);

/** psim_plan_reduce_bytes: Returns: of one gradient on the wire, [B]. */
double psim_plan_reduce_bytes(const PsimPlan *self);

/** psim_plan_optimizer_bytes: Returns: of one parameter's optimizer state, [B]. */
double psim_plan_optimizer_bytes(const PsimPlan *self);

/**
 * psim_plan_owners:
 * Returns: ranks that hold the same weights of a stage, replicas x context ranks: gradients are
 * reduced over them, and what a ZeRO stage shards is sharded over them, [1] >= 1.
 * Source: Megatron-Core's group of data and context ranks; FSDP's mesh in torchtitan is the same.
 */
uint32_t psim_plan_owners(const PsimPlan *self);

/** psim_plan_stage_count: Returns: virtual stages, pp * n_chunks. */
uint32_t psim_plan_stage_count(const PsimPlan *self);

/**
 * psim_plan_padded_vocabulary:
 * Returns: the model's vocabulary rounded up to a multiple of the runtime's vocabulary_multiple on
 * each tensor rank; Megatron-LM pads to 128.
 */
uint64_t psim_plan_padded_vocabulary(const PsimPlan *self);

/** psim_plan_warn: appends a remark; @fix may be NULL. Takes @message and @fix. */
void
psim_plan_warn(PsimPlan *self, const char *code, const char *severity, char *message, char *fix);

G_END_DECLS
