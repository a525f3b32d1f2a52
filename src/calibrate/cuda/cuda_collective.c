/* SPDX-License-Identifier: MIT */
/* Collectives by NCCL, between the first devices of this machine: one process, and while they are
 * timed one thread a device, since one thread for all would add its own launches to a small
 * message.
 *
 * S bytes are the whole buffer of a rank: an all-gather brings S/n from each, a reduce-scatter
 * leaves S/n on each, an all-to-all moves S/n between each two. A send goes from rank 0 to rank 1.
 */
#include "calibrate/cuda/cuda_element.h"
#include "calibrate/cuda/cuda_job.h"
#include "calibrate/cuda/cuda_kernels.h"
#include "calibrate/cuda/cuda_status.h"
#include "plansim.h"

#include <math.h>
#include <nccl.h>

typedef struct State State;

typedef struct {
    State *state;
    int device;
    ncclComm_t comm;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    void *send, *receive;

    /* Of the thread that times it. */
    uint64_t n_runs;
    double seconds;
    GError *error;
} Rank;

struct State {
    PsimCase what;
    uint32_t n_ranks;
    uint64_t n, n_a_rank; /* elements of a buffer, and of a rank's share */
    ncclDataType_t type;
    PsimElement element;
    GMutex lock; /* of aborted */
    bool aborted;
    Rank *ranks; /* (n_ranks) */
};

#define TRY_NCCL(call, error) try_nccl((call), #call, error)

static bool
try_nccl(ncclResult_t result, const char *call, GError **error)
{
    if (result == ncclSuccess)
        return true;

    g_autofree char *reason =
        g_strdup_printf("%s (%s)", ncclGetErrorString(result), ncclGetLastError(NULL));

    psim_cuda_status_set(call, reason, "run again with NCCL_DEBUG=INFO to see where it stops",
                         error);
    return false;
}

static ncclDataType_t
data_type(PsimElement element)
{
    if (element == PSIM_ELEMENT_FP16)
        return ncclFloat16;
    return element == PSIM_ELEMENT_BF16 ? ncclBfloat16 : ncclFloat32;
}

/* -- One rank's part --------------------------------------------------------------------------- */

static void *
share_of(const State *state, void *buffer, uint32_t index)
{
    return (char *)buffer + index * state->n_a_rank * psim_element_bytes(state->element);
}

static bool
exchange_all(const Rank *rank, GError **error)
{
    const State *const state = rank->state;

    if (!TRY_NCCL(ncclGroupStart(), error))
        return false;

    bool queued = true;

    for (uint32_t peer = 0; peer < state->n_ranks && queued; peer++)
        queued = TRY_NCCL(ncclSend(share_of(state, rank->send, peer), state->n_a_rank, state->type,
                                   (int)peer, rank->comm, rank->stream),
                          error) &&
                 TRY_NCCL(ncclRecv(share_of(state, rank->receive, peer), state->n_a_rank,
                                   state->type, (int)peer, rank->comm, rank->stream),
                          error);

    const ncclResult_t ended = ncclGroupEnd();

    return queued && TRY_NCCL(ended, error);
}

static bool
send_along(const Rank *rank, GError **error)
{
    const State *const state = rank->state;

    if (rank == &state->ranks[0])
        return TRY_NCCL(ncclSend(rank->send, state->n, state->type, 1, rank->comm, rank->stream),
                        error);
    if (rank == &state->ranks[1])
        return TRY_NCCL(ncclRecv(rank->receive, state->n, state->type, 0, rank->comm, rank->stream),
                        error);
    return true;
}

