/* SPDX-License-Identifier: MIT */
/* A trace that Perfetto and chrome://tracing open: a process a rank, a thread a stream.
 *
 * The rules kept here, in the reader's terms:
 *   - slices (X) of one thread never overlap: transfers that do get lanes, threads of their own;
 *     nor in a reader's arithmetic: see shorten();
 *   - an arrow begins (s) in the middle of the sender's slice and ends (f, bp e) at the receiver's
 *     start, written after the receiver's slice; id, cat and name agree;
 *   - a counter (C) is written at each change and holds until the next one;
 *   - pid and tid begin at 1, since 0 is the idle task elsewhere.
 *
 * Starts are microseconds, exact from picoseconds. A schedule alone has no unit of its own: a tick
 * is shown as a microsecond. Every task is written and forgotten, so memory does not grow with
 * output.
 */
#include "base/text.h"
#include "report/formats.h"
#include "report/paint.h"
#include "report/phrase.h"
#include "timeline/track.h"

#define PS_PER_US 1000000

typedef struct {
    const PsimResult *result;
    PsimSink *sink;
    const PsimGraph *graph;
    PsimTracks tracks;
    PsimTime scale; /* picoseconds of the trace in one of the result */
    bool any;       /* an event has been written */
    uint32_t *tid;  /* (n_tasks) thread within the rank; 0: not in the trace */
} Trace;

/* -- Pieces of JSON -- */

static void
append_us(GString *out, PsimTime time)
{
    char fraction[8] = {0};
    PsimTime rest = time % PS_PER_US;

    g_string_append_printf(out, "%" G_GINT64_FORMAT, time / PS_PER_US);
    if (rest == 0)
        return;
    for (int i = 6; i > 0; i--, rest /= 10)
        fraction[i] = (char)('0' + rest % 10);
    fraction[0] = '.';
    for (int i = 6; fraction[i] == '0'; i--)
        fraction[i] = '\0';
    g_string_append(out, fraction);
}

/* Every event begins alike; what follows ends it with "}". */
static void
begin_event(Trace *self, const char *phase, uint32_t rank, uint32_t tid)
{
    GString *out = self->sink->buffer;

    g_string_append(out, self->any ? ",\n" : "\n");
    g_string_append_printf(out, "{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u", phase, rank + 1, tid);
    self->any = true;
}

static void
append_member_us(Trace *self, const char *key, PsimTime time)
{
    g_string_append_printf(self->sink->buffer, ",\"%s\":", key);
    append_us(self->sink->buffer, time);
}

static void
write_name(Trace *self, const char *what, uint32_t rank, uint32_t tid, const char *name)
{
    GString *out = self->sink->buffer;

    /* Names are ours: no character of them needs escaping. */
    begin_event(self, "M", rank, tid);
    g_string_append_printf(out, ",\"ts\":0,\"cat\":\"__metadata\",\"name\":\"%s\"", what);
    g_string_append_printf(out, ",\"args\":{\"name\":\"%s\"}}", name);
    psim_report_flush(self->sink, /* all= */ false);
}

/* -- Threads -- */

static PsimTime
start_of(const Trace *self, uint32_t task)
{
    return psim_replay_start(self->result->replay, self->graph, task);
}

/* The first lane that is free; kind + 1 is the first one's thread. */
static uint32_t
choose_lane(GArray *until, PsimTime start, PsimTime end)
{
    guint lane = 0;

    while (lane < until->len && g_array_index(until, PsimTime, lane) > start)
        lane++;
    if (lane == until->len)
        g_array_append_val(until, end);
    else
        g_array_index(until, PsimTime, lane) = end;
    return lane;
}

static void
name_lane(Trace *self, uint32_t rank, PsimStreamKind kind, uint32_t lane)
{
    static const char *const names[PSIM_N_STREAM_KINDS] = {
        [PSIM_STREAM_COMPUTE] = "compute",
        [PSIM_STREAM_SEND_NEXT] = "send next",
        [PSIM_STREAM_SEND_PREVIOUS] = "send previous",
        [PSIM_STREAM_TP] = "tp",
        [PSIM_STREAM_DP] = "dp",
    };
    const uint32_t tid = kind + 1 + lane * PSIM_N_STREAM_KINDS;
    const bool shared = kind == PSIM_STREAM_TP && self->result->cp > 1;
    const char *what = shared ? "tp, cp" : names[kind];
    g_autofree char *name = lane > 0 ? g_strdup_printf("%s %u", what, lane + 1) : g_strdup(what);

    write_name(self, "thread_name", rank, tid, name);
}

