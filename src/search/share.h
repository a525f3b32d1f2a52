/* SPDX-License-Identifier: MIT */
/* share.h: one search on several processes; alone without MPI
 *
 * Every process walks the same space and knows the same answer; of a wave, process r runs the
 * candidates r, r + n, r + 2n ... and all exchange what they found. So each has what a single
 * process would have; the first one tells it.
 */
#pragma once

#include "search/wave.h"

G_BEGIN_DECLS

/** psim_share_begin, psim_share_end: around everything else. */
void psim_share_begin(void);
void psim_share_end(void);

uint32_t psim_share_rank(void);
uint32_t psim_share_size(void);

/** psim_share_exchange: fills in what the other processes ran. */
void psim_share_exchange(PsimWaveItem *items, guint n_items);

/** psim_share_any: Returns: whether some process says so. */
bool psim_share_any(bool flag);

/** psim_share_broadcast: from the first process to all. */
void psim_share_broadcast(void *bytes, size_t n_bytes);

G_END_DECLS