static bool
exchange(const Rank *rank, GError **error)
{
    const State *const state = rank->state;

    switch (state->what.collective.what) {
    case PSIM_EXCHANGE_ALL_REDUCE:
        return TRY_NCCL(ncclAllReduce(rank->send, rank->receive, state->n, state->type, ncclSum,
                                      rank->comm, rank->stream),
                        error);
    case PSIM_EXCHANGE_ALL_GATHER:
        return TRY_NCCL(ncclAllGather(rank->send, rank->receive, state->n_a_rank, state->type,
                                      rank->comm, rank->stream),
                        error);
    case PSIM_EXCHANGE_REDUCE_SCATTER:
        return TRY_NCCL(ncclReduceScatter(rank->send, rank->receive, state->n_a_rank, state->type,
                                          ncclSum, rank->comm, rank->stream),
                        error);
    case PSIM_EXCHANGE_ALL_TO_ALL:
        return exchange_all(rank, error);
    case PSIM_EXCHANGE_SEND:
        return send_along(rank, error);
    }
    return false;
}

/* -- Making ready ------------------------------------------------------------------------------ */

static bool
open_rank(Rank *rank, uint64_t seed, GError **error)
{
    const State *const state = rank->state;
    const PsimArraySpec spec = {
        .element = state->element, .fill = PSIM_FILL_NORMAL, .scale = 1.0F, .n = state->n};
    const uint64_t bytes = state->n * psim_element_bytes(state->element);

    return TRY_CUDA(cudaSetDevice(rank->device), error) &&
           TRY_CUDA(cudaStreamCreateWithFlags(&rank->stream, cudaStreamNonBlocking), error) &&
           TRY_CUDA(cudaEventCreate(&rank->start), error) &&
           TRY_CUDA(cudaEventCreate(&rank->stop), error) &&
           TRY_CUDA(cudaMalloc(&rank->send, bytes), error) &&
           TRY_CUDA(cudaMalloc(&rank->receive, bytes), error) &&
           TRY_CUDA(psim_cuda_kernels_fill(&spec, rank->send, seed, rank->stream), error) &&
           TRY_CUDA(cudaMemsetAsync(rank->receive, 0, bytes, rank->stream), error) &&
           TRY_CUDA(cudaStreamSynchronize(rank->stream), error);
}

static bool
connect_ranks(State *state, GError **error)
{
    g_autofree ncclComm_t *comms = g_new0(ncclComm_t, state->n_ranks);

    /* No list of devices: the first n of them. */
    if (!TRY_NCCL(ncclCommInitAll(comms, (int)state->n_ranks, NULL), error))
        return false;
    for (uint32_t i = 0; i < state->n_ranks; i++)
        state->ranks[i].comm = comms[i];
    return true;
}

static State *
new_state(const PsimCase *what)
{
    State *state = g_new0(State, 1);
    const uint64_t n = what->collective.bytes / psim_number_bytes(what->number);

    g_mutex_init(&state->lock);
    state->what = *what;
    state->n_ranks = what->collective.n_ranks;
    state->element = psim_element_of(what->number);
    state->type = data_type(state->element);
    state->n_a_rank = n < state->n_ranks ? 1 : n / state->n_ranks;
    state->n = state->n_a_rank * state->n_ranks;
    state->ranks = g_new0(Rank, state->n_ranks);
    for (uint32_t i = 0; i < state->n_ranks; i++) {
        state->ranks[i].state = state;
        state->ranks[i].device = (int)i;
    }
    return state;
}

static PsimVerdict
prepare(PsimJob *self, GError **error)
{
    State *state = new_state(&self->what);
    bool opened = true;

    self->state = state;
    for (uint32_t i = 0; i < state->n_ranks && opened; i++)
        opened = open_rank(&state->ranks[i], i + 1, error);
    opened = opened && connect_ranks(state, error);
    /* The caller goes on with its own device; the first error is the one that is told. */
    if (!TRY_CUDA(cudaSetDevice(self->unit->number), opened ? error : NULL))
        opened = false;
    return opened ? PSIM_VERDICT_RIGHT : PSIM_VERDICT_FAILED;
}

