/* SPDX-License-Identifier: MIT */
/* The kernels themselves, run on the host thread by thread (emulate.h), against plain loops. */
#include "calibrate/cuda/cuda_kernels.h"

#include "calibrate/cuda/cuda_case.h"
#include "calibrate/cuda/cuda_element.h"
#include "calibrate/cuda/cuda_reference.h"
#include "suites.h"

#include <math.h>
#include <string.h>

/* Behind each array lies a guard that no kernel may touch. */
#define GUARD_BYTES 64
#define GUARD       0x5a

typedef struct {
    PsimCase what;
    PsimArrayList list;
    void *arrays[PSIM_MAX_ARRAYS];
    double *before[PSIM_MAX_ARRAYS], *after[PSIM_MAX_ARRAYS];
} Bench;

static uint64_t
bytes_of(const PsimArraySpec *spec)
{
    return spec->n * psim_element_bytes(spec->element);
}

/* Aligned as on a device. */
static void *
new_array(uint64_t bytes)
{
    char *array = aligned_alloc(256, (bytes + GUARD_BYTES + 255) / 256 * 256);

    ck_assert_ptr_nonnull(array);
    memset(array, 0, bytes);
    memset(array + bytes, GUARD, GUARD_BYTES);
    return array;
}

static void
read_all(Bench *self, double **to)
{
    for (uint32_t i = 0; i < self->list.n; i++)
        to[i] = psim_cuda_element_read_all(self->arrays[i], self->list.array[i].element,
                                           self->list.array[i].n);
}

static void
set_up(Bench *self, const PsimCase *what)
{
    *self = (Bench){.what = *what};
    psim_cuda_case_arrays(what, &self->list);
    for (uint32_t i = 0; i < self->list.n; i++) {
        const PsimArraySpec *const spec = &self->list.array[i];

        self->arrays[i] = new_array(bytes_of(spec));
        ck_assert_int_eq(psim_cuda_kernels_fill(spec, self->arrays[i], 40 + i, NULL), cudaSuccess);
    }
}

static void
tear_down(Bench *self)
{
    for (uint32_t i = 0; i < self->list.n; i++) {
        const char *const end = (char *)self->arrays[i] + bytes_of(&self->list.array[i]);

        for (unsigned at = 0; at < GUARD_BYTES; at++)
            ck_assert_msg(end[at] == GUARD, "array %u: byte %u behind its end is written", i, at);
        free(self->arrays[i]);
        g_free(self->before[i]);
        g_free(self->after[i]);
    }
}

static double
error_of(const Bench *self)
{
    return psim_cuda_reference_error(&self->what, (const double *const *)self->before,
                                     (const double *const *)self->after);
}

static double
run(const PsimCase *what)
{
    Bench bench;

    set_up(&bench, what);
    read_all(&bench, bench.before);
    ck_assert_int_eq(psim_cuda_kernels_run(what, bench.arrays, /* n_sms= */ 3, NULL), cudaSuccess);
    read_all(&bench, bench.after);

    const double error = error_of(&bench);

    tear_down(&bench);
    return error;
}

static const PsimNumber numbers[] = {PSIM_NUMBER_FP32, PSIM_NUMBER_FP16, PSIM_NUMBER_BF16};

/* Whole packs, one element short of and beyond a pack, several turns of a block, narrower than it.
 */
static const struct {
    uint64_t rows, width;
} shapes[] = {{5, 1024}, {9, 64},   {3, 63},   {2, 65},  {2, 1},
              {3, 7},    {2, 2600}, {2, 2601}, {1, 8192}};

START_TEST(every_kernel_agrees_with_plain_loops_at_every_alignment)
{
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        for (size_t s = 0; s < G_N_ELEMENTS(shapes); s++) {
            const PsimCase what = {
                .kind = PSIM_CASE_KERNEL,
                .number = numbers[i],
                .kernel = {(PsimKernelKind)_i, shapes[s].rows, shapes[s].width},
            };
            const double error = run(&what);

            ck_assert_msg(error <= 1.0, "kernel %d, type %d, %d x %d: %g of the bound", _i,
                          (int)numbers[i], (int)shapes[s].rows, (int)shapes[s].width, error);
        }
}
END_TEST

