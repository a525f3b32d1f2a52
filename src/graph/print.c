/* SPDX-License-Identifier: MIT */
#include "graph/print.h"

/* "F s1 m0": op, stage, microbatch. */
static void
append_name(const PsimGraph *graph, uint32_t task, GString *out)
{
    const PsimTaskClass *class = psim_graph_class(graph, task);

    g_string_append_printf(out, "%s s%u", class->op, class->stage);
    if (graph->microbatch[task] != PSIM_TASK_NONE)
        g_string_append_printf(out, " m%u", graph->microbatch[task]);
}

static void
append_line(const PsimGraph *graph, uint32_t task, GString *out)
{
    const PsimStream *stream = &graph->streams[graph->stream[task]];

    g_string_append_printf(out, "%u  ", task);
    append_name(graph, task, out);
    g_string_append_printf(out, "  rank %u %s  %" G_GINT64_FORMAT " ps", stream->rank,
                           psim_stream_word(stream->kind), graph->duration[task]);
    if (graph->first[task] < graph->first[task + 1])
        g_string_append(out, "  after");
    for (uint32_t edge = graph->first[task]; edge < graph->first[task + 1]; edge++)
        g_string_append_printf(out, " %u", graph->before[edge]);
    g_string_append_c(out, '\n');
}

void
psim_print_text(const PsimGraph *graph, GString *out)
{
    for (uint32_t task = 0; task < graph->n_tasks; task++)
        append_line(graph, task, out);
}

static void
append_cluster(const PsimGraph *graph, uint32_t rank, GString *out)
{
    g_string_append_printf(out, "  subgraph cluster_%u {\n    label=\"rank %u\";\n", rank, rank);
    for (uint32_t task = 0; task < graph->n_tasks; task++) {
        if (graph->streams[graph->stream[task]].rank != rank)
            continue;
        g_string_append_printf(out, "    t%u [label=\"", task);
        append_name(graph, task, out);
        g_string_append_printf(out, "\\n%" G_GINT64_FORMAT " ps\"];\n", graph->duration[task]);
    }
    g_string_append(out, "  }\n");
}

/* Edges are solid; the order of a stream, which binds just as much, is dotted. */
static void
append_arrows(const PsimGraph *graph, uint32_t task, uint32_t *last_on_stream, GString *out)
{
    uint32_t *last = &last_on_stream[graph->stream[task]];

    for (uint32_t edge = graph->first[task]; edge < graph->first[task + 1]; edge++)
        g_string_append_printf(out, "  t%u -> t%u;\n", graph->before[edge], task);
    if (*last != PSIM_TASK_NONE)
        g_string_append_printf(out, "  t%u -> t%u [style=dotted];\n", *last, task);
    *last = task;
}

void
psim_print_dot(const PsimGraph *graph, GString *out)
{
    g_autofree uint32_t *last_on_stream = g_new(uint32_t, graph->n_streams);

    for (uint32_t stream = 0; stream < graph->n_streams; stream++)
        last_on_stream[stream] = PSIM_TASK_NONE;
    g_string_append(out, "digraph plansim {\n  rankdir=LR;\n  node [shape=box];\n");
    for (uint32_t rank = 0; rank < graph->n_ranks; rank++)
        append_cluster(graph, rank, out);
    for (uint32_t task = 0; task < graph->n_tasks; task++)
        append_arrows(graph, task, last_on_stream, out);
    g_string_append(out, "}\n");
}
