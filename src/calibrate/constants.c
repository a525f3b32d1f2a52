/* SPDX-License-Identifier: MIT */
#include "calibrate/constants.h"

#include "calibrate/partial_fit.h"

#include <math.h>

/* Arrays of so many caches are beyond them. */
#define CACHES_BEYOND              2.0
#define DEFAULT_BANDWIDTH_FRACTION 0.8

const char *const *
psim_fraction_words(void)
{
    static const char *const words[] = {
        "copy", "norm_forward", "norm_backward", "elementwise", "softmax", "optimizer", NULL};

    G_STATIC_ASSERT(G_N_ELEMENTS(words) == PSIM_N_FRACTIONS + 1);
    return words;
}

void
psim_times_clear(PsimTimes *self)
{
    g_clear_pointer(&self->trials, g_free);
    g_clear_pointer(&self->seconds, g_free);
}

/* A device that slowed itself down tells nothing of its usual speed. */
static bool
is_usable(const PsimTrial *trial, PsimCaseKind kind, PsimRole role)
{
    return trial->what.kind == kind && trial->role == role &&
           trial->verdict == PSIM_VERDICT_RIGHT && trial->samples.n > 0 &&
           (trial->samples.flags & PSIM_FLAG_THROTTLED) == 0;
}

/* Room for all there can be. */
static PsimTimes
make_times(size_t n_most)
{
    PsimTimes times = {.n = 0};

    times.trials = g_new(const PsimTrial *, n_most + 1);
    times.seconds = g_new(double, n_most + 1);
    return times;
}

PsimTimes
psim_times_of(const PsimRecord *record,
              PsimCaseKind kind,
              PsimRole role,
              PsimTimesFilter filter,
              const void *user)
{
    PsimTimes times = make_times(record->trials->len);

    for (guint i = 0; i < record->trials->len; i++) {
        const PsimTrial *trial = g_ptr_array_index(record->trials, i);

        if (!is_usable(trial, kind, role) || (filter != NULL && !filter(trial, user)))
            continue;
        times.trials[times.n] = trial;
        times.seconds[times.n++] = psim_record_time_s(record, trial);
    }
    return times;
}

/* -- Launch, bandwidth, host -- */

static bool
is_not_graphed(const PsimTrial *trial, const void *user)
{
    (void)user;
    return !trial->what.graphed;
}

static double
find_launch_s(const PsimRecord *record)
{
    g_auto(PsimTimes) times =
        psim_times_of(record, PSIM_CASE_LAUNCH, PSIM_ROLE_FIT, is_not_graphed, NULL);

    return times.n > 0 ? times.seconds[0] / (double)times.trials[0]->what.launch.n_launches
                       : (double)NAN;
}

typedef struct {
    const PsimRecord *record;
    PsimStreamKind what;
} Stream;

static bool
is_beyond_caches(const PsimTrial *trial, const void *user)
{
    const Stream *stream = user;

    return trial->what.stream.what == stream->what &&
           (double)trial->what.stream.bytes >=
               CACHES_BEYOND * (double)stream->record->facts.cache_bytes;
}

/* Returns: what streams of one kind reach beyond the caches, [B/s]; NAN if none was measured. */
static double
find_plateau(const PsimRecord *record, PsimStreamKind what)
{
    static const double transfers[PSIM_N_STREAM_KINDS] = {2.0, 2.0, 3.0, 1.0};
    const Stream stream = {record, what};
    g_auto(PsimTimes) times =
        psim_times_of(record, PSIM_CASE_STREAM, PSIM_ROLE_FIT, is_beyond_caches, &stream);

    for (size_t i = 0; i < times.n; i++)
        times.seconds[i] =
            transfers[what] * (double)times.trials[i]->what.stream.bytes / times.seconds[i];
    return psim_accuracy_median(times.seconds, times.n);
}

static void
fit_bandwidth(const PsimRecord *record, PsimConstants *constants)
{
    double plateaus[PSIM_N_STREAM_KINDS];
    double best = 0.0;

    for (int i = 0; i < PSIM_N_STREAM_KINDS; i++) {
        plateaus[i] = find_plateau(record, (PsimStreamKind)i);
        best = fmax(best, plateaus[i]);
    }
    constants->memory_bytes_per_s = record->facts.nominal_bytes_per_s;
    if (constants->memory_bytes_per_s <= 0.0)
        constants->memory_bytes_per_s = best;
    constants->bandwidth_fraction = plateaus[PSIM_STREAM_TRIAD] / constants->memory_bytes_per_s;
    constants->fractions[PSIM_FRACTION_COPY] =
        plateaus[PSIM_STREAM_COPY] / constants->memory_bytes_per_s;
    constants->has_fraction[PSIM_FRACTION_COPY] =
        isfinite(constants->fractions[PSIM_FRACTION_COPY]);
}

static bool
is_from_host(const PsimTrial *trial, const void *user)
{
    (void)user;
    return trial->what.memcpy.what == PSIM_MEMCPY_HOST_TO_DEVICE;
}

static double
find_host_rate(const PsimRecord *record)
{
    g_auto(PsimTimes) times =
        psim_times_of(record, PSIM_CASE_MEMCPY, PSIM_ROLE_FIT, is_from_host, NULL);
    double best = (double)NAN;

    for (size_t i = 0; i < times.n; i++)
        best = fmax(best, (double)times.trials[i]->what.memcpy.bytes / times.seconds[i]);
    return best;
}

/* -- Products -- */

