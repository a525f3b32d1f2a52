/* SPDX-License-Identifier: MIT */
/* Two counting sorts: streams by (rank, kind), then tasks by track. Both are stable, so tasks keep
 * their id order, which on one stream is time order.
 */
#include "timeline/track.h"

/* Turns counts into positions: out[i] becomes the sum of all before. */
static void
sum_counts(uint32_t *counts, size_t n_counts)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < n_counts; i++) {
        const uint32_t count = counts[i];

        counts[i] = sum;
        sum += count;
    }
}

static size_t
find_key(const PsimStream *stream)
{
    return (size_t)stream->rank * PSIM_N_STREAM_KINDS + stream->kind;
}

/* Fills the order of the streams and where each rank's begin. */
static uint32_t *
sort_streams(const PsimGraph *graph, PsimArena *arena, uint32_t *rank_first)
{
    const size_t n_keys = (size_t)graph->n_ranks * PSIM_N_STREAM_KINDS;
    uint32_t *place = psim_arena_array(arena, uint32_t, n_keys + 1);
    uint32_t *order = psim_arena_array(arena, uint32_t, graph->n_streams);

    for (uint32_t stream = 0; stream < graph->n_streams; stream++)
        place[find_key(&graph->streams[stream])]++;
    sum_counts(place, n_keys + 1);
    for (uint32_t rank = 0; rank <= graph->n_ranks; rank++)
        rank_first[rank] = place[(size_t)rank * PSIM_N_STREAM_KINDS];
    for (uint32_t stream = 0; stream < graph->n_streams; stream++)
        order[place[find_key(&graph->streams[stream])]++] = stream;
    return order;
}

PsimTracks
psim_track_list(const PsimGraph *graph, PsimArena *arena)
{
    const uint32_t n_tracks = graph->n_streams;
    uint32_t *rank_first = psim_arena_array(arena, uint32_t, (size_t)graph->n_ranks + 1);
    const uint32_t *order = sort_streams(graph, arena, rank_first);
    uint32_t *track_of = psim_arena_array(arena, uint32_t, n_tracks);
    uint32_t *first = psim_arena_array(arena, uint32_t, (size_t)n_tracks + 1);
    uint32_t *tasks = psim_arena_array(arena, uint32_t, graph->n_tasks);

    for (uint32_t track = 0; track < n_tracks; track++)
        track_of[order[track]] = track;
    /* Counted one place later than summed: while the tasks are laid down, first[track + 1] runs
     * from the track's begin to its end, and ends as the begin of the next one. */
    for (uint32_t task = 0; task < graph->n_tasks; task++)
        first[track_of[graph->stream[task]] + 1]++;
    sum_counts(first + 1, n_tracks);
    for (uint32_t task = 0; task < graph->n_tasks; task++)
        tasks[first[track_of[graph->stream[task]] + 1]++] = task;
    return (PsimTracks){
        .n_tracks = n_tracks, .stream = order, .first = first, .tasks = tasks, .rank = rank_first};
}
