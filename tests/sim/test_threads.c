/* SPDX-License-Identifier: MIT */
/* Runs at the same time in several threads give the bytes of runs alone. */
#include "../main.h"
#include "plansim.h"
#include "written.h"

#define N_THREADS 4

static const char *const plans[N_THREADS] = {"mt-nlg-530b", "gpt3-175b-one-gpu", "narayanan-145.6b",
                                             "alexnet-two-gtx-580"};

static void *
run_plan(void *data)
{
    g_autoptr(PsimPlan) plan = load_plan(data, NULL);
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);

    return written(result, "json");
}

START_TEST(runs_in_threads_give_the_bytes_of_runs_alone)
{
    GThread *threads[N_THREADS];
    char *alone[N_THREADS];

    for (size_t i = 0; i < N_THREADS; i++)
        alone[i] = run_plan((void *)(uintptr_t)plans[i]);
    for (size_t i = 0; i < N_THREADS; i++)
        threads[i] = g_thread_new(plans[i], run_plan, (void *)(uintptr_t)plans[i]);
    for (size_t i = 0; i < N_THREADS; i++) {
        g_autofree char *together = g_thread_join(threads[i]);
        g_autofree char *single = alone[i];

        ck_assert_str_eq(together, single);
    }
}
END_TEST

static Suite *
threads_suite(void)
{
    Suite *suite = suite_create("threads");
    TCase *tests = tcase_create("threads");

    tcase_add_test(tests, runs_in_threads_give_the_bytes_of_runs_alone);
    suite_add_tcase(suite, tests);
    return suite;
}

PSIM_TEST_SUITES(threads_suite);
