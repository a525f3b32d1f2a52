/* SPDX-License-Identifier: MIT */
/* model.h: what is trained: a transformer, or an explicit list of layers
 *
 * The file format is documented in models/README.md and models/schema.json.
 */
#pragma once

#include "plansim.h"
#include "json/document.h"
#include "json/reader.h"
#include "json/writer.h"

G_BEGIN_DECLS

typedef enum {
    PSIM_MODEL_TRANSFORMER,
    PSIM_MODEL_LAYER_LIST,
} PsimModelKind;

typedef enum {
    PSIM_POSITIONS_LEARNED, /* an embedding of sequence x hidden */
    PSIM_POSITIONS_ROTARY,
    PSIM_POSITIONS_ALIBI,
    PSIM_POSITIONS_NONE,
} PsimPositions;

typedef enum {
    PSIM_NORM_LAYERNORM, /* two vectors of hidden */
    PSIM_NORM_RMSNORM,   /* one */
} PsimNorm;

/* One layer of a layer list. Counts are of one sample. */
typedef struct {
    char *name;
    uint32_t repeat;         /* so many alike in a row                                   [1]    */
    double forward_flop;     /*                                                          [FLOP] */
    double backward_flop;    /* default: twice the forward                               [FLOP] */
    double params;           /* weights                                                  [1]    */
    double activation_bytes; /* kept from forward to backward                            [B]    */
    double output_bytes;     /* handed to the next layer, and its gradient back          [B]    */
    double exchange_bytes;   /* exchanged by tensor-parallel ranks in each direction     [B]    */
    double memory_bytes;     /* moved through memory in the forward; 0: activation+output [B]   */
} PsimLayer;

struct PsimModel {
    gint ref_count;
    char *name;
    char *about;  /* one line, or NULL */
    char *source; /* where the figures come from, or NULL */
    PsimModelKind kind;

    /* transformer */
    uint32_t n_layers;
    uint32_t hidden;
    uint32_t n_heads;
    uint32_t n_kv_heads; /* = n_heads: MHA; 1: MQA; between: GQA */
    uint32_t head_dim;
    uint32_t ffn_hidden;
    uint32_t vocabulary;
    uint32_t sequence;    /* tokens of one sample */
    bool gated_mlp;       /* three matrices (SwiGLU) instead of two */
    bool tied_embeddings; /* the head uses the embedding's matrix */
    bool causal;          /* decoder mask */
    bool biases;          /* linear layers have a bias */
    bool dropout;         /* dropout after attention and MLP, and on the scores */
    PsimPositions positions;
    PsimNorm norm;

    /* layer list */
    PsimLayer *layers; /* (n_listed) */
    uint32_t n_listed;
    uint32_t sample_tokens; /* what one sample counts as in tokens/s; default 1 */

    GPtrArray *defaults; /* PsimDefault, pointers prefixed with "/model" */
    char *digest;        /* SHA-256 of the canonical text, hex */
};

/**
 * psim_model_read:
 * Reads the document; complaints go to @complaints. Never NULL: with complaints, a legal stand-in.
 */
PsimModel *psim_model_read(PsimDocument *document, PsimComplaints *complaints);

/**
 * psim_model_read_members:
 * The same from the object the reader stands in: a file's root, or "model" inside a plan.
 *
 * @complaints    those of the reader: what does not stand is not compared
 * @fallback      name of a model that has none
 * @prefix        of the recorded defaults' pointers: "/model" for a file's root, "" inside a plan
 */
PsimModel *psim_model_read_members(PsimReader *reader,
                                   const PsimComplaints *complaints,
                                   const char *fallback,
                                   const char *prefix);

/** psim_model_write_members: the canonical text as an object of @writer; @key as there. */
void psim_model_write_members(const PsimModel *self, PsimWriter *writer, const char *key);

/** psim_model_layer_count: Returns: pipeline-splittable layers: n_layers, or the list's repeats
 * summed. */
uint32_t psim_model_layer_count(const PsimModel *self);

/* Parameters of the whole model, by part.                                      [1] */
typedef struct {
    double embedding; /* tokens and learned positions */
    double attention; /* all layers */
    double mlp;
    double norms; /* with the final one */
    double head;  /* 0 where tied */
    double other; /* layer list */
    double total;
} PsimModelParams;

/**
 * psim_model_params:
 * Source: counted from the shapes; equals Hugging Face's num_parameters() for GPT-2, BERT's encoder
 * and Llama, tests/spec/test_model.c.
 */
PsimModelParams psim_model_params(const PsimModel *self);

G_END_DECLS
