/* SPDX-License-Identifier: MIT */
/* constants.h: everything that a record tells about its unit
 */
#pragma once

#include "calibrate/gemm_fit.h"
#include "calibrate/record.h"

G_BEGIN_DECLS

/* Fractions of the memory bandwidth, as a device file names them. */
typedef enum {
    PSIM_FRACTION_COPY,
    PSIM_FRACTION_NORM_FORWARD,
    PSIM_FRACTION_NORM_BACKWARD,
    PSIM_FRACTION_ELEMENTWISE,
    PSIM_FRACTION_SOFTMAX,
    PSIM_FRACTION_OPTIMIZER,
} PsimFraction;
#define PSIM_N_FRACTIONS 6

/** psim_fraction_words: Returns: "copy", "norm_forward", ... in enum order; static. */
const char *const *psim_fraction_words(void);

typedef struct {
    uint32_t head_dim;
    bool causal;
    bool fitted[2];       /* forward, backward */
    double efficiency[2]; /* [1]      */
    double s0[2];         /* [tokens] */
    double occupancy[2];  /* [1]      */
    PsimAccuracy held_out[2];
} PsimAttentionFit;

/* a + min(f S / low, step + f S / high) */
typedef struct {
    PsimExchangeKind what;
    uint32_t n_ranks;
    double a_s, step_s;
    double low_bytes_per_s, high_bytes_per_s;
    PsimAccuracy held_out;
} PsimLinkFit;

typedef struct {
    double launch_floor_s;                  /* NAN: not measured                          [s]   */
    double memory_bytes_per_s;              /* nominal, or the best stream beyond caches  [B/s] */
    double bandwidth_fraction;              /* of streams beyond caches; NAN: not measured [1]  */
    double peak_flop_per_s[PSIM_N_NUMBERS]; /* nominal, or the best product  [FLOP/s] */
    bool has_gemm[PSIM_N_NUMBERS];
    PsimGemmFit gemm[PSIM_N_NUMBERS];
    PsimNumber main; /* number type whose products stand for all but fp8 */
    bool has_fraction[PSIM_N_FRACTIONS];
    double fractions[PSIM_N_FRACTIONS]; /* [1] */
    double memory_launch_s;             /* NAN: not measured [s] */
    PsimAccuracy memory_held_out;
    GArray *attention;       /* PsimAttentionFit */
    GArray *links;           /* PsimLinkFit */
    double host_bytes_per_s; /* NAN: not measured [B/s] */
} PsimConstants;

/** psim_constants_fit: all of it. Ownership: the caller frees. */
PsimConstants *psim_constants_fit(const PsimRecord *record);
void psim_constants_free(PsimConstants *self);

/** psim_constants_product: Returns: a trial's product as the formula wants it. */
PsimProduct psim_constants_product(const PsimCase *what);

/** psim_constants_kernel_bytes: Returns: compulsory traffic of a memory-bound case, [B]. */
double psim_constants_kernel_bytes(const PsimCase *what);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimConstants, psim_constants_free)

G_END_DECLS
