/* SPDX-License-Identifier: MIT */
/* What is known of a case before any device is asked. */
#include "calibrate/cuda/cuda_case.h"

#include "calibrate/cuda/cuda_element.h"
#include "calibrate/cuda/cuda_peaks.h"
#include "calibrate/cuda/cuda_scatter.h"
#include "plansim.h"
#include "suites.h"

#include <math.h>

static const PsimDeviceTraits hopper = {
    .major = 9,
    .minor = 0,
    .n_units = 8,
    .shared_bytes = 232448,
    .has_cudnn = true,
    .has_nccl = true,
};
static const PsimPolicy policy = {.memory_bytes = UINT64_C(1) << 30};

#define GEMM(type, m, n, k, layout)                                                                \
    {                                                                                              \
        .kind = PSIM_CASE_GEMM, .number = (type), .gemm = {(m), (n), (k), (layout), false }        \
    }
#define KERNEL(type, kernel_kind, rows, width)                                                     \
    {                                                                                              \
        .kind = PSIM_CASE_KERNEL, .number = (type), .kernel = {(kernel_kind), (rows), (width) }    \
    }
#define ATTENTION(type, batch, heads, sequence, d)                                                 \
    {                                                                                              \
        .kind = PSIM_CASE_ATTENTION, .number = (type), .attention = {                              \
            (batch),                                                                               \
            (heads),                                                                               \
            (sequence),                                                                            \
            (d),                                                                                   \
            true,                                                                                  \
            false                                                                                  \
        }                                                                                          \
    }
#define EXCHANGE(n, size)                                                                          \
    {                                                                                              \
        .kind = PSIM_CASE_COLLECTIVE, .number = PSIM_NUMBER_BF16, .collective = {                  \
            PSIM_EXCHANGE_ALL_REDUCE,                                                              \
            (n),                                                                                   \
            (size)                                                                                 \
        }                                                                                          \
    }

/* -- Verdicts ---------------------------------------------------------------------------------- */

