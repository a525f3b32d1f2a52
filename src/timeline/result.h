/* SPDX-License-Identifier: MIT */
/* result.h: everything that is known about a run, as plain figures
 *
 * Filled by sim/, told by report/. Reports need no spec: names and figures travel here. Strings and
 * arrays live in the result's own arena. NAN stands for "not modelled" in doubles and is written as
 * null. Immutable once psim_simulate() returned it.
 */
#pragma once

#include "engine/engine.h"
#include "engine/ledger.h"
#include "graph/graph.h"

G_BEGIN_DECLS

typedef enum {
    PSIM_RESULT_RUN,      /* a plan: psim_simulate() */
    PSIM_RESULT_SCHEDULE, /* a schedule alone on integer ticks: psim_schedule_simulate() */
} PsimResultKind;

/* Where the step goes, whole picoseconds, mean over ranks; they sum to the step exactly (the
 * remainders of the means go to the largest terms first). */
typedef struct {
    PsimTime compute_ps;
    PsimTime recompute_ps;
    PsimTime tp_exposed_ps;
    PsimTime pp_exposed_ps;
    PsimTime cp_exposed_ps;
    PsimTime ep_exposed_ps; /* 0 until expert parallelism */
    PsimTime dp_exposed_ps;
    PsimTime bubble_ps;
    PsimTime optimizer_ps;
    PsimTime other_ps;
} PsimBreakdown;

/* One pipeline rank. */
typedef struct {
    uint32_t rank;
    PsimBreakdown breakdown; /* of this rank; sums to the step exactly */
    PsimTime busy_ps; /* F, B, I, W and recomputation with their TP and CP collectives: what an
                       * ideal pipeline would also do */
    PsimTime first_start_ps;
    PsimTime last_end_ps; /* of its compute stream; own span = last_end - first_start */
    PsimLedgerPeak peak;
} PsimRankFigures;

/* One row of "stages": a pipeline rank with all its chunks. */
typedef struct {
    uint32_t stage; /* pipeline rank */
    uint32_t n_layers;
    const char *layers_text;  /* "0-2", "0-2, 12-14" */
    double params;            /* of one TP rank                        [1] */
    uint32_t weight_versions; /* of them kept at once                 [1] */
    double weights_bytes;     /* [B] from here on */
    double gradients_bytes;
    double optimizer_bytes;
    double activations_bytes; /* in flight at the peak */
    double logits_bytes;      /* part of the peak */
    double comm_buffers_bytes;
    double overhead_bytes;      /* context, communicators, fragmentation */
    double communicators_bytes; /* of which */
    double peak_bytes;          /* the sum of the above */
    PsimTime peak_time_ps;
    const char *peak_event; /* "B of microbatch 0" */
    uint32_t in_flight_max; /* microbatches of one chunk */
    PsimTime busy_ps, idle_ps;
    double bubble_fraction; /* idle / step */
} PsimStageFigures;

typedef struct {
    const char *kind;  /* "all-reduce" */
    const char *group; /* "tp", "pp", "dp" */
    uint32_t group_size;
    bool crosses_node;
    double bytes;     /* payload of one                        [B] */
    uint64_t count;   /* a rank, a step; the busiest rank      [1] */
    double time_s;    /* of all of them on that rank           [s] */
    double exposed_s; /* of it, not hidden                     [s] */
} PsimCollectiveFigures;

typedef struct {
    const char *change; /* "zero_stage=1" */
    double peak_bytes;
    double step_s; /* NAN if not simulated */
} PsimFix;

typedef struct {
    const char *name, *value, *source, *effect; /* effect may be NULL */
} PsimAssumption;

typedef struct {
    const char *code, *severity, *message, *fix; /* fix may be NULL */
} PsimRemark;

typedef struct {
    const char *key, *value, *why;
} PsimDefaultUsed;

/* One input changed alone. NAN where there is no such variant. */
typedef struct {
    const char *input; /* "hbm_bandwidth" */
    const char *unit;  /* "B/s", "s", "B", "1" */
    double value, low_value, high_value;
    double low_step_s, high_step_s;
    double elasticity; /* of the step: its relative change over that of the input */
    bool low_fits, high_fits;
    bool changes_verdict; /* one of them fits otherwise than the plan does */
} PsimSensitivity;

/* The same plan under another runtime. */
typedef struct {
    const char *name;
    double step_s;
    double mfu_fraction;
    double peak_bytes;
    bool fits;
} PsimOtherStack;

/* Something that would change the prediction, and to what. */
typedef struct {
    const char *change; /* "recompute full" */
    double step_s;
    double ratio;  /* of the measured step to this one */
    bool explains; /* within 5 % of the measurement */
    bool fits;     /* into memory; what does not was hardly measured */
} PsimExplanation;

