/* SPDX-License-Identifier: MIT */
#include "calibrate/cuda/cuda_status.h"

#include "plansim.h"

#include <string.h>

void
psim_cuda_status_set(const char *call, const char *reason, const char *advice, GError **error)
{
    const int length = (int)strcspn(call, "(");

    g_set_error(error, PSIM_ERROR, PSIM_ERROR_IO, "%.*s: %s; %s", length, call, reason, advice);
}

static const char *
advise_runtime(cudaError_t status)
{
    static const struct {
        cudaError_t status;
        const char *advice;
    } advices[] = {
        {cudaErrorInsufficientDriver,
         "install or update the NVIDIA driver; this module needs one for CUDA 13 or later"},
        {cudaErrorNoDevice,
         "there is no CUDA device to be seen: check nvidia-smi and CUDA_VISIBLE_DEVICES"},
        {cudaErrorMemoryAllocation, "free memory on the device, or lower the memory budget"},
        {cudaErrorNoKernelImageForDevice,
         "the module holds code for sm_80, sm_90, sm_100 and what follows; this device is older"},
        {cudaErrorSystemDriverMismatch, "reboot, or load the driver that was installed last"},
        {cudaErrorDevicesUnavailable, "another process holds the device alone; wait for it to end"},
        {cudaErrorECCUncorrectable, "the device's memory is faulty; reset it, or take another one"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(advices); i++)
        if (advices[i].status == status)
            return advices[i].advice;
    return "run the same suite alone under compute-sanitizer, and report what it says";
}

bool
psim_cuda_status_runtime(cudaError_t status, const char *call, GError **error)
{
    if (status == cudaSuccess)
        return true;

    g_autofree char *reason =
        g_strdup_printf("%s (%s)", cudaGetErrorString(status), cudaGetErrorName(status));

    psim_cuda_status_set(call, reason, advise_runtime(status), error);
    return false;
}

bool
psim_cuda_status_cublas(cublasStatus_t status, const char *call, GError **error)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return true;
    psim_cuda_status_set(call, cublasLtGetStatusName(status),
                         status == CUBLAS_STATUS_ALLOC_FAILED
                             ? "free memory on the device, or lower the memory budget"
                             : "run again with CUBLASLT_LOG_LEVEL=2 to see which argument it is",
                         error);
    return false;
}
