/* SPDX-License-Identifier: MIT */
/* plansim.h: the public interface of plansim, all of it, and so longer than a file should be
 *
 * plansim simulates one training step of a parallel plan: a model, a cluster and a TP/PP/DP plan
 * go in; step time, bubble, memory per stage and the timeline behind them come out.
 *
 *     g_autoptr(GError) error = NULL;
 *     g_autoptr(PsimPlan) plan = psim_plan_load("plans/mt-nlg-530b.json", NULL, 0, &error);
 *     g_autoptr(PsimResult) result = plan ? psim_simulate(plan, NULL, &error) : NULL;
 *
 * Every handle is immutable once made, reference-counted atomically and safe to share among
 * threads. Everything that can fail returns NULL or false and sets a GError of PSIM_ERROR whose
 * message has one line a complaint. Running out of memory aborts, as in GLib.
 *
 * The inner layers include this header for its vocabulary (enums, PsimTime, PsimError); each public
 * function is defined in the layer it belongs to, see src/README.md.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

G_BEGIN_DECLS

#define PSIM_API __attribute__((visibility("default")))

/* -- Version ----------------------------------------------------------------------------------- */

/**
 * psim_version:
 * Returns: the version of the library, such as "0.1.0". Never NULL.
 */
PSIM_API const char *psim_version(void);

/* -- Errors ------------------------------------------------------------------------------------ */

#define PSIM_ERROR (psim_error_quark())

/* What a caller can do about it; the exit code of the command line in brackets. */
typedef enum {
    PSIM_ERROR_IO,          /* cannot read or write                                     [4]   */
    PSIM_ERROR_SYNTAX,      /* not JSON                                                 [3]   */
    PSIM_ERROR_SCHEMA,      /* missing, unknown, wrong type, duplicate key              [3]   */
    PSIM_ERROR_VALUE,       /* out of range, wrong unit                                 [3]   */
    PSIM_ERROR_MISMATCH,    /* numbers or files contradict each other                   [3]   */
    PSIM_ERROR_LIMIT,       /* beyond a ceiling of base/limits.h                        [3]   */
    PSIM_ERROR_UNSUPPORTED, /* legal, but not in this version or build                  [3]   */
    PSIM_ERROR_INFEASIBLE,  /* a valid question whose answer is no: deadlock, no fit    [1]   */
    PSIM_ERROR_CANCELLED,   /* asked to stop                                            [130] */
    PSIM_ERROR_INTERNAL,    /* a fault of plansim                                       [5]   */
} PsimError;

/** psim_error_quark: Returns: the error domain of every error of this library. */
PSIM_API GQuark psim_error_quark(void);

/* -- Time -------------------------------------------------------------------------------------- */

/* Simulated time is a whole number of picoseconds, so that events that coincide stay together. */
typedef int64_t PsimTime;

#define PSIM_TIME_PER_S INT64_C(1000000000000)

/* -- Presets ----------------------------------------------------------------------------------- */

typedef enum {
    PSIM_PRESET_MODEL,
    PSIM_PRESET_HARDWARE,
    PSIM_PRESET_DEVICE,
    PSIM_PRESET_RUNTIME,
    PSIM_PRESET_PLAN,
} PsimPresetKind;

/**
 * psim_preset_names:
 * Returns: the names of the built-in presets of a kind, sorted, NULL-terminated.
 * Ownership: the caller frees with g_strfreev().
 */
PSIM_API char **psim_preset_names(PsimPresetKind kind);

/**
 * psim_preset_text:
 * Returns: the JSON text of a preset, or NULL if there is none of that name.
 * Ownership: the caller frees with g_free().
 */
PSIM_API char *psim_preset_text(PsimPresetKind kind, const char *name);

/* -- Models, hardware, plans ------------------------------------------------------------------- */

typedef struct PsimModel PsimModel;
typedef struct PsimHardware PsimHardware;
typedef struct PsimPlan PsimPlan;

/* Replaces one member of a document before it is read, as `--set` does.
 * In a plan, "/model/..." and "/hardware/..." reach into the files the plan names. */
typedef struct {
    const char *pointer; /* JSON pointer, "/parallel/tensor" */
    const char
        *value; /* JSON text; what is not JSON is taken as a string: 8, true, "80 GiB", gpipe */
} PsimOverride;

