/* SPDX-License-Identifier: MIT */
/* The systems people know, each a named plan: all run, and lie near what was published. */
#include "base/time.h"
#include "plansim.h"
#include "suites.h"
#include "timeline/result.h"
#include "written.h"

#include <math.h>

static const struct {
    const char *plan;
    bool fits;
} systems[] = {
    {"alexnet-two-gtx-580", true},   {"data-parallel-ring", true},
    {"naive-pipeline", true},        {"gpipe-amoebanet-4", true},
    {"gpipe-transformer-16", true},  {"megatron-lm-8.3b-512-v100", true},
    {"pipedream-1f1b", true},        {"mt-nlg-530b", true},
    {"mt-nlg-530b-350-nodes", true}, {"mt-nlg-530b-420-nodes", true},
    {"mt-nlg-530b-4480-gpus", true}, {"gpt3-175b-one-gpu", false},
    {"gpt-48-layers-m8", true},      {"gpt-48-layers-m32", true},
};

static PsimResult *
run(const char *name)
{
    g_autoptr(PsimPlan) plan = load_plan(name, NULL);
    PsimResult *result = psim_simulate(plan, NULL, NULL);

    ck_assert_ptr_nonnull(result);
    return result;
}

START_TEST(every_named_system_runs)
{
    g_autoptr(PsimResult) result = run(systems[_i].plan);

    ck_assert(psim_result_fits(result) == systems[_i].fits);
    ck_assert_int_gt(result->step_ps, 0);
}
END_TEST

/* Smith et al. 2022 (arXiv 2201.11990), section 2.4: seconds a step on 280, 350 and 420 DGX A100.
 */
static const struct {
    const char *plan;
    double step_s;
} mt_nlg[] = {
    {"mt-nlg-530b", 60.1},
    {"mt-nlg-530b-350-nodes", 50.2},
    {"mt-nlg-530b-420-nodes", 44.4},
};

START_TEST(mt_nlg_lies_within_a_fifth_of_the_published_step)
{
    g_autoptr(PsimResult) result = run(mt_nlg[_i].plan);
    const double step_s = psim_time_to_s(result->step_ps);

    ck_assert_double_le(fabs(step_s / mt_nlg[_i].step_s - 1.0), 0.20);
}
END_TEST

/* Narayanan et al. 2021 (arXiv 2104.04473), table 1: hardware TFLOP/s a GPU, 96 B s l h^2 (1 + s/6h
 * + V/16lh) over the step. */
static const struct {
    const char *plan;
    double published;
} narayanan[] = {
    {"narayanan-1.7b", 137},   {"narayanan-3.6b", 138},   {"narayanan-7.5b", 142},
    {"narayanan-18.4b", 135},  {"narayanan-39.1b", 138},  {"narayanan-76.1b", 140},
    {"narayanan-145.6b", 148}, {"narayanan-310.1b", 155}, {"narayanan-529.6b", 163},
    {"narayanan-1t", 163},
};

START_TEST(narayanan_table_1_lies_within_a_tenth_row_by_row)
{
    g_autoptr(PsimResult) result = run(narayanan[_i].plan);
    const double tflops = result->hardware_flop_per_s_per_gpu * 1e-12;

    ck_assert_double_le(fabs(tflops / narayanan[_i].published - 1.0), 0.10);
}
END_TEST

/* The first six of the ten rows lie within 5.2 % of each other, and among those the prediction does
 * not keep the order: it puts 39.1B last, not 18.4B, and 76.1B before 7.5B; of the two last, which
 * are published equal, it has 1T 2.5 % behind 529.6B. */
START_TEST(narayanan_table_1_keeps_the_order_of_rows_more_than_5_percent_apart)
{
    double tflops[G_N_ELEMENTS(narayanan)];
    int n_pairs = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(narayanan); i++) {
        g_autoptr(PsimResult) result = run(narayanan[i].plan);

        tflops[i] = result->hardware_flop_per_s_per_gpu;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(narayanan); i++) {
        for (size_t k = 0; k < G_N_ELEMENTS(narayanan); k++) {
            if (narayanan[k].published <= 1.05 * narayanan[i].published)
                continue;
            ck_assert_msg(tflops[k] > tflops[i], "%s before %s", narayanan[i].plan,
                          narayanan[k].plan);
            n_pairs++;
        }
    }
    ck_assert_int_eq(n_pairs, 28);
}
END_TEST

Suite *
systems_suite(void)
{
    Suite *suite = suite_create("systems");
    TCase *tests = tcase_create("systems");

    tcase_add_loop_test(tests, every_named_system_runs, 0, G_N_ELEMENTS(systems));
    tcase_add_loop_test(tests, mt_nlg_lies_within_a_fifth_of_the_published_step, 0,
                        G_N_ELEMENTS(mt_nlg));
    tcase_add_loop_test(tests, narayanan_table_1_lies_within_a_tenth_row_by_row, 0,
                        G_N_ELEMENTS(narayanan));
    tcase_add_test(tests, narayanan_table_1_keeps_the_order_of_rows_more_than_5_percent_apart);
    suite_add_tcase(suite, tests);
    return suite;
}
