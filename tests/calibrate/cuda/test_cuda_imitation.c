/* SPDX-License-Identifier: MIT */
/* The whole backend but for cuDNN and NCCL, on an imitated device whose clock is known: what is
 * checked is right, what is timed takes what the clock says, and whatever fails leaves nothing
 * behind. */
#include "calibrate/backend.h"
#include "imitation.h"
#include "plansim.h"
#include "suites.h"

#include <math.h>
#include <string.h>

const PsimBackend *psim_backend(void);

static PsimUnit *unit;

static void
open_unit(void)
{
    unit = psim_backend()->open(0, NULL);
    ck_assert_ptr_nonnull(unit);
}

static void
close_unit(void)
{
    psim_backend()->close(unit);
    ck_assert_uint_eq(imitation_n_buffers(), 0);
}

static const PsimPolicy policy = {
    .n_warm_up = 1,
    .n_batches = 4,
    .batch_s = 1e-4,
    .budget_s = 30.0,
    .memory_bytes = UINT64_C(64) << 20,
    .seed = 3,
};

/* The time of one run by the imitated clock. */
static const struct {
    const char *name;
    PsimCase what;
    double seconds;
    double best_s;
    bool cold;
} cases[] = {
    {"launch", {.kind = PSIM_CASE_LAUNCH, .launch = {50}}, 50 * IMITATION_KERNEL_S, 0.0, false},
    {"graph",
     {.kind = PSIM_CASE_LAUNCH, .graphed = true, .launch = {50}},
     50 * IMITATION_GRAPH_NODE_S,
     0.0,
     false},
    {"copy",
     {.kind = PSIM_CASE_STREAM, .number = PSIM_NUMBER_FP32, .stream = {PSIM_STREAM_COPY, 10000}},
     IMITATION_KERNEL_S,
     0.0,
     false},
    {"sum",
     {.kind = PSIM_CASE_STREAM, .number = PSIM_NUMBER_BF16, .stream = {PSIM_STREAM_SUM, 10002}},
     IMITATION_KERNEL_S,
     0.0,
     true},
    {"TN",
     {.kind = PSIM_CASE_GEMM,
      .number = PSIM_NUMBER_BF16,
      .gemm = {20, 33, 17, PSIM_LAYOUT_TN, false}},
     IMITATION_GEMM_S,
     IMITATION_GEMM_BEST_S,
     true},
    {"NN",
     {.kind = PSIM_CASE_GEMM,
      .number = PSIM_NUMBER_TF32,
      .gemm = {9, 16, 40, PSIM_LAYOUT_NN, false}},
     IMITATION_GEMM_S,
     IMITATION_GEMM_BEST_S,
     false},
    {"NT",
     {.kind = PSIM_CASE_GEMM,
      .number = PSIM_NUMBER_BF16,
      .gemm = {24, 8, 31, PSIM_LAYOUT_NT, true}},
     IMITATION_GEMM_S,
     IMITATION_GEMM_BEST_S,
     false},
    {"norm backward",
     {.kind = PSIM_CASE_KERNEL,
      .number = PSIM_NUMBER_BF16,
      .kernel = {PSIM_KERNEL_NORM_BACKWARD, 6, 256}},
     2 * IMITATION_KERNEL_S,
     0.0,
     false},
    {"Adam",
     {.kind = PSIM_CASE_KERNEL, .number = PSIM_NUMBER_FP32, .kernel = {PSIM_KERNEL_ADAM, 1, 1003}},
     IMITATION_KERNEL_S,
     0.0,
     true},
    {"to the device",
     {.kind = PSIM_CASE_MEMCPY, .memcpy = {PSIM_MEMCPY_HOST_TO_DEVICE, 100000}},
     1e5 / IMITATION_BYTES_PER_S,
     0.0,
     false},
    {"both ways",
     {.kind = PSIM_CASE_MEMCPY, .memcpy = {PSIM_MEMCPY_BOTH_WAYS, 100000}},
     2e5 / IMITATION_BYTES_PER_S,
     0.0,
     false},
    {"on the device",
     {.kind = PSIM_CASE_MEMCPY, .memcpy = {PSIM_MEMCPY_DEVICE_TO_DEVICE, 12345}},
     12345 / IMITATION_BYTES_PER_S,
     0.0,
     true},
};

START_TEST(every_kind_is_right)
{
    g_autoptr(GError) error = NULL;
    double worst = 0.0;
    const PsimVerdict verdict =
        psim_backend()->check(unit, &cases[_i].what, &policy, &worst, &error);

    ck_assert_msg(verdict == PSIM_VERDICT_RIGHT, "%s: %g, %s", cases[_i].name, worst,
                  error == NULL ? "" : error->message);
    ck_assert_double_le(worst, 1.0);
}
END_TEST

