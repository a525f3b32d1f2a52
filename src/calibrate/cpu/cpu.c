/* SPDX-License-Identifier: MIT */
/* A unit is a core, and a rank of a plan has one core. Products of a rank are OpenBLAS on one
 * thread, and a send is a message through shared memory.
 */
#include "calibrate/cpu/cpu.h"

#include "calibrate/cpu/blas.h"
#include "calibrate/cpu/exchange.h"
#include "calibrate/cpu/reference.h"
#include "calibrate/cpu/stopwatch.h"
#include "plansim.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* A check runs at this size at most, so that the reference is affordable. */
#define MAX_CHECKED_SIDE  67u
#define MAX_CHECKED_BYTES 16384u

#define DEFAULT_CACHE_BYTES UINT64_C(8388608)
#define MAX_FLUSH_BYTES     UINT64_C(134217728)

struct PsimUnit {
    char *name;
    char *libraries;
    PsimUnitFacts facts;
    PsimCpuFlush flush;
};

/* -- Facts -- */

/* "AMD EPYC 7B13" of /proc/cpuinfo; what a processor is called elsewhere is unknown. */
static char *
find_name(void)
{
    g_autofree char *text = NULL;
    const char *line = NULL;

    if (g_file_get_contents("/proc/cpuinfo", &text, /* length= */ NULL, /* error= */ NULL))
        line = strstr(text, "model name");
    const char *value = line != NULL ? strchr(line, ':') : NULL;

    if (value == NULL)
        return g_strdup("CPU");
    return g_strstrip(g_strndup(value + 1, strcspn(value + 1, "\n")));
}

static const char *
find_architecture(void)
{
#if defined(__x86_64__)
    return "x86_64";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "unknown";
#endif
}

/* Of the last level that the kernel tells of: sysconf() has the whole socket's, of which a virtual
 * machine sees a part. */
static uint64_t
find_cache_bytes(void)
{
    uint64_t bytes = 0;

    for (unsigned index = 0; index < 8; index++) {
        g_autofree char *path =
            g_strdup_printf("/sys/devices/system/cpu/cpu0/cache/index%u/size", index);
        g_autofree char *text = NULL;

        if (!g_file_get_contents(path, &text, /* length= */ NULL, /* error= */ NULL))
            break;
        bytes = MAX(bytes, 1024 * g_ascii_strtoull(text, NULL, 10));
    }
    return bytes > 0 ? bytes : DEFAULT_CACHE_BYTES;
}

/* The memory is shared by the cores, each of which is a unit of its own. */
static void
fill_facts(PsimUnit *self)
{
    const uint64_t page = (uint64_t)MAX(sysconf(_SC_PAGESIZE), 1);
    const uint64_t n_pages = (uint64_t)MAX(sysconf(_SC_PHYS_PAGES), 1);
    const uint32_t n_cores = g_get_num_processors();

    self->facts = (PsimUnitFacts){
        .name = self->name,
        .identifier = "",
        .driver = "",
        .libraries = self->libraries,
        .architecture = find_architecture(),
        .n_units = n_cores,
        .memory_bytes = page * n_pages / n_cores,
        .memory_usable_bytes = page * n_pages / n_cores,
        .cache_bytes = find_cache_bytes(),
        .clock_hz = psim_cpu_clock_hz(),
    };
}

static PsimUnit *
open_unit(uint32_t number, GError **error)
{
    if (!psim_blas_open(error))
        return NULL;
    if (number >= g_get_num_processors()) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_IO, "there is no core %u; this machine has %u",
                    number, g_get_num_processors());
        return NULL;
    }
    PsimUnit *self = g_new0(PsimUnit, 1);

    self->name = find_name();
    self->libraries = psim_blas_forced_core() != NULL
                          ? g_strdup_printf("%s (forced)", psim_blas_describe())
                          : g_strdup(psim_blas_describe());
    fill_facts(self);
    self->flush.n_bytes = MIN(2 * self->facts.cache_bytes, MAX_FLUSH_BYTES);
    self->flush.bytes = g_malloc(self->flush.n_bytes);
    return self;
}

static void
close_unit(PsimUnit *self)
{
    g_free(self->flush.bytes);
    g_free(self->name);
    g_free(self->libraries);
    g_free(self);
}

static void
describe(PsimUnit *self, PsimUnitFacts *ret_facts)
{
    *ret_facts = self->facts;
}

/* -- Checks -- */

