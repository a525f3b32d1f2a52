/* SPDX-License-Identifier: MIT */
#include "imitation.h"

#include "calibrate/cuda/cuda_element.h"

#include <cublasLt.h>
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
static bool spoiled;

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

void
imitation_spoil_products(bool spoil)
{
    spoiled = spoil;
}

/* What is captured takes its time when it is replayed. */
static void
pass(double s)
{
    if (capturing)
        n_captured++;
    else
        now_s += s;
}

static void
pass_kernel(void)
{
    pass(IMITATION_KERNEL_S);
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
    pass((double)count / IMITATION_BYTES_PER_S);
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
    *count = 1;
    return cudaSuccess;
}

cudaError_t
cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
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
    pass((double)*(unsigned *)(void *)graphExec * IMITATION_GRAPH_NODE_S);
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

/* -- cuBLASLt: D = alpha op(A) op(B) + beta C, a column after the other -------------------------
 */

/* What is remembered of a descriptor, in its opaque words. */
enum { OPERATION_A, OPERATION_B };
enum { LAYOUT_TYPE, LAYOUT_ROWS, LAYOUT_COLUMNS, LAYOUT_STEP };

cublasStatus_t
cublasLtCreate(cublasLtHandle_t *lightHandle)
{
    *lightHandle = (cublasLtHandle_t)(void *)&a_stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtDestroy(G_GNUC_UNUSED cublasLtHandle_t lightHandle)
{
    return CUBLAS_STATUS_SUCCESS;
}

size_t
cublasLtGetVersion(void)
{
    return 130100;
}

const char *
cublasLtGetStatusName(G_GNUC_UNUSED cublasStatus_t status)
{
    return "CUBLAS_STATUS";
}

cublasStatus_t
cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *matmulDesc,
                         G_GNUC_UNUSED cublasComputeType_t computeType,
                         G_GNUC_UNUSED cudaDataType_t scaleType)
{
    *matmulDesc = g_new0(cublasLtMatmulDescOpaque_t, 1);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t matmulDesc,
                               cublasLtMatmulDescAttributes_t attr,
                               const void *buf,
                               G_GNUC_UNUSED size_t sizeInBytes)
{
    matmulDesc->data[attr == CUBLASLT_MATMUL_DESC_TRANSA ? OPERATION_A : OPERATION_B] =
        *(const cublasOperation_t *)buf;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t matmulDesc)
{
    g_free(matmulDesc);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatrixLayoutCreate(
    cublasLtMatrixLayout_t *matLayout, cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld)
{
    cublasLtMatrixLayout_t layout = g_new0(cublasLtMatrixLayoutOpaque_t, 1);

    layout->data[LAYOUT_TYPE] = type;
    layout->data[LAYOUT_ROWS] = rows;
    layout->data[LAYOUT_COLUMNS] = cols;
    layout->data[LAYOUT_STEP] = (uint64_t)ld;
    *matLayout = layout;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t matLayout)
{
    g_free(matLayout);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *pref)
{
    *pref = g_new0(cublasLtMatmulPreferenceOpaque_t, 1);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceSetAttribute(G_GNUC_UNUSED cublasLtMatmulPreference_t pref,
                                     G_GNUC_UNUSED cublasLtMatmulPreferenceAttributes_t attr,
                                     G_GNUC_UNUSED const void *buf,
                                     G_GNUC_UNUSED size_t sizeInBytes)
{
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t pref)
{
    g_free(pref);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulAlgoGetHeuristic(G_GNUC_UNUSED cublasLtHandle_t lightHandle,
                               G_GNUC_UNUSED cublasLtMatmulDesc_t operationDesc,
                               cublasLtMatrixLayout_t Adesc,
                               G_GNUC_UNUSED cublasLtMatrixLayout_t Bdesc,
                               G_GNUC_UNUSED cublasLtMatrixLayout_t Cdesc,
                               G_GNUC_UNUSED cublasLtMatrixLayout_t Ddesc,
                               G_GNUC_UNUSED cublasLtMatmulPreference_t preference,
                               G_GNUC_UNUSED int requestedAlgoCount,
                               cublasLtMatmulHeuristicResult_t heuristicResultsArray[],
                               int *returnAlgoCount)
{
    /* This one does not know fp8, as no device before sm_89. */
    if (Adesc->data[LAYOUT_TYPE] == CUDA_R_8F_E4M3)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    for (uint64_t i = 0; i < 2; i++) {
        heuristicResultsArray[i] =
            (cublasLtMatmulHeuristicResult_t){.state = CUBLAS_STATUS_SUCCESS};
        heuristicResultsArray[i].algo.data[0] = i;
    }
    *returnAlgoCount = 2;
    return CUBLAS_STATUS_SUCCESS;
}

static PsimElement
element_of(const cublasLtMatrixLayoutOpaque_t *layout)
{
    if (layout->data[LAYOUT_TYPE] == CUDA_R_32F)
        return PSIM_ELEMENT_FP32;
    return layout->data[LAYOUT_TYPE] == CUDA_R_16F ? PSIM_ELEMENT_FP16 : PSIM_ELEMENT_BF16;
}

/* Row @i, column @j of the operand after its operation. */
static double
element_at(const void *matrix,
           const cublasLtMatrixLayoutOpaque_t *layout,
           bool turned,
           uint64_t i,
           uint64_t j)
{
    const uint64_t row = turned ? j : i;
    const uint64_t column = turned ? i : j;

    g_assert_cmpuint(row, <, layout->data[LAYOUT_ROWS]);
    g_assert_cmpuint(column, <, layout->data[LAYOUT_COLUMNS]);
    return psim_cuda_element_read(matrix, element_of(layout),
                                  column * layout->data[LAYOUT_STEP] + row);
}

/* Rounded to nearest: half of what is cut off is added first. */
static void
write_element(void *matrix, PsimElement element, uint64_t at, double value)
{
    float narrow = (float)value;
    uint32_t bits = 0;

    if (element == PSIM_ELEMENT_FP32) {
        ((float *)matrix)[at] = narrow;
        return;
    }
    g_assert_cmpint(element, ==, PSIM_ELEMENT_BF16);
    memcpy(&bits, &narrow, sizeof bits);
    ((uint16_t *)matrix)[at] = (uint16_t)((bits + 0x8000U) >> 16);
}

cublasStatus_t
cublasLtMatmul(G_GNUC_UNUSED cublasLtHandle_t lightHandle,
               cublasLtMatmulDesc_t computeDesc,
               const void *alpha,
               const void *A,
               cublasLtMatrixLayout_t Adesc,
               const void *B,
               cublasLtMatrixLayout_t Bdesc,
               const void *beta,
               const void *C,
               cublasLtMatrixLayout_t Cdesc,
               void *D,
               cublasLtMatrixLayout_t Ddesc,
               const cublasLtMatmulAlgo_t *algo,
               G_GNUC_UNUSED void *workspace,
               G_GNUC_UNUSED size_t workspaceSizeInBytes,
               G_GNUC_UNUSED cudaStream_t stream)
{
    const bool turn_a = computeDesc->data[OPERATION_A] == CUBLAS_OP_T;
    const bool turn_b = computeDesc->data[OPERATION_B] == CUBLAS_OP_T;
    const uint64_t depth = Adesc->data[turn_a ? LAYOUT_ROWS : LAYOUT_COLUMNS];

    pass(algo->data[0] == 0 ? IMITATION_GEMM_S : IMITATION_GEMM_BEST_S);
    for (uint64_t j = 0; j < Ddesc->data[LAYOUT_COLUMNS]; j++)
        for (uint64_t i = 0; i < Ddesc->data[LAYOUT_ROWS]; i++) {
            const uint64_t at = j * Ddesc->data[LAYOUT_STEP] + i;
            double sum = spoiled && at == 0 ? 1e3 : 0.0;

            for (uint64_t l = 0; l < depth; l++)
                sum += element_at(A, Adesc, turn_a, i, l) * element_at(B, Bdesc, turn_b, l, j);
            sum *= (double)*(const float *)alpha;
            if (*(const float *)beta != 0.0F)
                sum += (double)*(const float *)beta * element_at(C, Cdesc, false, i, j);
            write_element(D, element_of(Ddesc), at, sum);
        }
    return CUBLAS_STATUS_SUCCESS;
}
