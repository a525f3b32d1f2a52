/* SPDX-License-Identifier: MIT */
/* In place of mpi.c: one process. */
#include "search/share.h"

void
psim_share_begin(void)
{
}

void
psim_share_end(void)
{
}

uint32_t
psim_share_rank(void)
{
    return 0;
}

uint32_t
psim_share_size(void)
{
    return 1;
}

void
psim_share_exchange(PsimWaveItem *items, guint n_items)
{
    (void)items;
    (void)n_items;
}

bool
psim_share_any(bool flag)
{
    return flag;
}

void
psim_share_broadcast(void *bytes, size_t n_bytes)
{
    (void)bytes;
    (void)n_bytes;
}
