/* SPDX-License-Identifier: MIT */
/* Which way the answer goes, on random plans: more of anything never hurts, and twice the cost of
 * everything is twice the step. */
#include "cost/memory.h"
#include "draw.h"
#include "properties.h"
#include "sim/altered.h"

#include <math.h>

#define N_RANDOM 150
#define FACTOR   1.37

static PsimAnswer
answer(const PsimPlan *plan)
{
    const PsimOptions options = PSIM_OPTIONS_INIT;
    PsimAnswer given = {0};

    ck_assert(psim_altered_replay(plan, &options, &given));
    return given;
}

/* -- More of a resource -- */

static void
raise_peak(PsimAltered *altered)
{
    for (size_t i = 0; i < PSIM_N_PRECISIONS; i++)
        altered->hardware.device.peak_flop_per_s[i] *= FACTOR;
}

static void
raise_efficiency(PsimAltered *altered)
{
    psim_altered_scale_products(altered, FACTOR);
}

static void
raise_hbm(PsimAltered *altered)
{
    altered->hardware.device.memory_bytes_per_s *= FACTOR;
}

static void
raise_scale_up(PsimAltered *altered)
{
    psim_altered_scale_scale_up(altered, FACTOR);
}

static void
raise_nics(PsimAltered *altered)
{
    altered->hardware.nic_bytes_per_s *= FACTOR;
}

static void
raise_memory(PsimAltered *altered)
{
    altered->hardware.device.memory_usable_bytes *= FACTOR;
}

static void
lower_latencies(PsimAltered *altered)
{
    PsimHardware *hardware = &altered->hardware;

    hardware->scale_up_latency_s /= FACTOR;
    hardware->ring_step_s /= FACTOR;
    hardware->scale_up_step_s /= FACTOR;
    hardware->fabric_latency_s /= FACTOR;
    for (uint32_t i = 0; i < hardware->n_collectives; i++) {
        hardware->collectives[i].a_s /= FACTOR;
        hardware->collectives[i].step_s /= FACTOR;
    }
}

static void
lower_dispatch(PsimAltered *altered)
{
    altered->plan.runtime.host_layer_s /= FACTOR;
    altered->plan.runtime.host_collective_s /= FACTOR;
    altered->plan.runtime.host_send_s /= FACTOR;
    altered->hardware.device.gemm.launch_s /= FACTOR;
    altered->hardware.device.memory_bound.launch_s /= FACTOR;
}

static const struct {
    const char *what;
    void (*improve)(PsimAltered *altered);
} improvements[] = {
    {"peak", raise_peak},           {"efficiency", raise_efficiency},
    {"HBM bandwidth", raise_hbm},   {"bandwidth in a node", raise_scale_up},
    {"NIC bandwidth", raise_nics},  {"memory", raise_memory},
    {"latencies", lower_latencies}, {"dispatch", lower_dispatch},
};

START_TEST(more_of_a_resource_never_makes_a_step_longer)
{
    Dice dice = {.seed = 20000u + (uint64_t)_i};
    g_autoptr(PsimPlan) plan = draw_plan(&dice);
    const PsimAnswer before = answer(plan);

    for (size_t i = 0; i < G_N_ELEMENTS(improvements); i++) {
        g_autoptr(PsimArena) arena = psim_arena_new();
        PsimAltered *altered = psim_altered_make(plan, arena);

        improvements[i].improve(altered);
        const PsimAnswer after = answer(&altered->plan);

        ck_assert_msg(after.step_ps <= before.step_ps, "%s: %g s -> %g s", improvements[i].what,
                      (double)before.step_ps / 1e12, (double)after.step_ps / 1e12);
        ck_assert(after.peak_bytes == before.peak_bytes);
        ck_assert(after.fits || !before.fits);
    }
}
END_TEST

/* -- Twice of everything -- */

static void
double_every_cost(PsimAltered *altered)
{
    PsimHardware *hardware = &altered->hardware;
    PsimDevice *device = &hardware->device;
    PsimRuntime *runtime = &altered->plan.runtime;

    for (size_t i = 0; i < PSIM_N_PRECISIONS; i++)
        device->peak_flop_per_s[i] /= 2.0;
    device->memory_bytes_per_s /= 2.0;
    device->gemm.launch_s *= 2.0;
    device->memory_bound.launch_s *= 2.0;
    device->launch_floor_s *= 2.0;
    psim_altered_scale_scale_up(altered, 0.5);
    hardware->scale_up_latency_s *= 2.0;
    hardware->ring_step_s *= 2.0;
    hardware->scale_up_step_s *= 2.0;
    hardware->fabric_latency_s *= 2.0;
    hardware->nic_bytes_per_s /= 2.0;
    for (uint32_t i = 0; i < hardware->n_collectives; i++) {
        hardware->collectives[i].a_s *= 2.0;
        hardware->collectives[i].step_s *= 2.0;
    }
    runtime->host_layer_s *= 2.0;
    runtime->host_collective_s *= 2.0;
    runtime->host_send_s *= 2.0;
}

