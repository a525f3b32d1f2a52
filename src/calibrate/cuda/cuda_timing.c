/* SPDX-License-Identifier: MIT */
#include "calibrate/cuda/cuda_timing.h"

#include "calibrate/cuda/cuda_kernels.h"
#include "calibrate/cuda/cuda_scatter.h"
#include "calibrate/cuda/cuda_status.h"

#include <math.h>

/* Flags of PsimFlags; hardware/README.md, "Calibration", gives both shares. */
#define SCATTER_MAX    0.03
#define CLOCK_MOVE_MAX 0.05

/* Runs of a batch: at most so many, fewer where they are nodes of a graph. */
#define MAX_RUNS         (UINT64_C(1) << 20)
#define MAX_GRAPHED_RUNS (UINT64_C(1) << 12)

/* Algorithms beyond the first are only compared, so that a few batches do. */
#define VARIANT_BATCHES 3

typedef struct {
    PsimJob *job;
    const PsimPolicy *policy;
    uint32_t n_batches; /* at least one */
    int64_t end_us;     /* of the budget, on the monotonic clock */
    uint64_t n_runs;
    cudaGraphExec_t graph; /* of n_runs runs, or NULL */
    unsigned flags;
} Timing;

static bool
is_over(const Timing *self)
{
    return g_get_monotonic_time() >= self->end_us;
}

/* -- One batch --------------------------------------------------------------------------------- */

static bool
enqueue_runs(Timing *self, GError **error)
{
    if (self->graph != NULL)
        return TRY_CUDA(cudaGraphLaunch(self->graph, self->job->unit->stream), error);
    for (uint64_t i = 0; i < self->n_runs; i++)
        if (!psim_cuda_job_enqueue(self->job, i, error))
            return false;
    return true;
}

static bool
time_runs(Timing *self, double *ret_s, GError **error)
{
    const PsimUnit *const unit = self->job->unit;
    float ms = 0.0F;

    if (!TRY_CUDA(cudaEventRecord(unit->start, unit->stream), error) ||
        !enqueue_runs(self, error) || !TRY_CUDA(cudaEventRecord(unit->stop, unit->stream), error) ||
        !TRY_CUDA(cudaEventSynchronize(unit->stop), error) ||
        !TRY_CUDA(cudaEventElapsedTime(&ms, unit->start, unit->stop), error))
        return false;
    *ret_s = (double)ms * 1e-3;
    return true;
}

static bool
flush(const PsimUnit *unit, GError **error)
{
    return TRY_CUDA(psim_cuda_kernels_flush(unit->flush, unit->flush_bytes, unit->stream), error);
}

/* Sets @ret_s to what the whole batch took. */
static bool
run_batch(Timing *self, double *ret_s, GError **error)
{
    if (self->policy->cold && !flush(self->job->unit, error))
        return false;
    if (self->job->kind->time != NULL)
        return self->job->kind->time(self->job, self->n_runs, ret_s, error);
    return time_runs(self, ret_s, error);
}

/* -- How many runs make a batch ---------------------------------------------------------------- */

static void
drop_graph(Timing *self)
{
    if (self->graph != NULL)
        cudaGraphExecDestroy(self->graph);
    self->graph = NULL;
}

/* The capture has to end whatever was queued. */
static bool
capture(Timing *self, cudaGraph_t *ret_graph, GError **error)
{
    cudaStream_t stream = self->job->unit->stream;

    if (!TRY_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), error))
        return false;

    const bool queued = enqueue_runs(self, error);
    const cudaError_t status = cudaStreamEndCapture(stream, ret_graph);

    return queued && TRY_CUDA(status, error);
}

static bool
set_runs(Timing *self, uint64_t n_runs, GError **error)
{
    cudaGraph_t graph = NULL;

    drop_graph(self);
    self->n_runs = n_runs;
    /* What times itself does not run on one stream, and has no graph. */
    if (!self->job->what.graphed || self->job->kind->time != NULL)
        return true;

    const bool captured = capture(self, &graph, error) &&
                          TRY_CUDA(cudaGraphInstantiate(&self->graph, graph, 0), error);

    if (graph != NULL)
        cudaGraphDestroy(graph);
    return captured;
}

static uint64_t
most_runs(const Timing *self)
{
    const PsimCase *const what = &self->job->what;

    if (!what->graphed)
        return MAX_RUNS;
    if (what->kind == PSIM_CASE_LAUNCH)
        return MAX(1, MAX_GRAPHED_RUNS / what->launch.n_launches);
    return MAX_GRAPHED_RUNS;
}

/* The first run loads modules and touches memory, and is not looked at. Then the number grows until
 * a batch is long enough; the last step goes straight to it. */