PsimProduct
psim_constants_product(const PsimCase *what)
{
    const uint64_t operand = psim_number_bytes(what->number);
    /* fp8 products are written in 16 bits, and what is added to is read and written. */
    const uint64_t result = what->gemm.accumulate_fp32 ? 8 : MAX(operand, 2);

    return (PsimProduct){
        .size = sizeof(PsimProduct),
        .m = (double)what->gemm.m,
        .n = (double)what->gemm.n,
        .k = (double)what->gemm.k,
        .element_bytes = (double)operand,
        .output_bytes = (double)result,
        .layout = (PsimProductLayout)what->gemm.layout,
    };
}

static bool
is_of_number(const PsimTrial *trial, const void *user)
{
    return trial->what.number == *(const PsimNumber *)user;
}

static GArray *
list_samples(const PsimRecord *record, PsimNumber number)
{
    GArray *samples = g_array_new(FALSE, FALSE, sizeof(PsimGemmSample));

    for (int role = PSIM_ROLE_FIT; role <= PSIM_ROLE_HELD_OUT; role++) {
        g_auto(PsimTimes) times =
            psim_times_of(record, PSIM_CASE_GEMM, (PsimRole)role, is_of_number, &number);

        for (size_t i = 0; i < times.n; i++) {
            const PsimGemmSample sample = {
                .product = psim_constants_product(&times.trials[i]->what),
                .time_s = times.seconds[i],
                .held_out = role == PSIM_ROLE_HELD_OUT,
            };

            g_array_append_val(samples, sample);
        }
    }
    return samples;
}

static double
find_best_rate(const GArray *samples)
{
    double best = 0.0;

    for (guint i = 0; i < samples->len; i++) {
        const PsimGemmSample *sample = &g_array_index(samples, PsimGemmSample, i);
        const PsimProduct *product = &sample->product;

        best = MAX(best, 2.0 * product->m * product->n * product->k / sample->time_s);
    }
    return best;
}

static PsimProductCost
make_base(const PsimRecord *record, const PsimConstants *constants, PsimNumber number)
{
    const double launch_s = constants->launch_floor_s;
    const double fraction = constants->bandwidth_fraction;

    return (PsimProductCost){
        .size = sizeof(PsimProductCost),
        .tiled = record->facts.n_sms > 0,
        .n_sms = record->facts.n_sms,
        .peak_flop_per_s = constants->peak_flop_per_s[number],
        .memory_bytes_per_s = constants->memory_bytes_per_s,
        .bandwidth_fraction = isfinite(fraction) ? fraction : DEFAULT_BANDWIDTH_FRACTION,
        .launch_s = isfinite(launch_s) ? launch_s : 0.0,
    };
}

static void
fit_products(const PsimRecord *record, PsimConstants *constants, PsimNumber number)
{
    g_autoptr(GArray) samples = list_samples(record, number);
    double *peak = &constants->peak_flop_per_s[number];

    *peak = record->facts.nominal_flop_per_s[number];
    if (*peak <= 0.0)
        *peak = find_best_rate(samples);
    if (samples->len == 0 || constants->memory_bytes_per_s <= 0.0)
        return;
    const PsimProductCost base = make_base(record, constants, number);

    constants->has_gemm[number] = psim_gemm_fit(&base, &g_array_index(samples, PsimGemmSample, 0),
                                                samples->len, &constants->gemm[number]);
}

/* The type that training computes in, if it was measured. */
static PsimNumber
find_main(const PsimConstants *constants)
{
    static const PsimNumber by_preference[] = {PSIM_NUMBER_BF16, PSIM_NUMBER_FP16,
                                               PSIM_NUMBER_TF32};

    for (size_t i = 0; i < G_N_ELEMENTS(by_preference); i++) {
        if (constants->has_gemm[by_preference[i]])
            return by_preference[i];
    }
    return PSIM_NUMBER_FP32;
}

/* fp8 shares launch, k0 and tiles with the main type and has an efficiency of its own. */
static void
refit_fp8(const PsimRecord *record, PsimConstants *constants)
{
    if (!constants->has_gemm[PSIM_NUMBER_FP8] || !constants->has_gemm[constants->main])
        return;
    g_autoptr(GArray) samples = list_samples(record, PSIM_NUMBER_FP8);
    PsimProductCost base = constants->gemm[constants->main].cost;

    base.peak_flop_per_s = constants->peak_flop_per_s[PSIM_NUMBER_FP8];
    constants->has_gemm[PSIM_NUMBER_FP8] =
        psim_gemm_fit_efficiency(&base, &g_array_index(samples, PsimGemmSample, 0), samples->len,
                                 &constants->gemm[PSIM_NUMBER_FP8]);
}

/* -- All of it -- */

PsimConstants *
psim_constants_fit(const PsimRecord *record)
{
    PsimConstants *self = g_new0(PsimConstants, 1);

    self->attention = g_array_new(FALSE, FALSE, sizeof(PsimAttentionFit));
    self->links = g_array_new(FALSE, FALSE, sizeof(PsimLinkFit));
    self->memory_launch_s = (double)NAN;
    self->launch_floor_s = find_launch_s(record);
    self->host_bytes_per_s = find_host_rate(record);
    fit_bandwidth(record, self);
    for (int number = 0; number < PSIM_N_NUMBERS; number++)
        fit_products(record, self, (PsimNumber)number);
    self->main = find_main(self);
    refit_fp8(record, self);
    psim_kernel_fit(record, self);
    psim_attention_fit(record, self);
    psim_link_fit(record, self);
    return self;
}

void
psim_constants_free(PsimConstants *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->attention);
    g_array_unref(self->links);
    g_free(self);
}
