/* SPDX-License-Identifier: MIT */
/* neighbour.h: what is lost one step away from a plan, and why
 */
#pragma once

#include "search/found.h"

G_BEGIN_DECLS

typedef struct {
    char *change;      /* "tp 4, dp 32" */
    char *why;         /* "+5.2 %: bubble 9.1 % instead of 6.0 %" */
    double ratio;      /* of its step to the plan's; NAN: it does not fit */
    double more_bytes; /* at its peak than the plan */
} PsimNeighbour;

/**
 * psim_neighbour_list:
 * Each number alone is moved to its next value; degrees at the cost of replicas, so that the GPUs
 * stay. Neighbours that contradict the model are left out.
 *
 * @limit_bytes    what a plan may need of a device
 *
 * Returns: PsimNeighbour; the caller unrefs.
 */
GArray *psim_neighbour_list(const PsimFound *found, const PsimSite *site, double limit_bytes);

G_END_DECLS
