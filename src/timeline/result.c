/* SPDX-License-Identifier: MIT */
/* Every task is a span, under its own id: ids on one stream are in time order, so no list is kept.
 */
#include "timeline/result.h"

#include <math.h>
#include <string.h>

PsimResult *
psim_result_new(PsimResultKind kind)
{
    const double unknown = (double)NAN;
    PsimResult *self = g_new(PsimResult, 1);

    *self = (PsimResult){
        .ref_count = 1,
        .arena = psim_arena_new(),
        .kind = kind,
        .time_low_s = unknown,
        .time_high_s = unknown,
        .tokens_per_s = unknown,
        .mfu_fraction = unknown,
        .hfu_fraction = unknown,
        .model_flop_per_s_per_gpu = unknown,
        .hardware_flop_per_s_per_gpu = unknown,
        .bubble_ratio_to_ideal = unknown,
        .ideal_bubble_fraction = unknown,
        .tokens = unknown,
        .days = unknown,
        .gpu_hours = unknown,
        .cost = unknown,
        .usd_per_gpu_hour = unknown,
    };
    return self;
}

PsimResult *
psim_result_ref(PsimResult *self)
{
    g_return_val_if_fail(self != NULL, NULL);
    g_atomic_int_inc(&self->ref_count);
    return self;
}

void
psim_result_unref(PsimResult *self)
{
    if (self == NULL || !g_atomic_int_dec_and_test(&self->ref_count))
        return;
    psim_arena_free(self->arena);
    g_free(self);
}

bool
psim_result_fits(const PsimResult *self)
{
    g_return_val_if_fail(self != NULL, false);
    /* A schedule alone has no memory to overflow. */
    return self->n_stuck == 0 && (self->kind == PSIM_RESULT_SCHEDULE || self->fits);
}

static uint64_t
round_bytes(double bytes)
{
    return bytes > 0.0 && bytes < 0x1p63 ? (uint64_t)llround(bytes) : 0;
}

/* Copies as much as the caller's struct holds; its size stays what the caller said. */
static void
copy_sized(void *to, size_t to_size, const void *from, size_t from_size)
{
    const size_t head = sizeof(size_t);

    memcpy((char *)to + head, (const char *)from + head, MIN(to_size, from_size) - head);
}

static PsimSummary
summarize(const PsimResult *self)
{
    return (PsimSummary){
        .step = self->step_ps,
        .bubble_fraction = self->bubble_fraction,
        .mfu_fraction = self->mfu_fraction,
        .hfu_fraction = self->hfu_fraction,
        .tokens_per_s = self->tokens_per_s,
        .peak_bytes = round_bytes(self->worst_peak_bytes),
        .capacity_bytes = round_bytes(self->capacity_bytes),
        .n_tasks = psim_result_n_spans(self),
    };
}

void
psim_result_summary(const PsimResult *self, PsimSummary *ret_summary)
{
    g_return_if_fail(self && ret_summary && ret_summary->size >= sizeof(size_t));
    const PsimSummary summary = summarize(self);

    copy_sized(ret_summary, ret_summary->size, &summary, sizeof summary);
}

uint64_t
psim_result_n_spans(const PsimResult *self)
{
    g_return_val_if_fail(self != NULL, 0);
    return self->graph != NULL && self->replay != NULL ? self->graph->n_tasks : 0;
}

static PsimSpan
describe_task(const PsimResult *self, uint32_t task)
{
    const PsimTaskClass *class = psim_graph_class(self->graph, task);
    const PsimStream *stream = &self->graph->streams[self->graph->stream[task]];

    return (PsimSpan){
        .rank = stream->rank,
        .stage = class->stage,
        .chunk = class->chunk,
        .microbatch = self->graph->microbatch[task],
        .op = class->op,
        .stream = psim_stream_word((PsimStreamKind)stream->kind),
        .start = psim_replay_start(self->replay, self->graph, task),
        .duration = self->graph->duration[task],
    };
}

void
psim_result_span(const PsimResult *self, uint64_t index, PsimSpan *ret_span)
{
    g_return_if_fail(index < psim_result_n_spans(self) && ret_span->size >= sizeof(size_t));
    const PsimSpan span = describe_task(self, (uint32_t)index);

    copy_sized(ret_span, ret_span->size, &span, sizeof span);
}