/* An event's time is a float of milliseconds. */
START_TEST(a_run_takes_what_the_clock_says)
{
    PsimPolicy own = policy;
    PsimSamples samples;

    own.cold = cases[_i].cold;
    ck_assert_int_eq(psim_backend()->measure(unit, &cases[_i].what, &own, &samples, NULL),
                     PSIM_VERDICT_RIGHT);
    ck_assert_uint_eq(samples.n, policy.n_batches);
    for (uint32_t i = 0; i < samples.n; i++)
        ck_assert_double_le(fabs(samples.seconds[i] / cases[_i].seconds - 1.0), 1e-4);
    ck_assert_double_ge((double)samples.n_a_batch * cases[_i].seconds, 0.999 * policy.batch_s);
    ck_assert_double_le(fabs(samples.best_s - cases[_i].best_s), 1e-4 * cases[_i].seconds);
    ck_assert_uint_eq(samples.flags, 0);
    psim_samples_clear(&samples);
}
END_TEST

START_TEST(what_fails_leaves_nothing_behind)
{
    const unsigned n_before = imitation_n_buffers();
    PsimVerdict verdict = PSIM_VERDICT_FAILED;

    /* Each allocation in turn, until the case comes through. */
    for (unsigned countdown = 1; verdict == PSIM_VERDICT_FAILED; countdown++) {
        g_autoptr(GError) error = NULL;
        PsimSamples samples;

        imitation_fail_allocation(countdown);
        verdict = psim_backend()->measure(unit, &cases[_i].what, &policy, &samples, &error);
        ck_assert_uint_eq(imitation_n_buffers(), n_before);
        if (verdict == PSIM_VERDICT_FAILED) {
            ck_assert_ptr_null(samples.seconds);
            ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_IO));
            ck_assert_ptr_nonnull(strstr(
                error->message, ": out of memory (cudaErrorMemoryAllocation); free memory on the"));
        }
        psim_samples_clear(&samples);
        ck_assert_uint_lt(countdown, 20);
    }
    imitation_fail_allocation(0);
    ck_assert_int_eq(verdict, PSIM_VERDICT_RIGHT);
}
END_TEST

START_TEST(opening_that_fails_leaves_nothing_behind)
{
    g_autoptr(GError) error = NULL;

    imitation_fail_allocation(2);
    ck_assert_ptr_null(psim_backend()->open(0, &error));
    ck_assert_ptr_nonnull(strstr(error->message, "cudaMalloc: out of memory"));
    ck_assert_uint_eq(imitation_n_buffers(), 0);
}
END_TEST

START_TEST(a_wrong_product_is_called_wrong)
{
    double worst = 0.0;

    imitation_spoil_products(true);
    ck_assert_int_eq(psim_backend()->check(unit, &cases[4].what, &policy, &worst, NULL),
                     PSIM_VERDICT_WRONG);
    imitation_spoil_products(false);
    ck_assert_double_gt(worst, 1.0);
}
END_TEST

START_TEST(what_is_not_there_is_unsupported)
{
    static const PsimCase missing[] = {
        {.kind = PSIM_CASE_GEMM,
         .number = PSIM_NUMBER_FP8,
         .gemm = {32, 32, 32, PSIM_LAYOUT_NN, false}},
        {.kind = PSIM_CASE_ATTENTION,
         .number = PSIM_NUMBER_BF16,
         .attention = {1, 2, 128, 64, true, false}},
        {.kind = PSIM_CASE_COLLECTIVE,
         .number = PSIM_NUMBER_BF16,
         .collective = {PSIM_EXCHANGE_ALL_REDUCE, 4, 4096}},
    };
    static const char *const messages[] = {
        "cuBLASLt has no algorithm for these types and this layout on this device",
        "attention: cuDNN 9.6 or later is missing or does not start; install it and build again",
        WITH_NCCL
            ? "collectives: the number of ranks is below two or above the devices of this machine"
            : "collectives: the CUDA module is built without NCCL; install NCCL and build again",
    };
    g_autoptr(GError) error = NULL;
    double worst = 0.0;

    ck_assert_int_eq(psim_backend()->check(unit, &missing[_i], &policy, &worst, &error),
                     PSIM_VERDICT_UNSUPPORTED);
    ck_assert_str_eq(error->message, messages[_i]);
}
END_TEST