static const struct {
    PsimCase what;
    PsimVerdict verdict;
    const char *message;
} judged[] = {
    {GEMM(PSIM_NUMBER_BF16, 4096, 4096, 4096, PSIM_LAYOUT_TN), PSIM_VERDICT_RIGHT, NULL},
    {GEMM(PSIM_NUMBER_TF32, 1, 1, 1, PSIM_LAYOUT_NT), PSIM_VERDICT_RIGHT, NULL},
    {GEMM(PSIM_NUMBER_FP8, 4096, 4096, 4096, PSIM_LAYOUT_TN), PSIM_VERDICT_RIGHT, NULL},
    {GEMM(PSIM_NUMBER_FP8, 4096, 4096, 4104, PSIM_LAYOUT_TN), PSIM_VERDICT_UNSUPPORTED,
     "fp8: cuBLASLt takes m, n and k that are multiples of 16 only"},
    {GEMM(PSIM_NUMBER_BF16, 0, 4096, 4096, PSIM_LAYOUT_TN), PSIM_VERDICT_FAILED,
     "a case with a size of zero, or beyond what a kernel can index"},
    {GEMM(PSIM_NUMBER_BF16, UINT64_C(1) << 31, 1, 1, PSIM_LAYOUT_TN), PSIM_VERDICT_FAILED,
     "a case with a size of zero, or beyond what a kernel can index"},
    {GEMM(PSIM_NUMBER_BF16, 32768, 32768, 32768, PSIM_LAYOUT_TN), PSIM_VERDICT_TOO_LARGE,
     "the case needs 6.44 GB, the budget is 1.07 GB; raise the budget or take a smaller shape"},
    /* A product beyond 64 bits is not small. */
    {GEMM(PSIM_NUMBER_BF16, 0x7fffffff, 0x7fffffff, 0x7fffffff, PSIM_LAYOUT_TN),
     PSIM_VERDICT_TOO_LARGE, NULL},
    {KERNEL(PSIM_NUMBER_BF16, PSIM_KERNEL_GELU_FORWARD, 8192, 4096), PSIM_VERDICT_RIGHT, NULL},
    {KERNEL(PSIM_NUMBER_BF16, PSIM_KERNEL_GELU_FORWARD, 0, 4096), PSIM_VERDICT_FAILED,
     "a case with a size of zero, or beyond what a kernel can index"},
    {KERNEL(PSIM_NUMBER_BF16, PSIM_KERNEL_GELU_FORWARD, 8192, 0), PSIM_VERDICT_FAILED,
     "a case with a size of zero, or beyond what a kernel can index"},
    {KERNEL(PSIM_NUMBER_FP8, PSIM_KERNEL_GELU_FORWARD, 8192, 4096), PSIM_VERDICT_UNSUPPORTED,
     "fp8: only matrix products"},
    {KERNEL(PSIM_NUMBER_BF16, PSIM_KERNEL_NORM_BACKWARD, 64, 16384), PSIM_VERDICT_RIGHT, NULL},
    {KERNEL(PSIM_NUMBER_BF16, PSIM_KERNEL_NORM_BACKWARD, 64, 65536), PSIM_VERDICT_UNSUPPORTED,
     "norm backward: a row's weight gradient does not fit into shared memory; take a narrower "
     "tensor"},
    {KERNEL(PSIM_NUMBER_FP32, PSIM_KERNEL_ADAM, 1, 1 << 30), PSIM_VERDICT_TOO_LARGE,
     "the case needs 19.3 GB, the budget is 1.07 GB; raise the budget or take a smaller shape"},
    {ATTENTION(PSIM_NUMBER_BF16, 1, 16, 4096, 128), PSIM_VERDICT_RIGHT, NULL},
    {ATTENTION(PSIM_NUMBER_FP32, 1, 16, 4096, 128), PSIM_VERDICT_UNSUPPORTED,
     "attention: only fp16 and bf16"},
    {ATTENTION(PSIM_NUMBER_BF16, 1, 16, 4096, 80), PSIM_VERDICT_UNSUPPORTED,
     "attention: only head dimensions 64 and 128"},
    {ATTENTION(PSIM_NUMBER_BF16, 1, 0, 4096, 128), PSIM_VERDICT_FAILED,
     "a case with a size of zero, or beyond what a kernel can index"},
    {EXCHANGE(8, 1 << 20), PSIM_VERDICT_RIGHT, NULL},
    {EXCHANGE(9, 1 << 20), PSIM_VERDICT_UNSUPPORTED,
     "collectives: the number of ranks is below two or above the devices of this machine"},
    {EXCHANGE(1, 1 << 20), PSIM_VERDICT_UNSUPPORTED,
     "collectives: the number of ranks is below two or above the devices of this machine"},
    {EXCHANGE(8, 0), PSIM_VERDICT_FAILED,
     "a case with a size of zero, or beyond what a kernel can index"},
    {EXCHANGE(8, UINT64_C(1) << 30), PSIM_VERDICT_TOO_LARGE,
     "the case needs 2.15 GB, the budget is 1.07 GB; raise the budget or take a smaller shape"},
    {{.kind = PSIM_CASE_MEMCPY, .memcpy = {PSIM_MEMCPY_BOTH_WAYS, 1 << 20}},
     PSIM_VERDICT_RIGHT,
     NULL},
    {{.kind = PSIM_CASE_MEMCPY, .memcpy = {PSIM_MEMCPY_BOTH_WAYS, 0}},
     PSIM_VERDICT_FAILED,
     "a case with a size of zero, or beyond what a kernel can index"},
    {{.kind = PSIM_CASE_LAUNCH, .launch = {1000}}, PSIM_VERDICT_RIGHT, NULL},
    {{.kind = PSIM_CASE_LAUNCH, .launch = {0}},
     PSIM_VERDICT_FAILED,
     "a case with a size of zero, or beyond what a kernel can index"},
    {{.kind = PSIM_CASE_STREAM, .number = PSIM_NUMBER_FP32, .stream = {PSIM_STREAM_COPY, 3}},
     PSIM_VERDICT_FAILED,
     "a case with a size of zero, or beyond what a kernel can index"},
    {{.kind = (PsimCaseKind)PSIM_N_CASE_KINDS},
     PSIM_VERDICT_FAILED,
     "a case with a size of zero, or beyond what a kernel can index"},
};

START_TEST(a_case_is_judged_before_it_touches_the_device)
{
    g_autoptr(GError) error = NULL;
    const PsimVerdict verdict = psim_cuda_case_judge(&judged[_i].what, &policy, &hopper, &error);

    ck_assert_int_eq(verdict, judged[_i].verdict);
    ck_assert_int_eq(error == NULL, verdict == PSIM_VERDICT_RIGHT);
    if (judged[_i].message != NULL)
        ck_assert_str_eq(error->message, judged[_i].message);
}
END_TEST