/**
 * psim_model_load, psim_hardware_load, psim_plan_load:
 * From a file (a path with a slash or ending in .json) or the preset of that name. A plan loads the
 * model and the hardware it names with it and is checked against both.
 *
 * @overrides    members to replace, may be NULL  (n_overrides)
 *
 * Errors: IO, SYNTAX, SCHEMA, VALUE, MISMATCH, LIMIT, UNSUPPORTED.
 * Ownership: the caller unrefs.
 */
PSIM_API PsimModel *psim_model_load(const char *name,
                                    const PsimOverride *overrides,
                                    size_t n_overrides,
                                    GError **error);
PSIM_API PsimHardware *psim_hardware_load(const char *name,
                                          const PsimOverride *overrides,
                                          size_t n_overrides,
                                          GError **error);
PSIM_API PsimPlan *
psim_plan_load(const char *name, const PsimOverride *overrides, size_t n_overrides, GError **error);

/**
 * psim_plan_parse:
 * A plan from JSON text.
 *
 * @text    JSON, need not be NUL-terminated                   (n_bytes)
 * @name    what messages call it; paths inside are relative to its directory
 *
 * Errors and ownership as psim_plan_load().
 */
PSIM_API PsimPlan *psim_plan_parse(const char *text,
                                   size_t n_bytes,
                                   const char *name,
                                   const PsimOverride *overrides,
                                   size_t n_overrides,
                                   GError **error);

PSIM_API PsimModel *psim_model_ref(PsimModel *self);
PSIM_API void psim_model_unref(PsimModel *self);
PSIM_API PsimHardware *psim_hardware_ref(PsimHardware *self);
PSIM_API void psim_hardware_unref(PsimHardware *self);
PSIM_API PsimPlan *psim_plan_ref(PsimPlan *self);
PSIM_API void psim_plan_unref(PsimPlan *self);

/**
 * psim_model_write, psim_hardware_write, psim_plan_write:
 * Returns: canonical JSON with every default filled in; reading it back gives an equal object.
 * Ownership: the caller frees with g_free().
 */
PSIM_API char *psim_model_write(const PsimModel *self);
PSIM_API char *psim_hardware_write(const PsimHardware *self);
PSIM_API char *psim_plan_write(const PsimPlan *self);

/* -- Results ----------------------------------------------------------------------------------- */

typedef struct PsimResult PsimResult;

/* How to simulate. Begin with PSIM_OPTIONS_INIT and change what you need. */
typedef struct {
    size_t size;             /* sizeof(PsimOptions), set by PSIM_OPTIONS_INIT                */
    bool unfold;             /* every rank instead of one a class of equal ranks             */
    bool event_loop;         /* the event loop even where one sweep gives the same answer    */
    bool memory_only;        /* memory and verdict alone, no time told; what `check` needs    */
    bool brief;              /* no fixes for a plan that does not fit; what comparisons need  */
    double tokens;           /* token budget of the whole run, [1]; 0: none                  */
    double usd_per_gpu_hour; /* price; 0: the dated default of the hardware, if it has one   */
    bool (*cancelled)(void *user); /* asked now and then; NULL: never                             */
    void *user;
    /* Further questions, each answered by running variants of the plan. */
    bool sensitivity;          /* which inputs move the answer, and how much                   */
    bool other_stacks;         /* the same step under every other runtime there is             */
    const char *measured_step; /* a measured step, "15.1 s": where is the gap? NULL: none      */
    double measured_tflops;    /* the same from model TFLOP/s a GPU; 0: none                   */
} PsimOptions;

#define PSIM_OPTIONS_INIT                                                                          \
    {                                                                                              \
        .size = sizeof(PsimOptions)                                                                \
    }

/**
 * psim_simulate:
 * One training step of the plan.
 *
 * @options    NULL: the defaults
 *
 * Returns: a result, also for a plan that does not fit into memory: see psim_result_fits().
 * Errors: VALUE (a measurement), LIMIT, UNSUPPORTED, INFEASIBLE (deadlock), CANCELLED.
 * Ownership: the caller unrefs.
 * Cost: linear in tasks; a folded plan has about 4 tasks a microbatch and stage.
 */
PSIM_API PsimResult *psim_simulate(PsimPlan *plan, const PsimOptions *options, GError **error);

/* -- Many plans -------------------------------------------------------------------------------- */

/* What another plan has otherwise: 0 and PSIM_KEEP leave what the base plan has. Begin with
 * PSIM_CHANGE_INIT. */