/* Exact but for what is rounded: half a picosecond a task, at most all of them in a row. The launch
 * of fused attention is a constant of its own, so attention is left unfused. */
START_TEST(twice_every_cost_is_twice_the_step)
{
    Dice dice = {.seed = 30000u + (uint64_t)_i};
    g_autoptr(PsimPlan) plan = draw_plan(&dice);
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimAltered *once = psim_altered_make(plan, arena);
    PsimAltered *twice = psim_altered_make(plan, arena);

    once->plan.flash_attention = twice->plan.flash_attention = false;
    double_every_cost(twice);
    const PsimTime one = answer(&once->plan).step_ps;
    const PsimTime two = answer(&twice->plan).step_ps;
    PsimSummary summary = {.size = sizeof summary};
    g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);

    psim_result_summary(result, &summary);
    ck_assert_int_le(ABS(two - 2 * one), (PsimTime)(2 * summary.n_tasks));
}
END_TEST

/* -- Memory -- */

/* Without the communicators: with its first rank a group brings one, which a small model feels. */
static double
need_bytes(const PsimPlan *plan)
{
    return answer(plan).peak_bytes - psim_memory_communicators(plan);
}

START_TEST(recomputation_never_needs_more_memory)
{
    Dice dice = {.seed = 40000u + (uint64_t)_i};
    g_autoptr(PsimPlan) plan = draw_plan(&dice);
    double peak_bytes = (double)INFINITY;

    for (int recompute = PSIM_RECOMPUTE_NONE; recompute <= PSIM_RECOMPUTE_FULL; recompute++) {
        PsimPlan changed = *plan;

        changed.recompute = (PsimRecompute)recompute;
        const PsimAnswer given = answer(&changed);

        ck_assert(given.peak_bytes <= peak_bytes);
        peak_bytes = given.peak_bytes;
    }
}
END_TEST

/* Of parts of a sequence that meet step by step; who gathers it all holds all of it. */
START_TEST(more_context_ranks_never_need_more_memory)
{
    Dice dice = {.seed = 45000u + (uint64_t)_i};
    g_autoptr(PsimPlan) plan = draw_plan(&dice);
    g_autoptr(PsimArena) arena = psim_arena_new();
    double peak_bytes = (double)INFINITY;

    for (uint32_t cp = 1; cp <= 16; cp *= 2) {
        PsimPlan changed = *plan;

        changed.cp = cp;
        changed.flash_attention = true;
        changed.context_communication = PSIM_CONTEXT_P2P;
        ck_assert(psim_altered_settle(&changed, arena));
        const double needed = need_bytes(&changed);

        ck_assert(needed < peak_bytes);
        peak_bytes = needed;
    }
}
END_TEST

START_TEST(more_tensor_ranks_never_need_more_memory)
{
    Dice dice = {.seed = 50000u + (uint64_t)_i};
    g_autoptr(PsimPlan) plan = draw_plan(&dice);
    g_autoptr(PsimArena) arena = psim_arena_new();
    double peak_bytes = (double)INFINITY;

    for (uint32_t tp = 1; tp <= 8; tp *= 2) {
        PsimPlan changed = *plan;

        changed.tp = tp;
        changed.sequence_parallel = plan->sequence_parallel && tp > 1;
        ck_assert(psim_altered_settle(&changed, arena));
        const double needed = need_bytes(&changed);

        ck_assert(needed < peak_bytes);
        peak_bytes = needed;
    }
}
END_TEST

static double
count_states(PsimPlan *plan)
{
    PsimOptions options = PSIM_OPTIONS_INIT;
    double most = 0.0;

    options.brief = true;
    g_autoptr(PsimResult) result = psim_simulate(plan, &options, NULL);

    ck_assert_ptr_nonnull(result);
    for (uint32_t s = 0; s < result->n_stages; s++)
        most = MAX(most, result->stages[s].weights_bytes + result->stages[s].gradients_bytes +
                             result->stages[s].optimizer_bytes);
    return most;
}

