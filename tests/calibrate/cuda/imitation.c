/* SPDX-License-Identifier: MIT */
#include "imitation.h"

#include <cuda_runtime_api.h>
#include <string.h>

#define GUARD_BYTES 64
#define GUARD       0xa5

extern void (*psim_emulate_on_launch)(void);

static double now_s;
static bool capturing;
static unsigned n_captured;
static unsigned n_buffers;
static unsigned fail_countdown;

unsigned
imitation_n_buffers(void)
{
    return n_buffers;
}

void
imitation_fail_allocation(unsigned countdown)
{
    fail_countdown = countdown;
}

/* What is captured takes its time when it is replayed. */
void
imitation_pass(double s)
{
    if (capturing)
        n_captured++;
    else
        now_s += s;
}

static void
pass_kernel(void)
{
    imitation_pass(IMITATION_KERNEL_S);
}

/* -- Memory ------------------------------------------------------------------------------------ */

typedef struct {
    uint64_t bytes;
    char padding[256 - sizeof(uint64_t)];
} Header;

static cudaError_t
allocate(void **ret_buffer, size_t bytes)
{
    if (fail_countdown > 0 && --fail_countdown == 0)
        return cudaErrorMemoryAllocation;

    Header *header = aligned_alloc(256, (sizeof *header + bytes + GUARD_BYTES + 255) / 256 * 256);

    g_assert_nonnull(header);
    header->bytes = bytes;
    memset(header + 1, 0xff, bytes); /* not a number, whatever the type */
    memset((char *)(header + 1) + bytes, GUARD, GUARD_BYTES);
    *ret_buffer = header + 1;
    n_buffers++;
    return cudaSuccess;
}

static cudaError_t
release(void *buffer)
{
    if (buffer == NULL)
        return cudaSuccess;

    Header *header = (Header *)buffer - 1;

    for (unsigned i = 0; i < GUARD_BYTES; i++)
        g_assert_cmpuint(((unsigned char *)buffer)[header->bytes + i], ==, GUARD);
    n_buffers--;
    free(header);
    return cudaSuccess;
}

cudaError_t
cudaMalloc(void **devPtr, size_t size)
{
    return allocate(devPtr, size);
}

cudaError_t
cudaFree(void *devPtr)
{
    return release(devPtr);
}

cudaError_t
cudaHostAlloc(void **pHost, size_t size, G_GNUC_UNUSED unsigned int flags)
{
    return allocate(pHost, size);
}

cudaError_t
cudaFreeHost(void *ptr)
{
    return release(ptr);
}

cudaError_t
cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    *free_bytes = IMITATION_MEMORY_BYTES / 2;
    *total = IMITATION_MEMORY_BYTES;
    return cudaSuccess;
}

cudaError_t
cudaMemcpy(void *dst, const void *src, size_t count, G_GNUC_UNUSED enum cudaMemcpyKind kind)
{
    memcpy(dst, src, count);
    return cudaSuccess;
}

cudaError_t
cudaMemcpyAsync(void *dst,
                const void *src,
                size_t count,
                G_GNUC_UNUSED enum cudaMemcpyKind kind,
                G_GNUC_UNUSED cudaStream_t stream)
{
    memcpy(dst, src, count);
    imitation_pass((double)count / IMITATION_BYTES_PER_S);
    return cudaSuccess;
}

cudaError_t
cudaMemset(void *devPtr, int value, size_t count)
{
    memset(devPtr, value, count);
    return cudaSuccess;
}

cudaError_t
cudaMemsetAsync(void *devPtr, int value, size_t count, G_GNUC_UNUSED cudaStream_t stream)
{
    return cudaMemset(devPtr, value, count);
}

/* -- The device -------------------------------------------------------------------------------- */

cudaError_t
cudaGetDeviceCount(int *count)
{
    psim_emulate_on_launch = pass_kernel;
    *count = 3;
    return cudaSuccess;
}

cudaError_t
cudaSetDevice(int device)
{
    return device >= 0 && device < 3 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *prop, G_GNUC_UNUSED int device)
{
    *prop = (struct cudaDeviceProp){
        .totalGlobalMem = IMITATION_MEMORY_BYTES, .multiProcessorCount = 4, .major = 9, .minor = 0};
    g_strlcpy(prop->name, "an imitation", sizeof prop->name);
    return cudaSuccess;
}