/* Between the prediction and a measurement. */
typedef struct {
    double step_s;                   /* measured */
    double ratio;                    /* measured / predicted */
    double model_flop_per_s_per_gpu; /* at the measured step, as the headline counts them [1/s] */
    double mfu_fraction;             /* the same against the dense peak                  [1] */
    double tokens_per_s;             /* at the measured step                           [1/s] */
    double days;                     /* of the whole run at the measured step; NAN       [d] */
    double efficiency;               /* of large products, as predicted                  [1] */
    double efficiency_factor;        /* on it, so that the two agree; NAN: none does     [1] */
    const PsimExplanation *explanations; /* (n_explanations) nearest first */
    uint32_t n_explanations;
} PsimGap;

/* A rank that cannot go on. */
typedef struct {
    uint32_t rank;
    const char *head;    /* "8F4"; NULL: finished */
    const char *missing; /* "the forward of stage 7, microbatch 4, on rank 3" */
} PsimStuck;

struct PsimResult {
    gint ref_count;
    PsimArena *arena;
    PsimResultKind kind;

    /* the question */
    const char *plan_name, *plan_about;
    const char *model_name, *hardware_name, *device_name, *runtime_name;
    const char *const *files; /* (n_files) */
    uint32_t n_files;
    const char *resolved_json; /* the plan with model and hardware, defaults filled in */
    const char *digest;
    const PsimDefaultUsed *defaults; /* (n_defaults) */
    uint32_t n_defaults;

    /* model */
    double params_total, params_active;
    const char *const *part_names; /* (n_parts) "embedding", ... */
    const double *part_params;     /* (n_parts) */
    uint32_t n_parts;
    double flop_per_token_model, flop_per_token_hardware;
    const char *flop_formula;     /* in words, with its source */
    const char *state_arithmetic; /* "175 B parameters x 4 bytes = 700 GB of fp32 weights; ..." */

    /* plan */
    uint32_t n_gpus, tp, cp, pp, dp, n_chunks, zero_stage, micro_batch, global_batch,
        n_microbatches;
    uint32_t sequence, vocabulary;
    const uint32_t *layers_per_stage; /* (pp * n_chunks) */
    const char *schedule, *schedule_title, *recompute, *precision;
    const char *recompute_extent; /* ", the first 3 layers of a stage, 2 at once"; or "" */
    bool sequence_parallel;

    /* verdict */
    bool fits;
    bool tight; /* so near to the capacity, on either side, that the verdict is a guess */
    uint32_t worst_stage;
    double worst_peak_bytes, capacity_bytes, margin_bytes;
    const char *binding_term; /* "optimizer": the largest term of the worst stage */
    const PsimFix *fixes;     /* (n_fixes) smallest change first; empty if it fits */
    uint32_t n_fixes;

    /* step */
    PsimTime step_ps;
    double time_low_s, time_high_s; /* band from the constants' errors; NAN: none */
    double tokens_per_s;
    double mfu_fraction, hfu_fraction; /* of the dense peak at the plan's precision */
    double model_flop_per_s_per_gpu, hardware_flop_per_s_per_gpu;
    PsimBreakdown breakdown;

    /* pipeline */
    double bubble_fraction;       /* idle / step, mean over ranks */
    PsimTime bubble_ps;           /* idle, mean over ranks */
    double bubble_ratio_to_ideal; /* idle / busy */
    double ideal_bubble_fraction; /* closed form, equal stages, free communication; NAN: none */
    const char *ideal_text;       /* "(p-1)/(m+p-1)"; NULL: none */
    const char *bubble_reason;    /* why the two differ; NULL: they do not */

    /* parts */
    const PsimRankFigures *ranks; /* (n_ranks) folded: pp; unfolded: n_gpus */
    uint32_t n_ranks;
    const PsimStageFigures *stages; /* (pp); NULL for a schedule alone */
    uint32_t n_stages;
    const PsimCollectiveFigures *collectives;
    uint32_t n_collectives;

    /* the whole run */
    double tokens, days, gpu_hours, cost; /* NAN: no budget or no price */
    double usd_per_gpu_hour;
    const char *price_text; /* "1.80 USD per GPU-hour, 2026-03, source" */

    const PsimAssumption *assumptions;
    uint32_t n_assumptions;
    const PsimRemark *warnings;
    uint32_t n_warnings;

    /* further questions; empty unless they were asked */
    const PsimSensitivity *sensitivity; /* (n_sensitivity) strongest first */
    const PsimOtherStack *other_stacks; /* (n_other_stacks) fastest first */
    const PsimGap *gap;                 /* NULL: nothing was measured */
    uint32_t n_sensitivity, n_other_stacks;

    /* a schedule alone */
    /* A rank's list, written when asked for, since lists may be millions long: "F0 F1 B0", cells
     * separated by one space. */
    const void *order;
    void (*write_order)(const void *order, uint32_t rank, GString *out);
    const PsimStuck *stuck; /* (n_stuck) one a rank, empty without deadlock */
    uint32_t n_stuck;

    /* timeline; rank r of the graph is described by ranks[r] */
    const PsimGraph *graph;
    const PsimReplay *replay;
    bool unfolded;
};

/**
 * psim_result_new:
 * Returns: an empty result with an arena of its own and one reference; figures that may stay
 * unknown (band, rates, ideal bubble, the whole run) are NAN. Ownership: the caller unrefs.
 */
PsimResult *psim_result_new(PsimResultKind kind);

G_END_DECLS