START_TEST(what_the_device_or_the_build_lacks_is_said)
{
    const PsimCase fp8 = GEMM(PSIM_NUMBER_FP8, 4096, 4096, 4096, PSIM_LAYOUT_TN);
    const PsimCase attention = ATTENTION(PSIM_NUMBER_BF16, 1, 16, 4096, 128);
    const PsimCase exchange = EXCHANGE(2, 1 << 20);
    const PsimCase *const cases[] = {&fp8, &attention, &exchange};
    static const char *const messages[] = {
        "fp8: the device has no fp8 tensor cores; they begin at sm_89",
        "attention: cuDNN 9.6 or later is missing or does not start; install it and build again",
        "collectives: the CUDA module is built without NCCL; install NCCL and build again",
    };
    const PsimDeviceTraits bare = {.major = 8, .n_units = 8, .shared_bytes = 166912};
    g_autoptr(GError) error = NULL;

    ck_assert_int_eq(psim_cuda_case_judge(cases[_i], &policy, &bare, &error),
                     PSIM_VERDICT_UNSUPPORTED);
    ck_assert_int_eq(error->code, PSIM_ERROR_UNSUPPORTED);
    ck_assert_str_eq(error->message, messages[_i]);
}
END_TEST

/* -- Small cases ------------------------------------------------------------------------------- */

static const PsimCase large[] = {
    GEMM(PSIM_NUMBER_BF16, 8192, 12290, 4100, PSIM_LAYOUT_NN),
    GEMM(PSIM_NUMBER_FP8, 8192, 12288, 4096, PSIM_LAYOUT_TN),
    GEMM(PSIM_NUMBER_BF16, 3, 5, 7, PSIM_LAYOUT_NT),
    KERNEL(PSIM_NUMBER_FP16, PSIM_KERNEL_NORM_BACKWARD, 65536, 12288),
    KERNEL(PSIM_NUMBER_BF16, PSIM_KERNEL_ADAM, 1, 500000000),
    KERNEL(PSIM_NUMBER_BF16, PSIM_KERNEL_SWIGLU_BACKWARD, 16384, 28672),
    ATTENTION(PSIM_NUMBER_BF16, 4, 64, 16384, 128),
    EXCHANGE(8, UINT64_C(1) << 29),
    {.kind = PSIM_CASE_MEMCPY, .memcpy = {PSIM_MEMCPY_BOTH_WAYS, 1 << 27}},
    {.kind = PSIM_CASE_LAUNCH, .launch = {1000}},
    {.kind = PSIM_CASE_STREAM, .number = PSIM_NUMBER_FP32, .stream = {PSIM_STREAM_SUM, 1 << 27}},
};

START_TEST(a_check_runs_a_small_case_of_the_same_kind)
{
    const PsimPolicy roomy = {.memory_bytes = UINT64_C(1) << 36};
    const PsimPolicy tight = {.memory_bytes = UINT64_C(64) << 20};

    ck_assert_int_eq(psim_cuda_case_judge(&large[_i], &roomy, &hopper, NULL), PSIM_VERDICT_RIGHT);
    for (unsigned round = 0; round < PSIM_N_CHECKS; round++) {
        const PsimCase small = psim_cuda_case_shrink(&large[_i], round);

        ck_assert_int_eq(small.kind, large[_i].kind);
        ck_assert_int_eq(small.number, large[_i].number);
        ck_assert_int_eq(psim_cuda_case_judge(&small, &tight, &hopper, NULL), PSIM_VERDICT_RIGHT);
    }
}
END_TEST

START_TEST(the_first_small_case_is_aligned_as_the_large_one_and_the_second_is_odd)
{
    const PsimCase first = psim_cuda_case_shrink(&large[0], 0);
    const PsimCase second = psim_cuda_case_shrink(&large[0], 1);

    ck_assert_uint_eq(first.gemm.m % 16, large[0].gemm.m % 16);
    ck_assert_uint_eq(first.gemm.n % 16, large[0].gemm.n % 16);
    ck_assert_uint_eq(first.gemm.k % 16, large[0].gemm.k % 16);
    ck_assert_uint_eq(second.gemm.m % 2, 1);
    ck_assert_uint_eq(second.gemm.n % 2, 1);
    ck_assert_uint_eq(second.gemm.k % 2, 1);
}
END_TEST

/* -- Numbers ----------------------------------------------------------------------------------- */

static const struct {
    PsimElement element;
    uint32_t bits;
    double value;
} decoded[] = {
    {PSIM_ELEMENT_FP16, 0x3c00, 1.0},     {PSIM_ELEMENT_FP16, 0xc000, -2.0},
    {PSIM_ELEMENT_FP16, 0x7bff, 65504.0}, {PSIM_ELEMENT_FP16, 0x0001, 0x1p-24},
    {PSIM_ELEMENT_FP16, 0x8000, -0.0},    {PSIM_ELEMENT_BF16, 0x3f80, 1.0},
    {PSIM_ELEMENT_BF16, 0xc2f7, -123.5},  {PSIM_ELEMENT_FP8, 0x38, 1.0},
    {PSIM_ELEMENT_FP8, 0x7e, 448.0},      {PSIM_ELEMENT_FP8, 0x01, 0x1p-9},
    {PSIM_ELEMENT_FP8, 0xc1, -2.25},      {PSIM_ELEMENT_BYTE, 0x01, 1.0},
    {PSIM_ELEMENT_FP32, 0x3fc00000, 1.5},
};

