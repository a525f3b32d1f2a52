/* SPDX-License-Identifier: MIT */
/* The only file that knows MPI. Results travel as bytes: all processes are the same program. */
#include "search/share.h"

#include <mpi.h>
#include <string.h>

/* Broadcasts in pieces, since counts are of type int. */
#define MAX_PIECE ((size_t)1 << 28)

/* What a process finds out of a candidate that all know. */
typedef struct {
    PsimEvaluation evaluation;
    double rampup_s;
    PsimWaveVerdict verdict;
} Finding;

void
psim_share_begin(void)
{
    int is_begun = 0;

    MPI_Initialized(&is_begun);
    if (!is_begun) {
        int provided = 0;

        /* Threads run candidates, but the first one alone talks. */
        MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    }
}

void
psim_share_end(void)
{
    MPI_Finalize();
}

uint32_t
psim_share_rank(void)
{
    int rank = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return (uint32_t)rank;
}

uint32_t
psim_share_size(void)
{
    int size = 1;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return (uint32_t)size;
}

/* Items go round the processes in turn: item i is number i / n of process i mod n. */
static void
collect(const PsimWaveItem *items, guint n_items, Finding *ret_own)
{
    const guint size = psim_share_size();

    for (guint i = psim_share_rank(); i < n_items; i += size)
        ret_own[i / size] =
            (Finding){items[i].found.evaluation, items[i].found.rampup_s, items[i].verdict};
}

/* @all is (size, n_each): the findings of one process after those of another. */
static void
spread(const Finding *all, guint n_each, PsimWaveItem *items, guint n_items)
{
    const guint size = psim_share_size();

    for (guint i = 0; i < n_items; i++) {
        const Finding *finding = &all[(gsize)(i % size) * n_each + i / size];

        items[i].found.evaluation = finding->evaluation;
        items[i].found.rampup_s = finding->rampup_s;
        items[i].verdict = finding->verdict;
    }
}

void
psim_share_exchange(PsimWaveItem *items, guint n_items)
{
    const guint size = psim_share_size();
    const guint n_each = (n_items + size - 1) / size;

    if (size == 1 || n_items == 0)
        return;
    g_autofree Finding *own = g_new0(Finding, n_each);
    g_autofree Finding *all = g_new0(Finding, (gsize)n_each * size);
    const int n_bytes = (int)(n_each * sizeof *own);

    collect(items, n_items, own);
    MPI_Allgather(own, n_bytes, MPI_BYTE, all, n_bytes, MPI_BYTE, MPI_COMM_WORLD);
    spread(all, n_each, items, n_items);
}

bool
psim_share_any(bool flag)
{
    int own = flag;
    int any = 0;

    MPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any != 0;
}

void
psim_share_broadcast(void *bytes, size_t n_bytes)
{
    for (size_t done = 0; done < n_bytes; done += MAX_PIECE) {
        const size_t n = MIN(n_bytes - done, MAX_PIECE);

        MPI_Bcast((char *)bytes + done, (int)n, MPI_BYTE, /* root= */ 0, MPI_COMM_WORLD);
    }
}
