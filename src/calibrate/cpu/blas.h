/* SPDX-License-Identifier: MIT */
/* blas.h: OpenBLAS, opened when the CPU is calibrated
 *
 * Linked, it would start its threads with every command.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

/* A row-major single-precision product on one thread; transposed operands as in cblas_sgemm. */
typedef struct {
    int m, n, k;
    bool transpose_a, transpose_b;
    const float *a, *b;
    float *c;
    float beta; /* 0 or 1 */
} PsimBlasProduct;

/**
 * psim_blas_open:
 * Opens the library once and keeps it on one thread.
 *
 * Errors: PSIM_ERROR_IO, with the package to install.
 */
bool psim_blas_open(GError **error);

/** psim_blas_sgemm: only after psim_blas_open() succeeded. */
void psim_blas_sgemm(const PsimBlasProduct *product);

/** psim_blas_describe: Returns: "OpenBLAS 0.3.21 ... Haswell", its configuration and the core it
 * chose; borrowed. */
const char *psim_blas_describe(void);

/** psim_blas_forced_core: Returns: the core type that the environment forces, or NULL. */
const char *psim_blas_forced_core(void);

G_END_DECLS
