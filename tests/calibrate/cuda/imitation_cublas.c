/* SPDX-License-Identifier: MIT */
/* cuBLASLt: D = alpha op(A) op(B) + beta C, matrices a column after the other. */
#include "imitation.h"

#include "calibrate/cuda/cuda_element.h"

#include <cublasLt.h>
#include <string.h>

static int a_handle;
static bool spoiled;

void
imitation_spoil_products(bool spoil)
{
    spoiled = spoil;
}

/* What is remembered of a descriptor, in its opaque words. */
enum { OPERATION_A, OPERATION_B };
enum { LAYOUT_TYPE, LAYOUT_ROWS, LAYOUT_COLUMNS, LAYOUT_STEP };

cublasStatus_t
cublasLtCreate(cublasLtHandle_t *lightHandle)
{
    *lightHandle = (cublasLtHandle_t)(void *)&a_handle;
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
void
imitation_write(void *matrix, PsimElement element, uint64_t at, double value)
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

    imitation_pass(algo->data[0] == 0 ? IMITATION_GEMM_S : IMITATION_GEMM_BEST_S);
    for (uint64_t j = 0; j < Ddesc->data[LAYOUT_COLUMNS]; j++)
        for (uint64_t i = 0; i < Ddesc->data[LAYOUT_ROWS]; i++) {
            const uint64_t at = j * Ddesc->data[LAYOUT_STEP] + i;
            double sum = spoiled && at == 0 ? 1e3 : 0.0;

            for (uint64_t l = 0; l < depth; l++)
                sum += element_at(A, Adesc, turn_a, i, l) * element_at(B, Bdesc, turn_b, l, j);
            sum *= (double)*(const float *)alpha;
            if (*(const float *)beta != 0.0F)
                sum += (double)*(const float *)beta * element_at(C, Cdesc, false, i, j);
            imitation_write(D, element_of(Ddesc), at, sum);
        }
    return CUBLAS_STATUS_SUCCESS;
}