static void
close_rank(Rank *rank)
{
    cudaSetDevice(rank->device);
    if (rank->comm != NULL)
        ncclCommDestroy(rank->comm);
    cudaFree(rank->send);
    cudaFree(rank->receive);
    if (rank->start != NULL)
        cudaEventDestroy(rank->start);
    if (rank->stop != NULL)
        cudaEventDestroy(rank->stop);
    if (rank->stream != NULL)
        cudaStreamDestroy(rank->stream);
    g_clear_error(&rank->error);
}

static void
clear(PsimJob *self)
{
    State *state = (State *)self->state;

    if (state == NULL)
        return;
    for (uint32_t i = 0; i < state->n_ranks; i++)
        close_rank(&state->ranks[i]);
    cudaSetDevice(self->unit->number);
    g_mutex_clear(&state->lock);
    g_free(state->ranks);
    g_free(state);
}

/* -- Checking ---------------------------------------------------------------------------------- */

static bool
queue_ranks(State *state, GError **error)
{
    bool queued = TRY_NCCL(ncclGroupStart(), error);

    if (!queued)
        return false;
    for (uint32_t i = 0; i < state->n_ranks && queued; i++)
        queued = exchange(&state->ranks[i], error);

    const ncclResult_t ended = ncclGroupEnd();

    return queued && TRY_NCCL(ended, error);
}

/* One exchange of all, to its end; only a check runs it. */
static bool
enqueue(PsimJob *self, G_GNUC_UNUSED uint64_t copy, GError **error)
{
    State *state = (State *)self->state;

    if (!queue_ranks(state, error))
        return false;
    for (uint32_t i = 0; i < state->n_ranks; i++)
        if (!TRY_CUDA(cudaStreamSynchronize(state->ranks[i].stream), error))
            return false;
    return true;
}

static double *
fetch(const State *state, const void *buffer, GError **error)
{
    const uint64_t bytes = state->n * psim_element_bytes(state->element);
    g_autofree void *raw = g_malloc0(bytes);

    if (!TRY_CUDA(cudaMemcpy(raw, buffer, bytes, cudaMemcpyDeviceToHost), error))
        return NULL;
    return psim_cuda_element_read_all(raw, state->element, state->n);
}

/* Element @i of what @rank should have, and the sum of what it was made of; false: not looked at.
 */
static bool
want(const State *state,
     double *const *sent,
     uint32_t rank,
     uint64_t i,
     double *ret_want,
     double *ret_size)
{
    const uint64_t share = state->n_a_rank;
    const PsimExchangeKind what = state->what.collective.what;

    *ret_want = 0.0;
    *ret_size = 0.0;
    if (what == PSIM_EXCHANGE_ALL_GATHER)
        *ret_want = sent[i / share][i % share];
    if (what == PSIM_EXCHANGE_ALL_TO_ALL)
        *ret_want = sent[i / share][rank * share + i % share];
    if (what == PSIM_EXCHANGE_SEND)
        *ret_want = sent[0][i];
    if (what == PSIM_EXCHANGE_ALL_REDUCE || what == PSIM_EXCHANGE_REDUCE_SCATTER)
        for (uint32_t from = 0; from < state->n_ranks; from++) {
            const uint64_t at = what == PSIM_EXCHANGE_ALL_REDUCE ? i : rank * share + i;

            *ret_want += at < state->n ? sent[from][at] : 0.0;
            *ret_size += at < state->n ? fabs(sent[from][at]) : 0.0;
        }
    if (what == PSIM_EXCHANGE_REDUCE_SCATTER)
        return i < share;
    return what != PSIM_EXCHANGE_SEND || rank == 1;
}

static double
judge_rank(const State *state, double *const *sent, uint32_t rank, const double *got)
{
    const double epsilon = psim_cuda_element_epsilon(state->element);
    double worst = 0.0;

    for (uint64_t i = 0; i < state->n; i++) {
        double wanted = 0.0;
        double size = 0.0;

        if (!want(state, sent, rank, i, &wanted, &size))
            continue;

        /* Each of n - 1 additions rounds once; copies are exact. */
        const double bound = epsilon * (double)state->n_ranks * size + 1e-30;
        const double error = fabs(got[i] - wanted) / bound;

        worst = isfinite(error) ? fmax(worst, error) : (double)INFINITY;
    }
    return worst;
}

