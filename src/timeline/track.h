/* SPDX-License-Identifier: MIT */
/* track.h: the tasks of each stream, one stream after the other
 *
 * The graph has its tasks in topological order; a picture wants them rank by rank and stream by
 * stream. Tracks are sorted by rank, then kind of stream; within one, tasks are in time order.
 */
#pragma once

#include "graph/graph.h"

G_BEGIN_DECLS

typedef struct {
    uint32_t n_tracks;      /* as many as streams                                          */
    const uint32_t *stream; /* (n_tracks) which stream of the graph                        */
    const uint32_t *first;  /* (n_tracks + 1) its tasks are tasks[first[i] .. first[i + 1]) */
    const uint32_t *tasks;  /* (n_tasks)                                                   */
    const uint32_t *rank;   /* (n_ranks + 1) tracks of rank r: rank[r] .. rank[r + 1]      */
} PsimTracks;

/** psim_track_list: Cost: two passes over the tasks, 4 bytes a task from @arena. */
PsimTracks psim_track_list(const PsimGraph *graph, PsimArena *arena);

G_END_DECLS
