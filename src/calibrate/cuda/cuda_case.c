/* SPDX-License-Identifier: MIT */
#include "calibrate/cuda/cuda_case.h"

#include "plansim.h"

/* A grid has at most so many blocks, and a row kernel takes a block a row. */
#define MAX_ROWS UINT64_C(0x7fffffff)
/* cuBLASLt and our kernels count a dimension in 32 bits. */
#define MAX_DIMENSION UINT64_C(0x7fffffff)
#define MAX_LAUNCHES  UINT64_C(100000)

uint64_t
psim_element_bytes(PsimElement element)
{
    static const uint64_t bytes[PSIM_N_ELEMENTS] = {4, 2, 2, 1, 1};

    return bytes[element];
}

PsimElement
psim_element_of(PsimNumber number)
{
    static const PsimElement elements[PSIM_N_NUMBERS] = {
        [PSIM_NUMBER_FP32] = PSIM_ELEMENT_FP32, [PSIM_NUMBER_TF32] = PSIM_ELEMENT_FP32,
        [PSIM_NUMBER_FP16] = PSIM_ELEMENT_FP16, [PSIM_NUMBER_BF16] = PSIM_ELEMENT_BF16,
        [PSIM_NUMBER_FP8] = PSIM_ELEMENT_FP8,
    };

    return elements[number];
}

/* -- Arrays ------------------------------------------------------------------------------------ */

