/* SPDX-License-Identifier: MIT */
/* The CPU backend on real kernels: right results, samples of a sane form; no time is asserted. */
#include "test_calibrate.h"

#include "calibrate/cpu/cpu.h"
#include "calibrate/cpu/operands.h"
#include "calibrate/cpu/reference.h"
#include "calibrate/module.h"
#include "calibrate/suite.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

static const PsimPolicy brief = {
    .n_warm_up = 1,
    .n_batches = 3,
    .batch_s = 1e-5,
    .budget_s = 0.5,
    .memory_bytes = UINT64_C(64) << 20,
    .seed = 7,
};

START_TEST(every_kernel_agrees_with_its_reference)
{
    const PsimCase what = {
        .kind = PSIM_CASE_KERNEL,
        .number = PSIM_NUMBER_FP32,
        .kernel = {(PsimKernelKind)_i, 5, 67},
    };
    g_auto(PsimCpuOperands) operands = {.sum = 0.0f};

    ck_assert_int_eq(psim_cpu_operands_fill(&operands, &what, brief.memory_bytes, brief.seed),
                     PSIM_VERDICT_RIGHT);
    ck_assert_double_le(psim_cpu_reference_error(&operands, psim_cpu_operands_run), 1.0);
}
END_TEST

static void
run_with_a_slip(PsimCpuOperands *operands)
{
    psim_cpu_operands_run(operands);
    for (size_t i = 0; i < PSIM_CPU_MAX_ARRAYS; i++) {
        if (operands->n[i] > 0)
            operands->arrays[i][operands->n[i] / 2] += 0.01f;
    }
}

/* A reference that agrees with anything is none. */
START_TEST(a_wrong_element_is_seen)
{
    const PsimCase what = {
        .kind = PSIM_CASE_KERNEL,
        .number = PSIM_NUMBER_FP32,
        .kernel = {(PsimKernelKind)_i, 5, 67},
    };
    g_auto(PsimCpuOperands) operands = {.sum = 0.0f};

    ck_assert_int_eq(psim_cpu_operands_fill(&operands, &what, brief.memory_bytes, brief.seed),
                     PSIM_VERDICT_RIGHT);
    ck_assert_double_gt(psim_cpu_reference_error(&operands, run_with_a_slip), 1.0);
}
END_TEST

START_TEST(every_stream_agrees_with_its_reference)
{
    const PsimCase what = {
        .kind = PSIM_CASE_STREAM,
        .number = PSIM_NUMBER_FP32,
        .stream = {(PsimStreamKind)_i, 4096},
    };
    g_auto(PsimCpuOperands) operands = {.sum = 0.0f};

    ck_assert_int_eq(psim_cpu_operands_fill(&operands, &what, brief.memory_bytes, brief.seed),
                     PSIM_VERDICT_RIGHT);
    ck_assert_double_le(psim_cpu_reference_error(&operands, psim_cpu_operands_run), 1.0);
}
END_TEST

static const struct {
    PsimCase what;
    PsimVerdict verdict;
} refused[] = {
    {{.kind = PSIM_CASE_ATTENTION, .attention = {1, 1, 128, 64, true, false}},
     PSIM_VERDICT_UNSUPPORTED},
    {{.kind = PSIM_CASE_MEMCPY, .memcpy = {PSIM_MEMCPY_HOST_TO_DEVICE, 4096}},
     PSIM_VERDICT_UNSUPPORTED},
    {{.kind = PSIM_CASE_GEMM, .number = PSIM_NUMBER_BF16, .gemm = {8, 8, 8, PSIM_LAYOUT_TN, false}},
     PSIM_VERDICT_UNSUPPORTED},
    {{.kind = PSIM_CASE_STREAM, .stream = {PSIM_STREAM_COPY, UINT64_C(1) << 30}},
     PSIM_VERDICT_TOO_LARGE},
};

START_TEST(what_a_core_cannot_is_refused)
{
    g_auto(PsimCpuOperands) operands = {.sum = 0.0f};

    ck_assert_int_eq(
        psim_cpu_operands_fill(&operands, &refused[_i].what, brief.memory_bytes, brief.seed),
        refused[_i].verdict);
}
END_TEST

static PsimUnit *
open_or_tell(const PsimBackend *backend)
{
    g_autoptr(GError) error = NULL;
    PsimUnit *unit = backend->open(0, &error);

    if (unit == NULL)
        fprintf(stderr, "# not run: %s\n", error->message);
    return unit;
}