/* Gives every task of a rank's tracks of one kind its thread, and names the threads. */
static void
assign_threads(Trace *self, uint32_t rank, PsimStreamKind kind)
{
    g_autoptr(GArray) until = g_array_new(FALSE, FALSE, sizeof(PsimTime));

    for (uint32_t track = self->tracks.rank[rank]; track < self->tracks.rank[rank + 1]; track++) {
        if (self->graph->streams[self->tracks.stream[track]].kind != kind)
            continue;
        for (uint32_t i = self->tracks.first[track]; i < self->tracks.first[track + 1]; i++) {
            const uint32_t task = self->tracks.tasks[i];
            const guint n_lanes = until->len;

            if (self->graph->duration[task] == 0)
                continue;
            const uint32_t lane =
                choose_lane(until, start_of(self, task), self->result->replay->end[task]);

            self->tid[task] = kind + 1 + lane * PSIM_N_STREAM_KINDS;
            if (until->len > n_lanes)
                name_lane(self, rank, kind, lane);
        }
    }
}

static void
write_processes(Trace *self)
{
    const PsimResult *result = self->result;
    const bool staged = !result->unfolded && result->n_stages == self->graph->n_ranks;

    for (uint32_t rank = 0; rank < self->graph->n_ranks && !self->sink->failed; rank++) {
        const char *layers = staged ? result->stages[rank].layers_text : NULL;
        g_autofree char *name = layers != NULL ? g_strdup_printf("rank %u: layers %s", rank, layers)
                                               : g_strdup_printf("rank %u", rank);

        write_name(self, "process_name", rank, 1, name);
        for (unsigned kind = 0; kind < PSIM_N_STREAM_KINDS; kind++)
            assign_threads(self, rank, (PsimStreamKind)kind);
    }
}

/* -- Slices and arrows -- */

/* Readers add start and duration as binary fractions, and their sum may come out behind the start
 * of what follows; speedscope then takes the two for nested, and never ends the first. A picosecond
 * is room enough. Whole microseconds add up as they are.
 */
static PsimTime
shorten(PsimTime start, PsimTime duration)
{
    const bool whole = start % PS_PER_US == 0 && duration % PS_PER_US == 0;

    return whole || duration == 1 ? duration : duration - 1;
}

static void
write_slice(Trace *self, uint32_t task)
{
    const PsimTime start = start_of(self, task) * self->scale;
    const PsimTaskClass *class = psim_graph_class(self->graph, task);
    const uint32_t rank = self->graph->streams[self->graph->stream[task]].rank;
    const uint32_t microbatch = self->graph->microbatch[task];
    const bool computes = class->kind == PSIM_TASK_COMPUTE || class->kind == PSIM_TASK_OPTIMIZER;
    GString *out = self->sink->buffer;
    g_autofree char *label = psim_phrase_label(self->result, task);

    begin_event(self, "X", rank, self->tid[task]);
    append_member_us(self, "ts", start);
    append_member_us(self, "dur", shorten(start, self->graph->duration[task] * self->scale));
    g_string_append_printf(out, ",\"name\":\"%s\",\"cat\":\"%s\",\"args\":{", label,
                           psim_task_kind_word((PsimTaskKind) class->kind));
    if (microbatch != PSIM_TASK_NONE)
        g_string_append_printf(out, "\"microbatch\":%u,", microbatch);
    g_string_append_printf(out, "\"stage\":%u,\"%s\":", class->stage, computes ? "flop" : "bytes");
    psim_text_number(out, computes ? class->flop : class->bytes);
    g_string_append(out, "}}");
}

static void
write_arrow_end(
    Trace *self, const char *phase, uint32_t rank, uint32_t tid, uint32_t id, PsimTime time)
{
    begin_event(self, phase, rank, tid);
    append_member_us(self, "ts", time);
    g_string_append_printf(self->sink->buffer,
                           "%s,\"id\":%u,\"name\":\"transfer\",\"cat\":\"pp\",\"args\":{}}",
                           phase[0] == 'f' ? ",\"bp\":\"e\"" : "", id);
}