static uint64_t
times(uint64_t a, uint64_t b)
{
    uint64_t product = 0;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static void
add(PsimArrayList *list, PsimElement element, uint64_t n, PsimFill fill, float scale)
{
    g_assert(list->n < PSIM_MAX_ARRAYS);
    list->array[list->n++] = (PsimArraySpec){
        .element = element,
        .fill = fill,
        .scale = scale,
        .n = n,
    };
}

static void
add_input(PsimArrayList *list, PsimElement element, uint64_t n)
{
    add(list, element, n, PSIM_FILL_NORMAL, 1.0F);
}

static void
add_output(PsimArrayList *list, PsimElement element, uint64_t n)
{
    add(list, element, n, PSIM_FILL_NONE, 0.0F);
}

static void
add_scratch(PsimArrayList *list, uint64_t n)
{
    add(list, PSIM_ELEMENT_FP32, n, PSIM_FILL_NONE, 0.0F);
    list->array[list->n - 1].scratch = true;
}

static void
list_stream(PsimArrayList *list, const PsimCase *what)
{
    const PsimElement element = psim_element_of(what->number);
    const uint64_t n = what->stream.bytes / psim_element_bytes(element);

    add_input(list, element, n);
    add(list, element, what->stream.what == PSIM_STREAM_TRIAD ? n : 0, PSIM_FILL_NORMAL, 1.0F);
    add_output(list, element, what->stream.what == PSIM_STREAM_SUM ? 0 : n);
    add_scratch(list, what->stream.what == PSIM_STREAM_SUM
                          ? psim_stream_sum_blocks(what->stream.bytes)
                          : 0);
}

/* fp8 products come out as bf16; everything else as it went in, or as fp32 to be added to. */
static void
list_gemm(PsimArrayList *list, const PsimCase *what)
{
    const PsimElement element = psim_element_of(what->number);
    const PsimElement narrow = what->number == PSIM_NUMBER_FP8 ? PSIM_ELEMENT_BF16 : element;
    const bool adds = what->gemm.accumulate_fp32;

    add_input(list, element, times(what->gemm.m, what->gemm.k));
    add_input(list, element, times(what->gemm.k, what->gemm.n));
    add(list, adds ? PSIM_ELEMENT_FP32 : narrow, times(what->gemm.m, what->gemm.n),
        adds ? PSIM_FILL_NORMAL : PSIM_FILL_NONE, 1.0F);
}

static void
list_norm_backward(PsimArrayList *list, PsimElement element, uint64_t rows, uint64_t width)
{
    const uint64_t n = times(rows, width);

    add_input(list, element, n);
    add_input(list, element, width);
    add_input(list, element, n);
    add(list, PSIM_ELEMENT_FP32, rows, PSIM_FILL_NORMAL, 0.1F);
    add(list, PSIM_ELEMENT_FP32, rows, PSIM_FILL_SQUARE, 1.0F);
    add_output(list, element, n);
    add_output(list, PSIM_ELEMENT_FP32, width);
    add_output(list, PSIM_ELEMENT_FP32, width);
    add_scratch(list, times(UINT64_C(2) * PSIM_NORM_MAX_STRIPS, width));
}

static void
list_dropout(PsimArrayList *list, PsimElement element, uint64_t n, uint64_t width)
{
    add_input(list, element, n);
    add_input(list, element, width);
    add_input(list, element, n);
    add_output(list, element, n);
    add_output(list, PSIM_ELEMENT_BYTE, n);
}

static void
list_adam(PsimArrayList *list, uint64_t n)
{
    add(list, PSIM_ELEMENT_FP32, n, PSIM_FILL_NORMAL, 1e-2F);
    add(list, PSIM_ELEMENT_FP32, n, PSIM_FILL_NORMAL, 1.0F);
    add(list, PSIM_ELEMENT_FP32, n, PSIM_FILL_NORMAL, 1e-2F);
    add(list, PSIM_ELEMENT_FP32, n, PSIM_FILL_SQUARE, 1e-2F);
    add_output(list, PSIM_ELEMENT_BF16, n);
}

static void
list_kernel(PsimArrayList *list, const PsimCase *what)
{
    const PsimElement element = psim_element_of(what->number);
    const uint64_t rows = what->kernel.rows;
    const uint64_t width = what->kernel.width;
    const uint64_t n = times(rows, width);
    const uint64_t twice = times(n, 2);

    switch (what->kernel.what) {
    case PSIM_KERNEL_NORM_FORWARD:
        add_input(list, element, n);
        add_input(list, element, width);
        add_input(list, element, width);
        add_output(list, element, n);
        add_output(list, PSIM_ELEMENT_FP32, rows);
        add_output(list, PSIM_ELEMENT_FP32, rows);
        return;
    case PSIM_KERNEL_NORM_BACKWARD:
        list_norm_backward(list, element, rows, width);
        return;
    case PSIM_KERNEL_SOFTMAX_FORWARD:
    case PSIM_KERNEL_GELU_FORWARD:
        add_input(list, element, n);
        add_output(list, element, n);
        return;
    case PSIM_KERNEL_SOFTMAX_BACKWARD:
        add(list, element, n, PSIM_FILL_SQUARE, 0.1F);
        add_input(list, element, n);
        add_output(list, element, n);
        return;
    case PSIM_KERNEL_GELU_BACKWARD:
        add_input(list, element, n);
        add_input(list, element, n);
        add_output(list, element, n);
        return;
    case PSIM_KERNEL_SWIGLU_FORWARD:
        add_input(list, element, twice);
        add_output(list, element, n);
        return;
    case PSIM_KERNEL_SWIGLU_BACKWARD:
        add_input(list, element, twice);
        add_input(list, element, n);
        add_output(list, element, twice);
        return;
    case PSIM_KERNEL_DROPOUT_ADD_FORWARD:
        list_dropout(list, element, n, width);
        return;
    case PSIM_KERNEL_DROPOUT_ADD_BACKWARD:
        add_input(list, element, n);
        add(list, PSIM_ELEMENT_BYTE, n, PSIM_FILL_BIT, 0.0F);
        add_output(list, element, n);
        return;
    case PSIM_KERNEL_ADAM:
        list_adam(list, n);
        return;
    }
}

/* Stats, O and everything behind it are filled by a forward pass before a backward pass is run. */
static void
list_attention(PsimArrayList *list, const PsimCase *what)
{
    const PsimElement element = psim_element_of(what->number);
    const uint64_t rows =
        times(times(what->attention.batch, what->attention.n_heads), what->attention.sequence);
    const uint64_t n = times(rows, what->attention.head_dim);

    for (unsigned i = 0; i < 3; i++)
        add_input(list, element, n);
    add_output(list, element, n);
    add_output(list, PSIM_ELEMENT_FP32, rows);
    if (!what->attention.backward)
        return;
    add_input(list, element, n);
    for (unsigned i = 0; i < 3; i++)
        add_output(list, element, n);
    add_scratch(list, n);
    add_scratch(list, rows);
}

void
psim_cuda_case_arrays(const PsimCase *what, PsimArrayList *ret_list)
{
    *ret_list = (PsimArrayList){0};
    switch (what->kind) {
    case PSIM_CASE_STREAM:
        list_stream(ret_list, what);
        return;
    case PSIM_CASE_GEMM:
        list_gemm(ret_list, what);
        return;
    case PSIM_CASE_KERNEL:
        list_kernel(ret_list, what);
        return;
    case PSIM_CASE_ATTENTION:
        list_attention(ret_list, what);
        return;
    case PSIM_CASE_LAUNCH:
    case PSIM_CASE_MEMCPY:
    case PSIM_CASE_COLLECTIVE:
        return;
    }
}

/* Copies between host and device, and between devices, hold a buffer at each end. */
static uint64_t
exchange_bytes(const PsimCase *what)
{
    if (what->kind == PSIM_CASE_COLLECTIVE)
        return times(what->collective.bytes, 2);
    if (what->kind == PSIM_CASE_MEMCPY)
        return times(what->memcpy.bytes, what->memcpy.what == PSIM_MEMCPY_BOTH_WAYS ? 4 : 2);
    return 0;
}

uint64_t
psim_cuda_case_bytes(const PsimCase *what)
{
    PsimArrayList list;
    uint64_t sum = exchange_bytes(what);

    psim_cuda_case_arrays(what, &list);
    for (uint32_t i = 0; i < list.n; i++) {
        const uint64_t bytes = times(list.array[i].n, psim_element_bytes(list.array[i].element));

        if (bytes > INT64_MAX || __builtin_add_overflow(sum, bytes + 256, &sum))
            return UINT64_MAX;
    }
    return sum > INT64_MAX ? UINT64_MAX : sum;
}

/* -- Verdicts ---------------------------------------------------------------------------------- */

static PsimVerdict
refuse(PsimVerdict verdict, PsimError code, GError **error, const char *reason)
{
    g_set_error_literal(error, PSIM_ERROR, (int)code, reason);
    return verdict;
}

static bool
all_within(const uint64_t *sizes, unsigned n, uint64_t most)
{
    for (unsigned i = 0; i < n; i++)
        if (sizes[i] == 0 || sizes[i] > most)
            return false;
    return true;
}

static bool
sizes_are_legal(const PsimCase *what)
{
    switch (what->kind) {
    case PSIM_CASE_LAUNCH:
        return all_within(&what->launch.n_launches, 1, MAX_LAUNCHES);
    case PSIM_CASE_STREAM:
        return what->stream.bytes >= psim_number_bytes(what->number);
    case PSIM_CASE_GEMM:
        return all_within((uint64_t[]){what->gemm.m, what->gemm.n, what->gemm.k}, 3, MAX_DIMENSION);
    case PSIM_CASE_KERNEL:
        return all_within(&what->kernel.rows, 1, MAX_ROWS) && what->kernel.width > 0 &&
               (what->kernel.what == PSIM_KERNEL_ADAM || what->kernel.width <= MAX_DIMENSION);
    case PSIM_CASE_ATTENTION:
        return all_within((uint64_t[]){what->attention.batch, what->attention.n_heads,
                                       what->attention.sequence, what->attention.head_dim},
                          4, MAX_DIMENSION);
    case PSIM_CASE_MEMCPY:
        return what->memcpy.bytes > 0;
    case PSIM_CASE_COLLECTIVE:
        return what->collective.bytes > 0 && what->collective.n_ranks > 0;
    }
    return false;
}

static PsimVerdict
judge_gemm(const PsimCase *what, const PsimDeviceTraits *traits, GError **error)
{
    const bool is_fp8 = what->number == PSIM_NUMBER_FP8;

    if (is_fp8 && traits->major * 10 + traits->minor < 89)
        return refuse(PSIM_VERDICT_UNSUPPORTED, PSIM_ERROR_UNSUPPORTED, error,
                      "fp8: the device has no fp8 tensor cores; they begin at sm_89");
    if (is_fp8 && (what->gemm.m % 16 != 0 || what->gemm.n % 16 != 0 || what->gemm.k % 16 != 0))
        return refuse(PSIM_VERDICT_UNSUPPORTED, PSIM_ERROR_UNSUPPORTED, error,
                      "fp8: cuBLASLt takes m, n and k that are multiples of 16 only");
    return PSIM_VERDICT_RIGHT;
}

static PsimVerdict
judge_kernel(const PsimCase *what, const PsimDeviceTraits *traits, GError **error)
{
    const uint64_t width = what->kernel.width;
    const uint32_t load = psim_elements_a_load(width, psim_number_bytes(what->number));
    /* The sums, and what the kernel holds besides. */
    const uint64_t norm_bytes = times(psim_norm_back_floats(width, load), 2 * sizeof(float)) + 1024;

    if (what->kernel.what == PSIM_KERNEL_NORM_BACKWARD && norm_bytes > traits->shared_bytes)
        return refuse(
            PSIM_VERDICT_UNSUPPORTED, PSIM_ERROR_UNSUPPORTED, error,
            "norm backward: a row's weight gradient does not fit into shared memory; take "
            "a narrower tensor");
    return PSIM_VERDICT_RIGHT;
}

static PsimVerdict
judge_attention(const PsimCase *what, const PsimDeviceTraits *traits, GError **error)
{
    if (!traits->has_cudnn)
        return refuse(
            PSIM_VERDICT_UNSUPPORTED, PSIM_ERROR_UNSUPPORTED, error,
            "attention: cuDNN 9.6 or later is missing or does not start; install it and build "
            "again");
    if (what->number != PSIM_NUMBER_FP16 && what->number != PSIM_NUMBER_BF16)
        return refuse(PSIM_VERDICT_UNSUPPORTED, PSIM_ERROR_UNSUPPORTED, error,
                      "attention: only fp16 and bf16");
    if (what->attention.head_dim != 64 && what->attention.head_dim != 128)
        return refuse(PSIM_VERDICT_UNSUPPORTED, PSIM_ERROR_UNSUPPORTED, error,
                      "attention: only head dimensions 64 and 128");
    return PSIM_VERDICT_RIGHT;
}

static PsimVerdict
judge_collective(const PsimCase *what, const PsimDeviceTraits *traits, GError **error)
{
    if (!traits->has_nccl)
        return refuse(PSIM_VERDICT_UNSUPPORTED, PSIM_ERROR_UNSUPPORTED, error,
                      "collectives: the CUDA module is built without NCCL; install NCCL and build "
                      "again");
    if (what->collective.n_ranks < 2 || what->collective.n_ranks > traits->n_units)
        return refuse(PSIM_VERDICT_UNSUPPORTED, PSIM_ERROR_UNSUPPORTED, error,
                      "collectives: the number of ranks is below two or above the devices of this "
                      "machine");
    return PSIM_VERDICT_RIGHT;
}

static PsimVerdict
judge_kind(const PsimCase *what, const PsimDeviceTraits *traits, GError **error)
{
    if (what->kind == PSIM_CASE_GEMM)
        return judge_gemm(what, traits, error);
    if (what->kind == PSIM_CASE_MEMCPY || what->kind == PSIM_CASE_LAUNCH)
        return PSIM_VERDICT_RIGHT;
    if (what->number == PSIM_NUMBER_FP8)
        return refuse(PSIM_VERDICT_UNSUPPORTED, PSIM_ERROR_UNSUPPORTED, error,
                      "fp8: only matrix products");
    switch (what->kind) {
    case PSIM_CASE_KERNEL:
        return judge_kernel(what, traits, error);
    case PSIM_CASE_ATTENTION:
        return judge_attention(what, traits, error);
    case PSIM_CASE_COLLECTIVE:
        return judge_collective(what, traits, error);
    case PSIM_CASE_LAUNCH:
    case PSIM_CASE_STREAM:
    case PSIM_CASE_GEMM:
    case PSIM_CASE_MEMCPY:
        break;
    }
    return PSIM_VERDICT_RIGHT;
}

PsimVerdict
psim_cuda_case_judge(const PsimCase *what,
                     const PsimPolicy *policy,
                     const PsimDeviceTraits *traits,
                     GError **error)
{
    if (what->kind >= PSIM_N_CASE_KINDS || what->number >= PSIM_N_NUMBERS || !sizes_are_legal(what))
        return refuse(PSIM_VERDICT_FAILED, PSIM_ERROR_VALUE, error,
                      "a case with a size of zero, or beyond what a kernel can index");

    const PsimVerdict verdict = judge_kind(what, traits, error);

    if (verdict != PSIM_VERDICT_RIGHT)
        return verdict;

    const uint64_t bytes = psim_cuda_case_bytes(what);

    if (bytes > policy->memory_bytes) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_LIMIT,
                    "the case needs %.3g GB, the budget is %.3g GB; raise the budget or take a "
                    "smaller shape",
                    (double)bytes / 1e9, (double)policy->memory_bytes / 1e9);
        return PSIM_VERDICT_TOO_LARGE;
    }
    return PSIM_VERDICT_RIGHT;
}