#define PSIM_KEEP (-1)
typedef struct {
    size_t size;           /* sizeof(PsimChange), set by PSIM_CHANGE_INIT                    */
    uint32_t tp, pp, dp;   /* degrees; GPUs are their product, times the base's context ranks */
    uint32_t n_chunks;     /* v; 0 with another schedule: that schedule's default            */
    uint32_t micro_batch;  /* samples of one microbatch                                      */
    uint32_t global_batch; /* samples of one step                                            */
    const char *schedule;  /* name; NULL: the base plan's                                    */
    int recompute;         /* 0 none, 1 selective, 2 full                                    */
    int zero_stage;        /* 0 to 3                                                         */
    int sequence_parallel; /* 0 or 1                                                         */
    int balanced;          /* 1: layers are split by time; 0: evenly                         */
} PsimChange;

#define PSIM_CHANGE_INIT                                                                           \
    {                                                                                              \
        .size = sizeof(PsimChange), .recompute = PSIM_KEEP, .zero_stage = PSIM_KEEP,               \
        .sequence_parallel = PSIM_KEEP, .balanced = PSIM_KEEP                                      \
    }

/**
 * psim_plan_derive:
 * The base plan with other numbers, checked as if it stood in a file.
 *
 * Errors: MISMATCH, LIMIT, UNSUPPORTED. Ownership: the caller unrefs.
 */
PSIM_API PsimPlan *psim_plan_derive(PsimPlan *base, const PsimChange *change, GError **error);

/* What an evaluator says of a plan. */
typedef struct {
    size_t size;             /* sizeof(PsimEvaluation), set by the caller                        */
    PsimTime step;           /* as psim_simulate() has it, to the picosecond              [ps]   */
    double peak_bytes;       /* of the fullest rank                                       [B]    */
    double capacity_bytes;   /* usable on a device                                        [B]    */
    double tokens_per_s;     /*                                                           [1/s]  */
    double mfu_fraction;     /* model FLOPs / (step * GPUs * dense peak)                  [1]    */
    uint32_t n_microbatches; /* per pipeline                                              [1]    */
    bool fits;               /* into memory                                                      */
    bool repeats;            /* a period was found, so that time did not grow with microbatches  */
} PsimEvaluation;

/* Evaluates plans that differ from a base plan in numbers, one after another, and keeps what they
 * share. One a thread; the cheap answers come first, the full one last. */
typedef struct PsimEvaluator PsimEvaluator;

/** psim_evaluator_new: Ownership: freed with psim_evaluator_free(); it keeps a reference. */
PSIM_API PsimEvaluator *psim_evaluator_new(PsimPlan *base);
PSIM_API void psim_evaluator_free(PsimEvaluator *self);

/** psim_evaluator_is_valid: Returns: whether psim_plan_derive() would succeed. */
PSIM_API bool psim_evaluator_is_valid(PsimEvaluator *self, const PsimChange *change);

/**
 * psim_evaluator_floor:
 * Returns: less than the plan's peak, from weights, gradients and optimizer alone, whatever its
 *          schedule, microbatch and recomputation, [B]; 0 for an invalid plan.
 */
PSIM_API double psim_evaluator_floor(PsimEvaluator *self, const PsimChange *change);

/**
 * psim_evaluator_bytes:
 * The plan's peak, exactly, without its time.
 *
 * Errors: as psim_evaluator_run().
 */
PSIM_API bool psim_evaluator_bytes(PsimEvaluator *self,
                                   const PsimChange *change,
                                   double *ret_bytes,
                                   GError **error);

/**
 * psim_evaluator_bound:
 * No step of the plan is shorter: the busiest rank's work, with what must come before and after.
 *
 * Errors: as psim_evaluator_run().
 */
PSIM_API bool psim_evaluator_bound(PsimEvaluator *self,
                                   const PsimChange *change,
                                   PsimTime *ret_bound,
                                   GError **error);

/**
 * psim_evaluator_run:
 * The full replay. A static schedule on fixed times repeats with a constant shift; once every
 * rank's state has advanced by one and the same shift, whole periods are added, exactly.
 *
 * Errors: MISMATCH (not valid), LIMIT, UNSUPPORTED, INFEASIBLE (deadlock).
 * Exact for: every plan; step and peak are those of psim_simulate(), tests/sim/test_evaluator.c.
 */
