/* SPDX-License-Identifier: MIT */
#include "test_calibrate.h"

#include "calibrate/shapes.h"
#include "calibrate/suite.h"

static void
free_trial(void *trial)
{
    psim_trial_free(trial);
}

static GPtrArray *
list(PsimSuite suite, uint32_t n_sms)
{
    GPtrArray *trials = g_ptr_array_new_with_free_func(free_trial);
    const PsimUnitFacts facts = {
        .n_units = 2,
        .n_sms = n_sms,
        .memory_usable_bytes = UINT64_C(64) << 30,
        .cache_bytes = UINT64_C(32) << 20,
        .nominal_flop_per_s = {[PSIM_NUMBER_BF16] = n_sms > 0 ? 1e15 : 0.0},
    };

    psim_suite_cases(suite, &facts, trials);
    return trials;
}

static guint
count_role(const GPtrArray *trials, guint first, PsimRole role)
{
    guint n = 0;

    for (guint i = 0; i < MIN(first, trials->len); i++)
        n += ((const PsimTrial *)g_ptr_array_index(trials, i))->role == role;
    return n;
}

START_TEST(no_case_is_measured_twice)
{
    static const uint32_t n_sms[] = {0, 132};
    g_autoptr(GPtrArray) trials = list((PsimSuite)(_i / 2), n_sms[_i % 2]);

    for (guint i = 0; i < trials->len; i++) {
        for (guint j = 0; j < i; j++)
            ck_assert(
                !psim_trial_is_same(g_ptr_array_index(trials, i), g_ptr_array_index(trials, j)));
    }
}
END_TEST

START_TEST(products_of_models_hold_two_models_out)
{
    g_autoptr(GPtrArray) trials = list(PSIM_SUITE_GEMM, 132);

    ck_assert_uint_eq(count_role(trials, G_MAXUINT, PSIM_ROLE_FIT), 90);
    ck_assert_uint_eq(count_role(trials, G_MAXUINT, PSIM_ROLE_HELD_OUT), 60);
    ck_assert_uint_ge(count_role(trials, G_MAXUINT, PSIM_ROLE_PROBE), 15);
    for (guint i = 0; i < trials->len; i++) {
        const PsimTrial *trial = g_ptr_array_index(trials, i);

        /* An input of codellama-34b's or internlm-20b's MLP is of no fitted model. */
        if (trial->role == PSIM_ROLE_FIT)
            ck_assert(trial->what.gemm.k != 22016 && trial->what.gemm.n != 22016 &&
                      trial->what.gemm.k != 13824 && trial->what.gemm.n != 13824);
        ck_assert(trial->what.gemm.accumulate_fp32 == (trial->what.gemm.layout == PSIM_LAYOUT_NT));
    }
}
END_TEST

/* A budget may cut a list anywhere: what came before must do. */
START_TEST(any_first_part_covers_the_space)
{
    static const uint32_t n_sms[] = {0, 132};
    g_autoptr(GPtrArray) trials = list(PSIM_SUITE_GEMM, n_sms[_i]);
    bool seen[PSIM_N_LAYOUTS] = {false};
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;

    for (guint i = 0; i < 40; i++) {
        const PsimCase *what = &((const PsimTrial *)g_ptr_array_index(trials, i))->what;

        seen[what->gemm.layout] = true;
        least = MIN(least, what->gemm.m);
        most = MAX(most, what->gemm.m);
    }
    ck_assert(seen[PSIM_LAYOUT_TN] && seen[PSIM_LAYOUT_NN] && seen[PSIM_LAYOUT_NT]);
    ck_assert_uint_ge(most / least, 16);
    ck_assert_uint_ge(count_role(trials, 40, PSIM_ROLE_FIT), 20);
    ck_assert_uint_ge(count_role(trials, 40, PSIM_ROLE_HELD_OUT), 8);
}
END_TEST

START_TEST(a_core_holds_out_what_is_off_its_grid)
{
    g_autoptr(GPtrArray) trials = list(PSIM_SUITE_GEMM, 0);

    for (guint i = 0; i < trials->len; i++) {
        const PsimCase *what = &((const PsimTrial *)g_ptr_array_index(trials, i))->what;

        ck_assert_double_le(2.0 * (double)(what->gemm.m * what->gemm.n * what->gemm.k), 3e9);
        ck_assert_uint_ge(what->gemm.m, 16);
        ck_assert_uint_le(what->gemm.m, 4096);
    }
}
END_TEST

START_TEST(every_suite_has_cases_where_it_can)
{
    static const bool of_core[PSIM_N_SUITES] = {
        [PSIM_SUITE_LAUNCH] = true, [PSIM_SUITE_BANDWIDTH] = true, [PSIM_SUITE_GEMM] = true,
        [PSIM_SUITE_MEMORY] = true, [PSIM_SUITE_ATTENTION] = true, [PSIM_SUITE_NCCL] = true,
    };
    g_autoptr(GPtrArray) gpu = list((PsimSuite)_i, 132);
    g_autoptr(GPtrArray) core = list((PsimSuite)_i, 0);

    ck_assert_uint_gt(gpu->len, 0);
    ck_assert(of_core[_i] == (core->len > 0));
}
END_TEST

Suite *
shapes_suite(void)
{
    Suite *suite = suite_create("shapes");
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, no_case_is_measured_twice, 0, 2 * PSIM_N_SUITES);
    tcase_add_test(all, products_of_models_hold_two_models_out);
    tcase_add_loop_test(all, any_first_part_covers_the_space, 0, 2);
    tcase_add_test(all, a_core_holds_out_what_is_off_its_grid);
    tcase_add_loop_test(all, every_suite_has_cases_where_it_can, 0, PSIM_N_SUITES);
    suite_add_tcase(suite, all);
    return suite;
}
