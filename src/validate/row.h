/* SPDX-License-Identifier: MIT */
/* row.h: one published measurement, as its file tells it
 *
 * The format is plans/measurement-schema.json. Nothing is interpreted here beyond types and units:
 * 0, NULL and PSIM_TOLD_NOT mean that the row does not say. What words such as "full (every layer)"
 * mean is decided in resolve.c.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/* A flag that a row may leave open. */
typedef enum {
    PSIM_TOLD_NOT,
    PSIM_TOLD_NO,
    PSIM_TOLD_YES,
} PsimTold;

/* What a figure of memory counts. */
typedef enum {
    PSIM_BYTES_PEAK, /* held by the allocator, fragments included; also where the row is silent */
    PSIM_BYTES_ALLOCATED, /* tensors alone */
    PSIM_BYTES_DEVICE,    /* all that is gone on the device, context included */
} PsimBytesKind;

typedef struct {
    char *name;
    uint32_t n_layers;
    uint32_t hidden;
    uint32_t n_heads;
    uint32_t n_kv_heads;
    uint32_t head_dim;
    uint32_t ffn_hidden;
    uint32_t vocabulary;
    uint32_t sequence;
    double params; /* as stated; 0: not */
    PsimTold gated;
    PsimTold tied;
    PsimTold learned_positions;
    PsimTold alibi;
    PsimTold biases;
    bool experts;
    bool frozen; /* a part is not trained */
    bool other;  /* attention that is not ours, "note": "convolutional" */
} PsimRowModel;

typedef struct {
    char *id;
    char *source;
    char *source_file; /* the base name of the file it is from */
    char *framework;
    char *notes;
    PsimRowModel model;

    char *gpu;
    char *inter_link;
    char *hardware; /* of users' own rows: the name of a hardware file */
    char *runtime;  /* the same: of a runtime */
    uint32_t n_gpus;
    uint32_t gpus_per_node;

    bool garbled; /* a degree or a batch is there, but is no whole number from 1 on */
    uint32_t tp;
    uint32_t pp;
    uint32_t vp;
    uint32_t dp;
    uint32_t cp;
    uint32_t ep;
    bool chunk_a_layer; /* vp is told as "max: one layer per chunk" */
    uint32_t micro_batch;
    uint32_t n_microbatches;
    uint32_t global_batch;
    int zero_stage; /* -1: not stated */
    char *schedule;
    char *recompute;
    char *precision;
    char *fsdp;
    char *flash_attention;  /* "true", "false" or a word such as "v2" */
    char *attention_kernel; /* "fused", "flash_attention2 + RMS kernel", ... */
    PsimTold sequence_parallel;
    GArray *layers_per_stage; /* uint32_t; NULL: not stated */
    bool offload;             /* activations or states go to the host */

    double step_s;       /* measured, or derived from a measured rate; NAN                [s] */
    double tokens_per_s; /* of the whole job, measured; NAN                             [1/s] */
    bool time_is_noise;  /* the row itself says that its time is not to be used               */
    double peak_bytes;   /* NAN                                                           [B] */
    PsimBytesKind bytes_kind;
    int bytes_rank; /* global rank the figure is of; -1: the fullest; -2: the last        */
    PsimTold oom;
    bool failed; /* for another reason than memory                                     */
} PsimRow;

struct cJSON;

/**
 * psim_row_new:
 * Reads one object. A member of the wrong type counts as not stated.
 *
 * @json           an object
 * @source_file    base name of the file
 */
PsimRow *psim_row_new(const struct cJSON *json, const char *source_file);

/** psim_row_free: frees; a GDestroyNotify. */
void psim_row_free(void *self);

/** psim_row_mentions: Returns: whether id, source, framework or notes contain a lower-case word. */
bool psim_row_mentions(const PsimRow *self, const char *word);

/**
 * psim_row_contradiction:
 * Returns: how the row contradicts itself, or NULL. Caller frees.
 */
char *psim_row_contradiction(const PsimRow *self);

G_END_DECLS
