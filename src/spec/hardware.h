/* SPDX-License-Identifier: MIT */
/* hardware.h: what it runs on: a device, a node of them, and the fabric between nodes
 *
 * The file format is documented in hardware/README.md and hardware/schema.json. Constants carry
 * their provenance: measured, transferred from a sibling, or a guess.
 */
#pragma once

#include "plansim.h"
#include "spec/override.h"
#include "json/document.h"
#include "json/reader.h"
#include "json/writer.h"

G_BEGIN_DECLS

typedef enum {
    PSIM_PRECISION_FP32,
    PSIM_PRECISION_TF32,
    PSIM_PRECISION_FP16,
    PSIM_PRECISION_BF16,
    PSIM_PRECISION_FP8,
} PsimPrecision;
#define PSIM_N_PRECISIONS 5

/** psim_precision_words: Returns: "fp32", "tf32", ... in enum order, NULL-terminated; static. */
const char *const *psim_precision_words(void);

typedef enum {
    PSIM_PROVENANCE_MEASURED,
    PSIM_PROVENANCE_TRANSFERRED,
    PSIM_PROVENANCE_GUESS,
} PsimProvenance;

/** psim_provenance_words: Returns: "measured", "transferred", "guess", NULL-terminated; static. */
const char *const *psim_provenance_words(void);

/* Where constants come from. */
typedef struct {
    PsimProvenance provenance;
    char *source;          /* paper, file, log */
    double error_fraction; /* mean absolute error on held-out rows, or NAN if unknown */
} PsimOrigin;

/* A matrix product that was measured; tokens, widths and order in spec/gemm_rows.h. */
typedef struct {
    PsimPrecision precision;
    PsimProductLayout layout;
    uint32_t m, n, k;    /* [1] */
    double output_bytes; /* as in PsimProduct  [B] */
    double time_s;       /* [s] */
} PsimGemmRow;

/* hardware.md 2.1. */
typedef struct {
    bool tiled;                /* tile/wave form; false: smooth form (CPU, TPU) */
    double efficiency;         /* eff, of the dense peak for large tiles        [1] */
    double efficiency_fp8;     /* the same of the fp8 peak                      [1] */
    double bandwidth_fraction; /* bw_frac                                       [1] */
    double launch_s;           /* t0                                            [s] */
    double k0;                 /* prologue and epilogue, in units of k          [1] */
    double tile_c;             /* c                                             [1] */
    double wave_soft;          /* q                                             [1] */
    double misaligned;         /* widths that are no multiple of 16 bytes cost so much [1] */
    double batched_misaligned; /* batched products of widths that are no multiple of 16
                                * bytes reach this share of the fp32 peak, without matrix
                                * units; 0: they cost as others do                    [1] */
    double odd;                /* those of an odd number of 16-bit elements instead    [1] */
    double m0, n0;             /* smooth form only                              [1] */
    PsimGemmRow *rows;         /* (n_rows) measured, sorted; NULL: none             */
    uint32_t n_rows;
    double rows_ratio; /* times of the rows in what is simulated; 1 but in a variant [1] */
    PsimOrigin origin;
} PsimGemmConstants;

/* One pass of an attention kernel. hardware.md 2.2. */
typedef struct {
    double efficiency; /* eff_max, of the dense peak                               [1]      */
    double s0;         /* sequence at which half of it is reached                  [tokens] */
    double occupancy;  /* occ, waves at which the device is about filled           [1]      */
    double tile;       /* query rows of one thread block                           [tokens] */
} PsimAttentionPass;

/* One attention kernel on one device. */
typedef struct {
    char *kernel;      /* "flash-attention-2", "flash-attention-3", "cudnn" */
    uint32_t head_dim; /* 64, 128, 256; 0: any */
    bool causal;
    PsimAttentionPass forward;
    PsimAttentionPass backward;
    PsimOrigin origin;
} PsimAttentionConstants;

/* Fractions of the nominal memory bandwidth by kind of kernel. hardware.md 2.3. */
typedef struct {
    double launch_s; /* t0                                            [s] */
    double copy, norm_forward, norm_backward, norm_forward_eager, norm_backward_eager, elementwise,
        softmax, embedding, optimizer, cross_entropy; /* [1] */
    double activation; /* of GeLU and SwiGLU, which compute more than they move; 0: elementwise */
    PsimOrigin origin;
} PsimMemoryBoundConstants;

typedef enum {
    PSIM_COLLECTIVE_ALL_REDUCE,
    PSIM_COLLECTIVE_ALL_GATHER,
    PSIM_COLLECTIVE_REDUCE_SCATTER,
    PSIM_COLLECTIVE_ALL_TO_ALL,
    PSIM_COLLECTIVE_SEND, /* point to point */
} PsimCollective;
#define PSIM_N_COLLECTIVES 5

/** psim_collective_words: Returns: "all-reduce", ... in enum order, NULL-terminated; static. */
const char *const *psim_collective_words(void);

/* Two-line cost of one collective inside a node: a + min(f S / low, step + f S / high). */
typedef struct {
    PsimCollective what;
    uint32_t n_ranks;        /* measured with; other sizes scale by cost/collective */
    double a_s;              /* [s] */
    double step_s;           /* [s] */
    double low_bytes_per_s;  /* [B/s] */
    double high_bytes_per_s; /* [B/s] */
    PsimOrigin origin;
} PsimCollectiveConstants;