/* The same case, small and of odd sizes, so that remainders of vectors are seen too. */
static PsimCase
shrink(const PsimCase *what)
{
    PsimCase small = *what;

    switch (what->kind) {
    case PSIM_CASE_STREAM:
        small.stream.bytes = MIN(what->stream.bytes, MAX_CHECKED_BYTES);
        break;
    case PSIM_CASE_GEMM:
        small.gemm.m = MIN(what->gemm.m, MAX_CHECKED_SIDE);
        small.gemm.n = MIN(what->gemm.n, MAX_CHECKED_SIDE - 4);
        small.gemm.k = MIN(what->gemm.k, MAX_CHECKED_SIDE + 4);
        break;
    case PSIM_CASE_KERNEL:
        small.kernel.rows = MIN(what->kernel.rows, 5);
        small.kernel.width = MIN(what->kernel.width, MAX_CHECKED_SIDE);
        break;
    case PSIM_CASE_COLLECTIVE:
        small.collective.bytes = MIN(what->collective.bytes, MAX_CHECKED_BYTES);
        break;
    case PSIM_CASE_LAUNCH:
    case PSIM_CASE_ATTENTION:
    case PSIM_CASE_MEMCPY:
        break;
    }
    return small;
}

static bool
is_send(const PsimCase *what)
{
    return what->collective.what == PSIM_EXCHANGE_SEND && what->collective.n_ranks == 2;
}

static PsimVerdict
check_send(const PsimCase *what, const PsimPolicy *policy, double *ret_error)
{
    PsimPolicy once = *policy;
    PsimSamples samples = {.n = 0};

    if (!is_send(what))
        return PSIM_VERDICT_UNSUPPORTED;
    once.n_batches = 2;
    const bool intact = psim_cpu_exchange_time(what->collective.bytes, &once, &samples);

    psim_samples_clear(&samples);
    *ret_error = intact ? 0.0 : HUGE_VAL;
    return intact ? PSIM_VERDICT_RIGHT : PSIM_VERDICT_WRONG;
}

static PsimVerdict
check(PsimUnit *self,
      const PsimCase *what,
      const PsimPolicy *policy,
      double *ret_error,
      GError **error)
{
    const PsimCase small = shrink(what);
    g_auto(PsimCpuOperands) operands = {.sum = 0.0f};

    (void)self;
    (void)error;
    *ret_error = 0.0;
    if (what->kind == PSIM_CASE_COLLECTIVE)
        return check_send(&small, policy, ret_error);
    const PsimVerdict verdict =
        psim_cpu_operands_fill(&operands, &small, policy->memory_bytes, policy->seed);

    if (verdict != PSIM_VERDICT_RIGHT)
        return verdict;
    *ret_error = psim_cpu_reference_error(&operands, psim_cpu_operands_run);
    return *ret_error <= 1.0 ? PSIM_VERDICT_RIGHT : PSIM_VERDICT_WRONG;
}

/* -- Measuring -- */

static void
run_operands(void *user)
{
    psim_cpu_operands_run(user);
}

static PsimVerdict
measure_send(const PsimCase *what, const PsimPolicy *policy, PsimSamples *ret_samples)
{
    if (!is_send(what))
        return PSIM_VERDICT_UNSUPPORTED;
    if (3 * what->collective.bytes > policy->memory_bytes)
        return PSIM_VERDICT_TOO_LARGE;
    return psim_cpu_exchange_time(what->collective.bytes, policy, ret_samples) ? PSIM_VERDICT_RIGHT
                                                                               : PSIM_VERDICT_WRONG;
}

static PsimVerdict
measure(PsimUnit *self,
        const PsimCase *what,
        const PsimPolicy *policy,
        PsimSamples *ret_samples,
        GError **error)
{
    g_auto(PsimCpuOperands) operands = {.sum = 0.0f};

    (void)error;
    if (what->kind == PSIM_CASE_COLLECTIVE)
        return measure_send(what, policy, ret_samples);
    const PsimVerdict verdict =
        psim_cpu_operands_fill(&operands, what, policy->memory_bytes, policy->seed);

    if (verdict == PSIM_VERDICT_RIGHT)
        psim_cpu_time(run_operands, &operands, policy, &self->flush, ret_samples);
    return verdict;
}

const PsimBackend *
psim_cpu_backend(void)
{
    static const PsimBackend backend = {
        .abi = PSIM_BACKEND_ABI,
        .name = "cpu",
        .open = open_unit,
        .close = close_unit,
        .describe = describe,
        .check = check,
        .measure = measure,
    };

    return &backend;
}
