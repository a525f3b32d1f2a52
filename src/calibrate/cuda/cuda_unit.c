/* SPDX-License-Identifier: MIT */
#include "calibrate/cuda/cuda_unit.h"

#include "calibrate/cuda/cuda_cudnn.h"
#include "calibrate/cuda/cuda_job.h"
#include "calibrate/cuda/cuda_peaks.h"
#include "calibrate/cuda/cuda_status.h"
#include "plansim.h"

#define PCI_BUS_ID_SIZE 32
/* Digits of the hash: enough to tell devices apart, too few to be the device's number. */
#define IDENTIFIER_DIGITS 12

/* -- Opening ----------------------------------------------------------------------------------- */

static bool
choose_device(PsimUnit *self, uint32_t number, GError **error)
{
    int n_devices = 0;

    if (!TRY_CUDA(cudaGetDeviceCount(&n_devices), error))
        return false;
    if (number >= (uint32_t)n_devices) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_IO,
                    "device %u: there are %d CUDA devices, counted from 0", number, n_devices);
        return false;
    }
    self->number = (int)number;
    self->traits.n_units = (uint32_t)n_devices;
    return TRY_CUDA(cudaSetDevice(self->number), error) &&
           TRY_CUDA(cudaGetDeviceProperties(&self->properties, self->number), error);
}

static bool
ask(const PsimUnit *self, enum cudaDeviceAttr attribute, int *ret_value, GError **error)
{
    return TRY_CUDA(cudaDeviceGetAttribute(ret_value, attribute, self->number), error);
}

static bool
read_traits(PsimUnit *self, GError **error)
{
    int shared_bytes = 0;
    int l2_bytes = 0;

    if (!ask(self, cudaDevAttrMaxSharedMemoryPerBlockOptin, &shared_bytes, error) ||
        !ask(self, cudaDevAttrL2CacheSize, &l2_bytes, error) ||
        !ask(self, cudaDevAttrClockRate, &self->clock_khz, error) ||
        !ask(self, cudaDevAttrMemoryClockRate, &self->memory_clock_khz, error) ||
        !ask(self, cudaDevAttrGlobalMemoryBusWidth, &self->memory_bus_bits, error))
        return false;
    self->n_sms = (uint32_t)self->properties.multiProcessorCount;
    self->l2_bytes = (uint64_t)l2_bytes;
    self->traits.major = self->properties.major;
    self->traits.minor = self->properties.minor;
    self->traits.shared_bytes = (uint64_t)shared_bytes;
    self->traits.has_cudnn = psim_cuda_cudnn_is_built_in();
    self->traits.has_nccl = psim_cuda_collective_is_built_in();
    return true;
}

static bool
new_event(cudaEvent_t *ret_event, unsigned flags, GError **error)
{
    return TRY_CUDA(cudaEventCreateWithFlags(ret_event, flags), error);
}

static bool
new_streams(PsimUnit *self, GError **error)
{
    return TRY_CUDA(cudaStreamCreateWithFlags(&self->stream, cudaStreamNonBlocking), error) &&
           TRY_CUDA(cudaStreamCreateWithFlags(&self->second_stream, cudaStreamNonBlocking),
                    error) &&
           new_event(&self->start, cudaEventDefault, error) &&
           new_event(&self->stop, cudaEventDefault, error) &&
           new_event(&self->fork, cudaEventDisableTiming, error) &&
           new_event(&self->join, cudaEventDisableTiming, error);
}

/* Everything but attention goes on without it. */
static void
start_cudnn(PsimUnit *self)
{
    g_autoptr(GError) error = NULL;

    if (!self->traits.has_cudnn)
        return;
    self->cudnn = psim_cuda_cudnn_new(self->stream, &error);
    self->traits.has_cudnn = self->cudnn != NULL;
    if (self->cudnn == NULL)
        g_message("attention is left out: %s", error->message);
}

static bool
new_libraries(PsimUnit *self, GError **error)
{
    self->flush_bytes = MAX(2 * self->l2_bytes, UINT64_C(1) << 20);
    if (!TRY_CUBLAS(cublasLtCreate(&self->cublas), error) ||
        !TRY_CUDA(cudaMalloc(&self->cublas_workspace, PSIM_CUDA_GEMM_WORKSPACE_BYTES), error) ||
        !TRY_CUDA(cudaMalloc(&self->flush, self->flush_bytes), error) ||
        !TRY_CUDA(cudaMemsetAsync(self->flush, 1, self->flush_bytes, self->stream), error))
        return false;
    start_cudnn(self);
    return true;
}

/* What is left beside the context, the workspace and the flush buffer. */
static bool
read_memory(PsimUnit *self, GError **error)
{
    size_t free_bytes = 0;
    size_t total_bytes = 0;

    if (!TRY_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes), error))
        return false;
    self->free_bytes = free_bytes;
    return true;
}