PSIM_API bool psim_evaluator_run(PsimEvaluator *self,
                                 const PsimChange *change,
                                 PsimEvaluation *ret_evaluation,
                                 GError **error);

/* A schedule alone, on integer times. */
typedef struct {
    size_t size;                /* sizeof(PsimScheduleOptions), set by PSIM_SCHEDULE_OPTIONS_INIT */
    const char *name;           /* "1f1b", "interleaved:2", ...; with a slash or ending in .csv:
                                 * a PyTorch schedule file, which has p, m and v: then 0 here, or
                                 * the same                                                       */
    uint32_t n_ranks;           /* p                                            [1] >= 1          */
    uint32_t n_microbatches;    /* m                                            [1] >= 1          */
    uint32_t n_chunks;          /* v, chunks a rank; 0: 1, or 2 where chunks are the point        */
    uint32_t group;             /* N of interleaving; 0: p                                        */
    uint32_t n_slices;          /* K token slices of a microbatch; 0: as the schedule has it      */
    int64_t forward;            /* time of F of one chunk                       [ticks] >= 1      */
    int64_t backward_input;     /* I; a whole backward takes I + W              [ticks] >= 0      */
    int64_t backward_weight;    /* W                                            [ticks] >= 0      */
    int64_t pair;               /* a fused pair of F and B; 0: F + B            [ticks] >= 0      */
    int64_t latency;            /* of each edge that crosses ranks              [ticks] >= 0      */
    bool channels;              /* false: transfers never queue; true: one FIFO a direction and
                                 * pair of neighbours, as in PIPE(p, m)                           */
    const int64_t *stage_times; /* F, I, W of each virtual stage; NULL: all alike (n_stages, 3)   */
    size_t n_stage_times;       /* n_stages                                                       */
    const char *csv;            /* the schedule file itself, whatever it is called; NULL: @name is
                                 * read                                                           */
} PsimScheduleOptions;

#define PSIM_SCHEDULE_OPTIONS_INIT                                                                 \
    {                                                                                              \
        .size = sizeof(PsimScheduleOptions), .forward = 1, .backward_input = 1,                    \
        .backward_weight = 1                                                                       \
    }

/**
 * psim_schedule_simulate:
 * Replays a schedule by itself. One tick is one picosecond of the result.
 *
 * Returns: a result; with a deadlock it holds what ran and each rank's head operation.
 * Errors: VALUE, MISMATCH (the schedule's rules), LIMIT, UNSUPPORTED; of a file also IO, SYNTAX.
 * Ownership: the caller unrefs.
 */
PSIM_API PsimResult *psim_schedule_simulate(const PsimScheduleOptions *options, GError **error);

/**
 * psim_plan_schedule_options:
 * Fills name, ranks, microbatches, chunks and group of @ret_options as the plan has them, for its
 * schedule alone. The name lives as long as the plan.
 */
PSIM_API void psim_plan_schedule_options(const PsimPlan *plan, PsimScheduleOptions *ret_options);

/* Takes bytes of output; returns false to stop. */
typedef bool (*PsimWrite)(const char *bytes, size_t n_bytes, void *user);

/**
 * psim_schedule_write_csv:
 * A schedule as PyTorch reads it: a line a rank, operations such as 2F0 and 2B0.
 *
 * @with_communication    false: operations alone ("compute_only"); true: with SEND, RECV, UNSHARD,
 *                        RESHARD and REDUCE_GRAD where PyTorch puts them ("compute_comms")
 *
 * Errors: as psim_schedule_simulate(), INFEASIBLE (communication of a deadlock), UNSUPPORTED
 * (bidirectional schedules and token slices have no place in the format), IO (@write returned
 * false).
 */
PSIM_API bool psim_schedule_write_csv(const PsimScheduleOptions *options,
                                      bool with_communication,
                                      PsimWrite write,
                                      void *user,
                                      GError **error);

/** psim_schedule_names: Returns: every schedule's name, NULL-terminated; static. */
PSIM_API const char *const *psim_schedule_names(void);

/** psim_schedule_summary: Returns: one line about a schedule, or NULL if there is none; static. */
PSIM_API const char *psim_schedule_summary(const char *name);

PSIM_API PsimResult *psim_result_ref(PsimResult *self);
PSIM_API void psim_result_unref(PsimResult *self);

/** psim_result_fits: Returns: true if every rank's memory holds and nothing deadlocks. */
PSIM_API bool psim_result_fits(const PsimResult *self);

