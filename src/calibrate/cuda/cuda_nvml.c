/* SPDX-License-Identifier: MIT */
/* Signatures and numbers are those of nvml.h, API version 2, which NVIDIA keeps stable. */
#include "calibrate/cuda/cuda_nvml.h"

#include <dlfcn.h>

#define LIBRARY      "libnvidia-ml.so.1"
#define SUCCESS      0
#define CLOCK_SM     1
#define FEATURE_ON   1
#define MAX_NVLINKS  18
#define VERSION_SIZE 80

/* nvmlClocksEventReason: software power cap, hardware slowdown, software and hardware thermal,
 * brake. */
#define THROTTLE_REASONS (0x4ULL | 0x8ULL | 0x20ULL | 0x40ULL | 0x80ULL)

typedef void *Device;

struct PsimNvml {
    void *library;
    Device device;
    int (*shut_down)(void);
    int (*clock)(Device, int, unsigned *);
    int (*power)(Device, unsigned *);
    int (*power_limit)(Device, unsigned *);
    int (*reasons)(Device, unsigned long long *);
    int (*driver)(char *, unsigned);
    int (*pcie_generation)(Device, unsigned *);
    int (*pcie_width)(Device, unsigned *);
    int (*link_state)(Device, unsigned, int *);
};

/* ISO C has no cast from an object to a function; POSIX promises that it works. */
#define LOOK_UP(library, member, name) (*(void **)&(member) = dlsym(library, name))

static PsimNvml *
give_up(PsimNvml *self, const char *reason, char **ret_why)
{
    *ret_why = g_strdup(reason);
    if (self->library != NULL)
        dlclose(self->library);
    g_free(self);
    return NULL;
}

PsimNvml *
psim_cuda_nvml_new(const char *pci_bus_id, char **ret_why)
{
    PsimNvml *self = g_new0(PsimNvml, 1);
    int (*start)(void) = NULL;
    int (*find)(const char *, Device *) = NULL;

    self->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (self->library == NULL)
        return give_up(self,
                       "clocks and power are unknown: " LIBRARY
                       " is missing; install the driver's management library",
                       ret_why);
    LOOK_UP(self->library, start, "nvmlInit_v2");
    LOOK_UP(self->library, find, "nvmlDeviceGetHandleByPciBusId_v2");
    LOOK_UP(self->library, self->shut_down, "nvmlShutdown");
    LOOK_UP(self->library, self->clock, "nvmlDeviceGetClockInfo");
    LOOK_UP(self->library, self->power, "nvmlDeviceGetPowerUsage");
    LOOK_UP(self->library, self->power_limit, "nvmlDeviceGetEnforcedPowerLimit");
    LOOK_UP(self->library, self->reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    LOOK_UP(self->library, self->driver, "nvmlSystemGetDriverVersion");
    LOOK_UP(self->library, self->pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration");
    LOOK_UP(self->library, self->pcie_width, "nvmlDeviceGetMaxPcieLinkWidth");
    LOOK_UP(self->library, self->link_state, "nvmlDeviceGetNvLinkState");
    if (start == NULL || find == NULL || self->shut_down == NULL || start() != SUCCESS)
        return give_up(self,
                       "clocks and power are unknown: " LIBRARY " does not start; see nvidia-smi",
                       ret_why);
    if (find(pci_bus_id, &self->device) != SUCCESS) {
        self->shut_down();
        return give_up(self, "clocks and power are unknown: " LIBRARY " does not know the device",
                       ret_why);
    }
    return self;
}

void
psim_cuda_nvml_free(PsimNvml *self)
{
    if (self == NULL)
        return;
    self->shut_down();
    dlclose(self->library);
    g_free(self);
}

static unsigned
ask(const PsimNvml *self, int (*function)(Device, unsigned *))
{
    unsigned value = 0;

    return function != NULL && function(self->device, &value) == SUCCESS ? value : 0;
}

void
psim_cuda_nvml_read(const PsimNvml *self, PsimNvmlState *ret_state)
{
    unsigned clock_mhz = 0;
    unsigned long long reasons = 0;

    *ret_state = (PsimNvmlState){0};
    if (self == NULL)
        return;
    if (self->clock != NULL && self->clock(self->device, CLOCK_SM, &clock_mhz) == SUCCESS)
        ret_state->sm_clock_hz = (double)clock_mhz * 1e6;
    if (self->reasons != NULL && self->reasons(self->device, &reasons) == SUCCESS)
        ret_state->throttled = (reasons & THROTTLE_REASONS) != 0;
    ret_state->power_watt = (double)ask(self, self->power) * 1e-3;
}

char *
psim_cuda_nvml_driver(const PsimNvml *self)
{
    char version[VERSION_SIZE] = "";

    if (self == NULL || self->driver == NULL || self->driver(version, sizeof version) != SUCCESS)
        return g_strdup("");
    return g_strdup(version);
}

double
psim_cuda_nvml_power_limit(const PsimNvml *self)
{
    return self == NULL ? 0.0 : (double)ask(self, self->power_limit) * 1e-3;
}

double
psim_cuda_nvml_host_rate(const PsimNvml *self)
{
    /* A lane, by generation. Source: PCI-SIG, transfers a second times the share of the line code.
     */
    static const double bytes_per_s[] = {0.0,
                                         2.5e9 * 0.8 / 8.0,
                                         5e9 * 0.8 / 8.0,
                                         8e9 * 128.0 / 130.0 / 8.0,
                                         16e9 * 128.0 / 130.0 / 8.0,
                                         32e9 * 128.0 / 130.0 / 8.0,
                                         64e9 * 242.0 / 256.0 / 8.0};
    const unsigned generation = self == NULL ? 0 : ask(self, self->pcie_generation);

    if (generation >= G_N_ELEMENTS(bytes_per_s))
        return 0.0;
    return bytes_per_s[generation] * (generation > 0 ? (double)ask(self, self->pcie_width) : 0.0);
}

unsigned
psim_cuda_nvml_n_links(const PsimNvml *self)
{
    unsigned n_links = 0;

    if (self == NULL || self->link_state == NULL)
        return 0;
    for (unsigned link = 0; link < MAX_NVLINKS; link++) {
        int state = 0;

        if (self->link_state(self->device, link, &state) == SUCCESS && state == FEATURE_ON)
            n_links++;
    }
    return n_links;
}