cudaError_t
cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, G_GNUC_UNUSED int device)
{
    switch ((int)attr) {
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = 232448;
        return cudaSuccess;
    case cudaDevAttrL2CacheSize:
        *value = 65536;
        return cudaSuccess;
    case cudaDevAttrClockRate:
        *value = 1000000;
        return cudaSuccess;
    case cudaDevAttrMemoryClockRate:
        *value = 1000000;
        return cudaSuccess;
    case cudaDevAttrGlobalMemoryBusWidth:
        *value = 512;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t
cudaDeviceGetPCIBusId(char *pciBusId, int len, G_GNUC_UNUSED int device)
{
    g_strlcpy(pciBusId, "0000:00:00.0", (gsize)len);
    return cudaSuccess;
}

cudaError_t
cudaRuntimeGetVersion(int *runtimeVersion)
{
    *runtimeVersion = 13000;
    return cudaSuccess;
}

const char *
cudaGetErrorName(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "cudaErrorUnknown";
}

const char *
cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "out of memory" : "unknown error";
}

/* -- Streams, events, graphs ------------------------------------------------------------------- */

/* A stream has no state; an event is when it was recorded; a graph is how many nodes it has. */
static int a_stream;

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *pStream, G_GNUC_UNUSED unsigned int flags)
{
    *pStream = (cudaStream_t)(void *)&a_stream;
    return cudaSuccess;
}

cudaError_t
cudaStreamDestroy(G_GNUC_UNUSED cudaStream_t stream)
{
    return cudaSuccess;
}

cudaError_t
cudaStreamSynchronize(G_GNUC_UNUSED cudaStream_t stream)
{
    return cudaSuccess;
}

cudaError_t
cudaStreamWaitEvent(G_GNUC_UNUSED cudaStream_t stream,
                    G_GNUC_UNUSED cudaEvent_t event,
                    G_GNUC_UNUSED unsigned int flags)
{
    return cudaSuccess;
}

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, G_GNUC_UNUSED unsigned int flags)
{
    *event = (cudaEvent_t)(void *)g_new0(double, 1);
    return cudaSuccess;
}

cudaError_t
cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, 0);
}

cudaError_t
cudaEventDestroy(cudaEvent_t event)
{
    g_free(event);
    return cudaSuccess;
}

cudaError_t
cudaEventRecord(cudaEvent_t event, G_GNUC_UNUSED cudaStream_t stream)
{
    *(double *)(void *)event = now_s;
    return cudaSuccess;
}

cudaError_t
cudaEventSynchronize(G_GNUC_UNUSED cudaEvent_t event)
{
    return cudaSuccess;
}

cudaError_t
cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    *ms = (float)((*(double *)(void *)end - *(double *)(void *)start) * 1e3);
    return cudaSuccess;
}

cudaError_t
cudaStreamBeginCapture(G_GNUC_UNUSED cudaStream_t stream,
                       G_GNUC_UNUSED enum cudaStreamCaptureMode mode)
{
    capturing = true;
    n_captured = 0;
    return cudaSuccess;
}

cudaError_t
cudaStreamEndCapture(G_GNUC_UNUSED cudaStream_t stream, cudaGraph_t *pGraph)
{
    unsigned *graph = g_new(unsigned, 1);

    capturing = false;
    *graph = n_captured;
    *pGraph = (cudaGraph_t)(void *)graph;
    return cudaSuccess;
}

cudaError_t
cudaGraphInstantiate(cudaGraphExec_t *pGraphExec,
                     cudaGraph_t graph,
                     G_GNUC_UNUSED unsigned long long flags)
{
    *pGraphExec = (cudaGraphExec_t)g_memdup2(graph, sizeof(unsigned));
    return cudaSuccess;
}

cudaError_t
cudaGraphLaunch(cudaGraphExec_t graphExec, G_GNUC_UNUSED cudaStream_t stream)
{
    imitation_pass((double)*(unsigned *)(void *)graphExec * IMITATION_GRAPH_NODE_S);
    return cudaSuccess;
}

cudaError_t
cudaGraphDestroy(cudaGraph_t graph)
{
    g_free(graph);
    return cudaSuccess;
}

cudaError_t
cudaGraphExecDestroy(cudaGraphExec_t graphExec)
{
    g_free(graphExec);
    return cudaSuccess;
}
