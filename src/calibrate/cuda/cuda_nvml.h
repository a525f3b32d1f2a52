/* SPDX-License-Identifier: MIT */
/* cuda_nvml.h: clocks, power and links of a device, read from NVIDIA's management library
 *
 * The library comes with the driver and is opened when a device is, so that nothing links it.
 * Without it a run goes on, and clocks stay unknown. Nothing is ever changed.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct PsimNvml PsimNvml;

/* A device at one moment; 0 is unknown. */
typedef struct {
    double sm_clock_hz;
    double power_watt;
    bool throttled; /* by power, heat or a brake */
} PsimNvmlState;

/**
 * psim_cuda_nvml_new:
 * @pci_bus_id  of the device, as CUDA writes it
 * Returns: the device, or NULL with @ret_why saying what is missing. Caller frees @ret_why.
 */
PsimNvml *psim_cuda_nvml_new(const char *pci_bus_id, char **ret_why);
void psim_cuda_nvml_free(PsimNvml *self);

/** psim_cuda_nvml_read: @self may be NULL: everything is unknown then. */
void psim_cuda_nvml_read(const PsimNvml *self, PsimNvmlState *ret_state);

/** psim_cuda_nvml_driver: Returns: the driver's version, or "". Caller frees. */
char *psim_cuda_nvml_driver(const PsimNvml *self);

/** psim_cuda_nvml_power_limit: Returns: as enforced, [W]; 0: unknown. */
double psim_cuda_nvml_power_limit(const PsimNvml *self);

/** psim_cuda_nvml_host_rate: Returns: of PCIe, one direction, nominal, [B/s]; 0: unknown. */
double psim_cuda_nvml_host_rate(const PsimNvml *self);

/** psim_cuda_nvml_n_links: Returns: NVLinks that are up. */
unsigned psim_cuda_nvml_n_links(const PsimNvml *self);

G_END_DECLS
