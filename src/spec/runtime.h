/* SPDX-License-Identifier: MIT */
/* runtime.h: the software stack: which bytes, rules and overlaps a trainer brings
 *
 * Files in plans/runtimes/, format in plans/README.md. Calibrated apart from the hardware: the same
 * model on the same A100s ran at 126 TFLOP/s a GPU under one stack and 180 under the next.
 */
#pragma once

#include "plansim.h"
#include "spec/hardware.h"
#include "json/document.h"
#include "json/reader.h"
#include "json/writer.h"

G_BEGIN_DECLS

typedef enum {
    PSIM_INTERLEAVE_MEGATRON, /* p <= N <= m, m mod N = 0 or >= p */
    PSIM_INTERLEAVE_PYTORCH,  /* m mod max(1, m div p) = 0, N = m / rounds */
} PsimInterleaveRule;

/* How the ranks of a context-parallel group come to each other's keys and values. */
typedef enum {
    PSIM_CONTEXT_P2P, /* a ring: K and V go round, step by step, beside the attention of a step */
    PSIM_CONTEXT_GATHER,      /* all of K and V before attention, which then is one kernel */
    PSIM_CONTEXT_GATHER_RING, /* gathered at once beside the first step, attention still in steps */
    PSIM_CONTEXT_A2A,         /* each rank has the whole sequence of some heads */
} PsimContextCommunication;

/** psim_context_words: Returns: "p2p", "all-gather", "all-gather-ring", "a2a", NULL; static. */
const char *const *psim_context_words(void);

typedef struct {
    char *name;
    char *about;
    char *source;
    /* Bytes a parameter, mixed precision. */
    double weight_bytes;            /* 2: the 16-bit copy                                    [B] */
    double gradient_bytes;          /* 2, or 4 where gradients accumulate in fp32            [B] */
    double gradient_bytes_bf16;     /* the same of bf16 training, which needs fp32 sooner    [B] */
    double optimizer_bytes;         /* 12: fp32 master, first and second moment              [B] */
    double optimizer_traffic_bytes; /* read and written by one step, a parameter             [B] */
    double gradient_reduce_bytes;   /* of one gradient on the wire                           [B] */
    /* Which of them each ZeRO stage shards: [stage 0..3]. */
    bool shards_optimizer[4], shards_gradients[4], shards_weights[4];
    /* Kernels. */
    bool flash_attention;   /* default where the plan does not say */
    char *attention_kernel; /* which fused attention: "flash-attention-2", "cudnn", ...;
                             * NULL: the device's first */
    bool fused_norm, fused_softmax, fused_bias_gelu, fused_cross_entropy;
    uint32_t vocabulary_multiple;  /* rows of the embedding on a tensor rank are made a multiple of
                                    * this, >= 1; Megatron-LM pads to 128               [1] */
    bool vocabulary_parallel_loss; /* else every tensor rank gathers the logits and has the
                                    * whole loss */
    bool
        reduces_in_fp32; /* all-reduces of tensor ranks in bf16 go in fp32, cast before and after */
    bool keeps_fp8; /* of an fp8 product the operands as they entered it: inputs until the backward,
                     * weights for the step, transposed as well; else in 16 bits */
    bool fused_rotary; /* else rotary positions are a chain of elementwise kernels */
    /* The weight-gradient GEMM adds to the gradient buffer itself; else a kernel of its own does.
     */
    bool fused_gradient_accumulation;
    double logits_bytes; /* a logit, all copies held at once: 4 fp32 + ...        [B] */
    /* Overlap, where the plan does not say. */
    bool overlap_dp, overlap_pp, overlap_tp;
    /* What selective recomputation makes again: the attention core, or all but attention's output
     * and every other product. */
    bool selective_by_operator;
    /* Of context parallelism, where the plan does not say. */
    PsimContextCommunication context_communication;
    bool global_grad_norm; /* a barrier over all ranks before the optimizer */
    /* Host. */
    double host_layer_s;      /* dispatch of one layer's forward, shared evenly among its
                               * kernels, each of which takes its share at least; the
                               * backward's share 1.6 times as much                    [s] */
    double host_collective_s; /* on top of each collective                             [s] */
    double host_send_s;       /* on top of each transfer between stages that a rank waits for:
                               * grouping, launch, synchronising the device            [s] */
    /* Memory. */
    double overhead_bytes;         /* context, libraries, buffers, beyond the device's own  [B] */
    double fragmentation_fraction; /* of what is allocated                                  [1] */
    PsimInterleaveRule interleave;
    char *flop_formula; /* name of the formula its logs print */
    PsimProvenance provenance;
} PsimRuntime;

/** psim_runtime_read: fills @self; complaints go to @complaints. Free members with
 * psim_runtime_clear(). */
void psim_runtime_read(PsimRuntime *self, PsimDocument *document, PsimComplaints *complaints);
void psim_runtime_clear(PsimRuntime *self);

/** psim_runtime_read_members: the same from the object the reader stands in. */
void psim_runtime_read_members(PsimRuntime *self, PsimReader *reader, const char *fallback);

/** psim_runtime_write_members: the canonical text as an object of @writer; @key as there. */
void psim_runtime_write_members(const PsimRuntime *self, PsimWriter *writer, const char *key);

G_END_DECLS
