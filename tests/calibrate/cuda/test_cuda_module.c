/* SPDX-License-Identifier: MIT */
/* The module as the program meets it, and, where there is a device, every kind of case on it.
 *
 *     test-cuda-module MODULE              what can be seen without a device
 *     test-cuda-module MODULE --device     all kinds, checked and measured; skipped without one
 */
#include "calibrate/backend.h"
#include "plansim.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_tests;
static int n_failed;

static void
report(bool right, const char *name, const char *detail)
{
    n_tests++;
    n_failed += !right;
    printf("%sok %d - %s%s%s\n", right ? "" : "not ", n_tests, name, detail == NULL ? "" : ": ",
           detail == NULL ? "" : detail);
}

static int
finish(void)
{
    printf("1..%d\n", n_tests);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* -- Without a device -------------------------------------------------------------------------- */

static const PsimBackend *
load(const char *path)
{
    void *module = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    PsimBackendFunc function = NULL;

    report(module != NULL, "the module opens", module == NULL ? dlerror() : NULL);
    if (module == NULL)
        return NULL;
    *(void **)&function = dlsym(module, PSIM_BACKEND_SYMBOL);
    report(function != NULL, "it has " PSIM_BACKEND_SYMBOL, NULL);
    return function == NULL ? NULL : function();
}

static void
look_at(const PsimBackend *backend)
{
    report(backend->abi == PSIM_BACKEND_ABI, "its ABI is this header's", NULL);
    report(strcmp(backend->name, "cuda") == 0, "its name is cuda", backend->name);
    report(backend->open != NULL && backend->close != NULL && backend->describe != NULL &&
               backend->check != NULL && backend->measure != NULL,
           "its table is full", NULL);
}

/* There may be devices; there are never a million. */
static void
open_what_is_not_there(const PsimBackend *backend)
{
    g_autoptr(GError) error = NULL;
    PsimUnit *unit = backend->open(1000000, &error);

    report(unit == NULL, "a device that is not there does not open", NULL);
    report(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_IO),
           "the error is one of input and output", NULL);
    if (error == NULL)
        return;
    report(strstr(error->message, "NVIDIA driver") != NULL ||
               strstr(error->message, "CUDA_VISIBLE_DEVICES") != NULL ||
               strstr(error->message, "CUDA devices, counted from 0") != NULL,
           "the error says what to do", error->message);
}

/* -- On a device ------------------------------------------------------------------------------- */

#define GEMM(type, m, n, k, layout, adds)                                                          \
    {                                                                                              \
        "gemm " #type " " #layout,                                                                 \
        {                                                                                          \
            .kind = PSIM_CASE_GEMM, .number = PSIM_NUMBER_##type, .gemm = {                        \
                m,                                                                                 \
                n,                                                                                 \
                k,                                                                                 \
                PSIM_LAYOUT_##layout,                                                              \
                adds                                                                               \
            }                                                                                      \
        }                                                                                          \
    }
#define STREAM(type, which)                                                                        \
    {                                                                                              \
        "stream " #which " " #type,                                                                \
        {                                                                                          \
            .kind = PSIM_CASE_STREAM, .number = PSIM_NUMBER_##type, .stream = {                    \
                PSIM_STREAM_##which,                                                               \
                1 << 26                                                                            \
            }                                                                                      \
        }                                                                                          \
    }
#define KERNEL(type, which, rows, width)                                                           \
    {                                                                                              \
        "kernel " #which " " #type,                                                                \
        {                                                                                          \
            .kind = PSIM_CASE_KERNEL, .number = PSIM_NUMBER_##type, .kernel = {                    \
                PSIM_KERNEL_##which,                                                               \
                rows,                                                                              \
                width                                                                              \
            }                                                                                      \
        }                                                                                          \
    }
#define ATTENTION(type, d, causal, backward)                                                       \
    {                                                                                              \
        "attention d=" #d " causal=" #causal " backward=" #backward,                               \
        {                                                                                          \
            .kind = PSIM_CASE_ATTENTION, .number = PSIM_NUMBER_##type, .attention = {              \
                2,                                                                                 \
                16,                                                                                \
                2048,                                                                              \
                d,                                                                                 \
                causal,                                                                            \
                backward                                                                           \
            }                                                                                      \
        }                                                                                          \
    }
