/* SPDX-License-Identifier: MIT */
/* In place of blas.c where OpenBLAS was missing when plansim was built. */
#include "calibrate/cpu/blas.h"

#include "plansim.h"

bool
psim_blas_open(GError **error)
{
    g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_IO,
                        "the CPU is calibrated with OpenBLAS, which was not there when plansim was "
                        "built; install libopenblas-dev and build again");
    return false;
}

void
psim_blas_sgemm(const PsimBlasProduct *product)
{
    (void)product;
    g_assert_not_reached();
}

const char *
psim_blas_describe(void)
{
    return "";
}

const char *
psim_blas_forced_core(void)
{
    return NULL;
}