/* The headline figures; psim_result_write() has the rest. */
typedef struct {
    size_t size;             /* sizeof(PsimSummary), set by the caller                         */
    PsimTime step;           /* time of the step                                      [ps]     */
    double bubble_fraction;  /* idle / step, mean over ranks                          [1]      */
    double mfu_fraction;     /* model FLOPs / (step * GPUs * dense peak)              [1]      */
    double hfu_fraction;     /* the same with recomputation counted                   [1]      */
    double tokens_per_s;     /*                                                       [1/s]    */
    uint64_t peak_bytes;     /* of the fullest rank                                   [B]      */
    uint64_t capacity_bytes; /* usable on a device                                    [B]      */
    uint64_t n_tasks;        /* tasks replayed                                        [1]      */
} PsimSummary;

/** psim_result_summary: fills @ret_summary as far as its size member allows. */
PSIM_API void psim_result_summary(const PsimResult *self, PsimSummary *ret_summary);

/* One bar of the timeline. Strings live as long as the result. */
typedef struct {
    size_t size;    /* sizeof(PsimSpan), set by the caller                  */
    uint32_t rank;  /* pipeline rank; global rank in an unfolded result     */
    uint32_t stage; /* virtual stage, in model order                        */
    uint32_t chunk; /* chunk of the rank                                    */
    uint32_t microbatch;
    const char *op;     /* "F", "B", "I", "W", "send-F", "tp-all-reduce", ...   */
    const char *stream; /* "compute", "send", "tp", "dp", ...                   */
    PsimTime start;     /* [ps] */
    PsimTime duration;  /* [ps] */
} PsimSpan;

/** psim_result_n_spans: Returns: how many spans psim_result_span() knows. */
PSIM_API uint64_t psim_result_n_spans(const PsimResult *self);

/** psim_result_span: fills @ret_span; spans of one stream come in time order. */
PSIM_API void psim_result_span(const PsimResult *self, uint64_t index, PsimSpan *ret_span);

/**
 * psim_result_write:
 * The result as text.
 *
 * @format    one of psim_formats()
 *
 * Errors: UNSUPPORTED (no such format), IO (@write returned false).
 */
PSIM_API bool psim_result_write(
    const PsimResult *self, const char *format, PsimWrite write, void *user, GError **error);

/** psim_formats: Returns: every format's name, NULL-terminated; static. */
PSIM_API const char *const *psim_formats(void);

/** psim_format_summary: Returns: one line about a format, or NULL if there is none; static. */
PSIM_API const char *psim_format_summary(const char *format);

/* -- Provenance -------------------------------------------------------------------------------- */

/**
 * psim_explain:
 * Where a number of the JSON answer comes from, as text: formula, inputs and whether they were
 * given, constants with their source and whether they were measured, transferred or guessed.
 *
 * @member    "step.time_s", "stages[0].activations_bytes"; of a stage left open, the fullest one
 *
 * Errors: VALUE (no derivation of that member), IO (@write returned false), and those of
 * psim_simulate().
 */
PSIM_API bool
psim_explain(PsimPlan *plan, const char *member, PsimWrite write, void *user, GError **error);

/** psim_explain_members: Returns: what psim_explain() knows, NULL-terminated; static. */
PSIM_API const char *const *psim_explain_members(void);

/* -- Costs of kernels -------------------------------------------------------------------------- */

/* How the operands of a matrix product lie in memory, in the column-major reading of cuBLAS. */
typedef enum {
    PSIM_PRODUCT_TN, /* forward                                                          */
    PSIM_PRODUCT_NN, /* input gradient                                                   */
    PSIM_PRODUCT_NT, /* weight gradient                                                  */
} PsimProductLayout;

/* C[m,n] += A[m,k] B[k,n]. */
typedef struct {
    size_t size;          /* sizeof(PsimProduct), set by the caller                               */
    double m, n, k;       /*                                                                  [1] */
    double element_bytes; /* of A and B                                                       [B] */
    double output_bytes;  /* moved for an element of C: twice its size where it is added to   [B] */
    PsimProductLayout layout;
} PsimProduct;