/* -- Names ------------------------------------------------------------------------------------- */

static char *
name_libraries(void)
{
    const size_t cublas = cublasLtGetVersion();
    g_autofree char *cudnn = psim_cuda_cudnn_version();
    g_autofree char *nccl = psim_cuda_collective_version();
    int runtime = 0;

    cudaRuntimeGetVersion(&runtime);
    return g_strdup_printf("CUDA %d.%d, cuBLAS %zu.%zu.%zu%s%s", runtime / 1000,
                           runtime % 1000 / 10, cublas / 10000, cublas / 100 % 100, cublas % 100,
                           cudnn, nccl);
}

/* A hash of the device's UUID, so that a file does not say which device it was. */
static void
name_unit(PsimUnit *self)
{
    self->identifier =
        g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)self->properties.uuid.bytes,
                                    sizeof self->properties.uuid.bytes);
    self->identifier[IDENTIFIER_DIGITS] = '\0';
    self->architecture = g_strdup_printf("sm_%d%d", self->properties.major, self->properties.minor);
    self->libraries = name_libraries();
    self->driver = psim_cuda_nvml_driver(self->nvml);
}

static bool
find_manager(PsimUnit *self, GError **error)
{
    char bus_id[PCI_BUS_ID_SIZE] = "";
    g_autofree char *why = NULL;

    if (!TRY_CUDA(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, self->number), error))
        return false;
    self->nvml = psim_cuda_nvml_new(bus_id, &why);
    if (self->nvml == NULL)
        g_message("%s", why);
    return true;
}

PsimUnit *
psim_cuda_unit_open(uint32_t number, GError **error)
{
    g_autoptr(PsimUnit) self = g_new0(PsimUnit, 1);

    if (!choose_device(self, number, error) || !read_traits(self, error) ||
        !new_streams(self, error) || !new_libraries(self, error) || !read_memory(self, error) ||
        !find_manager(self, error))
        return NULL;
    name_unit(self);
    return g_steal_pointer(&self);
}

/* -- Closing ----------------------------------------------------------------------------------- */

static void
free_events(PsimUnit *self)
{
    cudaEvent_t events[] = {self->start, self->stop, self->fork, self->join};

    for (size_t i = 0; i < G_N_ELEMENTS(events); i++)
        if (events[i] != NULL)
            cudaEventDestroy(events[i]);
}

static void
free_streams(PsimUnit *self)
{
    if (self->second_stream != NULL)
        cudaStreamDestroy(self->second_stream);
    if (self->stream != NULL)
        cudaStreamDestroy(self->stream);
}

void
psim_cuda_unit_close(PsimUnit *self)
{
    if (self == NULL)
        return;
    psim_cuda_cudnn_free(self->cudnn);
    if (self->cublas != NULL)
        cublasLtDestroy(self->cublas);
    if (self->cublas_workspace != NULL)
        cudaFree(self->cublas_workspace);
    if (self->flush != NULL)
        cudaFree(self->flush);
    free_events(self);
    free_streams(self);
    psim_cuda_nvml_free(self->nvml);
    g_free(self->identifier);
    g_free(self->driver);
    g_free(self->libraries);
    g_free(self->architecture);
    g_free(self);
}

/* -- Describing -------------------------------------------------------------------------------- */

void
psim_cuda_unit_describe(PsimUnit *self, PsimUnitFacts *ret_facts)
{
    const double clock_hz = (double)self->clock_khz * 1e3;
    const double memory_clock_hz = (double)self->memory_clock_khz * 1e3;

    *ret_facts = (PsimUnitFacts){
        .name = self->properties.name,
        .identifier = self->identifier,
        .driver = self->driver,
        .libraries = self->libraries,
        .architecture = self->architecture,
        .n_units = self->traits.n_units,
        .n_sms = self->n_sms,
        .memory_bytes = self->properties.totalGlobalMem,
        .memory_usable_bytes = self->free_bytes,
        .cache_bytes = self->l2_bytes,
        .clock_hz = clock_hz,
        .memory_clock_hz = memory_clock_hz,
        .power_limit_watt = psim_cuda_nvml_power_limit(self->nvml),
        /* Both edges of the memory clock move a bit on each line. */
        .nominal_bytes_per_s = 2.0 * memory_clock_hz * (double)self->memory_bus_bits / 8.0,
        .nominal_link_bytes_per_s = (double)psim_cuda_nvml_n_links(self->nvml) *
                                    psim_cuda_peaks_link_rate(self->traits.major),
        .nominal_host_bytes_per_s = psim_cuda_nvml_host_rate(self->nvml),
    };
    for (int number = 0; number < PSIM_N_NUMBERS; number++)
        ret_facts->nominal_flop_per_s[number] = psim_cuda_peaks_flop_per_s(
            self->traits.major, self->traits.minor, self->n_sms, clock_hz, (PsimNumber)number);
}
