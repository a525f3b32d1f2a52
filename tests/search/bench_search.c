/* SPDX-License-Identifier: MIT */
/* Plans simulated and candidates looked at, a second and core: GPT-3 175B on 1,024 A100. */
#include "search/space.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define N_MAX     200000u
#define N_REPEATS 400u

static double
cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static PsimSpace *
make_space(void)
{
    static const char text[] = "{\"schema\": \"plansim.plan/1\", \"name\": \"bench\"}";
    static const PsimOverride overrides[] = {
        {"/model", "gpt3-175b"}, {"/hardware", "dgx-a100-80gb"}, {"/gpus", "1"}};
    static const uint32_t gpus[] = {1024};
    static const uint32_t batches[] = {512, 1024, 1536, 2048};
    g_autoptr(PsimPlan) base =
        psim_plan_parse(text, strlen(text), "bench", overrides, G_N_ELEMENTS(overrides), NULL);
    PsimSpace *space = psim_space_new();

    g_ptr_array_add(space->sites, psim_site_new(base, NULL));
    g_array_append_vals(space->gpus, gpus, G_N_ELEMENTS(gpus));
    g_array_append_vals(space->batches, batches, G_N_ELEMENTS(batches));
    psim_space_fill(space);
    return space;
}

/* Returns: how many candidates are valid; they are in @plans. */
static guint
enumerate(const PsimSpace *space, PsimEvaluator *evaluator, bool prunes, PsimCandidatePlan *plans)
{
    uint64_t dropped[PSIM_N_DROPS] = {0};
    uint64_t ordinal = 0;
    guint n = 0;
    const double begin_s = cpu_s();

    while (n < N_MAX && psim_space_next(space, &evaluator, prunes, &ordinal, dropped, &plans[n]))
        n++;
    printf("%s: %.0f candidates a second (%u of %.0f are left)\n", prunes ? "pruned" : "checked",
           (double)ordinal / (cpu_s() - begin_s), n, (double)ordinal);
    return n;
}

static void
simulate(PsimEvaluator *evaluator, const PsimCandidatePlan *plans, guint n_plans)
{
    PsimEvaluation evaluation = {.size = sizeof evaluation};
    guint n_repeating = 0;
    guint n_run = 0;
    uint32_t m_max = 0;
    const double begin_s = cpu_s();

    for (guint i = 0; i < n_plans; i++) {
        if (!psim_evaluator_run(evaluator, &plans[i].change, &evaluation, NULL))
            continue;
        n_run++;
        n_repeating += evaluation.repeats;
        m_max = MAX(m_max, evaluation.n_microbatches);
    }
    printf("simulated: %.0f plans a second (%u, %u by a period, up to %u microbatches)\n",
           (double)n_run / (cpu_s() - begin_s), n_run, n_repeating, m_max);
}

/* What a plan costs as its microbatches grow: nothing more, once its schedule repeats. */
static void
grow(PsimEvaluator *evaluator, const char *schedule, uint32_t n_chunks, uint32_t pp)
{
    PsimChange change = PSIM_CHANGE_INIT;

    change.tp = 8;
    change.pp = pp;
    change.dp = 1;
    change.micro_batch = 1;
    change.schedule = schedule;
    change.n_chunks = n_chunks;
    change.zero_stage = 0;
    printf("%s:%u, PP %u, us a plan at m =", schedule, n_chunks, pp);
    for (uint32_t m = 2 * pp; m <= 4096; m *= 2) {
        PsimEvaluation evaluation = {.size = sizeof evaluation};
        const double begin_s = cpu_s();

        change.global_batch = m;
        for (unsigned i = 0; i < N_REPEATS; i++)
            (void)psim_evaluator_run(evaluator, &change, &evaluation, NULL);
        printf(" %u: %.0f%s", m, (cpu_s() - begin_s) / N_REPEATS * 1e6,
               evaluation.repeats ? "" : " (whole)");
    }
    putchar('\n');
}

int
main(void)
{
    g_autoptr(PsimSpace) space = make_space();
    const PsimSite *site = g_ptr_array_index(space->sites, 0);
    g_autoptr(PsimEvaluator) evaluator = psim_evaluator_new(site->base);
    g_autofree PsimCandidatePlan *plans = g_new(PsimCandidatePlan, N_MAX);

    (void)enumerate(space, evaluator, /* prunes= */ true, plans);
    const guint n_plans = enumerate(space, evaluator, /* prunes= */ false, plans);

    simulate(evaluator, plans, n_plans);
    grow(evaluator, "1f1b", 1, 8);
    grow(evaluator, "1f1b", 1, 32);
    grow(evaluator, "1f1b", 1, 96);
    grow(evaluator, "interleaved", 3, 32);
    grow(evaluator, "interleaved", 12, 8);
    grow(evaluator, "zb-h1", 1, 32);
    grow(evaluator, "zb-v", 2, 16);
    return 0;
}
