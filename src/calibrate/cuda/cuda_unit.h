/* SPDX-License-Identifier: MIT */
/* cuda_unit.h: one CUDA device, opened
 */
#pragma once

#include "calibrate/cuda/cuda_case.h"
#include "calibrate/cuda/cuda_nvml.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>

G_BEGIN_DECLS

/* As frameworks give cuBLASLt; hardware/README.md, "Calibration". */
#define PSIM_CUDA_GEMM_WORKSPACE_BYTES (UINT64_C(32) << 20)

/* Opaque: only the files that are built with the library know it. */
typedef struct PsimCudnn PsimCudnn;

struct PsimUnit {
    int number;
    struct cudaDeviceProp properties;
    PsimDeviceTraits traits;
    uint32_t n_sms;
    uint64_t l2_bytes;
    uint64_t free_bytes; /* when it was opened */
    int clock_khz, memory_clock_khz, memory_bus_bits;

    cudaStream_t stream, second_stream;
    cudaEvent_t start, stop; /* timed */
    cudaEvent_t fork, join;  /* order between the streams */
    cublasLtHandle_t cublas;
    void *cublas_workspace;
    void *flush; /* twice the L2 cache */
    uint64_t flush_bytes;
    PsimCudnn *cudnn; /* NULL: built without */
    PsimNvml *nvml;   /* NULL: unknown */

    char *identifier, *driver, *libraries, *architecture;
};

/** psim_cuda_unit_open: Errors: IO, with what to do, where there is no such device. */
PsimUnit *psim_cuda_unit_open(uint32_t number, GError **error);
void psim_cuda_unit_close(PsimUnit *self);
void psim_cuda_unit_describe(PsimUnit *self, PsimUnitFacts *ret_facts);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimUnit, psim_cuda_unit_close)

G_END_DECLS