static bool
judge_ranks(const State *state, double **sent, double *ret_error, GError **error)
{
    for (uint32_t i = 0; i < state->n_ranks; i++) {
        sent[i] = fetch(state, state->ranks[i].send, error);
        if (sent[i] == NULL)
            return false;
    }
    for (uint32_t i = 0; i < state->n_ranks; i++) {
        g_autofree double *got = fetch(state, state->ranks[i].receive, error);

        if (got == NULL)
            return false;
        *ret_error = fmax(*ret_error, judge_rank(state, sent, i, got));
    }
    return true;
}

static bool
compare(PsimJob *self, double *ret_error, GError **error)
{
    const State *const state = (const State *)self->state;
    g_autofree double **sent = g_new0(double *, state->n_ranks);

    *ret_error = 0.0;

    const bool done = judge_ranks(state, sent, ret_error, error);

    for (uint32_t i = 0; i < state->n_ranks; i++)
        g_free(sent[i]);
    return done;
}

/* -- Timing ------------------------------------------------------------------------------------ */

/* Ranks that wait for one that failed would wait for ever. */
static void
abort_all(State *state)
{
    g_mutex_lock(&state->lock);
    for (uint32_t i = 0; i < state->n_ranks && !state->aborted; i++) {
        ncclCommAbort(state->ranks[i].comm);
        state->ranks[i].comm = NULL;
    }
    state->aborted = true;
    g_mutex_unlock(&state->lock);
}

/* The first exchange brings the ranks together and is not timed. */
static bool
run_rank(Rank *rank, GError **error)
{
    float ms = 0.0F;

    if (!TRY_CUDA(cudaSetDevice(rank->device), error) || !exchange(rank, error) ||
        !TRY_CUDA(cudaEventRecord(rank->start, rank->stream), error))
        return false;
    for (uint64_t i = 0; i < rank->n_runs; i++)
        if (!exchange(rank, error))
            return false;
    if (!TRY_CUDA(cudaEventRecord(rank->stop, rank->stream), error) ||
        !TRY_CUDA(cudaEventSynchronize(rank->stop), error) ||
        !TRY_CUDA(cudaEventElapsedTime(&ms, rank->start, rank->stop), error))
        return false;
    rank->seconds = (double)ms * 1e-3;
    return true;
}

static gpointer
run_thread(gpointer data)
{
    Rank *rank = (Rank *)data;

    if (!run_rank(rank, &rank->error))
        abort_all(rank->state);
    return NULL;
}

static bool
time_ranks(PsimJob *self, uint64_t n, double *ret_s, GError **error)
{
    State *state = (State *)self->state;
    g_autofree GThread **threads = g_new0(GThread *, state->n_ranks);

    for (uint32_t i = 0; i < state->n_ranks; i++) {
        state->ranks[i].n_runs = n;
        threads[i] = g_thread_new("rank", run_thread, &state->ranks[i]);
    }
    for (uint32_t i = 0; i < state->n_ranks; i++)
        g_thread_join(threads[i]);
    *ret_s = 0.0;
    for (uint32_t i = 0; i < state->n_ranks; i++) {
        if (state->ranks[i].error != NULL) {
            g_propagate_error(error, g_steal_pointer(&state->ranks[i].error));
            return false;
        }
        *ret_s = fmax(*ret_s, state->ranks[i].seconds);
    }
    return true;
}

bool
psim_cuda_collective_is_built_in(void)
{
    return true;
}

char *
psim_cuda_collective_version(void)
{
    int version = 0;

    ncclGetVersion(&version);
    return g_strdup_printf(", NCCL %d.%d.%d", version / 10000, version / 100 % 100, version % 100);
}

const PsimJobKind psim_cuda_collective = {
    .prepare = prepare,
    .enqueue = enqueue,
    .compare = compare,
    .time = time_ranks,
    .clear = clear,
};