/* The arrow along an edge that crosses ranks: from the transfer, or where transfers take no time
 * from the work that made what is sent. */
static void
write_arrow(Trace *self, uint32_t edge, uint32_t task)
{
    const PsimGraph *graph = self->graph;
    uint32_t before = graph->before[edge];

    while (graph->duration[before] == 0 && graph->first[before] < graph->first[before + 1])
        before = graph->before[graph->first[before]];
    const uint32_t kind = psim_graph_class(graph, before)->kind;
    const uint32_t from = graph->streams[graph->stream[before]].rank;
    const uint32_t to = graph->streams[graph->stream[task]].rank;
    /* Half of the duration is strictly inside, unless nothing is. */
    const PsimTime half = graph->duration[before] * self->scale / 2;

    if ((kind != PSIM_TASK_SEND && kind != PSIM_TASK_COMPUTE && kind != PSIM_TASK_TP &&
         kind != PSIM_TASK_CP) ||
        from == to || half == 0)
        return;
    write_arrow_end(self, "s", from, self->tid[before], edge,
                    start_of(self, before) * self->scale + half);
    write_arrow_end(self, "f", to, self->tid[task], edge, start_of(self, task) * self->scale);
}

static void
write_task(Trace *self, uint32_t task)
{
    if (self->tid[task] == 0)
        return;
    write_slice(self, task);
    if (psim_graph_class(self->graph, task)->kind == PSIM_TASK_COMPUTE) {
        for (uint32_t edge = self->graph->first[task]; edge < self->graph->first[task + 1]; edge++)
            write_arrow(self, edge, task);
    }
    psim_report_flush(self->sink, /* all= */ false);
}

/* -- Memory -- */

static void
write_counter(Trace *self, uint32_t rank, PsimTime time, double value)
{
    const bool alone = self->result->kind == PSIM_RESULT_SCHEDULE;
    GString *out = self->sink->buffer;

    begin_event(self, "C", rank, 1);
    append_member_us(self, "ts", time * self->scale);
    g_string_append_printf(out, ",\"name\":\"memory\",\"cat\":\"memory\",\"args\":{\"%s\":",
                           alone ? "chunks" : "bytes");
    psim_text_number(out, value);
    g_string_append(out, "}}");
    psim_report_flush(self->sink, /* all= */ false);
}

static void
visit_memory(void *user, uint32_t rank, PsimTime time, int64_t bytes, uint32_t task)
{
    Trace *self = user;

    (void)task;
    if (!self->sink->failed)
        write_counter(self, rank, time,
                      psim_paint_states_bytes(self->result, rank) + (double)bytes);
}

static void
write_events(Trace *self)
{
    write_processes(self);
    for (uint32_t i = 0; i < self->graph->n_tasks && !self->sink->failed; i++)
        write_task(self, self->tracks.tasks[i]);
    for (uint32_t rank = 0; rank < self->graph->n_ranks; rank++)
        write_counter(self, rank, /* time= */ 0, psim_paint_states_bytes(self->result, rank));
    psim_ledger_curve(self->graph, self->result->replay, visit_memory, self);
}

static void
write_trace(const PsimResult *result, PsimSink *sink)
{
    const bool alone = result->kind == PSIM_RESULT_SCHEDULE;

    g_string_append_printf(sink->buffer,
                           "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"tool\":\"plansim %s\","
                           "\"time\":\"%s\"},\"traceEvents\":[",
                           PSIM_VERSION, alone ? "1 us is 1 tick" : "simulated");
    if (psim_result_n_spans(result) > 0) {
        g_autoptr(PsimArena) arena = psim_arena_new();
        const bool tall = result->replay->makespan > INT64_MAX / PS_PER_US;
        Trace trace = {
            .result = result,
            .sink = sink,
            .graph = result->graph,
            .tracks = psim_track_list(result->graph, arena),
            .scale = alone && !tall ? PS_PER_US : 1,
            .tid = psim_arena_array(arena, uint32_t, result->graph->n_tasks),
        };

        write_events(&trace);
    }
    g_string_append(sink->buffer, "\n]}\n");
}

const PsimReportType psim_chrome_report = {
    .name = "chrome",
    .summary = "a trace for Perfetto or chrome://tracing, with memory and arrows",
    .write_run = write_trace,
    .write_schedule = write_trace,
};