/* The constants of the formula for matrix products; hardware/README.md, "Matrix products". */
typedef struct {
    size_t size;               /* sizeof(PsimProductCost), set by the caller               */
    bool tiled;                /* tile form; false: smooth form                            */
    uint32_t n_sms;            /* tile form only                                       [1] */
    double peak_flop_per_s;    /* dense                                           [FLOP/s] */
    double memory_bytes_per_s; /* nominal                                            [B/s] */
    double efficiency;         /* eff                                                  [1] */
    double bandwidth_fraction; /*                                                      [1] */
    double launch_s;           /* t0                                                   [s] */
    double k0;                 /*                                                      [1] */
    double tile_c, wave_soft;  /* c, q; tile form only                                 [1] */
    double misaligned;         /* cost of widths of no multiple of 16 bytes, tile form;
                                * below 1: none                                        [1] */
    double odd;                /* of those of an odd number of 16-bit elements instead [1] */
    double m0, n0;             /* smooth form only                                     [1] */
} PsimProductCost;

/* One pass of fused attention. */
typedef struct {
    size_t size;     /* sizeof(PsimFusedAttention), set by the caller */
    double batch;    /* samples                              [1]      */
    double n_heads;  /* query heads                          [1]      */
    double sequence; /*                                      [tokens] */
    double head_dim; /*                                      [1]      */
    bool causal;
    bool backward;
} PsimFusedAttention;

/* The constants of its formula; hardware/README.md, "Fused attention". */
typedef struct {
    size_t size;            /* sizeof(PsimFusedAttentionCost), set by the caller */
    uint32_t n_sms;         /*                                          [1]      */
    double peak_flop_per_s; /* dense                                    [FLOP/s] */
    double efficiency;      /* eff                                      [1]      */
    double s0;              /*                                          [tokens] */
    double occupancy;       /* occ                                      [1]      */
    double tile;            /* query rows of a thread block             [tokens] */
} PsimFusedAttentionCost;

/** psim_fused_attention_s: Returns: the time by the formula, [s]. */
PSIM_API double psim_fused_attention_s(const PsimFusedAttentionCost *cost,
                                       const PsimFusedAttention *attention);

/* What a time is taken from. */
typedef enum {
    PSIM_BASIS_FORMULA,
    PSIM_BASIS_INTERPOLATED, /* two measured neighbours with other numbers of tokens */
    PSIM_BASIS_MEASURED,     /* this very shape was measured                         */
} PsimBasis;

/** psim_product_s: Returns: the time by the formula, [s]. */
PSIM_API double psim_product_s(const PsimProductCost *cost, const PsimProduct *product);

/**
 * psim_hardware_product_cost:
 * The constants that hardware has for products.
 *
 * @precision    "fp32", "tf32", "fp16", "bf16", "fp8"
 *
 * Returns: false if there is no such precision.
 */
PSIM_API bool psim_hardware_product_cost(const PsimHardware *self,
                                         const char *precision,
                                         PsimProductCost *ret_cost);

/**
 * psim_hardware_product_s:
 * What the simulation takes for a product: a measured row of this hardware if it has one, else the
 * formula.
 *
 * @ret_basis    may be NULL
 *
 * Returns: [s]; negative if there is no such precision.
 */
PSIM_API double psim_hardware_product_s(const PsimHardware *self,
                                        const char *precision,
                                        const PsimProduct *product,
                                        PsimBasis *ret_basis);

/* -- Comparison -------------------------------------------------------------------------------- */

/* One of several answers to stand side by side. */
typedef struct {
    size_t size;              /* sizeof(PsimCandidate), set by the caller                       */
    const char *label;        /* "zb-v"                                                         */
    const PsimResult *result; /* of the plan; NULL if it was refused                            */
    const PsimResult *alone;  /* of its schedule alone on unit times; NULL: not wanted          */
    const char *refused;      /* why there is no result                                         */
} PsimCandidate;

/**
 * psim_compare_write:
 * Results side by side: step time, bubble, memory, weight copies, traffic between stages.
 *
 * @candidates    in the order to show them; measured by the fastest that fits
 * @format        "text", "json", "markdown" or "svg"
 *
 * Errors: UNSUPPORTED (no such format), IO (@write returned false).
 */
PSIM_API bool psim_compare_write(const PsimCandidate *candidates,
                                 size_t n_candidates,
                                 const char *format,
                                 PsimWrite write,
                                 void *user,
                                 GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimModel, psim_model_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimHardware, psim_hardware_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimPlan, psim_plan_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimResult, psim_result_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimEvaluator, psim_evaluator_free)

G_END_DECLS
