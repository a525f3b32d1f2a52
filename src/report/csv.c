/* SPDX-License-Identifier: MIT */
/* The timeline as rows, stream by stream and in time order; what takes no time is left out. Seconds
 * are exact decimals of picoseconds. A schedule alone has ticks, which are whole numbers.
 */
#include "base/text.h"
#include "report/formats.h"
#include "timeline/track.h"

typedef struct {
    const PsimResult *result;
    PsimSink *sink;
    bool ticks;
} Rows;

/* Nothing where a task belongs to no stage, chunk or microbatch. */
static void
append_index(GString *out, uint32_t index)
{
    if (index != PSIM_TASK_NONE)
        g_string_append_printf(out, "%u", index);
    g_string_append_c(out, ',');
}

static void
append_time(const Rows *rows, PsimTime time)
{
    if (rows->ticks)
        g_string_append_printf(rows->sink->buffer, "%" G_GINT64_FORMAT, time);
    else
        psim_text_seconds(rows->sink->buffer, time);
}

static void
append_row(const Rows *rows, uint32_t task)
{
    const PsimGraph *graph = rows->result->graph;
    const PsimTaskClass *class = psim_graph_class(graph, task);
    const PsimStream stream = graph->streams[graph->stream[task]];
    GString *out = rows->sink->buffer;

    if (graph->duration[task] == 0)
        return;
    append_index(out, stream.rank);
    append_index(out, class->stage);
    append_index(out, class->chunk);
    append_index(out, graph->microbatch[task]);
    g_string_append_printf(out, "%s,%s,", class->op, psim_stream_word((PsimStreamKind)stream.kind));
    append_time(rows, psim_replay_start(rows->result->replay, graph, task));
    g_string_append_c(out, ',');
    append_time(rows, graph->duration[task]);
    g_string_append_c(out, '\n');
}

static void
write_timeline(const PsimResult *result, PsimSink *sink)
{
    const Rows rows = {
        .result = result, .sink = sink, .ticks = result->kind == PSIM_RESULT_SCHEDULE};

    g_string_append(sink->buffer,
                    rows.ticks ? "rank,stage,chunk,microbatch,op,stream,start_ticks,dur_ticks\n"
                               : "rank,stage,chunk,microbatch,op,stream,start_s,dur_s\n");
    if (psim_result_n_spans(result) == 0)
        return;
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimTracks tracks = psim_track_list(result->graph, arena);

    for (uint32_t i = 0; i < result->graph->n_tasks && !sink->failed; i++) {
        append_row(&rows, tracks.tasks[i]);
        psim_report_flush(sink, /* all= */ false);
    }
}

const PsimReportType psim_csv_report = {
    .name = "csv",
    .summary = "the timeline, a row a task, for spreadsheets and pandas",
    .write_run = write_timeline,
    .write_schedule = write_timeline,
};