START_TEST(a_product_is_checked_and_timed)
{
    const PsimBackend *backend = psim_cpu_backend();
    const PsimCase what = {
        .kind = PSIM_CASE_GEMM,
        .number = PSIM_NUMBER_FP32,
        .gemm = {65, 33, 40, (PsimLayout)_i, _i == PSIM_LAYOUT_NT},
    };
    PsimUnit *unit = open_or_tell(backend);
    PsimSamples samples = {.n = 0};
    double error = -1.0;

    if (unit == NULL)
        return;
    ck_assert_int_eq(backend->check(unit, &what, &brief, &error, NULL), PSIM_VERDICT_RIGHT);
    ck_assert(error >= 0.0 && error <= 1.0);
    ck_assert_int_eq(backend->measure(unit, &what, &brief, &samples, NULL), PSIM_VERDICT_RIGHT);
    ck_assert_uint_eq(samples.n, 3);
    for (uint32_t i = 0; i < samples.n; i++)
        ck_assert_double_gt(samples.seconds[i], 0.0);
    psim_samples_clear(&samples);
    backend->close(unit);
}
END_TEST

START_TEST(a_message_arrives_as_it_was_sent)
{
    const PsimBackend *backend = psim_cpu_backend();
    const PsimCase what = {
        .kind = PSIM_CASE_COLLECTIVE,
        .collective = {PSIM_EXCHANGE_SEND, 2, 4096},
    };
    PsimUnit *unit = open_or_tell(backend);
    PsimSamples samples = {.n = 0};

    if (unit == NULL)
        return;
    ck_assert_int_eq(backend->measure(unit, &what, &brief, &samples, NULL), PSIM_VERDICT_RIGHT);
    ck_assert_uint_ge(samples.n, 3);
    psim_samples_clear(&samples);
    backend->close(unit);
}
END_TEST

START_TEST(a_backend_is_found_by_its_name)
{
    ck_assert_ptr_eq(psim_module_find("cpu", NULL), psim_cpu_backend());
}
END_TEST

/* Beside this program there is none. */
START_TEST(a_missing_module_is_said_with_what_to_do)
{
    g_autoptr(GError) error = NULL;

    ck_assert_ptr_null(psim_module_find("cuda", &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED));
    ck_assert_str_eq(error->message,
                     "backend cuda: its module is not installed; build plansim where nvcc is, or "
                     "calibrate this machine with --backend cpu");
}
END_TEST

/* A file that is no library at all is said to be what it is. */
START_TEST(a_broken_module_is_said_with_its_reason)
{
    g_autofree char *directory = g_dir_make_tmp("plansim-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(directory, "plansim-cuda.so", NULL);
    g_autoptr(GError) error = NULL;

    ck_assert(g_file_set_contents(path, "not a library", -1, NULL));
    (void)g_setenv("PSIM_MODULE_DIR", directory, TRUE);
    ck_assert_ptr_null(psim_module_find("cuda", &error));
    g_unsetenv("PSIM_MODULE_DIR");
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED));
    ck_assert_ptr_nonnull(strstr(error->message, path));
    (void)g_unlink(path);
    (void)g_rmdir(directory);
}
END_TEST

Suite *
cpu_suite(void)
{
    Suite *suite = suite_create("cpu");
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, every_kernel_agrees_with_its_reference, 0, PSIM_N_KERNEL_KINDS);
    tcase_add_loop_test(all, a_wrong_element_is_seen, 0, PSIM_N_KERNEL_KINDS);
    tcase_add_loop_test(all, every_stream_agrees_with_its_reference, 0, PSIM_N_STREAM_KINDS);
    tcase_add_loop_test(all, what_a_core_cannot_is_refused, 0, G_N_ELEMENTS(refused));
    tcase_add_loop_test(all, a_product_is_checked_and_timed, 0, PSIM_N_LAYOUTS);
    tcase_add_test(all, a_message_arrives_as_it_was_sent);
    tcase_add_test(all, a_backend_is_found_by_its_name);
    tcase_add_test(all, a_missing_module_is_said_with_what_to_do);
    tcase_add_test(all, a_broken_module_is_said_with_its_reason);
    suite_add_tcase(suite, all);
    return suite;
}
