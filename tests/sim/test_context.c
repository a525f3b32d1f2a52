/* SPDX-License-Identifier: MIT */
/* A sequence over several ranks, through the whole pipeline. */
#include "../main.h"
#include "base/time.h"
#include "cost/layer.h"
#include "plansim.h"
#include "spec/plan.h"
#include "suites.h"
#include "timeline/summary.h"
#include "written.h"

#include <string.h>

/* Slow links, so that a ring is exposed: PCIe cards. */
#define SLOW "/hardware=a100-pcie-80gb-x8", "/precision=bf16", "/flash_attention=true"

static const char *const kinds[] = {"p2p", "all-gather", "all-gather-ring", "a2a"};
#define N_KINDS 4

static PsimPlan *
load(const char *kind, const char *schedule, const char *degrees, const char *gpus)
{
    g_autofree char *communication =
        g_strdup_printf("/parallel/context_communication=\"%s\"", kind);

    return load_plan("narayanan-1.7b", SLOW, gpus, degrees, communication, schedule,
                     "/batch={\"micro\": 1, \"global\": 16}", "/model/transformer/layers=16",
                     "/layers_per_stage=even", "/recompute=none", "/runtime/host/layer=0 s", NULL);
}

static PsimPlan *
load_flat(const char *kind)
{
    return load(kind, "/schedule={\"name\": \"1f1b\"}", "/parallel={\"tensor\": 2, \"context\": 4}",
                "/gpus=8");
}

static PsimTime
to_ps(double seconds_s)
{
    PsimTime time = 0;

    ck_assert(psim_time_from_s(seconds_s, &time));
    return time;
}

/* One rank, no pipeline: what 16 layers expose in the forward and in the backward, rounded once
 * each, 16 times. */
START_TEST(exposed_time_is_that_of_the_layers)
{
    g_autoptr(PsimPlan) plan = load_flat(kinds[_i]);
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);
    const PsimBlockCost cost = psim_layer_cost(plan, PSIM_BLOCK_LAYER, /* layer= */ 0);
    const double forward_s = 16.0 * cost.cp_s[PSIM_PASS_FORWARD];
    const double backward_s =
        16.0 * (cost.cp_s[PSIM_PASS_BACKWARD_INPUT] + cost.cp_s[PSIM_PASS_RECOMPUTE]);

    ck_assert_int_gt(result->breakdown.cp_exposed_ps, 0);
    ck_assert_int_eq(result->breakdown.cp_exposed_ps, 16 * (to_ps(forward_s) + to_ps(backward_s)));
    ck_assert_int_eq(psim_breakdown_sum(&result->breakdown), result->step_ps);
}
END_TEST

static const struct {
    const char *kind, *name;
    uint32_t a_layer; /* exchanges of a layer, forward and backward */
} rows[N_KINDS] = {
    {"p2p", "send", 6},
    {"all-gather", "all-gather + reduce-scatter", 3},
    {"all-gather-ring", "all-gather + send", 5},
    {"a2a", "all-to-all", 4},
};

START_TEST(exchanges_are_counted_one_by_one)
{
    g_autoptr(PsimPlan) plan = load_flat(rows[_i].kind);
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);
    const PsimCollectiveFigures *cp = &result->collectives[1];

    ck_assert_str_eq(cp->group, "cp");
    ck_assert_str_eq(cp->kind, rows[_i].name);
    ck_assert_uint_eq(cp->group_size, 4);
    ck_assert_uint_eq(cp->count, 16 * 16 * rows[_i].a_layer);
    ck_assert_double_ge(cp->time_s, cp->exposed_s);
}
END_TEST

/* Gradients are reduced over data x context. */
START_TEST(gradients_go_over_all_who_own_the_weights)
{
    g_autoptr(PsimPlan) plan = load("p2p", "/schedule={\"name\": \"1f1b\"}",
                                    "/parallel={\"context\": 4, \"data\": 2}", "/gpus=8");
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);
    const PsimCollectiveFigures *last = &result->collectives[result->n_collectives - 1];

    ck_assert_str_eq(last->group, "dp");
    ck_assert_uint_eq(last->group_size, 8);
    ck_assert_uint_eq(result->n_microbatches, 8);
}
END_TEST

START_TEST(one_context_rank_is_as_if_nothing_were_said)
{
    g_autoptr(PsimPlan) silent = load_plan("narayanan-1.7b", SLOW, NULL);
    g_autoptr(PsimPlan) told = load_plan("narayanan-1.7b", SLOW, "/parallel/context=1", NULL);
    g_autoptr(PsimResult) a = psim_simulate(silent, NULL, NULL);
    g_autoptr(PsimResult) b = psim_simulate(told, NULL, NULL);

    ck_assert_str_eq(silent->digest, told->digest);
    ck_assert_int_eq(a->step_ps, b->step_ps);
    ck_assert_int_eq(a->breakdown.cp_exposed_ps, 0);
}
END_TEST

/* Split backwards, pairs and two directions, with 2 x 2 copies of each rank. */
static const char *const orders[] = {
    "/schedule={\"name\": \"zb-h1\"}",      "/schedule={\"name\": \"interleaved\", \"chunks\": 2}",
    "/schedule={\"name\": \"zb-v\"}",       "/schedule={\"name\": \"dualpipe\"}",
    "/schedule={\"name\": \"dualpipe-v\"}", "/schedule={\"name\": \"chimera\"}",
};
#define N_ORDERS 6

START_TEST(every_order_is_the_same_folded_and_unfolded)
{
    g_autoptr(PsimPlan) plan =
        load(kinds[_i % N_KINDS], orders[_i / N_KINDS],
             "/parallel={\"tensor\": 2, \"context\": 2, \"pipeline\": 4}", "/gpus=16");
    PsimOptions options = PSIM_OPTIONS_INIT;
    g_autoptr(PsimResult) folded = psim_simulate(plan, &options, NULL);

    options.unfold = true;
    g_autoptr(PsimResult) wide = psim_simulate(plan, &options, NULL);

    ck_assert_int_eq(folded->step_ps, wide->step_ps);
    ck_assert_mem_eq(&folded->breakdown, &wide->breakdown, sizeof folded->breakdown);
    ck_assert_uint_eq(wide->n_ranks, 16);
    ck_assert_int_eq(psim_breakdown_sum(&folded->breakdown), folded->step_ps);
}
END_TEST

Suite *
context_suite(void)
{
    Suite *suite = suite_create("context");
    TCase *tests = tcase_create("context");

    tcase_add_loop_test(tests, exposed_time_is_that_of_the_layers, 0, N_KINDS);
    tcase_add_loop_test(tests, exchanges_are_counted_one_by_one, 0, N_KINDS);
    tcase_add_test(tests, gradients_go_over_all_who_own_the_weights);
    tcase_add_test(tests, one_context_rank_is_as_if_nothing_were_said);
    tcase_add_loop_test(tests, every_order_is_the_same_folded_and_unfolded, 0, N_ORDERS * N_KINDS);
    suite_add_tcase(suite, tests);
    return suite;
}