START_TEST(every_stream_agrees_with_plain_loops_and_does_its_tail)
{
    static const uint64_t counts[] = {1, 3, 8, 4096, 4097, 70001};

    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        for (size_t n = 0; n < G_N_ELEMENTS(counts); n++) {
            const PsimCase what = {
                .kind = PSIM_CASE_STREAM,
                .number = numbers[i],
                .stream = {(PsimStreamKind)_i, counts[n] * psim_number_bytes(numbers[i])},
            };
            const double error = run(&what);

            ck_assert_msg(error <= 1.0, "stream %d, type %d, %d elements: %g of the bound", _i,
                          (int)numbers[i], (int)counts[n], error);
        }
}
END_TEST

/* -- Attention: our own tiles ------------------------------------------------------------------ */

static const struct {
    PsimNumber number;
    uint64_t batch, n_heads, sequence, head_dim;
    bool causal;
} attentions[] = {
    {PSIM_NUMBER_BF16, 1, 2, 48, 64, false}, {PSIM_NUMBER_FP16, 2, 1, 33, 64, true},
    {PSIM_NUMBER_BF16, 1, 1, 70, 128, true}, {PSIM_NUMBER_FP16, 1, 1, 16, 128, false},
    {PSIM_NUMBER_FP16, 1, 3, 1, 64, true},
};

static PsimCase
attention_case(int i, bool backward)
{
    return (PsimCase){
        .kind = PSIM_CASE_ATTENTION,
        .number = attentions[i].number,
        .attention = {attentions[i].batch, attentions[i].n_heads, attentions[i].sequence,
                      attentions[i].head_dim, attentions[i].causal, backward},
    };
}

START_TEST(our_attention_agrees_with_plain_loops)
{
    const PsimCase what = attention_case(_i, /* backward= */ false);
    Bench bench;

    set_up(&bench, &what);
    read_all(&bench, bench.before);
    ck_assert_int_eq(psim_cuda_kernels_attend(&what, bench.arrays, NULL), cudaSuccess);
    read_all(&bench, bench.after);
    ck_assert_double_le(error_of(&bench), 1.0);
    tear_down(&bench);
}
END_TEST

START_TEST(our_attention_gradients_agree_with_plain_loops)
{
    static const int where[3] = {PSIM_ATTENTION_DQ, PSIM_ATTENTION_DK, PSIM_ATTENTION_DV};
    const PsimCase what = attention_case(_i, /* backward= */ true);
    Bench bench;
    float *gradients[3];

    set_up(&bench, &what);

    const uint64_t n = bench.list.array[PSIM_ATTENTION_Q].n;

    ck_assert_int_eq(psim_cuda_kernels_attend(&what, bench.arrays, NULL), cudaSuccess);
    read_all(&bench, bench.before);
    for (unsigned i = 0; i < 3; i++)
        gradients[i] = new_array(n * sizeof(float));
    ck_assert_int_eq(psim_cuda_kernels_attend_back(&what, bench.arrays, gradients, NULL),
                     cudaSuccess);
    read_all(&bench, bench.after);
    for (unsigned i = 0; i < 3; i++) {
        g_free(bench.after[where[i]]);
        bench.after[where[i]] = psim_cuda_element_read_all(gradients[i], PSIM_ELEMENT_FP32, n);
        free(gradients[i]);
    }
    ck_assert_double_le(error_of(&bench), 1.0);
    tear_down(&bench);
}
END_TEST

/* -- Fills ------------------------------------------------------------------------------------- */

START_TEST(operands_are_normal_and_depend_on_the_seed_alone)
{
    enum { n = 20001 };
    const PsimArraySpec spec = {
        .element = PSIM_ELEMENT_FP32, .fill = PSIM_FILL_NORMAL, .scale = 1.0F, .n = n};
    float *const first = new_array(n * sizeof(float));
    float *const second = new_array(n * sizeof(float));
    double mean = 0.0;
    double square = 0.0;

    ck_assert_int_eq(psim_cuda_kernels_fill(&spec, first, 7, NULL), cudaSuccess);
    ck_assert_int_eq(psim_cuda_kernels_fill(&spec, second, 7, NULL), cudaSuccess);
    ck_assert_mem_eq(first, second, n * sizeof(float));
    ck_assert_int_eq(psim_cuda_kernels_fill(&spec, second, 8, NULL), cudaSuccess);
    ck_assert_mem_ne(first, second, n * sizeof(float));
    for (int i = 0; i < n; i++) {
        mean += (double)first[i] / n;
        square += (double)first[i] * (double)first[i] / n;
    }
    /* Five standard deviations of a mean, and of a mean square, of n draws. */
    ck_assert_double_lt(fabs(mean), 5.0 / sqrt(n));
    ck_assert_double_lt(fabs(square - 1.0), 5.0 * sqrt(2.0 / n));
    free(first);
    free(second);
}
END_TEST

