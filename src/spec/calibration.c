/* SPDX-License-Identifier: MIT */
#include "spec/calibration.h"

#include "base/limits.h"
#include "spec/hardware.h"

#define SCHEMA "plansim.calibration/1"

#define MAX_SAMPLE_US 1e12
#define MAX_COUNT     (UINT64_C(1) << 52)

typedef struct {
    const char *kind;
    const char *const *what; /* words of "what", or NULL */
    const char *counts[5];   /* whole numbers that must be there */
    const char *flags[3];    /* true or false that must be there */
} RowKind;

static const char *const suite_words[] = {"launch",    "bandwidth", "gemm", "memory",
                                          "attention", "memcpy",    "nccl", NULL};
static const char *const statistic_words[] = {"minimum", "median", NULL};
static const char *const role_words[] = {"fit", "held-out", "probe", NULL};
static const char *const verdict_words[] = {"right",     "wrong",  "unsupported",
                                            "too-large", "failed", NULL};
static const char *const flag_words[] = {"scattered", "clock-moved", "throttled", "short", NULL};
static const char *const layout_words[] = {"TN", "NN", "NT", NULL};
static const char *const stream_words[] = {"copy", "scale", "triad", "sum", NULL};
static const char *const kernel_words[] = {"norm-forward",
                                           "norm-backward",
                                           "softmax-forward",
                                           "softmax-backward",
                                           "gelu-forward",
                                           "gelu-backward",
                                           "swiglu-forward",
                                           "swiglu-backward",
                                           "dropout-add-forward",
                                           "dropout-add-backward",
                                           "adam",
                                           NULL};
static const char *const memcpy_words[] = {"host-to-device", "device-to-host", "both-ways",
                                           "device-to-device", NULL};

static const RowKind *
find_kinds(void)
{
    static const RowKind kinds[] = {
        {.kind = "launch", .counts = {"launches"}, .flags = {"graphed"}},
        {.kind = "stream", .what = stream_words, .counts = {"bytes"}},
        {.kind = "gemm", .counts = {"m", "n", "k"}, .flags = {"accumulate"}},
        {.kind = "kernel", .what = kernel_words, .counts = {"rows", "width"}},
        {.kind = "attention",
         .counts = {"batch", "heads", "sequence", "head_dim"},
         .flags = {"causal", "backward"}},
        {.kind = "memcpy", .what = memcpy_words, .counts = {"bytes"}},
        {.kind = "collective", .counts = {"ranks", "bytes"}},
    };

    return kinds;
}

static const char *const kind_words[] = {"launch",    "stream", "gemm",       "kernel",
                                         "attention", "memcpy", "collective", NULL};

static void
read_shape(PsimReader *reader)
{
    const unsigned which = psim_reader_choice(reader, "kind", kind_words);
    const RowKind *kind = &find_kinds()[which];

    (void)psim_reader_choice(reader, "number", psim_precision_words());
    if (kind->what != NULL)
        (void)psim_reader_choice(reader, "what", kind->what);
    if (g_str_equal(kind->kind, "collective"))
        (void)psim_reader_choice(reader, "what", psim_collective_words());
    if (g_str_equal(kind->kind, "gemm"))
        (void)psim_reader_choice(reader, "layout", layout_words);
    for (size_t i = 0; i < G_N_ELEMENTS(kind->counts) && kind->counts[i] != NULL; i++)
        (void)psim_reader_count(reader, kind->counts[i], 1, MAX_COUNT);
    for (size_t i = 0; i < G_N_ELEMENTS(kind->flags) && kind->flags[i] != NULL; i++)
        (void)psim_reader_flag(reader, kind->flags[i]);
}

static void
read_flags(PsimReader *reader)
{
    const size_t n_flags = psim_reader_items(reader, "flags", /* required= */ false);

    for (size_t i = 0; i < n_flags; i++) {
        const char *flag = psim_reader_item_string(reader, "flags", i);

        if (!g_strv_contains(flag_words, flag))
            psim_reader_complain(reader, "flags", PSIM_ERROR_VALUE,
                                 "has \"%s\"; must be of scattered, clock-moved, throttled, short",
                                 flag);
    }
}

