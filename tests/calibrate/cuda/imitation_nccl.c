/* SPDX-License-Identifier: MIT */
/* NCCL between imitated devices. What is queued within a group is done when the outermost group
 * ends, as a check does it; outside of one, as the threads that are timed do it, it only takes its
 * time. */
#include "imitation.h"

#include "calibrate/cuda/cuda_element.h"

#include <nccl.h>
#include <string.h>

#define MAX_OPERATIONS 256

typedef enum { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, SEND, RECEIVE } Kind;

typedef struct {
    Kind kind;
    const void *from;
    void *to;
    size_t n;
    ncclDataType_t type;
    int rank, peer;
    bool done;
} Operation;

struct ncclComm {
    int rank, n_ranks;
};

static GMutex lock;
/* A thread's own, as in NCCL. */
static _Thread_local int depth;
static _Thread_local Operation operations[MAX_OPERATIONS];
static _Thread_local unsigned n_operations;

static PsimElement
element_of(ncclDataType_t type)
{
    return type == ncclBfloat16 ? PSIM_ELEMENT_BF16 : PSIM_ELEMENT_FP32;
}

static void *
at(const Operation *operation, void *buffer, size_t index)
{
    return (char *)buffer + index * psim_element_bytes(element_of(operation->type));
}

/* Operation number @rank of those of the same kind. */
static const Operation *
of_rank(Kind kind, int rank)
{
    for (unsigned i = 0; i < n_operations; i++)
        if (operations[i].kind == kind && operations[i].rank == rank)
            return &operations[i];
    return NULL;
}

static void
sum_into(const Operation *mine, size_t first)
{
    const PsimElement element = element_of(mine->type);

    for (size_t i = 0; i < mine->n; i++) {
        double sum = 0.0;

        for (int rank = 0; of_rank(mine->kind, rank) != NULL; rank++)
            sum += psim_cuda_element_read(of_rank(mine->kind, rank)->from, element, first + i);
        imitation_write(mine->to, element, i, sum);
    }
}

static void
gather_into(const Operation *mine)
{
    const size_t bytes = mine->n * psim_element_bytes(element_of(mine->type));

    for (int rank = 0; of_rank(ALL_GATHER, rank) != NULL; rank++)
        memcpy(at(mine, mine->to, (size_t)rank * mine->n), of_rank(ALL_GATHER, rank)->from, bytes);
}

/* The first send to this rank from its peer that was not taken. */
static void
receive_into(const Operation *mine)
{
    for (unsigned i = 0; i < n_operations; i++) {
        Operation *sent = &operations[i];

        if (sent->kind != SEND || sent->done || sent->rank != mine->peer ||
            sent->peer != mine->rank)
            continue;
        g_assert_cmpuint(sent->n, ==, mine->n);
        memcpy(mine->to, sent->from, mine->n * psim_element_bytes(element_of(mine->type)));
        sent->done = true;
        return;
    }
    g_assert_not_reached();
}

static void
perform(const Operation *operation)
{
    switch (operation->kind) {
    case ALL_REDUCE:
        sum_into(operation, 0);
        return;
    case REDUCE_SCATTER:
        sum_into(operation, (size_t)operation->rank * operation->n);
        return;
    case ALL_GATHER:
        gather_into(operation);
        return;
    case RECEIVE:
        receive_into(operation);
        return;
    case SEND:
        return;
    }
}

static bool
is_of_several(void)
{
    for (unsigned i = 1; i < n_operations; i++)
        if (operations[i].rank != operations[0].rank)
            return true;
    return false;
}

static ncclResult_t
queue(Operation operation)
{
    g_mutex_lock(&lock);
    if (depth > 0) {
        g_assert_cmpuint(n_operations, <, MAX_OPERATIONS);
        operations[n_operations++] = operation;
    }
    imitation_pass(IMITATION_KERNEL_S);
    g_mutex_unlock(&lock);
    return ncclSuccess;
}

/* -- What NCCL's header declares ----------------------------------------------------------------
 */

/* The header declares these two without prototypes. */
ncclResult_t ncclGroupStart(void);
ncclResult_t ncclGroupEnd(void);

ncclResult_t
ncclGroupStart(void)
{
    depth++;
    return ncclSuccess;
}

ncclResult_t
ncclGroupEnd(void)
{
    if (--depth > 0)
        return ncclSuccess;
    for (unsigned i = 0; i < n_operations && is_of_several(); i++)
        perform(&operations[i]);
    n_operations = 0;
    return ncclSuccess;
}

ncclResult_t
ncclCommInitAll(ncclComm_t *comm, int ndev, G_GNUC_UNUSED const int *devlist)
{
    for (int i = 0; i < ndev; i++) {
        comm[i] = g_new(struct ncclComm, 1);
        *comm[i] = (struct ncclComm){i, ndev};
    }
    return ncclSuccess;
}

ncclResult_t
ncclCommDestroy(ncclComm_t comm)
{
    g_free(comm);
    return ncclSuccess;
}

ncclResult_t
ncclCommAbort(ncclComm_t comm)
{
    return ncclCommDestroy(comm);
}

ncclResult_t
ncclGetVersion(int *version)
{
    *version = 22809;
    return ncclSuccess;
}

const char *
ncclGetErrorString(G_GNUC_UNUSED ncclResult_t result)
{
    return "an error";
}

const char *
ncclGetLastError(G_GNUC_UNUSED ncclComm_t comm)
{
    return "";
}

ncclResult_t
ncclAllReduce(const void *sendbuff,
              void *recvbuff,
              size_t count,
              ncclDataType_t datatype,
              G_GNUC_UNUSED ncclRedOp_t op,
              ncclComm_t comm,
              G_GNUC_UNUSED cudaStream_t stream)
{
    return queue(
        (Operation){ALL_REDUCE, sendbuff, recvbuff, count, datatype, comm->rank, 0, false});
}

ncclResult_t
ncclReduceScatter(const void *sendbuff,
                  void *recvbuff,
                  size_t recvcount,
                  ncclDataType_t datatype,
                  G_GNUC_UNUSED ncclRedOp_t op,
                  ncclComm_t comm,
                  G_GNUC_UNUSED cudaStream_t stream)
{
    return queue(
        (Operation){REDUCE_SCATTER, sendbuff, recvbuff, recvcount, datatype, comm->rank, 0, false});
}

ncclResult_t
ncclAllGather(const void *sendbuff,
              void *recvbuff,
              size_t sendcount,
              ncclDataType_t datatype,
              ncclComm_t comm,
              G_GNUC_UNUSED cudaStream_t stream)
{
    return queue(
        (Operation){ALL_GATHER, sendbuff, recvbuff, sendcount, datatype, comm->rank, 0, false});
}

ncclResult_t
ncclSend(const void *sendbuff,
         size_t count,
         ncclDataType_t datatype,
         int peer,
         ncclComm_t comm,
         G_GNUC_UNUSED cudaStream_t stream)
{
    return queue((Operation){SEND, sendbuff, NULL, count, datatype, comm->rank, peer, false});
}

ncclResult_t
ncclRecv(void *recvbuff,
         size_t count,
         ncclDataType_t datatype,
         int peer,
         ncclComm_t comm,
         G_GNUC_UNUSED cudaStream_t stream)
{
    return queue((Operation){RECEIVE, NULL, recvbuff, count, datatype, comm->rank, peer, false});
}