#define COPY(which)                                                                                \
    {                                                                                              \
        "memcpy " #which,                                                                          \
        {                                                                                          \
            .kind = PSIM_CASE_MEMCPY, .memcpy = { PSIM_MEMCPY_##which, 1 << 24 }                   \
        }                                                                                          \
    }
#define EXCHANGE(which)                                                                            \
    {                                                                                              \
        "collective " #which,                                                                      \
        {                                                                                          \
            .kind = PSIM_CASE_COLLECTIVE, .number = PSIM_NUMBER_BF16, .collective = {              \
                PSIM_EXCHANGE_##which,                                                             \
                2,                                                                                 \
                1 << 24                                                                            \
            }                                                                                      \
        }                                                                                          \
    }

static const struct {
    const char *name;
    PsimCase what;
} cases[] = {
    {"launch", {.kind = PSIM_CASE_LAUNCH, .launch = {1000}}},
    {"launch graphed", {.kind = PSIM_CASE_LAUNCH, .graphed = true, .launch = {1000}}},
    STREAM(FP32, COPY),
    STREAM(BF16, SCALE),
    STREAM(FP16, TRIAD),
    STREAM(FP32, SUM),
    GEMM(BF16, 4096, 4096, 4096, TN, false),
    GEMM(BF16, 4096, 4096, 4096, NN, false),
    GEMM(BF16, 4096, 4096, 4096, NT, true),
    GEMM(FP16, 2048, 3000, 1000, TN, false),
    GEMM(TF32, 2048, 2048, 2048, NN, false),
    GEMM(FP32, 1024, 1024, 1024, TN, false),
    GEMM(FP8, 4096, 4096, 4096, TN, false),
    KERNEL(BF16, NORM_FORWARD, 8192, 4096),
    KERNEL(BF16, NORM_BACKWARD, 8192, 4096),
    KERNEL(BF16, NORM_BACKWARD, 4096, 12288),
    KERNEL(FP16, NORM_BACKWARD, 512, 1001),
    KERNEL(BF16, SOFTMAX_FORWARD, 16384, 2048),
    KERNEL(BF16, SOFTMAX_BACKWARD, 16384, 2048),
    KERNEL(BF16, GELU_FORWARD, 8192, 4096),
    KERNEL(BF16, GELU_BACKWARD, 8192, 4096),
    KERNEL(BF16, SWIGLU_FORWARD, 8192, 4096),
    KERNEL(BF16, SWIGLU_BACKWARD, 8192, 4096),
    KERNEL(BF16, DROPOUT_ADD_FORWARD, 8192, 4096),
    KERNEL(BF16, DROPOUT_ADD_BACKWARD, 8192, 4096),
    KERNEL(FP32, ADAM, 1, 10000001),
    ATTENTION(BF16, 64, false, false),
    ATTENTION(BF16, 128, true, false),
    ATTENTION(BF16, 64, true, true),
    ATTENTION(FP16, 128, false, true),
    ATTENTION(BF16, 128, true, true),
    COPY(HOST_TO_DEVICE),
    COPY(DEVICE_TO_HOST),
    COPY(BOTH_WAYS),
    COPY(DEVICE_TO_DEVICE),
    EXCHANGE(ALL_REDUCE),
    EXCHANGE(ALL_GATHER),
    EXCHANGE(REDUCE_SCATTER),
    EXCHANGE(ALL_TO_ALL),
    EXCHANGE(SEND),
};

static const PsimPolicy policy = {
    .n_warm_up = 2,
    .n_batches = 5,
    .batch_s = 1e-3,
    .budget_s = 1.0,
    .memory_bytes = UINT64_C(4) << 30,
    .seed = 1,
};

static bool
samples_are_sane(const PsimSamples *samples)
{
    if (samples->n == 0 || samples->n > policy.n_batches || samples->n_a_batch == 0)
        return false;
    for (uint32_t i = 0; i < samples->n; i++)
        if (!(samples->seconds[i] > 0.0) || samples->seconds[i] > 1.0)
            return false;
    return true;
}

static double
median_like(const PsimSamples *samples)
{
    double best = (double)INFINITY;

    for (uint32_t i = 0; i < samples->n; i++)
        best = fmin(best, samples->seconds[i]);
    return best;
}

static void
measure_case(const PsimBackend *backend, PsimUnit *unit, size_t i, bool cold)
{
    g_autoptr(GError) error = NULL;
    PsimPolicy own = policy;
    PsimSamples samples = {0};

    own.cold = cold;

    const PsimVerdict verdict = backend->measure(unit, &cases[i].what, &own, &samples, &error);
    const bool sane = verdict == PSIM_VERDICT_RIGHT && samples_are_sane(&samples);
    g_autofree char *name =
        g_strdup_printf("%s is measured %s", cases[i].name, cold ? "cold" : "warm");
    g_autofree char *detail =
        sane ? g_strdup_printf(
                   "%.3g us, %u samples of %d, best algorithm %.3g us, flags %u, %.0f MHz",
                   median_like(&samples) * 1e6, samples.n, (int)samples.n_a_batch,
                   samples.best_s * 1e6, samples.flags, samples.clock_after_hz / 1e6)
             : g_strdup(error == NULL ? "samples" : error->message);

    report(sane, name, detail);
    psim_samples_clear(&samples);
}

static void
try_case(const PsimBackend *backend, PsimUnit *unit, size_t i)
{
    g_autoptr(GError) error = NULL;
    double worst = 0.0;
    const PsimVerdict verdict = backend->check(unit, &cases[i].what, &policy, &worst, &error);
    g_autofree char *name = g_strdup_printf("%s is right", cases[i].name);
    g_autofree char *detail = g_strdup_printf("%.3g of the bound%s%s", worst, error ? ", " : "",
                                              error ? error->message : "");

    if (verdict == PSIM_VERDICT_UNSUPPORTED) {
        n_tests++;
        printf("ok %d - %s # SKIP %s\n", n_tests, cases[i].name, error->message);
        return;
    }
    report(verdict == PSIM_VERDICT_RIGHT, name, detail);
    if (verdict != PSIM_VERDICT_RIGHT)
        return;
    measure_case(backend, unit, i, /* cold= */ false);
    measure_case(backend, unit, i, /* cold= */ true);
}

static void
describe(const PsimBackend *backend, PsimUnit *unit)
{
    PsimUnitFacts facts;

    backend->describe(unit, &facts);

    g_autofree char *detail = g_strdup_printf(
        "%s, %s, driver %s, %s, %u SMs, %.4g GB/s, %.4g TFLOP/s, host %.3g GB/s, links %.3g GB/s",
        facts.name, facts.architecture, facts.driver, facts.libraries, facts.n_sms,
        facts.nominal_bytes_per_s / 1e9, facts.nominal_flop_per_s[PSIM_NUMBER_BF16] / 1e12,
        facts.nominal_host_bytes_per_s / 1e9, facts.nominal_link_bytes_per_s / 1e9);

    report(facts.n_sms > 0 && facts.memory_bytes > 0 && facts.cache_bytes > 0 &&
               facts.nominal_bytes_per_s > 1e9 && facts.memory_usable_bytes <= facts.memory_bytes,
           "the device describes itself", detail);
}

static void
refuse_what_is_too_large(const PsimBackend *backend, PsimUnit *unit)
{
    g_autoptr(GError) error = NULL;
    PsimPolicy tight = policy;
    PsimSamples samples = {0};

    tight.memory_bytes = 1 << 20;
    report(backend->measure(unit, &cases[2].what, &tight, &samples, &error) ==
               PSIM_VERDICT_TOO_LARGE,
           "what does not fit into the budget is refused", error == NULL ? NULL : error->message);
    psim_samples_clear(&samples);
}

static int
run_on_device(const PsimBackend *backend)
{
    g_autoptr(GError) error = NULL;
    PsimUnit *unit = backend->open(0, &error);

    if (unit == NULL) {
        printf("1..0 # SKIP %s\n", error->message);
        return EXIT_SUCCESS;
    }
    describe(backend, unit);
    refuse_what_is_too_large(backend, unit);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        try_case(backend, unit, i);
    backend->close(unit);
    return finish();
}

int
main(int n_arguments, char **arguments)
{
    if (n_arguments < 2)
        return EXIT_FAILURE;

    const bool on_device = n_arguments > 2 && strcmp(arguments[2], "--device") == 0;

    if (on_device) {
        void *module = dlopen(arguments[1], RTLD_LAZY | RTLD_LOCAL);
        PsimBackendFunc function = NULL;

        if (module != NULL)
            *(void **)&function = dlsym(module, PSIM_BACKEND_SYMBOL);
        if (function == NULL) {
            printf("Bail out! %s\n", dlerror());
            return EXIT_FAILURE;
        }
        return run_on_device(function());
    }

    const PsimBackend *const backend = load(arguments[1]);

    if (backend != NULL) {
        look_at(backend);
        open_what_is_not_there(backend);
    }
    return finish();
}