static void
read_samples(PsimReader *reader)
{
    static const char *const rest[] = {"median_us",      "min_us",     "mad_us",  "clock_before_hz",
                                       "clock_after_hz", "power_watt", "best_us", "error"};
    const size_t n_samples = psim_reader_items(reader, "samples_us", /* required= */ true);

    if (n_samples > PSIM_LIMIT_SAMPLES)
        psim_reader_complain(reader, "samples_us", PSIM_ERROR_LIMIT,
                             "has %zu samples; at most %u (PSIM_LIMIT_SAMPLES)", n_samples,
                             PSIM_LIMIT_SAMPLES);
    if (n_samples == 0 && psim_reader_is_array(reader, "samples_us"))
        psim_reader_complain(reader, "samples_us", PSIM_ERROR_VALUE,
                             "is empty; what was measured has a sample");
    for (size_t i = 0; i < MIN(n_samples, PSIM_LIMIT_SAMPLES); i++)
        (void)psim_reader_item_number(reader, "samples_us", i, 1e-9, MAX_SAMPLE_US);
    for (size_t i = 0; i < G_N_ELEMENTS(rest); i++)
        if (psim_reader_has(reader, rest[i]))
            (void)psim_reader_number(reader, rest[i], 0, 1e18);
    (void)psim_reader_count(reader, "repeats", 1, MAX_COUNT);
    (void)psim_reader_flag(reader, "cold");
    read_flags(reader);
}

static void
read_rows(PsimReader *reader)
{
    const size_t n_rows = psim_reader_items(reader, "rows", /* required= */ true);

    if (n_rows > PSIM_LIMIT_CASES)
        psim_reader_complain(reader, "rows", PSIM_ERROR_LIMIT,
                             "has %zu rows; at most %u (PSIM_LIMIT_CASES)", n_rows,
                             PSIM_LIMIT_CASES);
    for (size_t i = 0; i < MIN(n_rows, PSIM_LIMIT_CASES); i++) {
        psim_reader_enter_item(reader, "rows", i);
        read_shape(reader);
        (void)psim_reader_choice(reader, "role", role_words);
        if (psim_reader_choice(reader, "verdict", verdict_words) == 0)
            read_samples(reader);
        psim_reader_leave(reader);
    }
}

static void
read_unit(PsimReader *reader)
{
    static const char *const texts[] = {"name", "identifier", "driver", "libraries",
                                        "architecture"};
    static const char *const counts[] = {"units", "sms", "memory_bytes", "memory_usable_bytes",
                                         "cache_bytes"};
    static const char *const numbers[] = {"clock_hz",
                                          "memory_clock_hz",
                                          "power_limit_watt",
                                          "nominal_bytes_per_s",
                                          "nominal_link_bytes_per_s",
                                          "nominal_host_bytes_per_s"};

    psim_reader_enter(reader, "unit");
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        (void)psim_reader_string(reader, texts[i]);
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
        (void)psim_reader_count(reader, counts[i], 0, MAX_COUNT);
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        if (psim_reader_has(reader, numbers[i]))
            (void)psim_reader_number(reader, numbers[i], 0, 1e24);
    psim_reader_enter_or_empty(reader, "nominal_flop_per_s");
    for (size_t i = 0; i < PSIM_N_PRECISIONS; i++)
        if (psim_reader_has(reader, psim_precision_words()[i]))
            (void)psim_reader_number(reader, psim_precision_words()[i], 0, 1e24);
    psim_reader_leave(reader);
    psim_reader_leave(reader);
}

static void
read_method(PsimReader *reader)
{
    static const char *const numbers[] = {"warm_up", "batches", "batch_s", "budget_s", "seed"};

    psim_reader_enter(reader, "method");
    (void)psim_reader_choice(reader, "statistic", statistic_words);
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        (void)psim_reader_number(reader, numbers[i], 0, 1e15);
    const size_t n_suites = psim_reader_items(reader, "suites", /* required= */ true);

    for (size_t i = 0; i < n_suites; i++) {
        const char *suite = psim_reader_item_string(reader, "suites", i);

        if (!g_strv_contains(suite_words, suite))
            psim_reader_complain(reader, "suites", PSIM_ERROR_VALUE,
                                 "has \"%s\", which is no suite", suite);
    }
    psim_reader_leave(reader);
}

char *
psim_calibration_read(PsimReader *reader)
{
    static const char *const derived[] = {"clocks", "params", "fit", "warnings"};
    static const char *const schema_words[] = {SCHEMA, NULL};

    if (!psim_reader_has(reader, "calibration"))
        return NULL;
    char *text = psim_reader_raw(reader, "calibration");

    psim_reader_enter(reader, "calibration");
    (void)psim_reader_choice(reader, "schema", schema_words);
    (void)psim_reader_string(reader, "backend");
    (void)psim_reader_flag(reader, "complete");
    read_unit(reader);
    read_method(reader);
    /* Computed from the rows, so nobody reads them back. */
    for (size_t i = 0; i < G_N_ELEMENTS(derived); i++)
        psim_reader_ignore(reader, derived[i]);
    read_rows(reader);
    psim_reader_leave(reader);
    return text;
}