typedef struct {
    char *name;
    char *vendor;                              /* or NULL */
    char *architecture;                        /* or NULL */
    uint32_t n_sms;                            /* 0: not a tiled machine */
    double peak_flop_per_s[PSIM_N_PRECISIONS]; /* dense; 0: the device cannot [FLOP/s] */
    PsimOrigin peak_origin;                    /* source NULL: that of the device */
    double memory_bytes;                       /* what the driver reports            [B]   */
    double memory_usable_bytes;                /* less context and buffers           [B]   */
    char *memory_label;                        /* as sold: "80 GB" */
    double memory_bytes_per_s;                 /* nominal                            [B/s] */
    PsimOrigin memory_origin;                  /* of memory_bytes_per_s; as peak_origin */
    double l2_bytes;                           /* 0: unknown                         [B]   */
    double pcie_bytes_per_s;                   /* each way; 0: none                  [B/s] */
    double tdp_watt;                           /* 0: unknown                         [W]   */
    double usd_per_gpu_hour;                   /* 0: no default                      [USD/h] */
    char *price_date;                          /* "2026-11", or NULL */
    char *price_source;
    PsimGemmConstants gemm;
    PsimAttentionConstants *attention; /* (n_attention) */
    uint32_t n_attention;
    double attention_unfused_fraction; /* of peak, for scores and context as batched GEMMs; 0: use
                                          gemm */
    PsimMemoryBoundConstants memory_bound;
    double launch_floor_s;          /* back to back on a stream           [s] */
    double sms_taken_by_collective; /* SMs a running collective occupies  [1] */
    char *source;
} PsimDevice;

struct PsimHardware {
    gint ref_count;
    char *name;
    char *about;
    char *source;
    PsimDevice device;
    uint32_t gpus_per_node;
    uint32_t max_nodes; /* 0: no limit; a single workstation has 1 */

    /* inside the node (or the NVLink domain, where that is larger: scale_up_size) */
    char *scale_up_name;         /* "NVLink 3 through NVSwitch" */
    uint32_t scale_up_size;      /* ranks of one domain; = gpus_per_node where not larger */
    double scale_up_bytes_per_s; /* each way, one device               [B/s] */
    PsimOrigin scale_up_origin;  /* of it; source NULL: that of the hardware */
    double scale_up_fraction;    /* achieved share, .76-.81            [1]   */
    bool
        in_switch_reduction; /* the switch sums: all-reduces of several domains work in two tiers */
    double pair_bytes_per_s; /* between two devices of a domain (mesh); = scale_up on a switch */
    double scale_up_latency_s;            /* of one send                        [s]   */
    double scale_up_step_s;               /* a step of a ring that goes on to other nodes [s] */
    PsimCollectiveConstants *collectives; /* (n_collectives) */
    uint32_t n_collectives;

    /* between nodes */
    char *fabric_name; /* "InfiniBand HDR"; NULL: a single node */
    uint32_t nics_per_node;
    double nic_bytes_per_s;  /* one NIC, each way                  [B/s] */
    double nic_fraction;     /* achieved share, .90-.97            [1]   */
    double ring_step_s;      /* a ring step over the fabric        [s]   */
    double fabric_latency_s; /* of one send                        [s]   */
    double oversubscription; /* >= 1, above the leaf               [1]   */
    PsimOrigin fabric_origin;

    char *calibration; /* JSON text of how it was measured, see spec/calibration.h; or NULL */

    GPtrArray *defaults; /* PsimDefault, pointers prefixed with "/hardware" */
    char *digest;
};

/** psim_hardware_read: as psim_model_read(); a device named by string is looked up among presets.
 */
PsimHardware *psim_hardware_read(PsimDocument *document, PsimComplaints *complaints);

/**
 * psim_hardware_read_with:
 * The same after @overrides, whose "/device/..." go into the device's file where it is only named.
 *
 * Errors: VALUE, as psim_document_set(); everything else goes to @complaints.
 */
PsimHardware *psim_hardware_read_with(PsimDocument *document,
                                      PsimComplaints *complaints,
                                      const PsimOverrides *overrides,
                                      GError **error);

/* Where the parts of hardware come from that it only names. */
typedef struct {
    PsimComplaints *complaints;
    const char *fallback;           /* name of hardware that has none */
    const char *prefix;             /* of the recorded defaults' pointers: "/hardware" for a file's
                                     * root, "" inside a plan; a named device has its own */
    const char *directory;          /* of paths, or NULL: the working directory */
    PsimOverrides device_overrides; /* for a device that is named */
} PsimHardwareContext;

/** psim_hardware_read_members: the same from the object the reader stands in. */
PsimHardware *psim_hardware_read_members(PsimReader *reader, const PsimHardwareContext *context);

/** psim_hardware_write_members: the canonical text as an object of @writer, without how it was
 * calibrated; @key as there. */
void psim_hardware_write_members(const PsimHardware *self, PsimWriter *writer, const char *key);

G_END_DECLS
