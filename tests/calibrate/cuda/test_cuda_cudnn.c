/* SPDX-License-Identifier: MIT */
/* Does cuDNN know our graphs as attention? It can be asked without a device: it takes a description
 * of one, chooses its kernels and compiles them, and fails only where it loads them into the
 * driver.
 *
 * That needs a libcuda.so.1 to be there, if only the toolkit's stub; else the test is skipped.
 */
#include "calibrate/cuda/cuda_cudnn.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    int capability, n_sms, shared_bytes, l2_bytes;
} Device;

/* Data sheets and the programming guide's table of compute capabilities. */
static const Device devices[] = {
    {"NVIDIA A100-SXM4-80GB", 800, 108, 166912, 41943040},
    {"NVIDIA H200", 900, 132, 232448, 62914560},
    {"NVIDIA B200", 1000, 148, 232448, 132644864},
};

/* The members that cuDNN 9 asks for, in its own spelling. */
static char *
describe(const Device *device)
{
    return g_strdup_printf(
        "{\"deviceName\": \"%s\", \"deviceVer\": %d, \"driverVer\": 13000, \"cudaDeviceId\": 0, "
        "\"multiProcessorCount\": %d, \"smClockRateKHz\": 1800000, \"memClockRateKHz\": 2600000, "
        "\"l2CacheSize\": %d, \"totalGlobalMem\": 80000000000, \"warpSize\": 32, "
        "\"maxGridSize\": [2147483647, 65535, 65535], \"maxBlockSize\": [1024, 1024, 64], "
        "\"maxThreadsPerBlock\": 1024, \"maxThreadsPerSM\": 2048, \"maxCtasPerSM\": 32, "
        "\"regsPerBlock\": 65536, \"maxRegistersPerSM\": 65536, "
        "\"maxSharedMemoryPerBlock\": 49152, \"maxSharedMemoryPerBlockOptin\": %d, "
        "\"reservedSharedMemoryPerBlock\": 1024, \"pciDeviceId\": 0, \"isTccDriver\": 0, "
        "\"supportCoopLaunch\": 1}",
        device->name, device->capability, device->n_sms, device->l2_bytes, device->shared_bytes);
}

static int n_tests;
static int n_failed;

static void
try_case(const Device *device, const PsimCase *what)
{
    g_autofree char *json = describe(device);
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimCudnnPlan) plan =
        psim_cuda_cudnn_plan(NULL, what, what->attention.backward, json, &error);
    /* A real driver without its device refuses at the same place as the stub. */
    const bool known = plan != NULL || strstr(error->message, "cuLibraryLoadData") != NULL;

    n_tests++;
    n_failed += !known;
    printf("%sok %d - %s, %s, d %d, sequence %d, %s: %s\n", known ? "" : "not ", n_tests,
           device->name, what->attention.backward ? "backward" : "forward",
           (int)what->attention.head_dim, (int)what->attention.sequence,
           what->attention.causal ? "causal" : "not causal",
           plan != NULL ? "planned" : error->message);
}

/* Sixteen heads, as the suites have them: both passes, both head dimensions, with and without a
 * mask; compiling one takes a second. */
static void
try_device(const Device *device)
{
    for (unsigned i = 0; i < 8; i++) {
        const bool causal = i % 2 == 1;
        const PsimCase what = {
            .kind = PSIM_CASE_ATTENTION,
            .number = causal ? PSIM_NUMBER_BF16 : PSIM_NUMBER_FP16,
            .attention = {2, 16, causal ? 4096 : 256, i / 2 % 2 == 0 ? 64 : 128, causal, i >= 4},
        };

        try_case(device, &what);
    }
}

/* A graph that is no attention must be refused, or what is above says nothing. */
static void
try_what_is_too_wide(const Device *device)
{
    g_autofree char *json = describe(device);
    g_autoptr(GError) error = NULL;
    const PsimCase what = {.kind = PSIM_CASE_ATTENTION,
                           .number = PSIM_NUMBER_BF16,
                           .attention = {2, 16, 256, 1021, true, true}};
    g_autoptr(PsimCudnnPlan) plan = psim_cuda_cudnn_plan(NULL, &what, true, json, &error);
    const bool refused = plan == NULL && strstr(error->message, "cuLibraryLoadData") == NULL;

    n_tests++;
    n_failed += !refused;
    printf("%sok %d - a head dimension of 1021 is refused: %s\n", refused ? "" : "not ", n_tests,
           error == NULL ? "planned" : error->message);
}

int
main(void)
{
    if (dlopen("libcuda.so.1", RTLD_LAZY) == NULL) {
        printf("1..0 # SKIP there is no libcuda.so.1, and cuDNN plans nothing without\n");
        return EXIT_SUCCESS;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(devices); i++)
        try_device(&devices[i]);
    try_what_is_too_wide(&devices[1]);
    printf("1..%d\n", n_tests);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