/* -- The reference itself ---------------------------------------------------------------------- */

START_TEST(the_reference_sees_one_wrong_element)
{
    const PsimCase what = {.kind = PSIM_CASE_KERNEL,
                           .number = PSIM_NUMBER_BF16,
                           .kernel = {(PsimKernelKind)_i, 3, 40}};
    Bench bench;

    set_up(&bench, &what);
    read_all(&bench, bench.before);
    ck_assert_int_eq(psim_cuda_kernels_run(&what, bench.arrays, /* n_sms= */ 2, NULL), cudaSuccess);
    read_all(&bench, bench.after);
    for (uint32_t i = 0; i < bench.list.n; i++) {
        const bool is_output = bench.list.array[i].fill == PSIM_FILL_NONE;

        if (!is_output || bench.list.array[i].scratch)
            continue;
        bench.after[i][bench.list.array[i].n - 1] += 0.5;
        ck_assert_msg(error_of(&bench) > 1.0, "kernel %d: output %u is not looked at", _i, i);
        bench.after[i][bench.list.array[i].n - 1] -= 0.5;
    }
    tear_down(&bench);
}
END_TEST

/* cuBLASLt is not here; the loops by which it is judged are, for each layout. */
START_TEST(the_product_of_a_known_matrix_is_right_in_each_layout)
{
    /* A = [1 2 3; 4 5 6], B = [1 0; 0 1; 2 2]: C = [7 8; 16 17]. */
    static const double a_rows[] = {1, 2, 3, 4, 5, 6};
    static const double a_columns[] = {1, 4, 2, 5, 3, 6};
    static const double b_rows[] = {1, 0, 0, 1, 2, 2};
    static const double b_columns[] = {1, 0, 2, 0, 1, 2};
    static const double c[] = {7, 8, 16, 17};
    static const double off[] = {7, 8, 16, 17.5};
    static const double nothing[] = {0, 0, 0, 0};
    const PsimLayout layout = (PsimLayout)_i;
    const PsimCase what = {.kind = PSIM_CASE_GEMM,
                           .number = PSIM_NUMBER_BF16,
                           .gemm = {2, 2, 3, layout, layout == PSIM_LAYOUT_NT}};
    const double *const before[] = {layout == PSIM_LAYOUT_NT ? a_columns : a_rows,
                                    layout == PSIM_LAYOUT_TN ? b_columns : b_rows, nothing};
    const double *const after[] = {NULL, NULL, c};
    const double *const wrong[] = {NULL, NULL, off};

    ck_assert_double_eq(psim_cuda_reference_error(&what, before, after), 0.0);
    ck_assert_double_gt(psim_cuda_reference_error(&what, before, wrong), 1.0);
}
END_TEST

Suite *
cuda_kernels_suite(void)
{
    Suite *suite = suite_create("cuda_kernels");
    TCase *kernels = tcase_create("kernels");
    TCase *reference = tcase_create("reference");

    tcase_set_timeout(kernels, 60);
    tcase_add_loop_test(kernels, every_kernel_agrees_with_plain_loops_at_every_alignment, 0,
                        PSIM_N_KERNEL_KINDS);
    tcase_add_loop_test(kernels, every_stream_agrees_with_plain_loops_and_does_its_tail, 0,
                        PSIM_N_STREAM_KINDS);
    tcase_add_loop_test(kernels, our_attention_agrees_with_plain_loops, 0,
                        G_N_ELEMENTS(attentions));
    tcase_add_loop_test(kernels, our_attention_gradients_agree_with_plain_loops, 0,
                        G_N_ELEMENTS(attentions));
    tcase_add_test(kernels, operands_are_normal_and_depend_on_the_seed_alone);
    tcase_add_loop_test(reference, the_reference_sees_one_wrong_element, 0, PSIM_N_KERNEL_KINDS);
    tcase_add_loop_test(reference, the_product_of_a_known_matrix_is_right_in_each_layout, 0,
                        PSIM_N_LAYOUTS);
    suite_add_tcase(suite, kernels);
    suite_add_tcase(suite, reference);
    return suite;
}
