/* SPDX-License-Identifier: MIT */
/* Each check returns what is wrong in words, or NULL; the first fault ends the search, since what
 * follows a broken graph says little.
 */
#include "graph/verify.h"

static char *
find_bad_stream(const PsimGraph *graph)
{
    for (uint32_t i = 0; i < graph->n_streams; i++) {
        const PsimStream *stream = &graph->streams[i];

        if (stream->rank >= graph->n_ranks)
            return g_strdup_printf("stream %u is on rank %u of %u", i, stream->rank,
                                   graph->n_ranks);
        if (stream->kind >= PSIM_N_STREAM_KINDS)
            return g_strdup_printf("stream %u is of kind %u of %u", i, stream->kind,
                                   PSIM_N_STREAM_KINDS);
    }
    return NULL;
}

static char *
find_bad_class(const PsimGraph *graph)
{
    for (uint32_t i = 0; i < graph->n_classes; i++) {
        const PsimTaskClass *class = &graph->classes[i];

        if (class->op == NULL)
            return g_strdup_printf("class %u has no name", i);
        if (class->kind >= PSIM_N_TASK_KINDS)
            return g_strdup_printf("class %u (%s) is of kind %u of %u", i, class->op, class->kind,
                                   PSIM_N_TASK_KINDS);
        if (class->rank >= graph->n_ranks)
            return g_strdup_printf("class %u (%s) is on rank %u of %u", i, class->op, class->rank,
                                   graph->n_ranks);
        if (class->peer != PSIM_TASK_NONE && class->peer >= graph->n_ranks)
            return g_strdup_printf("class %u (%s) goes to rank %u of %u", i, class->op, class->peer,
                                   graph->n_ranks);
    }
    return NULL;
}

static char *
find_bad_edge(const PsimGraph *graph, uint32_t task)
{
    if (graph->first[task] > graph->first[task + 1] || graph->first[task + 1] > graph->n_edges)
        return g_strdup_printf("the edges of task %u run from %u to %u of %u", task,
                               graph->first[task], graph->first[task + 1], graph->n_edges);
    for (uint32_t edge = graph->first[task]; edge < graph->first[task + 1]; edge++) {
        if (graph->before[edge] >= task)
            return g_strdup_printf("task %u waits for task %u, which is not older", task,
                                   graph->before[edge]);
    }
    return NULL;
}

static char *
find_bad_task(const PsimGraph *graph, uint32_t task)
{
    if (graph->stream[task] >= graph->n_streams)
        return g_strdup_printf("task %u is on stream %u of %u", task, graph->stream[task],
                               graph->n_streams);
    if (graph->class[task] >= graph->n_classes)
        return g_strdup_printf("task %u is of class %u of %u", task, graph->class[task],
                               graph -> n_classes);
    if (graph->duration[task] < 0)
        return g_strdup_printf("task %u takes %" G_GINT64_FORMAT " ps", task,
                               graph->duration[task]);

    const uint32_t stream_rank = graph->streams[graph->stream[task]].rank;
    const PsimTaskClass *class = psim_graph_class(graph, task);

    if (class->rank != stream_rank)
        return g_strdup_printf("task %u (%s) of rank %u is on a stream of rank %u", task, class->op,
                               class->rank, stream_rank);
    return find_bad_edge(graph, task);
}

/* Only compute streams hold memory: the ledger walks no others. */
static char *
find_imbalance(const PsimGraph *graph)
{
    g_autofree int64_t *held_bytes = g_new0(int64_t, graph->n_ranks);

    for (uint32_t task = 0; task < graph->n_tasks; task++) {
        const PsimStream *stream = &graph->streams[graph->stream[task]];
        const PsimTaskClass *class = psim_graph_class(graph, task);

        if (stream->kind == PSIM_STREAM_COMPUTE)
            held_bytes[stream->rank] += class->start_bytes - class->end_bytes;
    }
    for (uint32_t rank = 0; rank < graph->n_ranks; rank++) {
        if (held_bytes[rank] != 0)
            return g_strdup_printf("rank %u ends with %" G_GINT64_FORMAT " bytes more than it "
                                   "began with",
                                   rank, held_bytes[rank]);
    }
    return NULL;
}

static char *
find_fault(const PsimGraph *graph, bool balanced)
{
    char *fault = find_bad_stream(graph);

    if (fault == NULL)
        fault = find_bad_class(graph);
    for (uint32_t task = 0; task < graph->n_tasks && fault == NULL; task++)
        fault = find_bad_task(graph, task);
    if (fault == NULL && balanced)
        fault = find_imbalance(graph);
    return fault;
}

bool
psim_verify_graph(const PsimGraph *graph, bool balanced, GError **error)
{
    g_autofree char *fault = find_fault(graph, balanced);

    if (fault == NULL)
        return true;
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_INTERNAL,
                "task graph: %s; a fault of plansim, worth a report with the plan", fault);
    return false;
}
