/* SPDX-License-Identifier: MIT */
/* Matrix products by cuBLASLt.
 *
 * cuBLASLt reads columns where a model reads rows, so that C[m,n] = A B becomes C'(n,m) = B' A':
 * the library's first operand is our B. Its letters are then those of PsimLayout.
 *
 *     layout   our B is stored      our A is stored      the library's first, second
 *     TN       (n, k)               (m, k)               transposed, as it is
 *     NN       (k, n)               (m, k)               as it is,   as it is
 *     NT       (k, n)               (k, m)               as it is,   transposed
 */
#include "calibrate/cuda/cuda_job.h"
#include "calibrate/cuda/cuda_status.h"
#include "plansim.h"

/* How many algorithms are asked for; the first is what frameworks run. */
#define MAX_ALGORITHMS 8

typedef struct {
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t first, second, result;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t algorithms[MAX_ALGORITHMS];
    uint32_t chosen;
} State;

/* -- Types ------------------------------------------------------------------------------------- */

static cudaDataType_t
data_type(PsimElement element)
{
    static const cudaDataType_t types[PSIM_N_ELEMENTS] = {
        [PSIM_ELEMENT_FP32] = CUDA_R_32F,  [PSIM_ELEMENT_FP16] = CUDA_R_16F,
        [PSIM_ELEMENT_BF16] = CUDA_R_16BF, [PSIM_ELEMENT_FP8] = CUDA_R_8F_E4M3,
        [PSIM_ELEMENT_BYTE] = CUDA_R_8U,
    };

    return types[element];
}

static cublasComputeType_t
compute_type(PsimNumber number)
{
    return number == PSIM_NUMBER_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

/* -- Descriptors ------------------------------------------------------------------------------- */

static bool
describe_operation(State *state, const PsimCase *what, GError **error)
{
    const cublasOperation_t first = what->gemm.layout == PSIM_LAYOUT_TN ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t second =
        what->gemm.layout == PSIM_LAYOUT_NT ? CUBLAS_OP_T : CUBLAS_OP_N;

    return TRY_CUBLAS(
               cublasLtMatmulDescCreate(&state->operation, compute_type(what->number), CUDA_R_32F),
               error) &&
           TRY_CUBLAS(cublasLtMatmulDescSetAttribute(state->operation, CUBLASLT_MATMUL_DESC_TRANSA,
                                                     &first, sizeof first),
                      error) &&
           TRY_CUBLAS(cublasLtMatmulDescSetAttribute(state->operation, CUBLASLT_MATMUL_DESC_TRANSB,
                                                     &second, sizeof second),
                      error);
}

/* A matrix of @rows by @columns as the library reads it, its columns one after the other. */
static bool
describe_matrix(cublasLtMatrixLayout_t *ret_layout,
                PsimElement element,
                uint64_t rows,
                uint64_t columns,
                GError **error)
{
    return TRY_CUBLAS(
        cublasLtMatrixLayoutCreate(ret_layout, data_type(element), rows, columns, (int64_t)rows),
        error);
}

static bool
describe_matrices(State *state, const PsimJob *job, GError **error)
{
    const uint64_t m = job->what.gemm.m;
    const uint64_t n = job->what.gemm.n;
    const uint64_t k = job->what.gemm.k;
    const bool first_turned = job->what.gemm.layout == PSIM_LAYOUT_TN;
    const bool second_turned = job->what.gemm.layout == PSIM_LAYOUT_NT;
    const PsimArraySpec *const array = job->list.array;

    return describe_matrix(&state->first, array[PSIM_GEMM_B].element, first_turned ? k : n,
                           first_turned ? n : k, error) &&
           describe_matrix(&state->second, array[PSIM_GEMM_A].element, second_turned ? m : k,
                           second_turned ? k : m, error) &&
           describe_matrix(&state->result, array[PSIM_GEMM_C].element, n, m, error);
}

static bool
describe_preference(State *state, GError **error)
{
    const uint64_t workspace_bytes = PSIM_CUDA_GEMM_WORKSPACE_BYTES;

    return TRY_CUBLAS(cublasLtMatmulPreferenceCreate(&state->preference), error) &&
           TRY_CUBLAS(cublasLtMatmulPreferenceSetAttribute(
                          state->preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                          &workspace_bytes, sizeof workspace_bytes),
                      error);
}

static PsimVerdict
find_algorithms(PsimJob *self, GError **error)
{
    State *const state = (State *)self->state;
    int n = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        self->unit->cublas, state->operation, state->first, state->second, state->result,
        state->result, state->preference, MAX_ALGORITHMS, state->algorithms, &n);

    if (status != CUBLAS_STATUS_NOT_SUPPORTED && !TRY_CUBLAS(status, error))
        return PSIM_VERDICT_FAILED;
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || n == 0 ||
        state->algorithms[0].state != CUBLAS_STATUS_SUCCESS) {
        g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED,
                            "cuBLASLt has no algorithm for these types and this layout on this "
                            "device");
        return PSIM_VERDICT_UNSUPPORTED;
    }
    self->n_variants = (uint32_t)n;
    return PSIM_VERDICT_RIGHT;
}

/* -- The job ----------------------------------------------------------------------------------- */

static PsimVerdict
prepare(PsimJob *self, GError **error)
{
    State *state = g_new0(State, 1);

    self->state = state;
    if (!describe_operation(state, &self->what, error) || !describe_matrices(state, self, error) ||
        !describe_preference(state, error))
        return PSIM_VERDICT_FAILED;
    return find_algorithms(self, error);
}

static void
clear(PsimJob *self)
{
    State *state = (State *)self->state;

    if (state == NULL)
        return;
    if (state->preference != NULL)
        cublasLtMatmulPreferenceDestroy(state->preference);
    if (state->first != NULL)
        cublasLtMatrixLayoutDestroy(state->first);
    if (state->second != NULL)
        cublasLtMatrixLayoutDestroy(state->second);
    if (state->result != NULL)
        cublasLtMatrixLayoutDestroy(state->result);
    if (state->operation != NULL)
        cublasLtMatmulDescDestroy(state->operation);
    g_free(state);
}

static void
choose(PsimJob *self, uint32_t variant)
{
    ((State *)self->state)->chosen = variant;
}

static bool
enqueue(PsimJob *self, uint64_t copy, GError **error)
{
    const State *const state = (const State *)self->state;
    const float alpha = 1.0F;
    const float beta = self->what.gemm.accumulate_fp32 ? 1.0F : 0.0F;
    void *arrays[PSIM_MAX_ARRAYS];

    psim_cuda_job_arrays(self, copy, arrays);
    return TRY_CUBLAS(
        cublasLtMatmul(self->unit->cublas, state->operation, &alpha, arrays[PSIM_GEMM_B],
                       state->first, arrays[PSIM_GEMM_A], state->second, &beta, arrays[PSIM_GEMM_C],
                       state->result, arrays[PSIM_GEMM_C], state->result,
                       &state->algorithms[state->chosen].algo, self->unit->cublas_workspace,
                       PSIM_CUDA_GEMM_WORKSPACE_BYTES, self->unit->stream),
        error);
}

const PsimJobKind psim_cuda_gemm = {
    .prepare = prepare,
    .enqueue = enqueue,
    .choose = choose,
    .clear = clear,
};