static bool
find_runs(Timing *self, GError **error)
{
    const uint64_t most = most_runs(self);
    double s = 0.0;

    self->n_runs = 1;
    if (!run_batch(self, &s, error) || !set_runs(self, 1, error) || !run_batch(self, &s, error))
        return false;
    while (s < self->policy->batch_s && self->n_runs < most && !is_over(self)) {
        const double missing = self->policy->batch_s / fmax(s, 1e-7);
        const double factor = fmin(fmax(1.1 * missing, 1.5), 16.0);
        const uint64_t next = (uint64_t)ceil((double)self->n_runs * factor);

        if (!set_runs(self, MIN(next, most), error) || !run_batch(self, &s, error))
            return false;
    }
    return true;
}

/* -- A group of samples ------------------------------------------------------------------------ */

static bool
warm_up(Timing *self, GError **error)
{
    for (uint32_t i = 0; i < self->policy->n_warm_up && !is_over(self); i++) {
        double s = 0.0;

        if (!run_batch(self, &s, error))
            return false;
    }
    return true;
}

/* One sample is taken even when the budget is over. */
static bool
take_samples(Timing *self, uint32_t n_batches, PsimSamples *samples, GError **error)
{
    samples->n = 0;
    samples->n_a_batch = self->n_runs;
    while (samples->n < n_batches && (samples->n == 0 || !is_over(self))) {
        double s = 0.0;

        if (!run_batch(self, &s, error))
            return false;
        samples->seconds[samples->n++] = s / (double)self->n_runs;
    }
    return true;
}

static bool
clock_moved(const PsimSamples *samples)
{
    return samples->clock_before_hz > 0.0 && samples->clock_after_hz > 0.0 &&
           fabs(samples->clock_after_hz / samples->clock_before_hz - 1.0) > CLOCK_MOVE_MAX;
}

static unsigned
flags_of(const PsimSamples *samples, const PsimNvmlState *after, uint32_t wanted)
{
    g_autofree double *copy =
        g_memdup2(samples->seconds, (gsize)samples->n * sizeof *samples->seconds);
    unsigned flags = 0;

    if (psim_cuda_scatter(copy, samples->n) > SCATTER_MAX)
        flags |= PSIM_FLAG_SCATTERED;
    if (clock_moved(samples))
        flags |= PSIM_FLAG_CLOCK_MOVED;
    if (after->throttled)
        flags |= PSIM_FLAG_THROTTLED;
    if (samples->n < wanted)
        flags |= PSIM_FLAG_SHORT;
    return flags;
}

/* The clock is read right after the device was busy: an idle one says nothing. */
static bool
take_group(Timing *self, PsimSamples *samples, GError **error)
{
    const PsimNvml *const nvml = self->job->unit->nvml;
    PsimNvmlState before;
    PsimNvmlState after;

    if (!warm_up(self, error))
        return false;
    psim_cuda_nvml_read(nvml, &before);
    if (!take_samples(self, self->n_batches, samples, error))
        return false;
    psim_cuda_nvml_read(nvml, &after);
    samples->clock_before_hz = before.sm_clock_hz;
    samples->clock_after_hz = after.sm_clock_hz;
    samples->power_watt = after.power_watt;
    samples->flags = flags_of(samples, &after, self->n_batches);
    return true;
}

/* -- The best of several algorithms ------------------------------------------------------------ */

static double
least(const PsimSamples *samples)
{
    double best = (double)INFINITY;

    for (uint32_t i = 0; i < samples->n; i++)
        best = fmin(best, samples->seconds[i]);
    return best;
}

/* An algorithm that fails is passed over: only the first one has to work. */
static void
try_variants(Timing *self, PsimSamples *samples)
{
    double best_s = least(samples);

    for (uint32_t variant = 1; variant < self->job->n_variants && !is_over(self); variant++) {
        double seconds[VARIANT_BATCHES + 1];
        PsimSamples own = {.seconds = seconds};

        self->job->kind->choose(self->job, variant);
        if (set_runs(self, self->n_runs, NULL) &&
            take_samples(self, VARIANT_BATCHES + 1, &own, NULL))
            best_s = fmin(best_s, least(&own));
    }
    self->job->kind->choose(self->job, 0);
    samples->best_s = best_s;
}

static bool
measure(Timing *self, PsimSamples *samples, GError **error)
{
    if (!find_runs(self, error) || !take_group(self, samples, error))
        return false;
    if ((samples->flags & (PSIM_FLAG_SCATTERED | PSIM_FLAG_CLOCK_MOVED)) != 0 && !is_over(self) &&
        !take_group(self, samples, error))
        return false;
    if (self->job->kind->choose != NULL && self->job->n_variants > 1)
        try_variants(self, samples);
    return true;
}

bool
psim_cuda_timing_measure(PsimJob *job,
                         const PsimPolicy *policy,
                         PsimSamples *ret_samples,
                         GError **error)
{
    Timing self = {
        .job = job,
        .policy = policy,
        .n_batches = MAX(policy->n_batches, 1),
        .end_us = g_get_monotonic_time() + (int64_t)(policy->budget_s * 1e6),
    };

    *ret_samples = (PsimSamples){.seconds = g_new0(double, self.n_batches)};

    const bool done = measure(&self, ret_samples, error);

    drop_graph(&self);
    if (!done)
        psim_samples_clear(ret_samples);
    return done;
}