START_TEST(the_devices_numbers_are_read_exactly)
{
    ck_assert_double_eq(psim_cuda_element_read(&decoded[_i].bits, decoded[_i].element, 0),
                        decoded[_i].value);
}
END_TEST

START_TEST(what_is_no_number_is_read_as_such)
{
    const uint16_t half[] = {0x7c00, 0xfc00, 0x7e00};
    const uint8_t eight = 0xff;

    ck_assert(isinf(psim_cuda_element_read(half, PSIM_ELEMENT_FP16, 0)));
    ck_assert_double_lt(psim_cuda_element_read(half, PSIM_ELEMENT_FP16, 1), 0.0);
    ck_assert(isnan(psim_cuda_element_read(half, PSIM_ELEMENT_FP16, 2)));
    ck_assert(isnan(psim_cuda_element_read(&eight, PSIM_ELEMENT_FP8, 0)));
}
END_TEST

/* -- Peaks ------------------------------------------------------------------------------------- */

/* Data sheets, dense; they round, and state a clock that is a little below the highest. */
static const struct {
    int major, minor;
    uint32_t n_sms;
    double clock_hz;
    PsimNumber number;
    double flop_per_s;
} peaks[] = {
    {8, 0, 108, 1.41e9, PSIM_NUMBER_BF16, 312e12},    {8, 0, 108, 1.41e9, PSIM_NUMBER_TF32, 156e12},
    {8, 0, 108, 1.41e9, PSIM_NUMBER_FP32, 19.5e12},   {8, 0, 108, 1.41e9, PSIM_NUMBER_FP8, 0.0},
    {9, 0, 132, 1.98e9, PSIM_NUMBER_BF16, 989e12},    {9, 0, 132, 1.98e9, PSIM_NUMBER_FP8, 1979e12},
    {10, 0, 148, 1.965e9, PSIM_NUMBER_BF16, 2250e12}, {8, 9, 142, 2.52e9, PSIM_NUMBER_BF16, 362e12},
    {12, 0, 170, 2.4e9, PSIM_NUMBER_BF16, 0.0},
};

START_TEST(peaks_are_those_of_data_sheets)
{
    const double peak = psim_cuda_peaks_flop_per_s(
        peaks[_i].major, peaks[_i].minor, peaks[_i].n_sms, peaks[_i].clock_hz, peaks[_i].number);

    ck_assert_double_le(fabs(peak - peaks[_i].flop_per_s), 0.015 * peaks[_i].flop_per_s);
}
END_TEST

/* -- Scatter ----------------------------------------------------------------------------------- */

START_TEST(scatter_is_the_median_deviation_over_the_median)
{
    double steady[] = {2.0, 2.0, 2.0};
    double odd[] = {9.0, 1.0, 4.0, 3.0, 5.0};
    double even[] = {4.0, 1.0, 3.0, 2.0};

    ck_assert_double_eq(psim_cuda_scatter(steady, 3), 0.0);
    /* Median 4, deviations 0 1 1 3 5. */
    ck_assert_double_eq(psim_cuda_scatter(odd, 5), 0.25);
    /* Median 2.5, deviations 0.5 0.5 1.5 1.5. */
    ck_assert_double_eq(psim_cuda_scatter(even, 4), 0.4);
    ck_assert_double_eq(psim_cuda_scatter(NULL, 0), 0.0);
}
END_TEST

Suite *
cuda_case_suite(void)
{
    Suite *suite = suite_create("cuda_case");
    TCase *tcase = tcase_create("cases");
    TCase *numbers = tcase_create("numbers");

    tcase_add_loop_test(tcase, a_case_is_judged_before_it_touches_the_device, 0,
                        G_N_ELEMENTS(judged));
    tcase_add_loop_test(tcase, what_the_device_or_the_build_lacks_is_said, 0, 3);
    tcase_add_loop_test(tcase, a_check_runs_a_small_case_of_the_same_kind, 0, G_N_ELEMENTS(large));
    tcase_add_test(tcase, the_first_small_case_is_aligned_as_the_large_one_and_the_second_is_odd);
    tcase_add_loop_test(numbers, the_devices_numbers_are_read_exactly, 0, G_N_ELEMENTS(decoded));
    tcase_add_test(numbers, what_is_no_number_is_read_as_such);
    tcase_add_loop_test(numbers, peaks_are_those_of_data_sheets, 0, G_N_ELEMENTS(peaks));
    tcase_add_test(numbers, scatter_is_the_median_deviation_over_the_median);
    suite_add_tcase(suite, tcase);
    suite_add_tcase(suite, numbers);
    return suite;
}