/* Deeper pipelines and ZeRO add buffers and microbatches in flight; model states they divide. */
START_TEST(deeper_pipelines_and_more_sharding_divide_the_states)
{
    Dice dice = {.seed = 60000u + (uint64_t)_i};
    g_autoptr(PsimPlan) plan = draw_plan(&dice);
    g_autoptr(PsimArena) arena = psim_arena_new();
    double states = (double)INFINITY;

    for (uint32_t zero = 0; zero <= 3; zero++) {
        PsimPlan changed = *plan;

        changed.zero_stage = zero;
        ck_assert(psim_plan_owners(plan) == 1 ? count_states(&changed) <= states
                                              : count_states(&changed) < states);
        states = count_states(&changed);
    }
    states = (double)INFINITY;
    for (uint32_t pp = 1; pp <= 6; pp++) {
        PsimPlan changed = *plan;

        changed.pp = pp;
        changed.n_chunks = 1;
        changed.schedule = psim_schedule_find("1f1b");
        if (!psim_altered_settle(&changed, arena))
            continue;
        ck_assert(count_states(&changed) < states);
        states = count_states(&changed);
    }
}
END_TEST

/* What ZeRO 3 gathers, with its share of what fragments. */
static double
count_gathered(PsimPlan *plan)
{
    PsimOptions options = PSIM_OPTIONS_INIT;
    double most = 0.0;

    options.brief = true;
    g_autoptr(PsimResult) result = psim_simulate(plan, &options, NULL);

    for (uint32_t s = 0; s < result->n_stages; s++)
        most = MAX(most, result->stages[s].comm_buffers_bytes);
    return most * (1.0 + plan->runtime.fragmentation_fraction);
}

/* But for the layers that are gathered whole: with few replicas and few layers a stage they are
 * more than what sharding the weights saves. */
START_TEST(more_sharding_never_needs_more_memory)
{
    Dice dice = {.seed = 60000u + (uint64_t)_i};
    g_autoptr(PsimPlan) plan = draw_plan(&dice);
    double peak_bytes = (double)INFINITY;

    for (uint32_t zero = 0; zero <= 3; zero++) {
        PsimPlan changed = *plan;

        changed.zero_stage = zero;
        const double needed = answer(&changed).peak_bytes;

        ck_assert(needed <= peak_bytes + (zero == 3 ? count_gathered(&changed) : 0.0));
        peak_bytes = needed;
    }
}
END_TEST

/* Weights that many replicas and context ranks share are less than the buffers of a pipeline. */
START_TEST(deeper_pipelines_never_need_more_memory)
{
    Dice dice = {.seed = 60000u + (uint64_t)_i};
    g_autoptr(PsimPlan) plan = draw_plan(&dice);
    g_autoptr(PsimArena) arena = psim_arena_new();
    double peak_bytes = (double)INFINITY;

    for (uint32_t pp = 1; pp <= 6; pp++) {
        PsimPlan changed = *plan;

        changed.pp = pp;
        changed.n_chunks = 1;
        if (plan->cp > 1)
            changed.zero_stage = MIN(plan->zero_stage, 2);
        changed.schedule = psim_schedule_find("1f1b");
        if (!psim_altered_settle(&changed, arena))
            continue;
        const double needed = need_bytes(&changed);

        ck_assert(needed <= peak_bytes);
        peak_bytes = needed;
    }
}
END_TEST

/* -- Twice of the work -- */

/* Fill, drain and the step's tail come once, so twice the microbatches never take more than twice
 * as long. */
START_TEST(twice_the_microbatches_take_longer_and_at_most_twice_as_long)
{
    Dice dice = {.seed = 90000u + (uint64_t)_i};
    g_autoptr(PsimPlan) plan = draw_plan(&dice);
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimPlan twice = *plan;

    twice.global_batch *= 2;
    ck_assert(psim_altered_settle(&twice, arena));
    const PsimTime one = answer(plan).step_ps;
    const PsimTime two = answer(&twice).step_ps;

    ck_assert_int_gt(two, one);
    ck_assert_int_le(two, 2 * one);
}
END_TEST

Suite *
monotone_suite(void)
{
    Suite *suite = suite_create("monotone");
    TCase *tests = tcase_create("monotone");

    tcase_add_loop_test(tests, more_of_a_resource_never_makes_a_step_longer, 0, N_RANDOM);
    tcase_add_loop_test(tests, twice_every_cost_is_twice_the_step, 0, N_RANDOM);
    tcase_add_loop_test(tests, recomputation_never_needs_more_memory, 0, N_RANDOM);
    tcase_add_loop_test(tests, more_context_ranks_never_need_more_memory, 0, N_RANDOM);
    tcase_add_loop_test(tests, more_tensor_ranks_never_need_more_memory, 0, N_RANDOM);
    tcase_add_loop_test(tests, deeper_pipelines_and_more_sharding_divide_the_states, 0, N_RANDOM);
    tcase_add_loop_test(tests, more_sharding_never_needs_more_memory, 0, N_RANDOM);
    tcase_add_loop_test(tests, deeper_pipelines_never_need_more_memory, 0, N_RANDOM);
    tcase_add_loop_test(tests, twice_the_microbatches_take_longer_and_at_most_twice_as_long, 0,
                        N_RANDOM);
    suite_add_tcase(suite, tests);
    return suite;
}
