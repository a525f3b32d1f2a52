/* SPDX-License-Identifier: MIT */
/* Columns of numbers, since a hundred thousand objects would be slow to read. Tasks stand track by
 * track, in time order; a task's place in that order is its name:
 *
 *     "tracks":      [rank, kind of stream, its first task]
 *     "classes":     [operation, colour, stage, chunk, bytes taken, given back, working, work]
 *     "gap":         time from the end of the task before on the track to the start of this one
 *     "duration", "class", "microbatch" (-1: none)
 *     "binder":      the task that this one waited for (-1: none)
 *
 * Times are whole picoseconds, or ticks of a schedule alone.
 */
#include "report/html.h"

#include "base/text.h"
#include "report/paint.h"
#include "timeline/binding.h"
#include "timeline/track.h"

/* What a browser reads and keeps without trouble. */
#define MAX_TASKS 400000u

typedef struct {
    const PsimResult *result;
    PsimSink *sink;
    PsimTracks tracks;
    PsimBinding binding;
    uint32_t *place; /* (n_tasks) in the order of the tracks */
} Data;

bool
psim_html_data_fits(const PsimResult *result)
{
    const uint64_t n_tasks = psim_result_n_spans(result);

    return n_tasks > 0 && n_tasks <= MAX_TASKS && result->replay->makespan > 0;
}

/* Operations are words of ours or of a schedule file. */
static void
append_word(GString *out, const char *word)
{
    g_string_append_c(out, '"');
    for (const char *at = word; *at != '\0'; at++)
        g_string_append_c(out, g_ascii_isalnum(*at) || *at == '-' || *at == '_' ? *at : '?');
    g_string_append_c(out, '"');
}

static void
write_classes(Data *self)
{
    const PsimGraph *graph = self->result->graph;
    GString *out = self->sink->buffer;

    g_string_append(out, ",\n\"classes\":[");
    for (uint32_t i = 0; i < graph->n_classes; i++) {
        const PsimTaskClass *class = &graph->classes[i];
        const PsimPaint paint = psim_paint_choose(class);

        g_string_append(out, i > 0 ? ",[" : "[");
        append_word(out, class->op);
        g_string_append_printf(out, ",%u,%u,%u,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT, paint,
                               class->stage, class->chunk, class->start_bytes, class->end_bytes);
        g_string_append_printf(out, ",%" G_GINT64_FORMAT ",", class->working_bytes);
        psim_text_number(out, paint <= PSIM_PAINT_OPTIMIZER ? class->flop : class->bytes);
        g_string_append_c(out, ']');
    }
    g_string_append_c(out, ']');
}

static void
write_tracks(Data *self)
{
    const PsimGraph *graph = self->result->graph;

    g_string_append(self->sink->buffer, ",\n\"tracks\":[");
    for (uint32_t i = 0; i < self->tracks.n_tracks; i++) {
        const PsimStream *stream = &graph->streams[self->tracks.stream[i]];

        g_string_append_printf(self->sink->buffer, "%s[%u,%u,%u]", i > 0 ? "," : "", stream->rank,
                               stream->kind, self->tracks.first[i]);
        psim_report_flush(self->sink, /* all= */ false);
    }
    g_string_append_c(self->sink->buffer, ']');
}

/* One number of the task at @index of the tracks' order. */
typedef int64_t (*FindNumber)(Data *self, uint32_t index);

static int64_t
find_duration(Data *self, uint32_t index)
{
    return self->result->graph->duration[self->tracks.tasks[index]];
}

static int64_t
find_class(Data *self, uint32_t index)
{
    return self->result->graph->class[self->tracks.tasks[index]];
}

static int64_t
find_microbatch(Data *self, uint32_t index)
{
    const uint32_t microbatch = self->result->graph->microbatch[self->tracks.tasks[index]];

    return microbatch == PSIM_TASK_NONE ? -1 : (int64_t)microbatch;
}

static int64_t
find_gap(Data *self, uint32_t index)
{
    const PsimGraph *graph = self->result->graph;
    const uint32_t task = self->tracks.tasks[index];
    const PsimTime start = psim_replay_start(self->result->replay, graph, task);
    const uint32_t before = index > 0 ? self->tracks.tasks[index - 1] : PSIM_TASK_NONE;
    const bool first = index == 0 || graph->stream[before] != graph->stream[task];

    return first ? start : start - self->result->replay->end[before];
}

static int64_t
find_binder(Data *self, uint32_t index)
{
    const uint32_t before = psim_binding_find(&self->binding, self->tracks.tasks[index]);

    return before == PSIM_TASK_NONE ? -1 : (int64_t)self->place[before];
}

static void
write_column(Data *self, const char *name, FindNumber find)
{
    GString *out = self->sink->buffer;

    g_string_append_printf(out, ",\n\"%s\":[", name);
    for (uint32_t i = 0; i < self->result->graph->n_tasks && !self->sink->failed; i++) {
        g_string_append_printf(out, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", find(self, i));
        psim_report_flush(self->sink, /* all= */ false);
    }
    g_string_append_c(out, ']');
}

/* Bytes that each rank holds at all times, and the most that any ever holds. */
static void
write_states(Data *self)
{
    const PsimResult *result = self->result;
    GString *out = self->sink->buffer;
    double most = 0.0;

    g_string_append(out, ",\n\"states\":[");
    for (uint32_t rank = 0; rank < result->n_ranks; rank++) {
        const double states = psim_paint_states_bytes(result, rank);

        most = MAX(most, states + (double)result->ranks[rank].peak.peak_bytes);
        g_string_append(out, rank > 0 ? "," : "");
        psim_text_number(out, states);
        psim_report_flush(self->sink, /* all= */ false);
    }
    g_string_append(out, "],\"most\":");
    psim_text_number(out, most);
    g_string_append(out, ",\"capacity\":");
    psim_text_number(out, result->capacity_bytes);
}

static void
write_timeline(Data *self)
{
    const PsimResult *result = self->result;
    const uint32_t copies = result->n_stages > 0 ? result->n_ranks / result->n_stages : 1;
    const bool known = result->n_stages > 0 && result->worst_stage < result->n_stages;

    g_string_append_printf(
        self->sink->buffer,
        "{\"kind\":\"%s\",\"makespan\":%" G_GINT64_FORMAT ",\"chunks\":%u,\"worst\":%u",
        result->kind == PSIM_RESULT_SCHEDULE ? "schedule" : "run", result->replay->makespan,
        result->n_chunks, known ? result->worst_stage * copies : 0);
    write_states(self);
    write_classes(self);
    write_tracks(self);
    write_column(self, "gap", find_gap);
    write_column(self, "duration", find_duration);
    write_column(self, "class", find_class);
    write_column(self, "microbatch", find_microbatch);
    write_column(self, "binder", find_binder);
    g_string_append(self->sink->buffer, "}\n");
}

void
psim_html_data_write(const PsimResult *result, PsimSink *sink)
{
    if (!psim_html_data_fits(result)) {
        g_string_append(sink->buffer, "{\"duration\":[]}\n");
        return;
    }
    g_autoptr(PsimArena) arena = psim_arena_new();
    Data data = {
        .result = result,
        .sink = sink,
        .tracks = psim_track_list(result->graph, arena),
        .place = psim_arena_array(arena, uint32_t, result->graph->n_tasks),
    };

    for (uint32_t i = 0; i < result->graph->n_tasks; i++)
        data.place[data.tracks.tasks[i]] = i;
    psim_binding_init(&data.binding, result->graph, result->replay, arena);
    write_timeline(&data);
}