START_TEST(a_budget_that_is_over_leaves_one_sample_and_a_flag)
{
    PsimPolicy own = policy;
    PsimSamples samples;

    own.budget_s = 0.0;
    ck_assert_int_eq(psim_backend()->measure(unit, &cases[0].what, &own, &samples, NULL),
                     PSIM_VERDICT_RIGHT);
    ck_assert_uint_eq(samples.n, 1);
    ck_assert_uint_eq(samples.flags, PSIM_FLAG_SHORT);
    psim_samples_clear(&samples);
}
END_TEST

START_TEST(a_policy_without_batches_takes_one)
{
    PsimPolicy own = policy;
    PsimSamples samples;

    own.n_batches = 0;
    ck_assert_int_eq(psim_backend()->measure(unit, &cases[0].what, &own, &samples, NULL),
                     PSIM_VERDICT_RIGHT);
    ck_assert_uint_eq(samples.n, 1);
    psim_samples_clear(&samples);
}
END_TEST

/* Three ranks, and a buffer that does not divide by three. */
START_TEST(every_collective_is_right_and_takes_time)
{
    const PsimCase what = {
        .kind = PSIM_CASE_COLLECTIVE,
        .number = _i % 2 == 0 ? PSIM_NUMBER_BF16 : PSIM_NUMBER_FP32,
        .collective = {(PsimExchangeKind)_i, 3, 4000},
    };
    g_autoptr(GError) error = NULL;
    PsimSamples samples;
    double worst = 0.0;

    ck_assert_int_eq(psim_backend()->check(unit, &what, &policy, &worst, &error),
                     PSIM_VERDICT_RIGHT);
    ck_assert_int_eq(psim_backend()->measure(unit, &what, &policy, &samples, &error),
                     PSIM_VERDICT_RIGHT);
    ck_assert_uint_eq(samples.n, policy.n_batches);
    ck_assert_double_gt(samples.seconds[0], 0.0);
    psim_samples_clear(&samples);
}
END_TEST

START_TEST(the_device_is_described)
{
    PsimUnitFacts facts;

    psim_backend()->describe(unit, &facts);
    ck_assert_str_eq(facts.name, "an imitation");
    ck_assert_str_eq(facts.architecture, "sm_90");
    ck_assert_str_eq(facts.libraries, WITH_NCCL ? "CUDA 13.0, cuBLAS 13.1.0, NCCL 2.28.9"
                                                : "CUDA 13.0, cuBLAS 13.1.0");
    ck_assert_uint_eq(strlen(facts.identifier), 12);
    ck_assert_uint_eq(facts.n_sms, 4);
    ck_assert_uint_eq(facts.memory_usable_bytes, IMITATION_MEMORY_BYTES / 2);
    ck_assert_double_eq(facts.nominal_bytes_per_s, 2e9 * 512 / 8);
    ck_assert_double_eq(facts.nominal_flop_per_s[PSIM_NUMBER_BF16], 4 * 4096 * 1e9);
}
END_TEST

/* That clocks are unknown here needs no saying. */
static void
drop(G_GNUC_UNUSED const char *domain,
     G_GNUC_UNUSED GLogLevelFlags level,
     G_GNUC_UNUSED const char *message,
     G_GNUC_UNUSED gpointer data)
{
}

Suite *
cuda_imitation_suite(void)
{
    Suite *suite = suite_create("cuda_imitation");
    TCase *tcase = tcase_create("device");
    TCase *opening = tcase_create("opening");

    g_log_set_handler("plansim", G_LOG_LEVEL_MESSAGE, drop, NULL);
    tcase_add_checked_fixture(tcase, open_unit, close_unit);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, every_kind_is_right, 0, G_N_ELEMENTS(cases));
    tcase_add_loop_test(tcase, a_run_takes_what_the_clock_says, 0, G_N_ELEMENTS(cases));
    tcase_add_loop_test(tcase, what_fails_leaves_nothing_behind, 0, G_N_ELEMENTS(cases));
    tcase_add_test(tcase, a_wrong_product_is_called_wrong);
    tcase_add_loop_test(tcase, what_is_not_there_is_unsupported, 0, 3);
    tcase_add_test(tcase, a_budget_that_is_over_leaves_one_sample_and_a_flag);
    tcase_add_test(tcase, a_policy_without_batches_takes_one);
    if (WITH_NCCL)
        tcase_add_loop_test(tcase, every_collective_is_right_and_takes_time, 0,
                            PSIM_N_EXCHANGE_KINDS);
    tcase_add_test(tcase, the_device_is_described);
    tcase_add_test(opening, opening_that_fails_leaves_nothing_behind);
    suite_add_tcase(suite, tcase);
    suite_add_tcase(suite, opening);
    return suite;
}
